"""What the `hermes mcp` commands do with a server: reach it once, show what it is, log in."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from hermes_tui.cli import output
from hermes_tui.config import McpConfig
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.home import Home
from hermes_tui.mcp import accepted, servers
from hermes_tui.mcp.accepted import Definition, Difference, Offer
from hermes_tui.mcp.servers import Server

if TYPE_CHECKING:
    from hermes_tui.mcp.link import Line

    MakeLine = Callable[[], Line]

LOGIN_S = 300.0


class Found(Struct, frozen=True, kw_only=True):
    """A server as it answered: who it says it is, the protocol it speaks, what it offers."""

    name: str
    line: str
    says: str
    protocol: str
    offer: Offer
    differs: Difference


def named(home: Home, name: str) -> Server:
    """The entry of a name. Raises NotFoundError."""
    known = servers.read(home)
    if name not in known.servers:
        why = next((one for one in known.problems if name in one), "")
        there = ", ".join(known.servers) or "none"
        raise NotFoundError(why or f"there is no server {name!r}", f"there are: {there}")
    return known.servers[name]


def reach(home: Home, name: str, server: Server, wanted: list[str] | None = None) -> Found:
    """Connect once and ask what there is. Raises HermesError with the reason.

    wanted: gets the hosts that a program in the sandbox wanted and that are not granted.
    """
    from hermes_tui.mcp.hub import line_to

    async def may_reach(host: str) -> bool:
        if wanted is not None:
            wanted.append(host)
        return False

    make = line_to(name, server, home, may_reach, _warn)
    return asyncio.run(_reach(home, name, server, _settings(home).connect_s, make))


def _warn(text: str) -> None:
    print(f"hermes: {output.clean(text)}", file=sys.stderr)


async def _reach(home: Home, name: str, server: Server, limit_s: float, make: MakeLine) -> Found:
    from hermes_tui.mcp.link import Link, Times

    failed: HermesError | None = None
    found: Found | None = None
    async with asyncio.TaskGroup() as group:
        link = Link(name, server, make, group.create_task, Times(connect=limit_s))
        try:
            client = await link.ready()
            who = client.server_info
            found = Found(
                name=name,
                line=server.line,
                says=f"{who.name} {who.version}".strip() if who is not None else "",
                protocol=client.protocol_version,
                offer=link.offer,
                differs=accepted.difference(link.offer, accepted.read(home).get(name, Offer())),
            )
        except HermesError as error:
            failed = error
        finally:
            await link.close()
    if found is None:
        raise failed or HermesError(f"{name} can't be reached")
    return found


def show(found: Found, server: Server) -> None:
    """Print what a server is and offers, and what of it was not accepted so far."""
    print(f"{found.name}: {output.clean(found.line)}")
    print(f"it is {output.clean(found.says) or 'nameless'}, protocol {found.protocol}")
    marks = {
        **dict.fromkeys(found.differs.new, "new"),
        **dict.fromkeys(found.differs.changed, "CHANGED"),
    }
    for one in found.offer.tools:
        mark = marks.get(one.name, "") if server.has(one.name) else "filtered"
        print(f"\n{f'{mark} ' if mark else ''}{output.clean(one.name)}")
        for line in said(one) if mark in ("new", "CHANGED") else said(one)[:1]:
            print(f"    {line}")
    for name in found.differs.gone:
        print(f"gone: {name}")
    for name in found.differs.changed:
        _show_change(found, name)


def said(one: Definition) -> list[str]:
    """All that a model would read of a tool: its description, and the notes on its arguments."""
    fields: dict[str, dict[str, object]] = one.schema.get("properties") or {}
    notes = [f"{name}: {output.clean(str(field.get('description') or field.get('type') or ''))}"
             for name, field in fields.items()]  # fmt: skip
    return [output.clean(one.description), *notes]


def _show_change(found: Found, name: str) -> None:
    from hermes_tui.mcp.tools import changes

    before, now = accepted.read(Home.find())[found.name].tool(name), found.offer.tool(name)
    if before is not None and now is not None:
        print(f"\n{name}, as accepted and now:\n{output.plain(changes(before, now))}")


def accept(home: Home, found: Found, *, sure: bool) -> bool:
    """Have a person accept what was shown; whether they did."""
    if not sure and not output.confirmed(f"Accept {found.name} and these tools?"):
        print(f"not accepted; `hermes mcp accept {found.name}` asks again", file=sys.stderr)
        return False
    accepted.put(home, found.name, found.offer)
    print(f"accepted: {len(found.offer.tools)} tools", file=sys.stderr)
    return True


def login(home: Home, name: str, server: Server, *, paste: bool) -> Found:
    """Log in by the browser, or by an address that is pasted. Raises HermesError."""
    return asyncio.run(_login(home, name, server, paste))


async def _login(home: Home, name: str, server: Server, paste: bool) -> Found:
    from mcp.shared.auth import AuthorizationCodeResult

    from hermes_tui.mcp.login import Person, Tokens
    from hermes_tui.mcp.login_page import Page, result_of
    from hermes_tui.mcp.web import Web

    tokens = Tokens(name, home)
    page = await Page().open(_port_of(tokens.kept.client))
    if page.redirect not in tokens.kept.client.get("redirect_uris", [page.redirect]):
        tokens.keep(client={})

    async def answer() -> AuthorizationCodeResult:
        if paste:
            print("Paste the address the browser ends at: ", end="", file=sys.stderr, flush=True)
            return result_of((await asyncio.to_thread(sys.stdin.readline)).strip())
        async with asyncio.timeout(LOGIN_S):
            return await page.answer()

    person = Person(page.redirect, _shown(paste), answer)
    try:
        make = partial(Web, name, server, home, person)
        return await _reach(home, name, server, LOGIN_S, make)
    finally:
        await page.close()


def _shown(paste: bool) -> Callable[[str], Awaitable[None]]:
    async def show_address(address: str) -> None:
        import webbrowser

        print(f"Open this address and log in:\n{address}", flush=True)
        if not paste and (os.environ.get("DISPLAY") or sys.platform == "darwin"):
            await asyncio.to_thread(webbrowser.open, address)

    return show_address


def _port_of(client: dict[str, object]) -> int:
    uris = client.get("redirect_uris") or ["http://127.0.0.1:0/"]
    try:
        return int(str(uris[0]).split(":")[2].partition("/")[0])  # type: ignore[index]
    except (IndexError, ValueError):
        return 0


def store_secrets(home: Home, name: str, wanted: tuple[str, ...]) -> dict[str, str]:
    """Read secrets from the terminal or standard input; the references that stand for them."""
    import getpass

    from hermes_tui.security.vault import Vault

    made: dict[str, str] = {}
    for one in wanted:
        value = getpass.getpass(f"{one}: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
        if not value:
            raise HermesError(f"{one} is empty", "type it, or pipe it in, one line each")
        Vault(home).put(f"mcp.{name}.{one}", value)
        made[one] = f"${{mcp.{name}.{one}}}"
    return made


def forget_secrets(home: Home, name: str) -> None:
    """Remove every secret that was stored for a server, its login included."""
    from hermes_tui.security.vault import Vault

    vault = Vault(home)
    for one in vault.names():
        if one.startswith(f"mcp.{name}."):
            vault.remove(one)


def listed(home: Home, around: Callable[[Server], str]) -> list[dict[str, object]]:
    """All servers as the files have them. around: what surrounds a server's program."""
    known, taken = servers.read(home), accepted.read(home)
    rows: list[dict[str, object]] = []
    for name, one in known.servers.items():
        offer = taken.get(name)
        state = "off" if one.disabled else "not accepted" if offer is None else "accepted"
        if state == "accepted" and offer is not None and offer.launch != one.digest:
            state = "changed since it was accepted"
        tools = [tool.name for tool in (offer or Offer()).tools if one.has(tool.name)]
        rows.append(
            {
                "name": name,
                "state": state,
                "tools": tools,
                "line": one.line,
                "sandbox": around(one),
                "sees": one.sees,
                "writes": one.writes,
                "hosts": one.hosts,
            }
        )
    return rows


def _settings(home: Home) -> McpConfig:
    return load(home, os.environ).config.mcp


def parsed(pairs: list[str]) -> dict[str, str]:
    """`NAME=value` texts as a dict. Raises HermesError."""
    made: dict[str, str] = {}
    for one in pairs:
        key, found, value = one.partition("=")
        if not found or not key.strip():
            raise HermesError(f"{one!r} sets nothing", "write NAME=value")
        made[key.strip()] = value.strip()
    return made
