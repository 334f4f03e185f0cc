"""`hermes sessions rewind|undo|checkpoints`: chat and files taken back from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from hermes_tui.cli import output, sessions_find
from hermes_tui.cli.connect import with_core
from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    BackView,
    CheckpointList,
    ListCheckpoints,
    LookBack,
    RestoreFiles,
    Rewind,
    WentBack,
)
from hermes_tui.rewind_text import view_lines, went_back, wish
from hermes_tui.runtime.client import CoreClient

_Which = Annotated[
    str, typer.Argument(metavar="SESSION", help="Id, first letters of an id, or title.")
]
_Yours = Annotated[
    bool, typer.Option("--yours", help="Also what was changed outside the agent's turns.")
]
_Sure = Annotated[
    bool | None,
    typer.Option("--yes/--look", "-y/-l", help="Don't ask; or only say what would change."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def add(app: typer.Typer) -> None:
    """Give a group these commands."""
    for command in (rewind, undo, checkpoints):
        app.command()(command)


def rewind(
    which: _Which,
    turn: Annotated[int, typer.Argument(metavar="TURN", min=1, help="To before this turn.")],
    what: Annotated[str, typer.Option("--what", metavar="WHAT", help="chat, files or both.")] = (
        "both"
    ),
    yours: _Yours = False,
    sure: _Sure = None,
    json: _Json = False,
) -> None:
    """Take chat, files or both back to before a turn; a running turn is stopped.

    Files you changed yourself stay, unless --yours is given. `hermes sessions undo` undoes it.

    Example: hermes sessions rewind "server move" 3 --what files --look
    """
    _, chosen = wish(f"{turn} {what}")

    async def work(client: CoreClient) -> BackView | WentBack:
        session = (await sessions_find.find(client, which)).id
        view = BackView(turn=turn)
        if chosen != "chat":
            view = await client.ask(LookBack(session=session, turn=turn))
        if sure is False:
            return view
        if view.problem and chosen == "files":
            raise HermesError(view.problem)
        _agree(view, yours, bool(sure), f"Go back to before turn {turn}?")
        return await client.ask(
            Rewind(session=session, turn=turn, what=chosen, yours=yours, face="cli")
        )

    _print(with_core(work), json)


def undo(
    which: _Which,
    checkpoint: Annotated[
        int, typer.Option("--checkpoint", metavar="N", min=0, help="To this one, by its number.")
    ] = 0,
    yours: _Yours = False,
    sure: _Sure = None,
    json: _Json = False,
) -> None:
    """Take back what the last turn changed in files; once more brings it back.

    Example: hermes sessions undo "server move" --yes
    """

    async def work(client: CoreClient) -> BackView | WentBack:
        session = (await sessions_find.find(client, which)).id
        view = await client.ask(LookBack(session=session, checkpoint=checkpoint))
        if sure is False:
            return view
        if view.problem:
            raise HermesError(view.problem)
        _agree(view, yours, bool(sure), "Take this back?")
        number = view.checkpoint
        return await client.ask(
            RestoreFiles(session=session, checkpoint=number, yours=yours, face="cli")
        )

    _print(with_core(work), json)


def checkpoints(which: _Which, json: _Json = False) -> None:
    """List the checkpoints of a session's files, newest first.

    Example: hermes sessions checkpoints "server move"
    """

    async def work(client: CoreClient) -> CheckpointList:
        session = (await sessions_find.find(client, which)).id
        return await client.ask(ListCheckpoints(session=session))

    listed = with_core(work)
    if json:
        output.emit(listed)
        return
    rows = [
        (str(one.id), output.when(one.made), f"turn {one.turn}", f"{one.files:,}", note)
        for one in listed.checkpoints
        for note in [one.problem or ("" if one.changed else "no file changed")]
    ]
    if rows:
        output.table(rows, ("number", "made", "before", "files", ""))
    else:
        print("no checkpoint yet: one is made before a turn first changes anything")
    print(f"{listed.used / 1e6:,.1f} of {listed.budget / 1e6:,.0f} MB are used by all sessions")


def _agree(view: BackView, yours: bool, yes: bool, question: str) -> None:
    """Show what becomes of files, and ask; raises HermesError when nobody says yes."""
    if yes:
        return
    for line in view_lines(view):
        print(output.clean(line))
    if view.yours and not yours:
        print(f"{view.yours} changed by you or others stay; --yours takes them back, too")
    if not output.confirmed(question):
        raise HermesError("nothing was taken back", "--yes does it without asking")


def _print(done: BackView | WentBack, json: bool) -> None:
    if json:
        output.emit(done)
    elif isinstance(done, BackView):
        for line in view_lines(done, most=1_000_000):
            print(output.clean(line))
    else:
        print(output.clean(went_back(done)))
        if done.text:
            print(f"you had said: {output.plain(done.text)}")
