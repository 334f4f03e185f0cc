"""What `hermes doctor` looks at beside the database: its copies, messages kept aside, room."""

from __future__ import annotations

import time

from hermes_tui.cli import output
from hermes_tui.cli.doctor_finding import Finding, Found
from hermes_tui.home import Home
from hermes_tui.store import room, snapshots, spool

_OLD_S = 3 * 86_400.0


def copies(home: Home) -> Found:
    """How old the newest copy is, and what waits to be put in."""
    if not home.database.exists():
        return
    kept = snapshots.kept(home.backups)
    age = time.time() - kept[0].stat().st_mtime if kept else 0.0
    if not kept:
        text, hint = "there is no copy of the database yet", "hermes backup FILE"
        yield Finding(area="backup", level="note", text=text, hint=hint)
    elif age > _OLD_S:
        text = f"the newest copy is {age / 86_400:.0f} days old"
        hint = "the agent makes one every day it runs; `hermes backup FILE` makes one now"
        yield Finding(area="backup", level="note", text=text, hint=hint)
    else:
        text = f"{len(kept)} copies, the newest of {output.when(kept[0].stat().st_mtime)}"
        yield Finding(area="backup", level="ok", text=text)
    waiting = len(spool.waiting(home.database))
    if waiting:
        text = f"{waiting} messages wait in {home.path / spool.NAME}"
        hint = "they are put in at the next start with a sound database"
        yield Finding(area="store", level="note", text=text, hint=hint)


def space(home: Home, most_mb: int) -> Found:
    """How much room the home takes, of what it may (0: no limit)."""
    if not home.path.exists():
        return
    taken = room.used(home.path) / 1e6
    text = f"the home takes {taken:,.0f} MB, models apart"
    if most_mb and taken > most_mb:
        text += f"; {most_mb:,} MB are allowed"
        hint = "old things go when the agent looks after its store; backup.disk_mb sets it"
        yield Finding(area="room", level="note", text=text, hint=hint)
    else:
        yield Finding(area="room", level="ok", text=text)
