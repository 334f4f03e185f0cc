"""What it learns from its own work, when, and how much that may cost."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class LearningConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Learning: looking back on turns, off your clock; most of them leave nothing."""

    enabled: Annotated[bool, doc("learn at all; false: nothing is looked at, asked or noted")] = (
        True
    )
    wait_s: Annotated[
        float,
        Meta(ge=0, le=86_400, description="seconds of quiet in a session before it is looked at"),
    ] = 20.0
    calls_per_day: Annotated[
        int, Meta(ge=0, le=10_000, description="most model calls a day; 0: only what needs none")
    ] = 20
    effort: Annotated[
        int, Meta(ge=2, le=1000, description="tool calls from which a turn counts as real work")
    ] = 5
    nudges: Annotated[
        bool, doc("remind the agent to write down a correction that sounds lasting")
    ] = True
    note_days: Annotated[
        float, Meta(gt=0, le=365, description="days after which a note of a failure goes")
    ] = 7.0
    unused_days: Annotated[
        float, Meta(gt=0, le=36_500, description="learned skills unused for so long are archived")
    ] = 60.0
    replays: Annotated[
        int, Meta(ge=0, le=20, description="past uses an edited skill is tried on; 0: none")
    ] = 3
