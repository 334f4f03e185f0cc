"""How long to wait before a model step is tried again: the one home of that decision."""

from __future__ import annotations

import random

from hermes_tui.errors import ModelError

FIRST_S, LONGEST_S = 0.5, 30.0
LONGEST_ASKED_S = 120.0


def delay_for(error: ModelError, attempt: int) -> float | None:
    """Seconds to wait before the next try after failure number `attempt` (from 1).

    None when trying again is no use: the error is of another kind, or the provider asks for a
    wait longer than a person would sit through. What a provider asks for is kept, never cut
    short; otherwise the wait doubles from try to try and is jittered by half.
    """
    if not error.worth_retrying:
        return None
    if error.retry_after is not None:
        if error.retry_after > LONGEST_ASKED_S:
            return None
        return error.retry_after + random.uniform(0.0, 0.25)
    step = min(FIRST_S * 2.0 ** (min(attempt, 16) - 1), LONGEST_S)
    return step * random.uniform(0.5, 1.0)
