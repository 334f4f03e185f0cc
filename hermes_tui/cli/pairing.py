"""`hermes pairing`: who may talk to the agent in chats beside you."""

from __future__ import annotations

import time
from typing import Annotated, Literal

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.intents import Approve, ListPairing, MakeCode, PersonInfo, Revoke

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Who may talk to the agent. Strangers get no answer; their requests are listed here.\n\n"
    "Example: hermes pairing list",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Owner = Annotated[
    bool, typer.Option("--owner", help="As an owner: may approve, and sees what you see.")
]


@app.command("list")
def list_(json: Json = False) -> None:
    """List who may talk, and who wrote without being known.

    Example: hermes pairing list
    """
    found = with_core(lambda client: client.ask(ListPairing()))
    if json:
        output.emit(found)
        return
    rows = [
        (
            f"{one.platform}:{one.sender}",
            one.role,
            one.name,
            "settings" if one.from_settings else output.when(one.since),
        )
        for one in found.people
    ]
    if rows:
        output.table(rows, ("WHO", "ROLE", "NAME THEY USE", "SINCE"))
    else:
        print("nobody may talk yet; `hermes gateway setup NAME` makes you the owner")
    for one in found.requests:
        left = max(one.expires - time.time(), 0) / 60
        who = f"{one.platform}:{one.sender} calls themselves {output.clean(one.name)!r}"
        what = f"{one.code}  {who}" if one.sender else f"a code for {one.platform}, handed on"
        print(f"pending: {what}, {left:.0f} min left")


@app.command()
def approve(
    who: Annotated[str, typer.Argument(metavar="CODE|PLATFORM:ID", help="From the list.")],
    owner: Owner = False,
    json: Json = False,
) -> None:
    """Let in whom a pending code stands for, or somebody by their id.

    Example: hermes pairing approve 7K2MPX9Q
    """
    found = with_core(lambda client: client.ask(Approve(who=who, role=_role(owner))))
    _say(found, json, "may talk from now on")


@app.command()
def revoke(
    who: Annotated[str, typer.Argument(metavar="PLATFORM:ID", help="From the list.")],
    json: Json = False,
) -> None:
    """Let somebody in no more; it holds from their next message on.

    Example: hermes pairing revoke telegram:12345
    """
    with_core(lambda client: client.ask(Revoke(who=who)))
    if json:
        output.emit({"revoked": who})
    else:
        print(f"{output.clean(who)} may talk no more")


@app.command()
def code(
    platform: Annotated[str, typer.Argument(help="Such as telegram.")],
    owner: Owner = False,
    json: Json = False,
) -> None:
    """Make a code to hand on: whoever writes it to the agent within an hour may talk.

    Example: hermes pairing code telegram
    """
    found = with_core(lambda client: client.ask(MakeCode(platform=platform, role=_role(owner))))
    if json:
        output.emit(found)
    else:
        print(f"{found.code}  good for an hour, once, in a direct chat on {found.platform}")


def _role(owner: bool) -> Literal["owner", "guest"]:
    return "owner" if owner else "guest"


def _say(found: PersonInfo, json: bool, what: str) -> None:
    if json:
        output.emit(found)
    else:
        print(f"{found.platform}:{output.clean(found.sender)} {what}, as {found.role}")
