"""What `/checkpoints` says: those there are, what they take, what they leave out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hermes_tui.runtime import going_back
from hermes_tui.runtime.session import Session
from hermes_tui.store.checkpoints import Checkpoint

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_SHOWN = 30
_LEFT = 20
_MADE = {
    "turn": "before turn {turn}",
    "again": "before a call was run again, after turn {turn}",
    "back": "before files were taken back, after turn {turn}",
}


async def checkpoints(core: Core, session: Session, args: str = "") -> str:
    """The checkpoints of a session, as Markdown."""
    if not core.config.checkpoints.enabled:
        return "Checkpoints are switched off (`checkpoints.enabled`)."
    rows = await core.checkpoints.rows.of(session.key)
    if not rows:
        return "There is no checkpoint here yet: one is made before a turn first changes anything."
    used, budget = await core.checkpoints.used(), core.checkpoints.budget
    head = (
        f"**Checkpoints of {session.cwd}**: `/rewind` goes back to before a turn,"
        f" `/undo NUMBER` to one of these. All sessions' take {used / 1e6:,.1f} of"
        f" {budget / 1e6:,.0f} MB.\n\n| number | when | made | files | |\n|--:|---|---|--:|---|"
    )
    lines = [_line(row) for row in rows[-_SHOWN:][::-1]]
    return "\n".join([head, *lines, *await _left(core, session, rows)])


def _line(row: Checkpoint) -> str:
    when = time.strftime("%d %b %H:%M", time.localtime(row.made))
    made = _MADE[row.kind].format(turn=row.turn)
    note = row.problem or ("" if row.changed else "no file changed")
    return f"| {row.id} | {when} | {made} | {row.files:,} | {note} |"


async def _left(core: Core, session: Session, rows: list[Checkpoint]) -> list[str]:
    """What the newest of them leaves out."""
    newest = next((row for row in reversed(rows) if row.before), None)
    if newest is None:
        return []
    view = await going_back.view(core, session, going_back.by_id(newest.id))
    if not view.left:
        return []
    more = len(view.left) - _LEFT
    lines = ["", f"{len(view.left)} left out, and never touched:", ""]
    lines += [f"- {one}" for one in view.left[:_LEFT]]
    return [*lines, f"- … and {more} more"] if more > 0 else lines
