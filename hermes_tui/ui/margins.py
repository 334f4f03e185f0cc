"""Whether the terminal can scroll a column of lines by itself: asked of it, never guessed.

Left and right margins are DECLRMM (private mode 69) and DECSLRM of the VT420; xterm, WezTerm,
foot, iTerm2, mintty and others have them. The question is DECRQM, the answer DECRPM.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from textual.message import Message

from hermes_tui.ui.background import answers

_ASK = "\x1b[?69$p"
_ANSWER = re.compile(r"\x1b\[\?69;(\d)\$y")
UNFINISHED = re.compile(r"\x1b\[\?69;\d\$?\Z")
_SWITCHED = "12"
"""Set and reset: the terminal knows the mode and lets it be changed."""


class MarginsTold(Message):
    """The terminal said whether it has left and right margins."""

    def __init__(self, has: bool) -> None:
        super().__init__()
        self.has = has


def question(env: Mapping[str, str]) -> str:
    """What to write to find out; empty for a terminal that can't be asked.

    tmux and screen are not asked: an answer could only come from the terminal around them.
    """
    inside = env.get("TMUX") or env.get("STY")
    deaf = env.get("TERM_PROGRAM") == "Apple_Terminal"  # it prints the question
    return "" if inside or deaf or not answers(env) else _ASK


def take_answers(data: str) -> tuple[str, list[MarginsTold]]:
    """Input without the answers in it, and the answers."""
    if "\x1b" not in data:
        return data, []
    told = [MarginsTold(found[1] in _SWITCHED) for found in _ANSWER.finditer(data)]
    return (_ANSWER.sub("", data) if told else data), told


def scroll(lines: tuple[int, int], columns: tuple[int, int], by: int) -> str:
    """Move what is between these lines and columns up, both from 1, the last ones included.

    The cursor is left anywhere; lines that come in are empty.
    """
    (top, bottom), (left, right) = lines, columns
    feeds = "\n" * by
    margins = f"\x1b[?69h\x1b[{left};{right}s"
    return f"{margins}\x1b[{top};{bottom}r\x1b[{bottom};{left}H{feeds}\x1b[r\x1b[?69l"
