"""The rows of the agents pane: subagents as a tree, then background processes."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.agents_text import STATES
from hermes_tui.intents import AgentInfo, ProcessInfo
from hermes_tui.ui import figures
from hermes_tui.ui.line import Span
from hermes_tui.ui.rows import Row, TextRow
from hermes_tui.ui.text import one_line

AGENT = "agent:"
"""Before the id of a subagent, as a row's key."""
_LOOKS = {
    "running": ("◐", "accent"),
    "waiting": ("⚠", "warn"),
    "done": ("✔", "ok"),
    "failed": ("✘", "error"),
}


def state_of(one: ProcessInfo) -> tuple[str, str, str]:
    """A process's state as glyph, style and word."""
    if one.state == "running":
        return "◐", "accent", "running"
    if one.state == "exited":
        code = one.exit_code or 0
        return ("✔", "ok", "done") if code == 0 else ("✘", "error", f"exit {code}")
    return "■", "warn", one.state


def process_row(one: ProcessInfo, now: float) -> TextRow:
    """One process: state, command, and for how long."""
    glyph, style, word = state_of(one)
    took = figures.seconds(max((one.ended or now) - one.started, 0.0))
    return TextRow(
        key=one.id,
        left=(Span(f" {glyph} ", style), Span(one_line(one.command))),
        right=(Span(f"{word} ", style), Span(f"{took} ", "muted")),
    )


def agent_row(one: AgentInfo, now: float, level: int = 0) -> TextRow:
    """One subagent: state, goal, tokens, and for how long."""
    glyph, style = _LOOKS.get(one.state, ("■", "warn"))
    took = figures.seconds(max((one.ended or now) - one.started, 0.0))
    used = f"{figures.tokens(one.tokens)} " if one.tokens else ""
    return TextRow(
        key=AGENT + one.id,
        left=(Span(f" {'  ' * level}{glyph} ", style), Span(one_line(one.goal))),
        right=(
            Span(f"{STATES.get(one.state, one.state)} ", style),
            Span(f"{used}{took} ", "muted"),
        ),
    )


def as_tree(agents: Sequence[AgentInfo]) -> list[tuple[int, AgentInfo]]:
    """Each below the one whose session began it, with its level; the order is kept otherwise."""
    sessions = {one.session for one in agents}
    below: dict[str, list[AgentInfo]] = {}
    for one in agents:
        below.setdefault(one.parent if one.parent in sessions else "", []).append(one)
    made: list[tuple[int, AgentInfo]] = []
    stack = [(0, one) for one in reversed(below.get("", []))]
    while stack:
        level, one = stack.pop()
        made.append((level, one))
        stack += [(level + 1, child) for child in reversed(below.get(one.session, []))]
    return made


def rows_of(agents: Sequence[AgentInfo], processes: Sequence[ProcessInfo], now: float) -> list[Row]:
    """All rows; headings only where there are both kinds."""
    tree: list[Row] = [agent_row(one, now, level) for level, one in as_tree(agents)]
    left: list[Row] = [process_row(one, now) for one in processes]
    if not (tree and left):
        return tree or left
    return [_heading("Subagents"), *tree, TextRow(), _heading("Processes"), *left]


def _heading(words: str) -> TextRow:
    return TextRow(left=(Span(f" {words}", "muted"),))
