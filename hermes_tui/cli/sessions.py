"""`hermes sessions`: list, show, rename, delete, export and import conversations."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hermes_tui.cli import output, sessions_back, sessions_files, sessions_find
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    ChangeSession,
    DeleteSession,
    ForkSession,
    ListSessions,
    SessionInfo,
)
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.export import FORMATS, format_of, records, said

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Conversations.\n\nExample: hermes sessions list",
)
sessions_back.add(app)
Which = Annotated[
    str, typer.Argument(metavar="SESSION", help="Id, first letters of an id, or title.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="Only those with this in title or folder.")
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most this many.")
    ] = 50,
    json: Json = False,
) -> None:
    """List the sessions, newest first.

    Example: hermes sessions list --limit 10 --json
    """
    found = with_core(lambda client: client.ask(ListSessions(query=text, limit=limit))).sessions
    if json:
        output.emit(found)
    elif found:
        rows = [(s.id, output.when(s.updated), s.state, str(s.messages), s.title) for s in found]
        output.table(rows, ("id", "last used", "state", "messages", "title"))
    else:
        print("no sessions" + (f" with {text!r}" if text else " yet; `hermes` starts one"))


@app.command()
def show(which: Which, json: Json = False) -> None:
    """Print a conversation.

    Example: hermes sessions show "fix the tests"
    """

    async def work(client: CoreClient) -> None:
        info = await sessions_find.find(client, which)
        messages = list(said(info.id, await records(client, info)))
        if json:
            output.emit({"session": info, "messages": messages})
            return
        print(f"{output.clean(info.title) or info.id}  ({info.id}, {output.when(info.created)})")
        for one in messages:
            print(f"\n{one.role}  {output.when(one.ts)}\n{output.plain(one.text)}")

    with_core(work)


@app.command()
def rename(
    which: Which,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The new title.")],
    json: Json = False,
) -> None:
    """Give a session another title.

    Example: hermes sessions rename 20261130-101500-ab12 "server move"
    """
    if not title.strip():
        raise HermesError("the title is empty", "give a word or two")

    async def work(client: CoreClient) -> SessionInfo:
        info = await sessions_find.find(client, which)
        return await client.ask(ChangeSession(session=info.id, title=title))

    info = with_core(work)
    if json:
        output.emit(info)
    else:
        print(f"{info.id}: {output.clean(info.title)}")


@app.command()
def fork(
    which: Which,
    turn: Annotated[
        int, typer.Option("--turn", metavar="N", min=0, help="Up to just before this turn.")
    ] = 0,
    title: Annotated[str, typer.Option("--title", metavar="TITLE", help="Its title.")] = "",
    json: Json = False,
) -> None:
    """Make a new session with a conversation, or its beginning; the old one stays as it is.

    Example: hermes sessions fork "server move" --turn 3
    """

    async def work(client: CoreClient) -> SessionInfo:
        info = await sessions_find.find(client, which)
        return await client.ask(ForkSession(session=info.id, turn=turn, title=title))

    info = with_core(work)
    if json:
        output.emit(info)
    else:
        print(f"{info.id}: {output.clean(info.title)}")


@app.command()
def delete(
    which: Which,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    json: Json = False,
) -> None:
    """Delete a session with everything in it; there is no way back.

    Example: hermes sessions delete --yes 20261130-101500-ab12
    """

    async def work(client: CoreClient) -> SessionInfo:
        info = await sessions_find.find(client, which)
        question = f"Delete {info.id} ({output.clean(info.title)}, {info.messages} messages)?"
        if not yes and not output.confirmed(question):
            raise HermesError("nothing was deleted", "--yes deletes without asking")
        await client.ask(DeleteSession(session=info.id))
        return info

    info = with_core(work)
    if json:
        output.emit({"deleted": info.id})
    else:
        print(f"deleted {info.id}")


@app.command()
def export(
    which: Which,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Where to; - or nothing for the screen.")
    ] = "-",
    events: Annotated[
        bool, typer.Option("--events", help="Every event instead of the messages.")
    ] = False,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT", help="jsonl, md, html or svg; else as FILE ends."
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Write a session as JSON lines, which `import` reads, or as a document.

    Example: hermes sessions export "server move" move.html
    """
    form = form or format_of(file)
    if form not in FORMATS:
        raise HermesError(f"there is no format {form!r}", f"formats: {', '.join(FORMATS)}")

    async def work(client: CoreClient) -> int:
        info = await sessions_find.find(client, which)
        if form != "jsonl" and not events:
            lines = await sessions_files.document_lines(client, info, form)
            return sessions_files.write(file, lines)
        lines = sessions_files.event_lines if events else sessions_files.message_lines
        return sessions_files.write(file, await lines(client, info))

    count = with_core(work)
    if file != "-" and json:
        output.emit({"file": file, "lines": count})
    elif file != "-":
        print(f"{count} lines in {file}", file=sys.stderr)


@app.command("import")
def import_(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="JSON lines; - reads standard input.")
    ],
    json: Json = False,
) -> None:
    """Bring conversations in; what is known already is left alone.

    The first line is {"session": {"id", "title", "started_at"}}, then comes one
    {"id", "role", "text", "ts"} for each message; times are Unix seconds.

    Example: hermes sessions import old-chat.jsonl
    """

    async def work(client: CoreClient) -> sessions_files.Counted:
        return await sessions_files.bring_in(client, files)

    counted = with_core(work)
    if json:
        output.emit(counted)
    else:
        known = f" ({counted.known} were known)" if counted.known else ""
        print(f"{counted.sessions} sessions, {counted.messages} new messages{known}")
