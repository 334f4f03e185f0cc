"""Whether the terminal is dark or light: asked of it, told by it, or guessed from its environment.

The question is OSC 11 of xterm, its answer `rgb:RRRR/GGGG/BBBB`; changes are told by terminals
with mode 2031 (contour, kitty, ghostty, tmux and others) as `CSI ? 997 ; 1 n` (dark) or `; 2`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from textual.message import Message

ASK = "\x1b]11;?\x1b\\\x1b[?2031h"
ASK_NO_MORE = "\x1b[?2031l"
_ANSWER = re.compile(
    r"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*"
    r"(?:\x07|\x1b\\)"
    r"|\x1b\[\?997;([12])n"
)
UNFINISHED = re.compile(
    r"\x1b\]1(?:1(?:;[^\x07\x1b]{0,40}\x1b?)?)?\Z|\x1b\[\?9(?:97?(?:;[12]?)?)?\Z"
)
_LIGHT_GROUNDS = frozenset({"7", "9", "10", "11", "12", "13", "14", "15"})


class BackgroundTold(Message):
    """The terminal said whether it is dark."""

    def __init__(self, dark: bool) -> None:
        super().__init__()
        self.dark = dark


def take_answers(data: str) -> tuple[str, list[BackgroundTold]]:
    """Input without the answers in it, and the answers."""
    if "\x1b" not in data:
        return data, []
    told = [BackgroundTold(_dark(found)) for found in _ANSWER.finditer(data)]
    return (_ANSWER.sub("", data) if told else data), told


def _dark(found: re.Match[str]) -> bool:
    if found[4]:
        return found[4] == "1"
    red, green, blue = (int(one, 16) / (16 ** len(one) - 1) for one in found.group(1, 2, 3))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5


def by_environment(environment: Mapping[str, str]) -> bool | None:
    """What `COLORFGBG` says (rxvt, konsole): its last number is the ground; None: nothing."""
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return ground not in _LIGHT_GROUNDS if ground.isdigit() else None


def answers(environment: Mapping[str, str]) -> bool:
    """Whether a terminal of this environment can be asked; some would print the question."""
    return environment.get("TERM", "").partition("-")[0] not in ("", "dumb", "linux", "vt100")
