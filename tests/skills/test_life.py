"""A learned skill counts once it has worked for two tasks, and stops counting when it fails."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.skills.life import (
    Outcome,
    State,
    Use,
    different_tasks,
    state_after,
    state_after_edit,
    success,
)

TASKS = ("deploy the blog", "release the shop", "publish handbook pages", "roll out the API")


def _uses(*outcomes: Outcome, task: str = "") -> list[Use]:
    return [
        Use(
            name="x",
            version=1,
            session="s",
            turn=n,
            ts=float(n),
            task=task or TASKS[n % len(TASKS)],
            outcome=outcome,
        )
        for n, outcome in enumerate(outcomes)
    ]


def test_it_counts_after_two_different_tasks_and_not_before() -> None:
    assert state_after("candidate", _uses("ok")) == "candidate"
    assert state_after("candidate", _uses("ok", "ok")) == "active"


def test_the_same_task_twice_is_one_task() -> None:
    twice = _uses("ok", "ok", task="deploy the blog to the server")
    again = Use(
        name="x", version=1, session="s", turn=9, ts=9, task="Deploying the blog to the servers",
        outcome="ok",
    )  # fmt: skip
    assert different_tasks([*twice, again]) == 1
    assert state_after("candidate", [*twice, again]) == "candidate"


def test_two_failures_or_corrections_make_it_doubtful_and_a_third_ends_it() -> None:
    assert state_after("active", _uses("ok", "ok", "failed")) == "active"
    assert state_after("active", _uses("ok", "ok", "failed", "corrected")) == "doubtful"
    assert state_after("doubtful", _uses("failed", "corrected", "failed")) == "archived"


def test_two_good_uses_make_up_for_what_was_before() -> None:
    assert state_after("doubtful", _uses("failed", "failed", "ok", "ok")) == "active"


def test_what_is_archived_stays_so_until_somebody_says_otherwise() -> None:
    assert state_after("archived", _uses("ok", "ok")) == "archived"


def test_a_new_text_is_on_trial_when_the_old_one_was_in_doubt() -> None:
    assert state_after_edit("doubtful") == "candidate"
    assert state_after_edit("active") == "active"


def test_uses_that_nobody_judged_count_for_nothing() -> None:
    assert state_after("candidate", _uses("", "", "")) == "candidate"
    assert success(_uses("ok", "", "failed")) == (1, 2)


outcomes = st.lists(st.sampled_from(["", "ok", "failed", "corrected"]), max_size=12)
states = st.sampled_from(["candidate", "active", "doubtful", "archived"])


@given(states, outcomes)
def test_every_history_leads_somewhere_and_good_news_never_harms(
    state: State, found: list[Outcome]
) -> None:
    uses = _uses(*found)
    after = state_after(state, uses)
    order = ("archived", "doubtful", "candidate", "active")
    better = state_after(state, [*uses, *_uses("ok", "ok")])
    assert order.index(better) >= order.index(after) or after == "active"
