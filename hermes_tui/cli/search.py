"""`hermes search`: find messages in all conversations, one query or a stream of them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import msgspec
import typer
from msgspec import Struct

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.intents import Hit, Search
from hermes_tui.runtime.client import CoreClient

app = typer.Typer(**PLAIN)


class _Asked(Struct, frozen=True):
    id: str | int
    query: str


@app.command()
def search(
    query: Annotated[
        list[str] | None, typer.Argument(metavar="QUERY", help="Any text; words in any order.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most this many.")
    ] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read {"id","query"} lines, write {"id","hits"} lines.')
    ] = False,
) -> None:
    """Search everything that was ever said, best match first.

    Example: hermes search --limit 5 nginx certificate
    """
    text = " ".join(query or ())
    if jsonl:
        with_core(lambda client: _stream(client, limit))
        return
    if not text.strip():
        raise HermesError("there is nothing to search for", "hermes search QUERY")
    hits = with_core(lambda client: client.ask(Search(query=text, limit=limit))).hits
    if json:
        output.emit({"query": text, "hits": [_shown(hit) for hit in hits]})
    else:
        _print(text, hits)


async def _stream(client: CoreClient, limit: int) -> None:
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            asked = msgspec.json.decode(line, type=_Asked)
        except msgspec.MsgspecError as error:
            raise HermesError(
                f"standard input, line {number}: {error}", 'it reads {"id": "1", "query": "words"}'
            ) from error
        hits = (await client.ask(Search(query=asked.query, limit=limit))).hits
        output.emit_line({"id": asked.id, "hits": [_shown(hit) for hit in hits]})


def _shown(hit: Hit) -> dict[str, Any]:
    return {
        "session": hit.session,
        "message": hit.message,
        "ts": hit.ts,
        "score": hit.score,
        "text": hit.text,
    }


def _print(text: str, hits: tuple[Hit, ...]) -> None:
    if not hits:
        print(f"nothing found for {text!r}", file=sys.stderr)
    for hit in hits:
        title = output.clean(hit.title) or hit.session
        print(f"{output.when(hit.ts)}  {title}  ({hit.session}, {hit.role})")
        print("  " + output.clean(hit.text)[:240])
