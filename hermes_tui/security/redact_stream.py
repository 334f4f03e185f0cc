"""Hides secrets in text that arrives in pieces, wherever the pieces are cut.

What may be the beginning of a secret is held back until the rest has come: an unfinished word,
the first letters of a known value in any encoding, digits of a card, an open key file. Ordinary
prose is let out word by word.
"""

from __future__ import annotations

import re

from hermes_tui.security.secret_text import Pattern, Span
from hermes_tui.security.secret_values import START_LIMIT, plain
from hermes_tui.security.secrets import Redactor, Surface, mask

_BEFORE = 600  # characters already let out that are still read: the name before a value
_MOST = 16_384  # characters held back at the most
_LEFT = 4_096  # of them that stay when there are more
_DIGITS = Pattern(r"(?<!\d)\d[\d -]{3,24}$")
_KEY_FILE = Pattern(r"-----BEGIN[A-Z0-9 ]*-*\s*\S*$")
_PHRASE = Pattern(
    r"(?:phrase|mnemonic|words)\W{0,3}(?:is\b|[:=])\W{0,3}(?:[a-z]{1,8}[ ,\n]+){0,24}[a-z]{0,8}$",
    re.I,
)
_TOKEN = Pattern(r"[\w.+/=~:@-]{12,}$")  # a word that may be half a key
_OPEN = (_DIGITS, _KEY_FILE, _PHRASE)


class StreamRedactor:
    """Redacts a stream: `feed` each piece, then `finish`; what they return is safe to show."""

    def __init__(self, redactor: Redactor, surface: Surface = "tool-output") -> None:
        self._redactor = redactor
        self._surface: Surface = surface
        self._text = ""
        self._sent = 0

    def feed(self, piece: str) -> str:
        """Take a piece; returns what can be let out by now, which may be nothing."""
        self._text += piece
        spans = self._redactor.spans(self._text, self._surface)
        cut = self._safe(spans)
        if len(self._text) - cut > _MOST:
            cut = len(self._text) - _LEFT
        return self._let_out(spans, cut)

    def pause(self) -> str:
        """What a reader may see before the next piece: all but what may be half a secret."""
        spans = self._redactor.spans(self._text, self._surface)
        end = len(self._text)
        cut = min((span.start for span in spans if span.end >= end), default=end)
        cut = min(cut, end - self._redactor.held.may_go_on(self._text), self._started())
        token = _TOKEN.re.search(self._text, max(self._sent, end - 400))
        return self._let_out(spans, max(self._sent, min(cut, token.start() if token else cut)))

    def finish(self) -> str:
        """The rest, after the last piece."""
        return self._let_out(self._redactor.spans(self._text, self._surface), len(self._text))

    def _safe(self, spans: list[Span]) -> int:
        """How far the text can be let out whatever comes next."""
        text = self._text
        end = len(text.rstrip())
        # A secret at the very end may go on, even on the next line.
        cut = min((span.start for span in spans if span.end >= end), default=len(text))
        word = max(text.rfind(sign, self._sent) for sign in " \n\t\r")
        cut = min(cut, word + 1 if word >= 0 else self._sent)
        cut = min(cut, len(text) - self._redactor.held.may_go_on(text))
        for pattern in _OPEN:
            match = pattern.re.search(text, max(self._sent, len(text) - 400))
            cut = min(cut, match.start() if match else cut)
        return max(self._sent, min(cut, self._started()))

    def _started(self) -> int:
        """Where a held value may have begun whose rest is yet to come."""
        text, starts = self._text, self._redactor.held.starts
        letters = plain(text[self._sent :][-4 * START_LIMIT :])[-START_LIMIT:]
        for length in range(len(letters), 2, -1):
            if letters[-length:] in starts:
                return self._nth_letter_from_end(length)
        return len(text)

    def _nth_letter_from_end(self, count: int) -> int:
        at = len(self._text)
        while count:
            at -= 1
            character = self._text[at]
            count -= character.isascii() and character.isalnum()
        return at

    def _let_out(self, spans: list[Span], cut: int) -> str:
        parts: list[str] = []
        at = self._sent
        for span in spans:
            if span.end <= at or span.start >= cut:
                continue
            parts += (self._text[at : max(at, span.start)], mask(span.label))
            at = span.end
        parts.append(self._text[at : max(at, cut)])
        self._sent = max(at, cut)
        self._forget()
        return "".join(parts)

    def _forget(self) -> None:
        old = self._sent - _BEFORE
        blank = self._text.find(" ", max(old, 0), self._sent)
        if old > 0 and blank > 0:
            self._text = self._text[blank:]
            self._sent -= blank
