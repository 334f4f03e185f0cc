"""How long a failed model step waits before its next try."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ModelError
from hermes_tui.models.retry import LONGEST_S, delay_for

KINDS = ("rate", "overloaded", "network", "malformed")


@pytest.mark.parametrize("kind", ["auth", "billing", "context", "refused", "missing"])
def test_what_cannot_get_better_is_not_tried_again(kind: str) -> None:
    assert delay_for(ModelError("no", kind=kind), 1) is None


@given(st.sampled_from(KINDS), st.integers(1, 10_000))
def test_waits_grow_and_stay_below_the_cap(kind: str, attempt: int) -> None:
    delay = delay_for(ModelError("no", kind=kind), attempt)
    assert delay is not None
    assert 0.25 <= delay <= LONGEST_S
    assert attempt == 1 or delay >= 0.5


@given(st.floats(0, 120))
def test_what_the_provider_asks_for_is_never_cut_short(seconds: float) -> None:
    delay = delay_for(ModelError("slow down", kind="rate", retry_after=seconds), 1)
    assert delay is not None
    assert seconds <= delay <= seconds + 0.25


def test_a_wait_of_an_hour_is_left_to_the_person() -> None:
    assert delay_for(ModelError("slow down", kind="rate", retry_after=3600), 1) is None
