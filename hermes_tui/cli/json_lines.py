"""Questions on standard input, one JSON object a line: a line that is none is told of, the rest
goes on.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec
import typer

from hermes_tui.cli import output

T = TypeVar("T")


def questions(kind: type[T], wants: str) -> Iterator[T]:
    """Each line as a `kind`. wants: the fields a line needs, in words. Ends with exit code 1 when
    a line could not be used.
    """
    bad = 0
    for number, line in enumerate(_lines(), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeError) as error:
            bad += 1
            why = output.clean(f"{error}; a line is JSON with {wants}")
            print(f"hermes: line {number} can't be used: {why}", file=sys.stderr)
            continue
        yield one
    if bad:
        raise typer.Exit(1)


def _lines() -> Iterable[bytes]:
    source = getattr(sys.stdin, "buffer", None)
    return source if source is not None else io.BytesIO(sys.stdin.read().encode())
