"""`hermes mcp`: servers of the Model Context Protocol, and this agent as one."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import msgspec
import typer

from hermes_tui.cli import mcp_grants, mcp_serve, mcp_servers, output
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.mcp import accepted, servers
from hermes_tui.mcp.servers import Server

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Tools of other programs, over the Model Context Protocol.\n\nExample: hermes mcp list",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="What the server is called here.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Accept without asking.")]


def _texts(flag: str, metavar: str, about: str) -> typer.models.OptionInfo:
    return typer.Option(flag, metavar=metavar, help=about)


@app.command("list")
def list_(json: Json = False) -> None:
    """List the servers of mcp.json and what was accepted of them.

    Example: hermes mcp list --json
    """
    home = Home.find()
    local = any(not one.url for one in servers.read(home).servers.values())
    level = mcp_grants.level_here() if local else 1
    rows = mcp_servers.listed(home, lambda one: mcp_grants.around(one, level))
    problems = servers.read(home).problems
    if json:
        output.emit({"servers": rows, "problems": problems})
        return
    for problem in problems:
        print(f"hermes: {output.clean(problem)}")
    if rows:
        heads = ("name", "state", "tools", "sandbox", "line")
        for one in rows:
            one["tools"] = len(one["tools"])  # type: ignore[arg-type]
        cells = [tuple(str(one[head]) for head in heads) for one in rows]
        output.table(cells, ("server", "state", "tools", "runs", "what it is"))
    elif not problems:
        print("no servers yet; `hermes mcp add NAME -- COMMAND` adds one")


@app.command()
def add(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    name: Name,
    target: Annotated[
        list[str], typer.Argument(metavar="URL|COMMAND…", help="An address, or a program to start.")
    ],
    fields: Annotated[
        list[str] | None,
        _texts("--set", "NAME=VALUE", "A variable the program sees, or a header of requests."),
    ] = None,
    secret: Annotated[
        list[str] | None, _texts("--secret", "NAME", "The same, its value secret, asked for now.")
    ] = None,
    see: Annotated[
        list[str] | None, _texts("--see", "PATH", "A file or folder the program may read.")
    ] = None,
    write: Annotated[
        list[str] | None, _texts("--write", "PATH", "A file or folder it may change.")
    ] = None,
    host: Annotated[
        list[str] | None, _texts("--host", "NAME", "A host it may reach without a question.")
    ] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="It may do whatever you may.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Write a server down, look at what it offers, and accept it. Options come first.

    A program runs in the sandbox: of your files it gets those its arguments and --see and --write
    name, of the network the hosts you allow. With --yes it gets no host but those of --host.
    A server that wants a login in the browser is added first, then `hermes mcp login NAME`.

    Example: hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
    """
    home = Home.find()
    is_url = target[0].startswith(("http://", "https://"))
    if is_url and len(target) > 1:
        raise HermesError("an address takes no arguments", "hermes mcp add NAME URL")
    given = mcp_servers.parsed(fields or [])
    given |= mcp_servers.store_secrets(home, name, tuple(secret or ()))
    one = Server(
        command="" if is_url else os.path.expanduser(target[0]),
        args=tuple(os.path.expanduser(part) for part in target[1:]),
        url=target[0] if is_url else "",
        env={} if is_url else given,
        headers=given if is_url else {},
        sandbox="off" if no_sandbox else "",
    )
    one = mcp_grants.granted(one, see or [], write or [], host or [])
    servers.put(home, name, one)
    _note(f"{name} is written down in {servers.file_of(home)}")
    try:
        _look_and_accept(home, name, one, yes=yes, json=json)
    except HermesError as error:
        hint = f"if it wants a login: `hermes mcp login {name}`" if is_url else error.hint
        raise HermesError(error.message, hint or f"`hermes mcp remove {name}`") from error


@app.command()
def accept(name: Name, yes: Yes = False, json: Json = False) -> None:
    """Look at what a server is and offers now, and accept it. Nothing else of it is ever used.

    Example: hermes mcp accept files
    """
    home = Home.find()
    before = mcp_servers.named(home, name)
    untold = not (before.sees or before.writes)
    one = mcp_grants.granted(before, [], [], []) if untold else before
    if one != before:
        servers.put(home, name, one)
        _note(f"its arguments name files: {mcp_grants.described(one)}")
    _look_and_accept(home, name, one, yes=yes, json=json)


@app.command("test")
def try_(name: Name, json: Json = False) -> None:
    """Connect to a server once and show what it offers, new and changed tools marked.

    Example: hermes mcp test files
    """
    home = Home.find()
    one = mcp_servers.named(home, name)
    found = mcp_servers.reach(home, name, one)
    if json:
        output.emit(found)
    else:
        mcp_servers.show(found, one)
    if not found.differs.nothing:
        raise typer.Exit(1)


@app.command()
def remove(name: Name, json: Json = False) -> None:
    """Take a server out, with what was accepted of it and its login.

    Example: hermes mcp remove files
    """
    home = Home.find()
    if not servers.remove(home, name):
        raise HermesError(f"there is no server {name!r}", "`hermes mcp list` shows them")
    accepted.remove(home, name)
    mcp_servers.forget_secrets(home, name)
    _done(json, f"{name} is removed", name=name)


@app.command()
def login(
    name: Name,
    again: Annotated[bool, typer.Option("--again", help="Even if there is a login.")] = False,
    paste: Annotated[
        bool, typer.Option("--paste", help="The browser is elsewhere: paste where it ended.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Log in to a server in the browser; its tokens are kept among the home's secrets.

    Example: hermes mcp login tracker
    """
    from hermes_tui.mcp.login import Tokens

    home = Home.find()
    one = mcp_servers.named(home, name)
    if not one.url:
        raise HermesError(f"{name} is a program, which has no login", "give it a key: --secret")
    if one.auth != "oauth":
        one = msgspec.structs.replace(one, auth="oauth")
        servers.put(home, name, one)
    if again:
        Tokens(name, home).forget()
    found = mcp_servers.login(home, name, one, paste=paste)
    _done(json, f"logged in to {name}", name=name)
    _accept(home, found, one, yes=yes, json=json)


@app.command()
def logout(name: Name, json: Json = False) -> None:
    """Forget the login of a server.

    Example: hermes mcp logout tracker
    """
    from hermes_tui.mcp.login import Tokens

    home = Home.find()
    mcp_servers.named(home, name)
    there = Tokens(name, home).forget()
    _done(json, "logged out" if there else "there was no login", name=name, login=there)


@app.command()
def serve() -> None:
    """Be a server on standard input and output: sessions, search, send, and reading memory.

    Example: hermes mcp serve
    """
    mcp_serve.run()


def _look_and_accept(home: Home, name: str, one: Server, *, yes: bool, json: bool) -> None:
    mcp_grants.note(one)
    found, one = mcp_grants.reach(home, name, one, sure=yes)
    if not _accept(home, found, one, yes=yes, json=json):
        raise typer.Exit(1)


def _accept(home: Home, found: mcp_servers.Found, one: Server, *, yes: bool, json: bool) -> bool:
    if json:
        output.emit(found)
    else:
        mcp_servers.show(found, one)
    return mcp_servers.accept(home, found, sure=yes)


def _note(text: str) -> None:
    print(text, file=sys.stderr)


def _done(json: bool, text: str, **facts: object) -> None:
    if json:
        output.emit(facts)
    else:
        print(text)
