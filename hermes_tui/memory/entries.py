"""Files of entries parted by lines with a single `§`, as other agents keep their memory.

Reading what was written gives the same entries, whatever stands in them: a line of an entry
that is itself a `§` gets a backslash before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PART = re.compile(r"^[ \t]*§[ \t]*$", re.MULTILINE)
_INSIDE = re.compile(r"^([ \t]*)(\\*)(§[ \t]*)$", re.MULTILINE)
_ESCAPED = re.compile(r"^([ \t]*)\\(\\*§[ \t]*)$", re.MULTILINE)


def write(entries: Iterable[str]) -> str:
    """The text of a file with these entries; each without blank ends, empty ones left out."""
    bare = (entry.strip() for entry in entries)
    kept = [_INSIDE.sub(r"\1\\\2\3", entry) for entry in bare if entry]
    return "\n§\n".join(kept) + "\n" if kept else ""


def read(text: str) -> list[str]:
    """The entries of a file, in order."""
    plain = text.replace("\r\n", "\n").removeprefix("\ufeff")
    parts = (part.strip() for part in _PART.split(plain))
    return [_ESCAPED.sub(r"\1\2", part) for part in parts if part]
