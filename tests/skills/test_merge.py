"""No side's change is lost in a merge; a person can take any part of an edit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.skills.merge import apply, changes, diff, hunks, is_gutted, lost, merge

lines = st.lists(st.sampled_from(["a", "b", "c", "d", "e f", ""]), max_size=12).map(
    lambda found: "".join(f"{one}\n" for one in found)
)


@given(lines, lines)
@settings(max_examples=200, deadline=None)
def test_a_side_that_did_not_change_takes_the_others_text(base: str, new: str) -> None:
    assert merge(base, base, new).text == new
    assert merge(base, new, base).text == new
    assert merge(base, new, new).text == new


@given(lines, lines, lines)
@settings(max_examples=200, deadline=None)
def test_a_merge_never_fails_and_is_ours_where_both_changed(base: str, one: str, two: str) -> None:
    merged = merge(base, one, two)
    assert merged.conflicts >= 0
    if merged.conflicts == 0 and base == one:
        assert merged.text == two


def test_changes_at_different_places_both_arrive() -> None:
    base = "1\n2\n3\n4\n5\n"
    merged = merge(base, "1\nmine\n3\n4\n5\n", "1\n2\n3\n4\ntheirs\n")
    assert merged.text == "1\nmine\n3\n4\ntheirs\n"
    assert merged.conflicts == 0


def test_where_both_changed_one_line_the_persons_stands_and_it_is_counted() -> None:
    merged = merge("1\n2\n3\n", "1\nmine\n3\n", "1\ntheirs\n3\n")
    assert merged.text == "1\nmine\n3\n"
    assert merged.conflicts == 1


@given(lines, lines)
@settings(max_examples=200, deadline=None)
def test_all_changes_give_the_new_text_and_none_the_old(old: str, new: str) -> None:
    numbers = range(len(changes(old, new)))
    assert apply(old, new, numbers) == new
    assert apply(old, new, ()) == old


def test_one_change_of_two_can_be_taken() -> None:
    assert apply("1\n2\n3\n", "one\n2\nthree\n", [1]) == "1\n2\nthree\n"


def test_a_text_that_lost_its_steps_is_gutted_and_one_reordered_is_not() -> None:
    steps = "".join(f"{n}. do the thing number {n} with care\n" for n in range(20))
    assert is_gutted(steps, "TODO\n")
    assert lost(steps, "".join(reversed(steps.splitlines(keepends=True)))) == 0.0
    assert not is_gutted(steps, steps.replace("care", "great care"))
    assert lost("", "anything") == 0.0


def test_a_diff_of_the_same_text_is_empty() -> None:
    assert diff("a\n", "a\n") == ""
    assert "+b" in diff("a\n", "b\n")


@given(lines, lines)
@settings(max_examples=200, deadline=None)
def test_a_diff_can_be_applied_by_patch_rules_and_has_one_hunk_a_group(old: str, new: str) -> None:
    text = diff(old, new)
    groups = hunks(old, new)
    assert text.count("@@ -") == len(groups)
    numbers = [number for group in groups for number in group]
    assert numbers == list(range(len(changes(old, new))))
    kept = [line[1:] for line in text.splitlines()[2:] if line[:1] in " +"]
    assert all(line in new.splitlines() for line in kept)
