"""A question of the agent, where approvals are shown: pick a number, or answer in words."""

from __future__ import annotations

from textual.message import Message

from hermes_tui.events import QuestionAsked
from hermes_tui.ui.approval_frame import AskCard, Line
from hermes_tui.ui.line import Span
from hermes_tui.ui.text import one_line, safe, wrap


class QuestionCard(AskCard[QuestionAsked]):
    """Posts `Answered` with the words of the answer."""

    class Answered(Message):
        """The person's answer."""

        def __init__(self, ask_id: str, text: str) -> None:
            super().__init__()
            self.ask_id = ask_id
            self.text = text

    def heading(self, ask: QuestionAsked) -> str:
        """That it is a question."""
        return f"? question{self.count()}"

    def body(self, ask: QuestionAsked, width: int) -> list[Line]:
        """The question and its numbered options."""
        lines: list[Line] = []
        for line in safe(ask.text).split("\n"):
            lines += [(Span(line[a:b], "strong"),) for a, b in wrap(line, max(8, width - 1))]
        for number, option in enumerate(ask.options, 1):
            click = f"choose('{number}')" if number < 10 else ""
            lines.append(
                (Span(f" {number} ", "accent", click), Span(one_line(option), "text", click))
            )
        return lines

    def keys(self, ask: QuestionAsked, width: int) -> list[Line]:
        """How to answer."""
        last = min(9, len(ask.options))
        pick = (Span(f"1–{last}", "accent"), Span(" choose    ", "muted")) if last else ()
        words = (Span("↵", "accent", "choose('enter')"), Span(" answer in words    ", "muted"))
        more = (Span("tab", "accent"), Span(" next", "muted")) if len(self.pending) > 1 else ()
        return [(*pick, *words, *more)]

    def field_note(self) -> Line:
        """What Enter does."""
        return (
            Span("↵", "accent"),
            Span(" send   ", "muted"),
            Span("esc", "accent"),
            Span(" back", "muted"),
        )

    def choose(self, key: str) -> bool:
        """A number, or Enter for words."""
        ask = self.ask
        if ask is None:
            return False
        if key.isdecimal() and 1 <= int(key) <= len(ask.options):
            self._answer(ask, ask.options[int(key) - 1])
        elif key == "enter":
            self.open_field("", "your answer")
        else:
            return False
        return True

    def finished(self, text: str) -> None:
        """Words were given; none are no answer, a number is its option."""
        ask = self.ask
        text = text.strip()
        if ask is None or not text:
            return
        picked = text.isdecimal() and 1 <= int(text) <= len(ask.options)
        self._answer(ask, ask.options[int(text) - 1] if picked else text)

    def _answer(self, ask: QuestionAsked, text: str) -> None:
        self.post_message(self.Answered(ask.ask_id, text))
        self.done(ask)
