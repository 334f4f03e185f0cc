"""`hermes search`: find messages in all conversations, one query or a stream of them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.intents import Hit, Hits, Search
from hermes_tui.runtime.client import CoreClient

app = typer.Typer(**PLAIN)
_LIMIT, _MOST = 20, 200
_BUDGET = 4096


class _Asked(Struct, frozen=True):
    id: str | int
    query: str


@app.command()
def search(
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", help="Any text: words, or a question as you would ask it."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="At most this many.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="BYTES", min=100, help="At most so much text in all."),
    ] = None,
    places: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="SESSION", help="Only sessions of this id, title or folder."),
    ] = None,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Sum up what was found, each sentence with its source."),
    ] = False,
    json: Annotated[
        bool | None,
        typer.Option(
            "--json/--jsonl",
            help='Print JSON; or read {"id","query"} lines and write {"id","hits"} lines.',
        ),
    ] = None,
) -> None:
    """Search everything that was ever said, best match first.

    A query may hold "an exact phrase", -without, in:SESSION, from:, role:user, before:DATE and
    after:DATE; dates may be words, such as yesterday. Without --limit and --budget it prints
    the best 4 KB.

    Example: hermes search what did we decide about the backup last Tuesday
    """
    text = " ".join(query or ())
    most = limit or (_MOST if budget else _LIMIT)
    wish = Search(query="", limit=most, budget=budget or 0, summary=summary)
    where = "".join(f" in:{_quoted(place)}" for place in places or ())
    if json is False:
        with_core(lambda client: _stream(client, wish, where))
        return
    if not text.strip() and not where:
        raise HermesError("there is nothing to search for", "hermes search QUERY")
    if not json and not limit and not budget:
        wish = replace(wish, limit=_MOST, budget=_BUDGET)
    found = with_core(lambda client: client.ask(replace(wish, query=text + where)))
    if json:
        output.emit(_whole(text, found))
    else:
        _print(text, found)


def _quoted(place: str) -> str:
    return f'"{place}"' if " " in place else place


def _whole(text: str, found: Hits) -> dict[str, Any]:
    """What `--json` prints: the hits, and what else there is to say."""
    more = {"note": found.note, "waiting": found.waiting, "summary": found.summary}
    shown = {key: value for key, value in more.items() if value}
    return {"query": text, "hits": [{**_shown(hit), **_placed(hit)} for hit in found.hits], **shown}


def _placed(hit: Hit) -> dict[str, Any]:
    return {"title": hit.title, "role": hit.role, "date": output.when(hit.ts)}


async def _stream(client: CoreClient, wish: Search, where: str) -> None:
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            asked = msgspec.json.decode(line, type=_Asked)
        except msgspec.MsgspecError as error:
            raise HermesError(
                f"standard input, line {number}: {error}", 'it reads {"id": "1", "query": "words"}'
            ) from error
        hits = (await client.ask(replace(wish, query=asked.query + where))).hits
        output.emit_line({"id": asked.id, "hits": [_shown(hit) for hit in hits]})


def _shown(hit: Hit) -> dict[str, Any]:
    return {
        "session": hit.session,
        "message": hit.message,
        "ts": hit.ts,
        "score": hit.score,
        "text": hit.text,
    }


def _print(text: str, found: Hits) -> None:
    if found.waiting:
        print(f"{found.waiting} older sessions are still being indexed", file=sys.stderr)
    if found.note:
        print(found.note, file=sys.stderr)
    if not found.hits:
        print(f"nothing found for {text!r}", file=sys.stderr)
    if found.summary:
        print(output.clean(found.summary) + "\n")
    for hit in found.hits:
        title = output.clean(hit.title) or hit.session
        print(f"{output.when(hit.ts)}  {title}  ({hit.session}:{hit.n}, {hit.role})")
        print("  " + output.clean(hit.text))
