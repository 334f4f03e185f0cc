"""How facts, messages and skills look in the memory pane: their rows, and the one in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from hermes_tui.intents import Fact, FactStory, Hit, SkillInfo, Source
from hermes_tui.ui import figures
from hermes_tui.ui.line import Span
from hermes_tui.ui.memory_query import Section, Wanted
from hermes_tui.ui.rows import Row, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import Painter, paint_all, paint_lines, paint_text

FEW: dict[Section, int] = {"facts": 6, "card": 6, "sessions": 4, "skills": 4}
"""Rows of a section while others share the pane."""
_TITLES: dict[Section, str] = {
    "facts": "Memory",
    "card": "You",
    "sessions": "Sessions",
    "skills": "Skills",
}
_SCOPES = {
    "person": "wherever you talk alone",
    "folder": "in this folder",
    "chat": "in this chat",
    "everyone": "for everyone",
}
_WHO = {
    "user": "you said so",
    "agent": "hermes concluded it",
    "tool": "read in a tool's output",
    "import": "imported",
    "provider": "from the provider",
}


class Findings(Struct, frozen=True, kw_only=True):
    """What the pane shows. kept: statements that count; told: of them in this session."""

    wanted: Wanted = Wanted()
    facts: tuple[Fact, ...] = ()
    hits: tuple[Hit, ...] = ()
    skills: tuple[SkillInfo, ...] = ()
    kept: int = 0
    told: int = 0

    @property
    def count(self) -> int:
        """All that was found."""
        return len(self.facts) + len(self.hits) + len(self.skills)

    def of(self, section: Section) -> Sequence[Fact] | Sequence[Hit] | Sequence[SkillInfo]:
        """What was found in a section."""
        match section:
            case "facts":
                return tuple(one for one in self.facts if one.kind == "fact")
            case "card":
                return tuple(one for one in self.facts if one.kind != "fact")
            case "sessions":
                return self.hits
            case "skills":
                return self.skills


def rows(found: Findings, now: float) -> list[Row]:
    """The rows, section by section; what is too much for a shared pane is a row of its own."""
    made: list[Row] = []
    for section in found.wanted.sections:
        things = found.of(section)
        if not things:
            continue
        few = len(things) if found.wanted.one else FEW[section]
        title = (Span(f" {_TITLES[section]}  ", "strong"), Span(str(len(things)), "muted"))
        made.append(TextRow(left=title))
        for thing in things[:few]:
            made += row_of(thing, now)
        if len(things) > few:
            more = f"   {len(things) - few} more…"
            made.append(TextRow(f"more:{section}", (Span(more, "muted"),)))
    return made


def row_of(thing: Fact | Hit | SkillInfo, now: float) -> list[Row]:
    """The rows of one thing found."""
    if isinstance(thing, Fact):
        return [_fact_row(thing)]
    if isinstance(thing, Hit):
        return _hit_rows(thing, now)
    name = (Span(f"   {thing.name}  ", ""), Span(one_line(thing.description), "muted"))
    return [TextRow(f"skill:{thing.name}", name)]


def _fact_row(fact: Fact) -> TextRow:
    glyph, style = mark(fact)
    uses = f"{fact.uses}× " if fact.uses else ""
    note = f"{fact.state} " if fact.state != "current" else uses
    text = Span(one_line(fact.text), "" if fact.state == "current" else "muted")
    return TextRow(f"fact:{fact.id}", (Span(f" {glyph} ", style), text), (Span(note, "muted"),))


def mark(fact: Fact) -> tuple[str, str]:
    """A statement's state as glyph and style."""
    if fact.state == "candidate":
        return "?", "warn"
    if fact.state == "disputed":
        return "≠", "warn"
    if fact.pinned:
        return "▲", "accent"
    return ("·", "muted") if fact.state == "current" else ("○", "muted")


def _hit_rows(hit: Hit, now: float) -> list[Row]:
    title = one_line(hit.title) or hit.session
    when = figures.day(hit.ts, now) + " "
    who = {"user": "you", "assistant": "hermes"}.get(hit.role, hit.role)
    return [
        TextRow(f"hit:{hit.message}", (Span(f"   {title}", ""),), (Span(when, "muted"),)),
        TextRow("", (Span(f"     {who}: ", "muted"), Span(one_line(hit.text[:400]), "muted"))),
    ]


