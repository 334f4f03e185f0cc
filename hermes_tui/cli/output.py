"""What commands print: tables for people, JSON for scripts, nothing that steers a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, TypedDict

import msgspec


class _Plain(TypedDict):
    rich_markup_mode: None
    pretty_exceptions_enable: bool
    add_completion: bool
    context_settings: dict[Any, Any]


PLAIN = _Plain(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
"""How every typer app of ours is: plain text, no drawing, no traceback art."""


def emit(value: Any) -> None:
    """Print a value as one indented JSON document."""
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def emit_line(value: Any) -> None:
    """Print a value as one line of JSON, at once."""
    print(msgspec.json.encode(value).decode(), flush=True)


def clean(text: str) -> str:
    """A text on one line, without characters that could steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def plain(text: str) -> str:
    """A text of several lines, without characters that could steer the terminal."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def table(rows: Sequence[Sequence[str]], heads: Sequence[str]) -> None:
    """Print rows under their heads, each column as wide as it must be."""
    lines = [tuple(heads), *(tuple(clean(cell) for cell in row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def when(ts: float) -> str:
    """A time in Unix seconds as local date and time; empty for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts)) if ts else ""


def confirmed(question: str) -> bool:
    """Whether a person says yes; always no when nobody is there to ask."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
