"""What can be mentioned with `@`: files and their lines, past sessions, skills, memories.

A memory has no name: what is put into the text is the statement itself, so that what is sent
can be read before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    CompletePath,
    Fact,
    ListFacts,
    ListSessions,
    ListSkills,
    SessionInfo,
    SkillInfo,
)
from hermes_tui.ui.completion import Choice
from hermes_tui.ui.face import Face
from hermes_tui.ui.fuzzy import Text, rank
from hermes_tui.ui.text import clip, one_line

SESSION, SKILL, MEMORY = "session:", "skill:", "memory:"
_PATHS, _OTHERS, _FRESH_S = 50, 3, 20.0
_SHOWN = 60
"""Columns of a statement in the list."""
_TOKEN = re.compile(
    r"(?:^|(?<=[\s(\[{<'«]))@"
    r"(?:(session:|skill:|memory:)?\"([^\"\n\ud800-\udfff]*)|([^\s\"\ud800-\udfff]*))$"
)
_RANGE = re.compile(r"(.+?):(\d*)(-\d*)?$")


class Mention(NamedTuple):
    """A mention being typed: where its `@` stands, where it ends, and what is typed of it."""

    start: int
    end: int
    typed: str

    @property
    def ranged(self) -> str:
        """The path whose lines are being typed; empty when none are."""
        found = _RANGE.match(self.typed)
        named = self.typed.startswith((SESSION, SKILL, MEMORY))
        return found[1] if found and not named else ""


def mention_at(raw: str, caret: int) -> Mention | None:
    """The mention that ends at the caret."""
    start = raw.rfind("\n", 0, caret) + 1
    found = _TOKEN.search(raw, start, caret)
    if found is None:
        return None
    typed = found[3] if found[2] is None else (found[1] or "") + found[2]
    return Mention(found.start(), caret, typed)


def mention(name: str) -> str:
    """A mention as it stands in the text; quoted when it has blanks."""
    kind = next((one for one in (SESSION, SKILL, MEMORY) if name.startswith(one)), "")
    rest = one_line(name[len(kind) :]).replace('"', "'")
    if kind:
        return f'@{kind}"{rest}"' if " " in rest else f"@{kind}{rest}"
    return f'@"{rest}"' if " " in rest else f"@{rest}"


class Mentions:
    """Finds what fits a mention. Sessions and skills are asked for once in a while."""

    def __init__(self, face: Face) -> None:
        self._face = face
        self._asked = -_FRESH_S
        self._sessions: tuple[SessionInfo, ...] = ()
        self._skills: tuple[SkillInfo, ...] = ()
        self._facts: tuple[Fact, ...] = ()

    async def choices(self, typed: str) -> tuple[Choice, ...]:
        """What fits, best first; nothing when the core can't be asked."""
        try:
            return await self._find(typed)
        except HermesError:
            return ()

    async def called(self, typed: str) -> tuple[Choice, ...]:
        """The skills that `/typed` may be the beginning of."""
        try:
            await self._fetch()
        except HermesError:
            return ()
        usable = [one for one in self._skills if one.on and not one.held]
        found = [(Text(one.name.casefold()), _call_choice(one)) for one in usable]
        return tuple(rank(typed, found, _PATHS))

    async def _find(self, typed: str) -> tuple[Choice, ...]:
        if typed.startswith(SKILL):
            await self._fetch()
            return self._fitting_skills(typed.removeprefix(SKILL))
        if typed.startswith(SESSION):
            await self._fetch()
            return self._fitting_sessions(typed.removeprefix(SESSION))
        if typed.startswith(MEMORY):
            await self._fetch()
            return self._fitting_facts(typed.removeprefix(MEMORY))
        intent = CompletePath(session=self._face.session, typed=typed, limit=_PATHS)
        paths = [_path_choice(path) for path in (await self._face.ask(intent)).lines]
        if len(typed) < 2:
            kinds = tuple(one for one in _KINDS if one.label[1:].startswith(typed))
            return (*paths[:3], *kinds, *paths[3:])
        await self._fetch()
        kinds = tuple(one for one in _KINDS if one.label[1:].startswith(typed))
        named = (self._fitting_skills, self._fitting_sessions, self._fitting_facts)
        return (*kinds, *paths, *(one for fitting in named for one in fitting(typed)[:_OTHERS]))

    async def _fetch(self) -> None:
        now = self._face.now()
        if now - self._asked < _FRESH_S:
            return
        self._sessions = (await self._face.ask(ListSessions(limit=1000))).sessions
        self._skills = (await self._face.ask(ListSkills())).skills
        facts = (await self._face.ask(ListFacts(session=self._face.session, limit=1000))).facts
        self._facts = tuple(one for one in facts if one.state == "current")
        self._asked = now

    def _fitting_skills(self, typed: str) -> tuple[Choice, ...]:
        found = [(Text(one.name.casefold()), _skill_choice(one)) for one in self._skills]
        return tuple(rank(typed, found, _PATHS))

    def _fitting_sessions(self, typed: str) -> tuple[Choice, ...]:
        named = [one for one in self._sessions if one.title.strip()]
        found = [(Text(one.title.casefold()), _session_choice(one)) for one in named]
        return tuple(rank(typed, found, _PATHS))

    def _fitting_facts(self, typed: str) -> tuple[Choice, ...]:
        found = [(Text(one.text.casefold()), _fact_choice(one)) for one in self._facts]
        return tuple(rank(typed, found, _PATHS))


_KINDS = (
    Choice("@session:", "a past conversation by its title", "@session:"),
    Choice("@skill:", "a skill by its name", "@skill:"),
    Choice("@memory:", "what is remembered, by a word of it", "@memory:"),
)


def _path_choice(path: str) -> Choice:
    # A folder is completed without a blank behind it, so that typing goes on inside.
    text = mention(path)
    if path.endswith("/"):
        return Choice(one_line(path), "folder", text.removesuffix('"'))
    return Choice(one_line(path), "", text + " ")


def _skill_choice(skill: SkillInfo) -> Choice:
    note = f"skill · {one_line(skill.description)}"
    return Choice(f"@skill:{skill.name}", note, mention(SKILL + skill.name) + " ")


def _call_choice(skill: SkillInfo) -> Choice:
    return Choice(f"/{skill.name}", f"skill · {one_line(skill.description)}", f"/{skill.name} ")


def _session_choice(info: SessionInfo) -> Choice:
    title = one_line(info.title)
    return Choice(f"@session:{title}", "past session", mention(SESSION + info.title) + " ")


def _fact_choice(fact: Fact) -> Choice:
    text = one_line(fact.text)
    return Choice(clip(text, _SHOWN), f"memory · {fact.kind}", text + " ")


def range_hint(typed: Mention) -> Sequence[str]:
    """What a line range is written like, for the path being typed."""
    return (f"lines of {one_line(typed.ranged)}", "such as :10-40, :10, or :10-")