# --- in full -----------------------------------------------------------------------------------


def fact_in_full(story: FactStory, now: float) -> Painter:
    """A statement: its text, where it holds, where it came from, when and why it was recalled."""
    fact = story.fact
    lines: list[Sequence[Span]] = [(Span(_about(fact), "muted"),)]
    if fact.reason:
        lines.append((Span(fact.reason, "warn" if fact.state != "current" else "muted"),))
    lines += [_from(source, now) for source in fact.sources[-4:]]
    lines += [(), _recalled(fact, now)]
    lines += [
        (Span(f"  {figures.day(use.ts, now)}  ", "muted"), Span(one_line(use.why)))
        for use in story.uses[:5]
    ]
    if story.alike:
        lines += [(), (Span("looks like", "muted"),)]
        lines += [
            (Span(f"  {near.id}  ", "accent"), Span(one_line(near.text))) for near in story.alike
        ]
    was = [one for one in story.changes if one.before and one.before != one.after]
    if was:
        lines += [(), (Span("was", "muted"),)]
        lines += [
            (Span(f"  {figures.day(one.ts, now)}  ", "muted"), Span(one_line(one.before)))
            for one in reversed(was)
        ]
    return paint_all([paint_text(fact.text, "strong"), paint_lines(lines)])


def hit_in_full(hit: Hit, now: float) -> Painter:
    """A message: its session, when, all of its text."""
    head = (
        Span(one_line(hit.title) or hit.session, "strong"),
        Span(f"  {figures.day(hit.ts, now)}", "muted"),
    )
    return paint_all([paint_lines([head, ()]), paint_text(hit.text)])


def skill_in_full(skill: SkillInfo) -> Painter:
    """A skill: its name and what it is for."""
    head = (Span(skill.name, "strong"), Span(f"  {skill.origin}", "muted"))
    return paint_all([paint_lines([head, ()]), paint_text(skill.description)])


Acts = list[tuple[str, str]]


def keys(key: str, fact: Fact | None) -> tuple[Acts, Acts]:
    """Two lines of what can be done with a row: (name of the key, word)."""
    kind = key.partition(":")[0]
    if fact is not None:
        open_ = fact.state in ("candidate", "disputed")
        last = ("memory.confirm", "confirm") if open_ else ("memory.why", "why")
        first = [("list.open", "source"), ("memory.edit", "edit"), ("memory.forget", "forget")]
        return (
            [*first, last],
            [
                ("memory.pin", "unpin" if fact.pinned else "pin"),
                ("memory.merge", "merge"),
                ("memory.put", "to prompt"),
                ("memory.undo", "undo"),
            ],
        )
    search = ("memory.search", "search")
    if kind == "hit":
        return [("list.open", "open"), ("memory.put", "to prompt"), search], []
    if kind in ("skill", "more"):
        return [("list.open", "open" if kind == "skill" else "show all"), search], []
    return [], []


def _about(fact: Fact) -> str:
    parts = [fact.id, fact.kind, fact.place or _SCOPES[fact.scope]]
    parts += ["pinned"] if fact.pinned else []
    parts += ["from outside, not confirmed"] if fact.taint else []
    return " · ".join([*parts, *([fact.state] if fact.state != "current" else [])])


def _from(source: Source, now: float) -> Sequence[Span]:
    where = one_line(source.title) or source.session
    when = f", {figures.day(source.ts, now)}" if source.ts else ""
    return Span(f"{_WHO[source.who]}{when}", ""), Span(f", in «{where}»" if where else "", "muted")


def _recalled(fact: Fact, now: float) -> Sequence[Span]:
    if not fact.uses:
        return (Span("not recalled yet", "muted"),)
    turns = f"{fact.uses} turn{'s'[: fact.uses != 1]}"
    ago = figures.ago(fact.used, now)
    recent = now - fact.used < 14 * 86_400
    last = "just now" if ago == "now" else f"{ago} ago" if recent else f"on {ago}"
    return (Span(f"recalled in {turns}, last {last}", "muted"),)


def fitting(skills: Iterable[SkillInfo], words: str) -> tuple[SkillInfo, ...]:
    """Skills whose name or description has all of the words."""
    wanted = words.casefold().split()
    return tuple(
        one
        for one in skills
        if wanted and all(w in f"{one.name} {one.description}".casefold() for w in wanted)
    )
