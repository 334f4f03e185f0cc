"""Nothing typed or pasted is ever lost, whatever is edited before it is sent."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hermes_tui.paste import clean
from hermes_tui.ui.prompt_document import Draft, PromptDocument

WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20)
LONG = st.builds(lambda word, count: f"{word}\n" * count, WORDS, st.integers(9, 30))
ANY = st.one_of(
    WORDS, LONG, st.text(max_size=40), st.just("e\u0301👨‍👩‍👧🇯🇵"), st.just("\ue000\U000f0000")
)


class AnyEditing(RuleBasedStateMachine):
    """The document against a list of strings: an element is a character, or a whole paste."""

    def __init__(self) -> None:
        super().__init__()
        self.document = PromptDocument()
        self.model: list[str] = []
        self.past: list[list[str]] = [[]]

    def spans(self) -> tuple[int, int]:
        return self.document.selection

    def put(self, start: int, end: int, what: list[str]) -> None:
        self.model = [*self.model[:start], *what, *self.model[end:]]
        self.past.append(list(self.model))

    @rule(text=ANY)
    def paste(self, text: str) -> None:
        start, end = self.spans()
        kept = clean(text)
        long = len(kept) > 800 or len(kept.removesuffix("\n").split("\n")) > 8
        self.put(start, end, [kept] if long and kept else list(kept))
        self.document.paste(text)

    @rule(text=WORDS)
    def type(self, text: str) -> None:
        start, end = self.spans()
        self.put(start, end, list(text))
        self.document.type(text)

    @rule()
    def backspace(self) -> None:
        start, end = self.spans()
        if start == end:
            start = self.document.left(end)
        self.put(start, end, [])
        self.document.delete(start, end)

    @rule(where=st.integers(0, 200), select=st.booleans())
    def move(self, where: int, select: bool) -> None:
        self.document.move(where, select)

    @rule()
    def step(self) -> None:
        self.document.move(self.document.left(self.document.caret))

    @precondition(lambda self: any(len(one) > 1 for one in self.model))
    @rule()
    def unfold(self) -> None:
        at = next(i for i, one in enumerate(self.model) if len(one) > 1)
        self.put(at, at + 1, list(self.model[at]))
        assert self.document.unfold(at)

    @rule()
    def undo_and_redo(self) -> None:
        before = self.document.text
        if self.document.undo():
            assert self.document.text in {"".join(one) for one in self.past}
            assert self.document.redo()
        assert self.document.text == before

    @rule(at=st.integers(1, 8))
    def undo(self, at: int) -> None:
        steps = sum(self.document.undo() for _ in range(at))
        if steps:
            self.model = next(
                one for one in reversed(self.past) if "".join(one) == self.document.text
            )
            self.model = self.aligned(self.model)
            self.past.append(list(self.model))

    def aligned(self, found: list[str]) -> list[str]:
        """The same text in the pieces the document has now (folded or not)."""
        pieces = self.document.draft().pieces
        parts = [part for p in pieces for part in ([p.text] if p.folded else p.text)]
        assert "".join(parts) == "".join(found)
        return parts

    @rule()
    def keep_and_recall(self) -> None:
        kept = msgspec.json.encode(self.document.draft())
        text = self.document.text
        self.document.load(msgspec.json.decode(kept, type=Draft))
        assert self.document.text == text
        self.past.append(list(self.model))

    @invariant()
    def what_would_be_sent_is_exactly_the_text(self) -> None:
        assert self.document.text == "".join(self.model)
        assert "⟦paste" not in self.document.text
        self.document.text.encode()

    @invariant()
    def the_caret_never_stands_inside_a_character(self) -> None:
        at = self.document.caret
        assert at == 0 or self.document.right(self.document.left(at)) == at


TestAnyEditing = AnyEditing.TestCase
TestAnyEditing.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


@pytest.mark.parametrize(
    ("text", "presses"),
    [
        ("你好，世界", 5),
        ("👨‍👩‍👧", 1),
        ("👁️", 1),
        ("👁", 1),
        ("👍🏽", 1),
        ("🇯🇵", 1),
        ("1️⃣", 1),
        ("กี่กุ", 2),
        ("e\u0301", 1),
        ("\u0602", 1),
        ("ｱｲｳ", 3),
        ("한글", 2),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", 2),
    ],
)
def test_backspace_removes_what_a_reader_sees_as_one_character(text: str, presses: int) -> None:
    document = PromptDocument()
    for character in text:
        document.type(character)
    count = 0
    while document.raw:
        document.delete(document.left(document.caret), document.caret)
        count += 1
    assert count == presses


def test_a_long_paste_is_one_step_for_caret_and_backspace() -> None:
    document = PromptDocument()
    document.type("see ")
    document.paste("line\n" * 13)
    assert document.label(document.raw[4]) == "⟦paste 1 · 13 lines⟧"
    assert document.left(document.caret) == 4
    document.delete(4, 5)
    assert document.text == "see "
    document.undo()
    assert document.text == "see " + "line\n" * 13


def test_typing_is_undone_a_word_at_a_time() -> None:
    document = PromptDocument()
    for character in "one two":
        document.type(character)
    document.undo()
    assert document.text == "one "
    document.undo()
    assert document.empty
    document.redo()
    document.redo()
    assert document.text == "one two"


def test_more_pastes_than_there_are_characters_for_still_lose_nothing() -> None:
    document = PromptDocument()
    document.load(Draft())
    expected = ""
    for number in range(2100):
        text = f"{number}\n" * 9
        document.paste(text)
        expected += text
    assert document.text == expected


def test_a_megabyte_paste_stays_folded() -> None:
    document = PromptDocument()
    document.paste("x" * 1_000_000)
    assert not document.unfold(0)
    assert document.text == "x" * 1_000_000
