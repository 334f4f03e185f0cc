"""The rows of the sessions in the rail, by groups."""

from __future__ import annotations

import time
from collections.abc import Iterable

from hermes_tui.intents import SessionInfo
from hermes_tui.ui import figures
from hermes_tui.ui.line import Span
from hermes_tui.ui.rows import Row, TextRow
from hermes_tui.ui.text import one_line

STATES = {
    "idle": ("✓", "muted"),
    "working": ("◐", "accent"),
    "waiting": ("⚠", "warn"),
}
NOW, PINNED, TODAY, WEEK, OLDER, ARCHIVED = (
    "At work",
    "Pinned",
    "Today",
    "This week",
    "Older",
    "Archived",
)
GROUPS = (NOW, PINNED, TODAY, WEEK, OLDER, ARCHIVED)
_WEEK_S = 7 * 86_400


def session_title(info: SessionInfo) -> str:
    """What a session is called on screen."""
    return one_line(info.title) or "new session"


def session_row(info: SessionInfo, current: str, now: float) -> TextRow:
    """One session as a line: here-mark, state, title, and the state's word or its age."""
    glyph, style = STATES[info.state]
    here = info.id == current
    word = info.state if info.state != "idle" else figures.ago(info.updated, now)
    return TextRow(
        key=info.id,
        left=(
            Span("▸ " if here else "  ", "accent"),
            Span(glyph + " ", style),
            Span(session_title(info), "strong" if here else ""),
        ),
        right=(Span(word + " ", style if info.state != "idle" else "muted"),),
    )


def group_of(info: SessionInfo, now: float) -> str:
    """The group a session belongs to."""
    if info.state != "idle":
        return NOW
    if info.archived:
        return ARCHIVED
    if info.pinned:
        return PINNED
    if time.localtime(info.updated)[:3] == time.localtime(now)[:3] or info.updated > now:
        return TODAY
    return WEEK if now - info.updated < _WEEK_S else OLDER


def grouped(
    sessions: Iterable[SessionInfo], now: float, query: str = "", archived: bool = False
) -> dict[str, list[SessionInfo]]:
    """The sessions to show by group, in the groups' order; each keeps the order it came in.

    A query finds archived ones too.
    """
    words = query.casefold().split()
    made: dict[str, list[SessionInfo]] = {name: [] for name in GROUPS}
    for info in sessions:
        where = f"{info.title} {info.cwd}".casefold()
        if all(word in where for word in words):
            made[group_of(info, now)].append(info)
    if not archived and not words:
        made[ARCHIVED] = []
    return {name: found for name, found in made.items() if found}


def rail_rows(
    groups: dict[str, list[SessionInfo]],
    current: str,
    now: float,
) -> list[Row]:
    """The rows of the sessions. A heading only where there is more than one group."""
    made: list[Row] = []
    titles = len(groups) > 1 or ARCHIVED in groups or PINNED in groups
    for name, found in groups.items():
        if titles:
            made += [TextRow()] if made else []
            made.append(TextRow(left=(Span(f" {name}", "muted"),)))
        made += [session_row(info, current, now) for info in found]
    return made
