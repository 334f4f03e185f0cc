"""Small texts the core makes itself: a session's id and first title, the note beside an input."""

from __future__ import annotations

import os
import time

TITLE_LIMIT = 60
_DATED = "[It is"


def title_of(text: str) -> str:
    """A first title: the first line of what was typed, cut at a word."""
    line = next((" ".join(one.split()) for one in text.splitlines() if one.strip()), "")
    if len(line) <= TITLE_LIMIT:
        return line or "untitled"
    cut = line[:TITLE_LIMIT]
    head = cut.rsplit(" ", 1)[0]
    return (head if len(head) > TITLE_LIMIT // 2 else cut) + "…"


def session_id(now: float) -> str:
    """An id for a session made now (Unix seconds): when it began, and four random bytes."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return f"{stamp}-{os.urandom(4).hex()}"


def dated(note: str) -> str:
    """The part of a note that `note_for` made; empty when it has none."""
    first = note.partition("\n")[0]
    return first if first.startswith(_DATED) else ""


def note_for(now: float, last: str) -> str:
    """What the model is told of the time, in the person's zone; empty while it is known.

    now: Unix seconds; last: the note the model has seen last.
    """
    local = time.localtime(now)
    note = time.strftime(f"{_DATED} %A, %d %B %Y; time zone UTC%z.]", local)
    return "" if note == last else note
