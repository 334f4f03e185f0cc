"""Any text as a full-text query: words are data, never grammar."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+", re.UNICODE)


def queries(text: str) -> tuple[str, ...]:
    """FTS5 expressions to try in order: all words with the last as a prefix, then any word.

    Empty for a text without a single letter or digit.
    """
    words = [f'"{word}"' for word in _WORD.findall(text)]
    if not words:
        return ()
    strict = " AND ".join([*words[:-1], words[-1] + "*"])
    return (strict,) if len(words) == 1 else (strict, " OR ".join(words))
