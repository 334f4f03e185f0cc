"""Markdown that is still being written: what can no longer change is drawn once.

All but the last top-level block is settled as soon as that block's first line is whole, because
a Markdown block ends where the next one begins. A long open fence grows line by line, a list item
by item as long as the list looks the same as a whole. Whenever
that is in doubt (a link definition may change what stands before it) all of it is drawn again.
"""

from __future__ import annotations

import re

from hermes_tui.ui import code
from hermes_tui.ui.markdown import OpenList, draw, language_of, refers
from hermes_tui.ui.text import safe
from hermes_tui.ui.text_lines import Line
from hermes_tui.ui.theme import Look


class Stream:
    """The lines of a growing Markdown text; always those of drawing it at once."""

    def __init__(self) -> None:
        self._text = ""
        self._key: tuple[int, Look] | None = None
        self._settled: list[Line] = []
        self._place = 0
        self._fence: _OpenFence | None = None
        self._inside: OpenList | None = None

    def lines(self, text: str, width: int, look: Look) -> list[Line]:
        """The lines of `text`, which is the former one with something added."""
        if self._key != (width, look) or not text.startswith(self._text):
            self._reset(width, look)
        self._text = text
        if self._fence:
            grown = self._fence.grow(text)
            if grown is not None:
                return self._settled + grown
            self._fence = None
        drawn = None
        if not self._place or not refers(safe(text[self._place :])):
            drawn = draw(text[self._place :], width, look, self._place, self._inside)
        if drawn is None:
            self._reset(width, look)
            self._text = text
            drawn = draw(text, width, look)
            assert drawn is not None
        self._inside = drawn.inside
        self._settled += drawn.lines[: drawn.settled]
        self._place = drawn.place
        if drawn.fence and text.startswith(drawn.fence.markup, self._place):
            self._open(drawn.fence.markup, language_of(drawn.fence))
        return self._settled + drawn.lines[drawn.settled :]

    def _open(self, markup: str, language: str) -> None:
        opened = safe(self._text[self._place :]).find("\n")
        if opened >= 0 and self._key and not self._text.endswith("\r"):
            self._fence = _OpenFence(markup, language, self._place + opened + 1, *self._key)

    def _reset(self, width: int, look: Look) -> None:
        self._key = (width, look)
        self._text = ""
        self._settled = []
        self._place = 0
        self._fence = None
        self._inside = None


class _OpenFence:
    """A fence at the left edge with no closing line yet; its code begins at `body`."""

    def __init__(self, markup: str, language: str, body: int, width: int, look: Look) -> None:
        self.language = language
        self.width = width
        self.look = look
        self.closing = re.compile(f" {{0,3}}{re.escape(markup[0])}{{{len(markup)},}}[ \t]*$")
        self.body = self.at = body
        self.done: list[Line] = []

    def grow(self, text: str) -> list[Line] | None:
        """All lines of the fence, or None when it may have been closed."""
        if text.endswith("\r"):
            return None
        *whole, partial = safe(text[self.at :]).split("\n")
        if any(self.closing.match(line) for line in (*whole, partial)):
            return None
        for line in whole:
            self.done += code.code_line(line, self.width, self.look, self.at)
            self.at += len(line) + 1
        lines = list(self.done)
        stop = self.at + len(partial)
        if partial.strip(" \t"):
            lines += code.code_line(partial, self.width, self.look, self.at)
        elif lines:
            stop = self.at - 1
        else:
            lines += code.code_line("", self.width, self.look, stop)
        action = ("copy", self.body, stop)
        return [code.label(self.language, self.width, self.look, action), *lines]
