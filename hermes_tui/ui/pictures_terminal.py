"""How a terminal can draw pictures: asked of it, never only guessed from its name.

Sources: kitty's graphics protocol with Unicode placeholders; iTerm2's inline images (OSC 1337);
DEC sixel, which terminals tell of with a 4 in their primary device attributes. A query of a
protocol that a terminal does not know is ignored by all but a few, which are not asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from textual.message import Message

from hermes_tui.ui.background import answers

Way = Literal["", "kitty", "iterm", "sixel"]
"""How pictures are drawn; empty: not at all, they are links."""

PLACEHOLDER = "\U0010eeee"
"""What stands in a cell of a picture; its row and column follow as marks, the ink is its id."""
MARKS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357"
    "\u035b\u0363\u0364\u0365\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484"
    "\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597\u0598\u0599\u059c\u059d\u059e\u059f\u05a0\u05a1"
    "\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615\u0616\u0617\u0657\u0658"
)
"""The marks for 0 to 63, as kitty numbers them."""

_KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_CELL_SIZE, _ATTRIBUTES = "\x1b[16t", "\x1b[c"
_ANSWER = re.compile(
    r"\x1b_Gi=31;(OK)?[^\x1b]*\x1b\\|\x1b\[6;(\d{1,4});(\d{1,4})t|\x1b\[\?(\d[\d;]{0,60})c"
)
UNFINISHED = re.compile(r"\x1b_(?:G[^\x1b]{0,80}\x1b?)?\Z|\x1b\[\?[\d;]{0,61}\Z")
_SIXEL = "4"
_ITERM = ("iTerm.app", "WezTerm", "mintty", "rio")
_NEVER = ("Apple_Terminal",)
"""Terminals that print a question they do not know."""


class Told(Struct, frozen=True):
    """What a terminal has said of itself so far. cell: width and height in pixels, 0 unknown."""

    kitty: bool = False
    sixel: bool = False
    cell: tuple[int, int] = (0, 0)


class PicturesTold(Message):
    """The terminal answered one of the questions; `into` adds it to what is known."""

    def __init__(
        self, kitty: bool = False, sixel: bool = False, cell: tuple[int, int] = (0, 0)
    ) -> None:
        super().__init__()
        self.kitty, self.sixel, self.cell = kitty, sixel, cell

    def into(self, told: Told) -> Told:
        """All that is known now."""
        cell = self.cell if all(self.cell) else told.cell
        kitty, sixel = told.kitty or self.kitty, told.sixel or self.sixel
        return replace(told, kitty=kitty, sixel=sixel, cell=cell)


def questions(env: Mapping[str, str]) -> str:
    """What to write to find out; empty for a terminal that can't be asked.

    Inside tmux the question about kitty's protocol is for the terminal around it; an answer
    comes back only where tmux hands both on.
    """
    if not answers(env) or env.get("TERM_PROGRAM") in _NEVER:
        return ""
    if env.get("STY") and not env.get("TMUX"):  # screen hands on neither answers nor pictures
        return ""
    kitty = through_tmux(_KITTY) if env.get("TMUX") else _KITTY
    return f"{kitty}{_CELL_SIZE}{_ATTRIBUTES}"


def through_tmux(text: str) -> str:
    """A sequence as tmux hands it on to the terminal around it."""
    return "\x1bPtmux;" + text.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def take_answers(data: str) -> tuple[str, list[PicturesTold]]:
    """Input without the answers in it, and the answers."""
    if "\x1b" not in data:
        return data, []
    told = [_told(found) for found in _ANSWER.finditer(data)]
    return (_ANSWER.sub("", data) if told else data), told


def _told(found: re.Match[str]) -> PicturesTold:
    if found[2]:
        return PicturesTold(cell=(int(found[3]), int(found[2])))
    if found[4]:
        return PicturesTold(sixel=_SIXEL in found[4].split(";")[1:])
    return PicturesTold(kitty=found[1] is not None)


def way_of(told: Told, env: Mapping[str, str], truecolor: bool) -> Way:
    """The best way that is sure.

    truecolor: all 24 bits of an ink reach the terminal, which carry a picture's id. Others than
    kitty and Ghostty answer for kitty's protocol, too, but do not know its placeholders.
    """
    term = env.get("TERM", "")
    named = bool(env.get("KITTY_WINDOW_ID") or env.get("GHOSTTY_RESOURCES_DIR"))
    if told.kitty and truecolor and (named or "kitty" in term or "ghostty" in term):
        return "kitty"
    if not truecolor:
        return ""
    programs = (env.get("TERM_PROGRAM", ""), env.get("LC_TERMINAL", "").replace("2", ".app"))
    if not env.get("TMUX") and any(one in _ITERM for one in programs):
        return "iterm"
    return "sixel" if told.sixel and all(told.cell) else ""
