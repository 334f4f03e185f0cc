"""`hermes gateway`: the chats in which the agent is reached: set up, start, stop, look, test."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import living, with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import ChangeGateway, GatewayInfo, ListGateways, SendOut

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Gateways: Telegram, Discord, Slack, WhatsApp, Signal, webhooks.\n\n"
    "Example: hermes gateway setup telegram",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Such as telegram.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """List the gateways and how each is.

    Example: hermes gateway list
    """
    found = with_core(lambda client: client.ask(ListGateways(chats=0))).gateways
    if json:
        output.emit({"gateways": found})
        return
    rows = [
        (one.name, "yes" if one.enabled else "no", _state(one), _ago(one.last_in), one.problem)
        for one in found
        if one.name != "cli"
    ]
    output.table(rows, ("GATEWAY", "ENABLED", "STATE", "LAST IN", "PROBLEM"))


@app.command()
def status(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One alone.")] = "",
    json: Json = False,
) -> None:
    """Show traffic, what waits, and the chats. Code 1 when an enabled one is not connected.

    Example: hermes gateway status telegram
    """
    found = with_core(lambda client: client.ask(ListGateways())).gateways
    if name and name not in {one.name for one in found}:
        known = ", ".join(one.name for one in found)
        raise HermesError(f"no gateway {name!r}", f"one of {known}")
    shown = [one for one in found if one.name == name or (not name and one.enabled)]
    if json:
        output.emit({"gateways": shown})
    else:
        for one in shown:
            _show(one)
        if all(one.name == "cli" for one in shown):
            print("no gateway is enabled; `hermes gateway setup NAME` sets one up")
    bad = [one for one in shown if one.enabled and one.state not in ("on", "starting")]
    if bad and living(Home.find()):
        raise typer.Exit(1)


@app.command()
def start(name: Name, json: Json = False) -> None:
    """Connect a gateway of the living core, by the settings as they are now.

    Example: hermes gateway start telegram
    """
    _change(name, "start", json)


@app.command()
def stop(name: Name, json: Json = False) -> None:
    """Disconnect a gateway until its next start; what waits to be sent, waits.

    Example: hermes gateway stop telegram
    """
    _change(name, "stop", json)


@app.command()
def restart(name: Name, json: Json = False) -> None:
    """Connect a gateway anew.

    Example: hermes gateway restart telegram
    """
    _change(name, "restart", json)


@app.command("test")
def try_(
    name: Name,
    to: Annotated[str, typer.Option("--to", help="Another chat than your own.")] = "",
    json: Json = False,
) -> None:
    """Send yourself a line and say whether it arrived.

    Example: hermes gateway test telegram
    """
    text = f"Hermes can reach you here ({time.strftime('%H:%M:%S')})."
    target = f"{name}:{to}" if to else name
    sent = with_core(lambda client: client.ask(SendOut(target=target, text=text)))
    if json:
        output.emit(sent)
    elif sent.state == "sent":
        print(f"it arrived in {output.clean(sent.target)} as {output.clean(sent.proof)}")
    else:
        raise HermesError(f"it did not arrive ({sent.state}): {sent.error}", "is it set up?")
    if sent.state != "sent":
        raise typer.Exit(1)


@app.command()
def setup(
    name: Name,
    owner: Annotated[str, typer.Option("--owner", help="Your id there, if you know it.")] = "",
    home_chat: Annotated[str, typer.Option("--home-chat", help="Your own chat's id.")] = "",
    enable: Annotated[
        bool, typer.Option("--enable", help="Ask nothing: settings and secrets are there already.")
    ] = False,
    json: Json = False,
) -> None:
    """Set a gateway up, step by step: what to do there, what to give, who you are.

    Example: hermes gateway setup telegram
    """
    from hermes_tui.cli.gateway_setup import set_up

    set_up(name, owner, home_chat, ask=not enable)
    if json:
        found = with_core(lambda client: client.ask(ListGateways(chats=0))).gateways
        output.emit(next(one for one in found if one.name == name))


def _change(name: str, change: str, json: bool) -> None:
    if not living(Home.find()):
        raise HermesError(
            "no core is at work in this home", "`hermes daemon start`, or open the screen"
        )
    asked = ChangeGateway(name=name, change=change)  # type: ignore[arg-type]
    found = with_core(lambda client: client.ask(asked))
    if json:
        output.emit(found)
    else:
        print(f"{found.name}: {_state(found)}" + (f"; {found.problem}" if found.problem else ""))


def _show(one: GatewayInfo) -> None:
    print(f"{one.name}: {_state(one)}" + (f"; {output.clean(one.problem)}" if one.problem else ""))
    print(f"  last in {_ago(one.last_in)}, last out {_ago(one.last_out)}")
    if one.waiting or one.failed:
        print(f"  {one.waiting} to be sent, {one.failed} failed in the last day")
    if one.doubtful:
        print(f"  {one.doubtful} of the last day in doubt: they may have been shown twice")
    for chat in one.chats:
        parked = f", takes no messages: {output.clean(chat.parked)}" if chat.parked else ""
        who = "group" if chat.group else chat.person or "yours"
        title = output.clean(chat.title or chat.session)
        print(f"  {chat.target}  {who}, {title}, {_ago(chat.last_in)}{parked}")


def _state(one: GatewayInfo) -> str:
    return f"on, {one.age:.0f} s" if one.state == "on" else one.state


def _ago(ts: float) -> str:
    if not ts:
        return "never"
    seconds = max(time.time() - ts, 0)
    if seconds < 120:
        return f"{seconds:.0f} s ago"
    return f"{seconds / 60:.0f} min ago" if seconds < 7200 else f"{seconds / 3600:.0f} h ago"
