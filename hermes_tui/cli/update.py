"""`hermes update`: install a newer version beside the running agent, and change over to it."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hermes_tui.backends import process
from hermes_tui.cli import daemon, output, quick, update_how
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import ENV, Home
from hermes_tui.runtime import installed

app = typer.Typer(**PLAIN)
PACKAGE = Path(daemon.__file__).resolve().parents[1]
_FOUND = re.compile(rf"^ \+ {update_how.NAME}==(\S+)", re.MULTILINE)
_LAST_LINES = 5


class Version(msgspec.Struct, frozen=True):
    """What is looked for in pip's report (`pip install --report`, format 1)."""

    version: str


class Item(msgspec.Struct, frozen=True):
    """One package that pip would install."""

    metadata: Version


class Report(msgspec.Struct, frozen=True):
    """What pip would install."""

    install: tuple[Item, ...] = ()


@app.command()
def update(
    check: Annotated[bool, typer.Option("--check", help="Only look whether there is one.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    source: Annotated[
        str, typer.Option("--from", metavar="PATH", help="Install this file or folder instead.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Install the newest version the way this one was installed, then change over to it.

    The command is shown and asked about first. A running agent goes on meanwhile; when the new
    version has been seen to start, it ends its turns and starts again as that one. Otherwise the
    old one keeps running. Without this command, hermes never looks for updates.

    Example: hermes update --check
    """
    path = os.path.abspath(os.path.expanduser(source)) if source else ""
    if path and not os.path.exists(path):
        raise HermesError(f"there is no {path}", "--from takes a wheel or a folder of source")
    way = update_how.how(PACKAGE, path)
    if check:
        return _check(way, json)
    if not yes and not _agreed(way, json):
        raise HermesError("nothing was changed", "`hermes update --yes` does not ask")
    before, old = installed.fingerprint(), installed.version()
    kept = _kept(Home.find().ensure())
    _install(way, say=not json)
    changed = installed.fingerprint() != before
    restarted = changed and _change_over(way, old)
    installed.forget(kept)
    _tell(way, old, restarted, json=json, changed=changed)


def _kept(home: Home) -> str:
    """Keep the code a running agent may still need; it stays when what follows fails."""
    kept = str(home.replaced)
    line = quick.connect(home, "update") if os.path.isdir(kept) else None
    if line is None or not line.ask("get_status", wait_s=quick.ANSWER_S).get("outdated"):
        installed.keep(kept)
    return kept


def _tell(way: update_how.How, old: str, restarted: bool, *, json: bool, changed: bool) -> None:
    new = installed.version()
    if json:
        told = {"was": old, "installed": new, "changed": changed, "restarted": restarted}
        output.emit({**told, "how": way.name, "commands": [shlex.join(one) for one in way.update]})
    elif not changed:
        print(f"version {old} is the newest")
    else:
        after = "the running agent is that version now" if restarted else "no agent was running"
        print(f"updated {old} -> {new}; {after}" if old != new else f"updated; {after}")


def _check(way: update_how.How, json: bool) -> None:
    code, said = _ran(way.look)
    if code:
        raise HermesError(f"could not look for a newer version: {_end(said)}", shlex.join(way.look))
    here = installed.version()
    there = _ahead(way, here) if way.name == "git" else _offered(said)
    commands = [shlex.join(one) for one in way.update]
    if json:
        told = {"installed": here, "available": there, "how": way.name, "commands": commands}
        output.emit(told)
    elif there:
        print(f"version {here} is installed; there is {there}: `hermes update`")
    else:
        print(f"version {here} is the newest")


def _offered(said: str) -> str | None:
    """The version that pip or uv would install, None when the newest is here."""
    if found := _FOUND.search(said):
        return found[1]
    report = said[said.find("{") : said.rfind("}") + 1]  # what pip warns of may stand around it
    items = msgspec.json.decode(report, type=Report).install if report else ()
    return items[0].metadata.version if items else None


def _ahead(way: update_how.How, here: str) -> str | None:
    """What a checkout's branch has more than this one; None when nothing."""
    code, said = _ran((*way.look[:3], "rev-list", "--count", "HEAD..@{upstream}"))
    count = said.strip()
    if code:
        raise HermesError(f"git does not say what is newer: {_end(said)}", "is a branch tracked?")
    return f"{here}, {count} commits newer" if count != "0" else None


def _agreed(way: update_how.How, json: bool) -> bool:
    if json or not sys.stdin.isatty():
        for one in way.update:
            print(f"this would run ({way.name}): {shlex.join(one)}", file=sys.stderr)
        return False
    for one in way.update:
        print(f"this runs ({way.name}): {shlex.join(one)}")
    return input("run it? [y/N] ").strip().lower() in ("y", "yes")


def _install(way: update_how.How, say: bool) -> None:
    for one in way.update:
        if say:
            print(f"$ {shlex.join(one)}", flush=True)
        code, said = _ran(one)
        if code:
            raise HermesError(
                f"the update failed: {_end(said)}",
                f"what runs goes on as it was; the command was: {shlex.join(one)}",
            )


def _change_over(way: update_how.How, old: str) -> bool:
    """See the new version start in an empty home, then have the running agent become it.

    Everything is asked of the new files in processes of their own: this one is still the old
    version, and two are not mixed. Whether an agent ran.
    """
    with tempfile.TemporaryDirectory(prefix="hermes-update-") as folder:
        trial = {**os.environ, ENV: folder}
        code, said = _ran(_hermes("daemon", "start"), trial)
        _ran(_hermes("daemon", "stop"), trial)
    if code:
        raise HermesError(
            f"the new version does not start: {_end(said)}",
            f"what runs goes on as version {old}; to go back: {way.back}",
        )
    if not quick.held(Home.find()):
        return False
    code, said = _ran(_hermes("daemon", "restart"))
    if code:
        raise HermesError(f"it is installed, but not changed over: {_end(said)}", "try it again")
    return True


def _hermes(*words: str) -> list[str]:
    return [*daemon.command()[:-1], *words]


def _ran(argv: Sequence[str], env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a program to its end: its exit code, and what it said."""
    return asyncio.run(_run(argv, dict(os.environ) if env is None else env))


async def _run(argv: Sequence[str], env: dict[str, str]) -> tuple[int, str]:
    running = await process.start(argv, cwd=os.getcwd(), env=env)
    said: list[bytes] = []
    try:
        while chunk := await running.read():
            said.append(chunk)
        code = await running.wait()
    finally:
        running.close()
    return code, b"".join(said).decode(errors="replace")


def _end(said: str) -> str:
    lines = [output.clean(line) for line in said.splitlines() if line.strip()]
    return " / ".join(lines[-_LAST_LINES:]) or "it said nothing"
