"""What it does on its own, at set times."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class CronConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Jobs at set times."""

    enabled: Annotated[bool, doc("run jobs when they are due")] = True
    zone: Annotated[
        str, doc("time zone of new jobs, such as Europe/Berlin; empty: this machine's")
    ] = ""
    parallel: Annotated[int, Meta(ge=1, le=64, description="runs at the same time")] = 3
    stagger_s: Annotated[
        float, Meta(ge=0, le=600, description="seconds between runs that are made up for")
    ] = 5.0
    keep_runs: Annotated[int, Meta(ge=1, le=10_000, description="records kept of each job")] = 200


class HeartbeatConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The check-in: at set hours the agent looks whether there is anything to tell you."""

    enabled: Annotated[bool, doc("check in, and keep what you asked to be reminded of")] = False
    schedule: Annotated[str, doc("when it checks in, in any form a job takes")] = "0 9,13,17 * * *"
    model: Annotated[str, doc("model of the check-in; a cheap one will do; empty: the usual")] = ""
    file: Annotated[str, doc("standing list of what to look at, a file in the home")] = (
        "HEARTBEAT.md"
    )
    quiet: Annotated[
        str,
        Meta(
            pattern=r"^(\d{1,2}(:\d\d)?-\d{1,2}(:\d\d)?)?$",
            description="hours in which nothing is told, such as 22-8; it waits until they end",
        ),
    ] = "22-8"
    tokens: Annotated[
        int, Meta(ge=0, le=10_000_000, description="most tokens of one check-in; 0: no limit")
    ] = 20_000
    most_a_day: Annotated[
        int, Meta(ge=0, le=100, description="most messages of its own a day, reminders included")
    ] = 6
    deliver: Annotated[tuple[str, ...], doc("where it tells you: local, or a chat")] = ("local",)
