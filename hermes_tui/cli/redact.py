"""`hermes redact`: text in, the same text without secrets out."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, cast

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.json_lines import questions
from hermes_tui.cli.output import PLAIN
from hermes_tui.home import Home
from hermes_tui.security.redact_stream import StreamRedactor
from hermes_tui.security.secrets import SURFACES, Redactor, Surface
from hermes_tui.security.vault import Vault

app = typer.Typer(
    **PLAIN,
    help="Hide secrets in text, as the agent does it.\n\nExample: hermes redact < build.log",
)


class Line(msgspec.Struct, frozen=True):
    """One line of `--jsonl` input. vault: more values that are secret, besides the home's."""

    id: str | int
    text: str
    surface: str = "tool-output"
    vault: tuple[str, ...] = ()


@app.command()
def redact(
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl", help='Read {"id", "text", "surface", "vault"} lines, write one each.'
        ),
    ] = False,
    surface: Annotated[
        str, typer.Option(metavar="NAME", help=f"Where the text goes: {', '.join(SURFACES)}.")
    ] = "tool-output",
) -> None:
    """Read text from standard input and write it with every secret masked.

    The home's own secrets are found in any encoding, others by field name and by look.

    Example: env | hermes redact --surface env-dump
    """
    held = tuple(sorted(Vault(Home.find()).values().items()))
    if jsonl:
        for line in questions(Line, '"id" and "text"'):
            done = _redactor(held, line.vault).redact(line.text, cast("Surface", line.surface))
            output.emit_line({"id": line.id, "text": done.text})
        return
    if surface not in SURFACES:
        raise typer.BadParameter(f"one of {', '.join(SURFACES)}")
    stream = StreamRedactor(_redactor(held, ()), surface)
    for piece in _pieces():
        _write(stream.feed(piece))
    _write(stream.finish())


@lru_cache(maxsize=64)
def _redactor(held: tuple[tuple[str, str], ...], more: tuple[str, ...]) -> Redactor:
    return Redactor(dict(held) | {f"value {number}": one for number, one in enumerate(more, 1)})


def _pieces() -> Iterator[str]:
    """Standard input as it comes, so that a growing log shows at once; odd bytes survive."""
    source = getattr(sys.stdin, "buffer", None)
    if source is None:
        yield sys.stdin.read()
        return
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    while data := source.read1(65536):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _write(text: str) -> None:
    if text:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
