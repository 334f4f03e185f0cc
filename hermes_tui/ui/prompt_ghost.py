"""A dim guess at how the text goes on: from what was typed before, or an argument's choices."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hermes_tui.ui.completion import usage

_LEAST, _LONGEST = 2, 400
_CHOICES = re.compile(r"^\[?([\w-]+(?:\|[\w-]+)+)\]?")


def ghost(raw: str, earlier: Iterable[str]) -> str:
    """What would follow `raw`; empty when nothing is known. earlier: inputs, newest first.

    Only a single line is guessed at, and never a folded paste.
    """
    if not raw or "\n" in raw or len(raw) > _LONGEST:
        return ""
    if command := usage(raw):
        typed = raw.partition(" ")[2]
        return _argument(typed, command.args)
    if len(raw.strip()) < _LEAST:
        return ""
    for line in earlier:
        if len(raw) < len(line) <= _LONGEST and line.startswith(raw) and "\n" not in line:
            return line[len(raw) :]
    return ""


def _argument(typed: str, args: str) -> str:
    found = _CHOICES.match(args)
    if found is None or not typed:
        return ""
    fits = (one for one in found[1].split("|") if one.startswith(typed) and one != typed)
    return next(fits, typed)[len(typed) :]
