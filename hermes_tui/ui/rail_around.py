"""The rail below the sessions: what runs, what comes, the gateways, what was learned today."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from msgspec import Struct

from hermes_tui.intents import AgentInfo, Fact, GatewayInfo, JobInfo, LearnedSkill, ProcessInfo
from hermes_tui.ui import figures
from hermes_tui.ui.agents_rows import as_tree
from hermes_tui.ui.line import Span
from hermes_tui.ui.rows import Row, TextRow
from hermes_tui.ui.text import one_line

BACKGROUND, SCHEDULED, GATEWAYS, LEARNED = (
    "Background jobs",
    "Scheduled",
    "Gateways",
    "Learned today",
)
HEADINGS = (BACKGROUND, SCHEDULED, GATEWAYS, LEARNED)
FOLD, PROCESS, AGENT, JOB, GATEWAY, SKILL, FACT = (
    "fold:",
    "process:",
    "agent:",
    "job:",
    "gateway:",
    "skill:",
    "fact:",
)
"""What a row's key begins with; after it comes the heading, id or name."""
BELOW = (PROCESS, AGENT, JOB, GATEWAY, SKILL, FACT)
_MOST = 12
"""Rows of one heading; what there is more of is behind the last one."""
_AT_WORK = ("running", "waiting")
_GATES = {
    "on": ("●", "ok"),
    "starting": ("◌", "accent"),
    "waiting": ("⚠", "warn"),
    "refused": ("✘", "error"),
    "conflict": ("⚠", "warn"),
    "off": ("○", "muted"),
}
_GATE_WORDS = {"waiting": "offline", "off": "paused"}


class Around(Struct, frozen=True, kw_only=True):
    """All that is shown below the sessions. facts, skills: of today."""

    processes: tuple[ProcessInfo, ...] = ()
    agents: tuple[AgentInfo, ...] = ()
    jobs: tuple[JobInfo, ...] = ()
    gateways: tuple[GatewayInfo, ...] = ()
    facts: tuple[Fact, ...] = ()
    skills: tuple[LearnedSkill, ...] = ()


def around_rows(around: Around, folded: Collection[str], now: float) -> list[Row]:
    """The rows of every heading that has any; of a folded one, the heading with their number."""
    parts: dict[str, list[Row]] = {
        BACKGROUND: _background(around, now),
        SCHEDULED: [job_row(one, now) for one in around.jobs if one.next],
        GATEWAYS: [gateway_row(one, now) for one in around.gateways if one.enabled],
        LEARNED: [
            *(skill_row(one) for one in around.skills),
            *(fact_row(one) for one in around.facts),
        ],
    }
    made: list[Row] = []
    for name, rows in parts.items():
        if rows:
            shut = name in folded
            made += [TextRow(), _heading(name, len(rows), shut), *([] if shut else _few(rows))]
    return made


def _heading(name: str, count: int, shut: bool) -> TextRow:
    mark = f"{count} ▸ " if shut else "▾ "
    return TextRow(FOLD + name, (Span(f" {name}", "muted"),), (Span(mark, "faint"),))


def _few(rows: list[Row]) -> list[Row]:
    if len(rows) <= _MOST:
        return rows
    rest = len(rows) - _MOST + 1
    return [*rows[: _MOST - 1], TextRow(rows[-1].key, (Span(f"  {rest} more…", "muted"),))]


def _background(around: Around, now: float) -> list[Row]:
    rows: list[Row] = []
    working = [one for one in around.agents if one.state in _AT_WORK]
    for level, one in as_tree(working):
        glyph, style = ("⚠", "warn") if one.state == "waiting" else ("◐", "accent")
        left = (Span(f"  {'  ' * level}{glyph} ", style), Span(one_line(one.goal)))
        rows.append(TextRow(AGENT + one.id, left, _took(one.started, now)))
    for process in around.processes:
        if process.state == "running":
            left = (Span("  ◐ ", "accent"), Span(one_line(process.command)))
            rows.append(TextRow(PROCESS + process.id, left, _took(process.started, now)))
    return rows


def _took(started: float, now: float) -> tuple[Span, ...]:
    return (Span(f"{figures.seconds(max(now - started, 0.0))} ", "muted"),)


def job_row(one: JobInfo, now: float) -> TextRow:
    """A job: when it comes next by the clock, and its name; how its last time went wrong."""
    what = one.spec.name or one.spec.say or one.spec.prompt or one.spec.script
    wrong = one.last is not None and one.last.state in ("failed", "interrupted", "missed")
    glyph, style = ("◐", "accent") if one.running else ("◷", "muted")
    last = one.last.state if one.last is not None else ""
    left = (Span(f"  {glyph} ", style), Span(f"{soon(one.next[0], now):<6}", "muted"))
    return TextRow(
        JOB + one.id,
        (*left, Span(one_line(what))),
        (Span(f"{last} ", "warn"),) if wrong else (),
    )


def soon(then: float, now: float) -> str:
    """`18:00` today, `Mon` within six days, then `14 Oct`: what needs no ticking."""
    at, today = time.localtime(then), time.localtime(now)
    if at[:3] == today[:3]:
        return time.strftime("%H:%M", at)
    return time.strftime("%a", at) if 0 <= then - now < 6 * 86_400 else figures.day(then, now)


def gateway_row(one: GatewayInfo, now: float) -> TextRow:
    """A gateway: its state, its chats, and when it last brought or took something."""
    glyph, style = _GATES.get(one.state, ("?", "warn"))
    left = (Span(f"  {glyph} ", style), Span(one.name))
    if one.state != "on":
        word = _GATE_WORDS.get(one.state, one.state)
        return TextRow(GATEWAY + one.name, left, (Span(f"{word} ", style),))
    chats = f"{len(one.chats)} chat{'' if len(one.chats) == 1 else 's'}" if one.chats else ""
    seen = max(one.last_in, one.last_out)
    last = f"{soon(seen, now)} " if seen else ""
    late = f"{one.waiting} waiting " if one.waiting else ""
    told = f"{chats}  {last}" if chats else last or "on "
    return TextRow(GATEWAY + one.name, left, (Span(late, "warn"), Span(told, "muted")))


def skill_row(one: LearnedSkill) -> TextRow:
    """A skill that was learned or changed, or whose change waits for an answer."""
    waits = one.state == "proposed"
    word = "proposed ↵ " if waits else f"v{one.version} " if one.version else ""
    return TextRow(
        SKILL + one.name,
        (Span("  ✎ ", "accent" if waits else "muted"), Span(one.name)),
        (Span(word, "accent" if waits else "muted"),),
    )


def fact_row(one: Fact) -> TextRow:
    """A statement that is remembered since today."""
    asks = one.state in ("candidate", "disputed")
    left = (Span("  + ", "warn" if asks else "muted"), Span(f"«{one_line(one.text)}»"))
    return TextRow(FACT + one.id, left, (Span("confirm? ", "warn"),) if asks else ())


def midnight(now: float) -> float:
    """When today began here."""
    at = time.localtime(now)
    return time.mktime((*at[:3], 0, 0, 0, 0, 0, -1))


def of_today(facts: Sequence[Fact], now: float) -> tuple[Fact, ...]:
    """Statements that are new since midnight."""
    since = midnight(now)
    return tuple(one for one in facts if one.made >= since)
