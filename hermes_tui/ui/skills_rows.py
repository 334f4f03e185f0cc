"""Skills as rows of a list, and the lines that say what became of one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes_tui.intents import SkillInfo, SkillProposal, SkillVersion
from hermes_tui.ui import figures
from hermes_tui.ui.line import Span
from hermes_tui.ui.rows import Row, TextRow
from hermes_tui.ui.text import one_line

Lines = list[Sequence[Span]]
_BY = {"person": "you", "agent": "hermes", "update": "an update", "outside": "the file"}
_LOST = 0.1


def mark(skill: SkillInfo) -> tuple[str, str]:
    """(glyph, style) of a skill: proposed edit, trouble, off, on trial, good."""
    if skill.proposal:
        return "✎", "accent"
    if skill.problems or skill.held or skill.state == "doubtful":
        return "!", "warn"
    if not skill.on or skill.state == "archived":
        return "○", "muted"
    return ("·", "muted") if skill.state == "candidate" else ("✓", "ok")


def skill_row(skill: SkillInfo) -> Row:
    """One skill: mark, name, version; on the right how often it was used."""
    glyph, style = mark(skill)
    words = one_line(skill.held or next(iter(skill.problems), skill.description))
    wrong = bool(skill.problems or skill.held)
    name = "muted" if glyph == "○" else ""
    version = f" v{skill.version}" if skill.version > 1 else ""
    right = [Span(f" {_used(skill)}", "warn" if _fails(skill) else "muted")] if skill.uses else []
    if skill.origin != "bundled":
        right.append(Span(f" {skill.origin}", "muted"))
    return TextRow(
        key=skill.name,
        left=(
            Span(f" {glyph} ", style),
            Span(skill.name, name),
            Span(f"{version}  ", "muted"),
            Span(words, "warn" if wrong else "muted"),
        ),
        right=(*right, Span(" ")),
    )


def about(skill: SkillInfo, now: float) -> Lines:
    """What is known of a skill, above its text."""
    parts = [skill.origin, f"v{skill.version}" if skill.version else "", skill.state]
    parts += ["with your changes" if skill.overlaid else "", "" if skill.on else "off"]
    lines: Lines = [
        (Span(skill.name, "strong"), Span("  " + " · ".join(p for p in parts if p), "muted"))
    ]
    if skill.uses:
        when = figures.day(skill.last_used, now)
        judged = f", {skill.worked} of {skill.judged} worked" if skill.judged else ""
        lines.append((Span(f"used {skill.uses}×{judged}, last {when}", "muted"),))
    if skill.held:
        lines.append((Span(f"! kept out of prompts: {one_line(skill.held)}", "warn"),))
    lines += [(Span(f"! {one_line(one)}", "warn"),) for one in skill.problems[:3]]
    return lines


def about_proposal(one: SkillProposal, now: float) -> Lines:
    """Where a proposal comes from and why, above its diff."""
    what = "a new skill" if one.kind == "new" else "an edit"
    where = f" after {one_line(one.source)}" if one.source else ""
    when = figures.day(one.ts, now)
    lines: Lines = [
        (Span(one.name, "strong"), Span(f"  {what} proposed{where}, {when}", "accent")),
        (Span("because  ", "muted"), Span(one_line(one.reason), "")),
    ]
    if one.replay:
        lines.append((Span("replay   ", "muted"), Span(one_line(one.replay), "")))
    return lines


def about_version(one: SkillVersion, count: int, now: float) -> Lines:
    """Who made a version and why, above what it changed."""
    who = _BY.get(one.by, one.by)
    when = figures.day(one.ts, now)
    lines: Lines = [
        (Span(f"version {one.n}", "strong"), Span(f" of {count}  by {who}, {when}", "muted"))
    ]
    if one.reason:
        source = f"  ({one.source})" if one.source else ""
        lines.append((Span("because  ", "muted"), Span(one_line(one.reason) + source, "")))
    if one.lost >= _LOST:
        lines.append((Span(f"! {one.lost:.0%} of what it said before is gone", "warn"),))
    return lines


def counted(skills: Sequence[SkillInfo]) -> str:
    """How many skills there are, and how many wait for the person."""
    waiting = sum(bool(one.proposal) for one in skills)
    text = f" {len(skills)} skill{'s'[: len(skills) != 1]}"
    return f"{text}, {waiting} with a proposed edit" if waiting else text


def without_head(text: str) -> str:
    """A SKILL.md without its head, with the description as its first paragraph."""
    if not text.startswith("---\n"):
        return text
    head, end, body = text[4:].partition("\n---\n")
    if not end:
        return text
    found = re.search(r"^description:[ \t]*[>|]?-?[ \t]*(.*(?:\n[ \t]+.*)*)", head, re.MULTILINE)
    words = " ".join(found[1].split()).strip("\"'") if found else ""
    return f"> {words}\n\n{body.lstrip()}" if words else body.lstrip()


def _used(skill: SkillInfo) -> str:
    if _fails(skill):
        return f"{skill.judged - skill.worked} fail"
    return f"{skill.uses}×"


def _fails(skill: SkillInfo) -> bool:
    return skill.judged > 0 and skill.worked * 2 < skill.judged
