"""Skills among the sessions: what their prompts are told of them, and what their tools read."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from hermes_tui.config import Config
from hermes_tui.events import Notice, SkillsChanged, Transient
from hermes_tui.home import Home
from hermes_tui.runtime.session import Session
from hermes_tui.skills.life import Use
from hermes_tui.skills.offering import Offer, note_text
from hermes_tui.skills.service import Loaded, Skills
from hermes_tui.skills.watching import follow
from hermes_tui.store.db import Database

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.learning import Learning
    from hermes_tui.skills.changing import Changing, Suggested
    from hermes_tui.skills.hub import Hub

_TASK = 600
_CALLED = re.compile(r"(?:\A\s*/|(?<!\S)@skill:)([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w/-])")


class Owner(Protocol):
    """What is needed of the core."""

    home: Home
    db: Database

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the core's task group."""
        ...

    def announce(self, event: Transient) -> None:
        """Tell every face."""
        ...

    @property
    def config(self) -> Config:
        """The settings in force."""
        ...


class UsingSkills:
    """One core's skills. Made at first use; what writes and fetches is made when it is needed."""

    def __init__(self, core: Owner) -> None:
        self._core = core
        self._following: asyncio.Task[None] | None = None
        self._seen: dict[str, tuple[int, int]] = {}
        self.skills = Skills(core.home, core.db, lambda: core.config.skills)
        self._changing: Changing | None = None
        self._hub: Hub | None = None
        self._learning: Learning | None = None

    @property
    def learning(self) -> Learning:
        """What is learned from the work; made at first use."""
        if self._learning is None:
            from hermes_tui.runtime import learning

            self._learning = learning.Learning(cast("learning.Owner", self._core), self)
        return self._learning

    @property
    def changing(self) -> Changing:
        """Where skills are written."""
        if self._changing is None:
            from hermes_tui.skills.changing import Changing

            self._changing = Changing(self.skills, self._broken_by)
        return self._changing

    async def _broken_by(self, folder: Path, old: str, new: str) -> tuple[str, ...]:
        from hermes_tui.runtime.skill_checks import newly_broken

        return await newly_broken(cast("Core", self._core), folder, old, new)

    @property
    def hub(self) -> Hub:
        """Where skills are fetched."""
        if self._hub is None:
            from hermes_tui.skills.hub import Hub

            self._hub = Hub(self.skills)
        return self._hub

    def follow(self) -> None:
        """Watch the home's skills from now on, and tell every face when they change."""
        if self._following is None or self._following.done():
            self._core.home.skills.mkdir(mode=0o700, exist_ok=True)
            self._following = self._core.spawn(follow((self._core.home.skills,), self._changed))

    async def _changed(self) -> None:
        await self.skills.ready()
        self._core.announce(SkillsChanged())

    async def close(self) -> None:
        """Watch no longer, and leave off learning."""
        if self._learning is not None:
            await self._learning.close()
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following], timeout=2)

    async def turns_ended(self) -> None:
        """Turns have ended and nobody waits: look back on them."""
        if self._learning is not None:
            self._learning.turns_ended()

    async def standing(self, session: Session) -> str:
        """What the frozen first part of a new session's prompt says of skills."""
        await self.skills.ready(session.cwd, person_of(session))
        return self.skills.standing()

    async def prepare(self, session: Session) -> None:
        """Before a turn: a note of the skills that fit what was typed; none where none fits."""
        said = _said(session)
        if not said:
            return
        person = person_of(session)
        await self.learning.turn_begins(session, said)
        await self.skills.ready(session.cwd, person)
        for text in self.skills.notices():
            hint = "`hermes skills lint` says what is wrong"
            await session.add(Notice(text=text, hint=hint, level="warning"), hold=True)
        self.look_back(session)
        if note := await self._called(session, said):
            session.remarks.append(note)
            return
        offers = self.skills.offer(said, session.cwd, person, session.id)
        if note := note_text(offers):
            session.remarks.append(note)

    def look_back(self, session: Session) -> None:
        """Note when what a session has read may be out of its prompt: shortened or taken back."""
        talk = session.conversation
        short, count = len(talk.masked) + len(talk.stretches), len(talk.messages)
        before = self._seen.get(session.id, (short, count))
        if short != before[0] or count < before[1]:
            self.skills.forget_session(session.id)
        self._seen[session.id] = (short, count)

    async def _called(self, session: Session, said: str) -> str:
        """The skill that a text calls by `/NAME` or `@skill:NAME`, whole; empty for none."""
        found = _CALLED.search(said)
        person = person_of(session)
        skills = self.skills.all(session.cwd, person)
        if found is None or not any(
            one.name == found[1] and self.skills.usable(one) for one in skills
        ):
            return ""
        use = _use(session, found[1], said)
        loaded = await self.skills.load(use, "", session.cwd, person)
        return f"[The user calls the skill {found[1]}; follow it.]\n{loaded.text}"


class SessionSkills:
    """The skills, as one session's tools use them."""

    def __init__(self, using: UsingSkills, session: Session) -> None:
        self._using, self._skills = using, using.skills
        self._session = session

    async def find(self, need: str, limit: int = 8) -> list[Offer]:
        """The skills that fit a need best; all by name for an empty one."""
        cwd, person = self._session.cwd, person_of(self._session)
        await self._skills.ready(cwd, person)
        return self._skills.route(need, cwd, person, limit)

    def names(self) -> list[str]:
        """The names of all skills that can be used."""
        cwd, person = self._session.cwd, person_of(self._session)
        return [one.name for one in self._skills.all(cwd, person) if self._skills.usable(one)]

    async def load(self, name: str, part: str) -> Loaded:
        """What the model reads of a skill; the use is noted."""
        session = self._session
        person = person_of(session)
        await self._skills.ready(session.cwd, person)
        self._using.look_back(session)
        said = session.conversation.said
        use = _use(session, name, said[-1] if said else "")
        loaded = await self._skills.load(use, part, session.cwd, person)
        talk = session.conversation
        own = not (part or talk.person or talk.group)  # the owner's words are for nobody else
        more = await self._using.learning.corrections_of(name) if own else ""
        return msgspec.structs.replace(loaded, text=loaded.text + more) if more else loaded

    async def propose(self, name: str, text: str, reason: str) -> Suggested:
        """Take an idea of the agent for a skill; mostly it waits for the person."""
        from hermes_tui.skills.changing import Idea

        talk = self._session.conversation
        source = f"{self._session.id}:{talk.turn}"
        idea = Idea(name=name, text=text, reason=reason, source=source, untrusted=talk.taint)
        return await self._using.changing.suggest(idea)


def _use(session: Session, name: str, task: str) -> Use:
    turn = session.conversation.turn
    return Use(
        name=name, version=0, session=session.id, turn=turn, ts=time.time(), task=task[:_TASK]
    )


def person_of(session: Session) -> str:
    """The home folder of the person a session belongs to."""
    return session.env.get("HOME", "")


def _said(session: Session) -> str:
    """What was typed and waits for this turn, steering left aside."""
    waiting = [one for one in session.conversation.waiting.values() if one.how != "queue"]
    return "\n".join(
        one.text for one in (waiting or list(session.conversation.waiting.values())[:1])
    )
