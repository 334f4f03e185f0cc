"""Copies of the store, and how much room the home may take."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class BackupConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Copies of the database, and room on the disk."""

    daily: Annotated[bool, doc("copy the database every day and prove that the copy is sound")] = (
        True
    )
    keep: Annotated[int, Meta(ge=1, le=1000, description="daily copies kept")] = 7
    disk_mb: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000_000,
            description="room the home may take, models apart; what is oldest goes first: old "
            "logs, caches, long outputs, spare copies; 0: no limit",
        ),
    ] = 10_000
    drop_sessions: Annotated[
        bool, doc("when that is not enough, remove the oldest sessions that are not pinned, too")
    ] = False
