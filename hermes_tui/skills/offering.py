"""Which of the fitting skills are worth a model's attention, and the words it is told of them.

Two texts: the standing one, frozen with a session, names what there is; the note beside a request
describes the few that fit it. Where nothing fits there is no note at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from hermes_tui.skills.routing import Route
from hermes_tui.skills.skill import Skill
from hermes_tui.skills.words import is_common, words

SURE = 0.34
"""Share of what a request says that a skill must cover to be offered."""
_NEAR_BEST = 0.55
_LITTLE, _SOME, _SLIGHT = 0.16, 0.24, 3.2
"""Shares and score that are enough when words of the description, or words like them, meet."""
_SHORTER, _LONG = (90, 70, 50), 320
_SHORT_REQUEST = 4
_ORIGINS = {"user": 0, "learned": 1, "hub": 2, "bundled": 3}


class Offer(Struct, frozen=True, kw_only=True):
    """A skill that may fit a request. share: how much of the request it covers, 0 to 1."""

    name: str
    description: str
    origin: str
    score: float
    share: float
    hits: tuple[str, ...] = ()

    @classmethod
    def of(cls, skill: Skill, route: Route) -> Offer:
        """The offer of a skill that was found."""
        return cls(
            name=skill.name,
            description=skill.description,
            origin=skill.origin,
            score=round(route.score, 3),
            share=round(route.share, 3),
            hits=route.hits,
        )


def fitting(request: str, offers: Sequence[Offer]) -> list[Offer]:
    """Those of the offers that fit well enough to be shown, best first.

    A skill must cover a good part of what the request says, or share a telling word with it in
    its description, or be called by its name; and it must not be far behind the best one.
    """
    asked = words(request)
    kept: list[Offer] = []
    for one in offers:
        sure = one.share >= _bar(asked) and _telling(one, asked)
        if sure or _named(one.name, asked) or _up_front(one, asked):
            kept.append(one)
    top = max((one.score for one in kept), default=0.0)
    return [one for one in kept if one.score >= _NEAR_BEST * top]


def note_text(offers: Iterable[Offer]) -> str:
    """The note beside a request; empty when nothing is offered."""
    lines = [f"- {one.name}{_from(one)}: {_cut(one.description, _LONG)}" for one in offers]
    if not lines:
        return ""
    return (
        "\n".join(["[Skills that may fit; read one with use_skill before you begin:", *lines]) + "]"
    )


def standing_text(skills: Collection[Skill], limit: int) -> str:
    """The list of skills in at most `limit` bytes: with what for, then names, then a count.

    The person's own come first, by name within an origin; the same skills give the same text.
    """
    if not skills or limit <= 0:
        return ""
    ordered = sorted(skills, key=lambda one: (_ORIGINS.get(one.origin, 9), one.name))
    head = (
        "Skills: instructions for certain tasks. When a task fits one, read it with use_skill"
        " before you begin; find_skills searches all of them.\n"
    )
    for most in _SHORTER:
        lines = [f"- {one.name}: {_cut(_first(one.description), most)}" for one in ordered]
        text = head + "\n".join(lines)
        if _size(text) <= limit:
            return text
    names = head + ", ".join(one.name for one in ordered)
    if _size(names) <= limit:
        return names
    return _as_many(head, [one.name for one in ordered], limit)


def _as_many(head: str, names: list[str], limit: int) -> str:
    tail = "; {} more, by find_skills"
    room = limit - _size(head) - len(tail) - 6
    kept = 0
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        kept += 1
    text = head + ", ".join(names[:kept]) + tail.format(len(names) - kept)
    return text if _size(text) <= limit and kept else ""


def _bar(asked: list[str]) -> float:
    """A long request says much beside its task, so less of it has to be covered."""
    return SURE if len(set(asked)) <= 12 else SURE * 0.75


def _telling(one: Offer, asked: list[str]) -> bool:
    """Whether the words in common mean something; of a short request one must stand up front."""
    rare = [hit for hit in one.hits if not is_common(hit)]
    if not rare or len(one.hits) < 2:
        return False
    if len(set(asked)) > _SHORT_REQUEST:
        return True
    front = set(words(f"{one.name} {one.description}"))
    return any(hit in front for hit in rare)


def _up_front(one: Offer, asked: list[str]) -> bool:
    """Whether a telling word of the request stands in what the skill says it is for."""
    if one.share < _LITTLE or one.score < _SLIGHT:
        return False
    front = set(words(f"{one.name} {one.description}"))
    rare = [hit for hit in one.hits if hit in front and not is_common(hit)]
    return any(hit in asked for hit in rare) or (one.share >= _SOME and bool(rare))


def _named(name: str, asked: list[str]) -> bool:
    """Whether all words of a skill's name stand in the request, one of them telling."""
    own = words(name)
    return len(own) > 1 and set(own) <= set(asked) and not all(is_common(one) for one in own)


def _from(one: Offer) -> str:
    return " (from this folder, not reviewed)" if one.origin in ("project", "shared") else ""


def _first(text: str) -> str:
    return text.split(". ")[0].rstrip(".")


def _cut(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
