"""The history never loses the draft, and never forgets what was pasted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui.history import PromptHistory
from hermes_tui.ui.prompt_document import Draft, Piece

TEXTS = st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=6)


def plain(text: str) -> Draft:
    return Draft(pieces=(Piece(text=text),))


@given(TEXTS, st.text(), st.lists(st.booleans(), max_size=30))
def test_wherever_one_walks_the_way_back_ends_at_the_draft(
    entries: list[str], draft: str, steps: list[bool]
) -> None:
    history = PromptHistory()
    history.set(entries)
    now, at = plain(draft), -1
    for up in steps:
        found = history.older(now) if up else history.newer(now)
        at = min(at + 1, len(entries) - 1) if up else max(at - 1, -1)
        now = found or now
        assert now.text == (entries[at] if at >= 0 else draft)
    while (found := history.newer(now)) is not None:
        now = found
    assert now.text == draft


def test_what_is_sent_twice_is_kept_once_in_front() -> None:
    history = PromptHistory()
    for text in ("a", "b", "a"):
        history.add(plain(text))
    history.set(["b", "c"])
    seen = []
    now: Draft | None = plain("")
    while now is not None and (now := history.older(now)) is not None:
        seen.append(now.text)
    assert seen == ["a", "b", "c"]


def test_a_huge_stored_input_comes_back_folded_and_whole() -> None:
    history = PromptHistory()
    history.set(["x\n" * 500])
    found = history.older(plain(""))
    assert found is not None
    assert found.pieces == (Piece(text="x\n" * 500, folded=True),)
