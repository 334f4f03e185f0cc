"""`hermes audit`: what was decided, and the proof that the record of it is whole."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated

import typer

from hermes_tui.cli import audit_words, output
from hermes_tui.cli.output import PLAIN
from hermes_tui.home import Home
from hermes_tui.security.audit import AuditLine
from hermes_tui.security.audit_check import Problem, Proof, entries

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="The record of every decision.\n\nExample: hermes audit list --since 2h",
)
_SPAN = re.compile(r"(\d+)\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@app.command("list")
def list_(
    session: Annotated[
        str, typer.Option("--session", metavar="ID", help="Only of this session.")
    ] = "",
    since: Annotated[
        str,
        typer.Option("--since", metavar="WHEN", help="30m, 2h, 3d, or a date such as 2026-11-30."),
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most this many, the newest.")
    ] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what was decided, asked, answered and changed, the newest last.

    Example: hermes audit list --limit 200 --json
    """
    after = moment(since, time.time()) if since else 0.0
    found = list(islice(_found(session, after), limit))[::-1]
    if json:
        output.emit(found)
    elif found:
        rows = [
            (str(one.n), output.when(one.ts), one.session, audit_words.sentence(one))
            for one in found
        ]
        output.table(rows, ("line", "when", "session", "what"))
    else:
        print("nothing was decided" + (" in that time" if since else " yet"))


def _found(session: str, after: float) -> Iterator[AuditLine]:
    newest = entries(Home.find().audit, newest_first=True)
    return (one for one in newest if one.ts >= after and one.session.startswith(session))


@app.command()
def verify(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove that nothing in the log was changed and nothing is missing; exit code 1 if not.

    The last line it prints names the newest entry and its digest: kept elsewhere, they prove
    later that the whole log was not written anew.

    Example: hermes audit verify
    """
    from hermes_tui.security import audit_check

    proof = audit_check.verify(Home.find().audit)
    if json:
        output.emit(
            {
                "ok": proof.ok,
                "lines": proof.lines,
                "files": proof.files,
                "end": proof.end,
                "problems": proof.problems,
                "notes": proof.notes,
            }
        )
    else:
        _print(proof)
    if not proof.ok:
        raise typer.Exit(1)


def _print(proof: Proof) -> None:
    for one in proof.problems:
        print(f"WRONG  {_told(one)}")
    for one in proof.notes:
        print(f"note   {_told(one)}")
    count = f"{proof.lines} lines in {proof.files} files"
    if not proof.ok:
        print(
            f"{len(proof.problems)} problems in {count}: the log was changed after it was written"
        )
    elif proof.lines:
        print(f"{count}, whole and unchanged; the newest is {proof.end.n} {proof.end.sum}")
    else:
        print("the log is empty")


def _told(one: Problem) -> str:
    number = f" (entry {one.n})" if one.n else ""
    return f"{one.file}:{one.line}{number}: {output.clean(one.what)}"


def moment(text: str, now: float) -> float:
    """A time in Unix seconds from a span back from now, or a local date and time."""
    if found := _SPAN.fullmatch(text.strip().lower()):
        return now - int(found[1]) * _SECONDS[found[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is no time; write 2h, 3d or 2026-11-30") from error
