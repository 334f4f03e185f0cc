"""What going back changes, and whose doing it was, is told by states alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.runtime.back_plan import Plan, make_plan
from hermes_tui.store.checkpoints import Checkpoint
from hermes_tui.store.checkpoints_tree import Entry, Tree

names = st.sampled_from(["a", "b", "c/d", "c/e"])
states = st.dictionaries(names, st.sampled_from("123"), max_size=4)


def tree(state: dict[str, str]) -> dict[str, Entry]:
    return {path: Entry("file", 0o644, 1, text) for path, text in state.items()}


def key(state: dict[str, str]) -> str:
    return repr(sorted(state.items()))


def plan(history: list[tuple[dict[str, str], dict[str, str]]], now: dict[str, str]) -> Plan:
    """A plan for a history of (before, after) of turns."""
    trees: dict[str, Tree] = {key(one): tree(one) for turn in history for one in turn}
    rows = [
        Checkpoint(id=at, turn=at, before=key(before), after=key(after))
        for at, (before, after) in enumerate(history, 1)
    ]
    return make_plan(rows, (key(now), tree(now)), trees.__getitem__)


@given(st.lists(st.tuples(states, states), min_size=1, max_size=4), states)
def test_a_path_is_yours_if_and_only_if_it_changed_between_turns(
    history: list[tuple[dict[str, str], dict[str, str]]], now: dict[str, str]
) -> None:
    made = plan(history, now)
    first = history[0][0]
    differs = {path for path in first.keys() | now.keys() if first.get(path) != now.get(path)}
    ends = [*(before for before, _ in history[1:]), now]
    between = {
        path
        for (_, after), end in zip(history, ends, strict=True)
        for path in after.keys() | end.keys()
        if after.get(path) != end.get(path)
    }
    assert made.changes.keys() == differs
    assert made.yours == differs & between
    assert made.paths(True) == sorted(differs)
    assert made.paths(False) == sorted(differs - between)


def test_a_repository_goes_back_only_when_a_turn_moved_what_it_points_at() -> None:
    was = {"f": "1", ".git/HEAD": "1", ".git/index": "1", ".git/objects/a": "1"}
    looked = {**was, ".git/index": "2"}
    assert plan([(was, looked)], looked).paths(True) == []
    committed = {"f": "2", ".git/HEAD": "2", ".git/index": "2", ".git/objects/a": "1"}
    committed[".git/objects/b"] = "2"
    made = plan([(was, committed)], committed)
    assert made.paths(False) == [".git/HEAD", ".git/index", "f"]
    assert made.shown() == [".git", "f"]
    mine = {**committed, ".git/HEAD": "3"}
    assert plan([(was, committed)], mine).paths(False) == ["f"]
    assert plan([(was, committed)], mine).paths(True) == [".git/HEAD", ".git/index", "f"]


def test_objects_that_are_gone_come_back_and_a_new_repository_goes_whole() -> None:
    was = {".git/HEAD": "1", ".git/objects/a": "1"}
    assert plan([(was, {})], {}).paths(False) == [".git/HEAD", ".git/objects/a"]
    entries = {**tree({".git/HEAD": "1", ".git/objects/a": "1"}), ".git": Entry("dir", 0o755)}
    row = Checkpoint(id=1, turn=1, before="before", after="after")
    made = make_plan([row], ("after", entries), {"before": {}, "after": entries}.__getitem__)
    assert made.paths(False) == [".git", ".git/HEAD", ".git/objects/a"]
    assert made.shown() == [".git"]
    assert made.change_of(".git") == "added"


def test_a_turn_that_has_not_ended_is_the_agents() -> None:
    before, now = tree({"a": "1"}), tree({"a": "2"})
    row = Checkpoint(id=1, turn=1, before="before")
    made = make_plan([row], ("now", now), {"before": before}.__getitem__)
    assert (made.paths(False), made.yours) == (["a"], set())
