"""A reply that is being streamed, printed a whole line at a time."""

from __future__ import annotations

from hermes_tui.events import ReplyReceived, TextDelta
from hermes_tui.plain import words
from hermes_tui.plain.speech import speakable

NAME = "Hermes: "


class ReplyLines:
    """Turns deltas into lines. What was printed is never printed again, nothing is left out."""

    def __init__(self) -> None:
        self._step = (0, 0)
        self._text = ""
        self._printed = 0

    def begin(self, partial: str) -> tuple[str, ...]:
        """A reply that was being streamed when the session was opened."""
        self._text, self._printed = partial, 0
        return self._ready()

    def more(self, delta: TextDelta) -> tuple[str, ...]:
        """The lines that are complete now."""
        if (delta.turn, delta.step) != self._step:
            if self._step != (0, 0):
                self._text, self._printed = "", 0
            self._step = (delta.turn, delta.step)
        self._text += delta.text
        return self._ready()

    def end(self, reply: ReplyReceived) -> tuple[str, ...]:
        """The rest of it, when the whole reply is known."""
        shown = self._text[: self._printed]
        self._step, self._text, self._printed = (0, 0), "", 0
        if not shown or not reply.text.startswith(shown):
            return words.lines(reply)
        rest = reply.text[len(shown) :]
        after = words.lines(reply)[-1:] if reply.partial else ()
        return (*(_split(rest) if rest else ()), *after)

    def _ready(self) -> tuple[str, ...]:
        end = self._text.rfind("\n") + 1
        if end <= self._printed:
            return ()
        first = self._printed == 0
        part = self._text[self._printed : end - 1]
        self._printed = end
        return _split(NAME + part if first else part)


def _split(text: str) -> tuple[str, ...]:
    return tuple(speakable(text).split("\n"))
