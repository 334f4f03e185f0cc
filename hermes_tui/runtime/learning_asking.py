"""Asking about one turn that holds something: within the day's budget, and what comes of it.

A lesson is a proposal for the person. What was learned after text from outside had been read
waits for the person whatever the settings say.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.agent import reflection
from hermes_tui.agent.reflection import Occasion
from hermes_tui.agent.reflection_reply import Lesson, applied, read_reply
from hermes_tui.agent.reflection_turn import Looked
from hermes_tui.errors import HermesError, ModelError, NotFoundError
from hermes_tui.events import Notice, SkillsChanged
from hermes_tui.models.base import Model
from hermes_tui.skills import records
from hermes_tui.skills.changing import Idea, Suggested
from hermes_tui.skills.offering import fitting
from hermes_tui.skills.replay import Case, Tried, replay
from hermes_tui.skills.routing import Text
from hermes_tui.skills.skill import parse
from hermes_tui.store import learning as rows

if TYPE_CHECKING:
    from hermes_tui.runtime.learning import Learning
    from hermes_tui.runtime.session import Session


async def left_today(learning: Learning) -> int:
    """How many model calls learning may still make today."""
    now = time.localtime()
    midnight = time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1))
    asked = await learning.core.db.read(lambda c: rows.asked_since(c, midnight))
    return learning.core.config.learning.calls_per_day - asked


class Asking:
    """Looks at the turns of one session that hold something."""

    def __init__(self, learning: Learning, session: Session) -> None:
        self._learning = learning
        self._core = learning.core
        self._skills = learning.using.skills
        self._session = session
        self._asked = 0

    async def look(self, row: rows.Row) -> None:
        """Ask about a turn and keep what comes of it."""
        self._asked = 0
        try:
            result, why = await self._result(row)
        except ModelError as error:
            result, why = "failed", error.message
        except HermesError as error:
            result, why = "unusable", error.message
        done = replace(row, result=result, why=why, asked=self._asked)
        await self._core.db.write(lambda c: rows.set_result(c, done))

    async def _result(self, row: rows.Row) -> tuple[rows.Result, str]:
        if await left_today(self._learning) < 1:
            return "budget", "the calls of this day are used up"
        model = self._model()
        if model is None:
            return "nothing", "the built-in model is left to you; set models.reflection"
        kind, _, skill = row.occasion.partition(":")
        found = Occasion(kind=_kind(kind), why=row.why, skill=skill)
        reply = await self._ask(model, row, found)
        lesson = read_reply(reply)
        if lesson is None:
            return "nothing", "there was nothing in it"
        return await self._keep(model, row, lesson)

    def _model(self) -> Model | None:
        """The model to ask; one that runs in this home is not taken from the person unasked."""
        model = self._core.aux_model("reflection", self._session)
        own = getattr(model, "provider", "") == "embedded"
        return None if own and not self._core.config.models.reflection else model

    async def _ask(self, model: Model, row: rows.Row, found: Occasion) -> str:
        session = self._session
        await self._skills.ready(session.cwd)
        text = await self._text(found.skill) or ""
        near = fitting(row.task, self._skills.route(row.task, limit=6))
        others = [f"{one.name}: {one.description}" for one in near if one.name != found.skill][:4]
        turn = Looked(session=row.session, turn=row.turn, said=(row.task,))
        asked = reflection.question(turn, found, text, others)
        talk = session.conversation
        whole = talk.turn == row.turn and not talk.in_turn
        cached = whole and not self._core.config.models.reflection
        messages = talk.view.messages if whole else talk.messages[: talk.marks.get(row.turn + 1)]
        self._asked += 1
        return await reflection.ask(model, session.prefix if cached else None, messages, asked)

    async def _text(self, name: str) -> str | None:
        try:
            skill = self._skills.get(name) if name else None
            return await self._skills.text(name) if skill is not None and skill.trusted else None
        except NotFoundError:
            return None

    # --- what comes of it ------------------------------------------------------------------------

    async def _keep(self, model: Model, row: rows.Row, lesson: Lesson) -> tuple[rows.Result, str]:
        changing = self._learning.using.changing
        name, text = lesson.name, lesson.text
        old = await self._text(name)
        if lesson.swaps:
            if old is None:
                raise HermesError(f"there is no skill {name} to change")
            text = applied(old, lesson.swaps)
        elif old is None:
            skill = parse(text, name)
            alike = await changing.copies(Text(name, skill.description, skill.body))
            old = await self._text(alike[0].name) if alike else None
            name = alike[0].name if old is not None else name
        if await self._refused(name) and not row.occasion.startswith("correction"):
            return "nothing", f"{name} was refused before"
        tried = await self._tried(model, name, old, text, row) if old is not None else None
        corrected = row.occasion.startswith("correction")
        if tried is not None and tried.worse and (tried.broken or not corrected):
            return "worse", f"{name}: {tried.told}"
        taint = self._session.conversation.taint
        idea = Idea(
            name=lesson.name,
            text=text,
            reason=f"{lesson.why} (text from {taint} was read before)" if taint else lesson.why,
            source=f"{row.session}:{row.turn}",
            replay=tried.told if tried is not None else "",
            untrusted=taint,
            waits=tried is not None and tried.worse,
        )
        return await self._suggested(await changing.suggest(idea))

    async def _suggested(self, made: Suggested) -> tuple[rows.Result, str]:
        self._core.announce(SkillsChanged())
        if made.version is not None:
            name = made.version.name
            text = f"learned: {name} (version {made.version.n}), because {made.version.reason}"
            hint = f"`hermes skills undo {name}` takes it back"
            await self._session.add(Notice(text=text, hint=hint))
            return "kept", name
        if made.proposal is None:
            raise AssertionError(made)
        one = made.proposal
        what = "a skill" if one.kind == "new" else "a change"
        text = f"{what} is proposed: {one.name}, because {one.reason}"
        hint = f"/skills shows it; `hermes skills accept {one.name}`"
        await self._session.add(Notice(text=text, hint=hint))
        return "proposed", one.name

    async def _refused(self, name: str) -> bool:
        """Whether the person refused the last proposal for a skill."""
        made = await self._core.db.read(lambda c: records.proposals(c, name))
        return bool(made) and made[0].state == "rejected"

    async def _tried(self, model: Model, name: str, old: str, new: str, row: rows.Row) -> Tried:
        """Try the new text on past uses, as far as the day's budget goes."""
        cases = await cases_of(self._learning, name)
        if row.occasion.startswith("correction") and row.steps:
            cases = (*cases, Case(task=row.task, steps=row.steps))
        left = await left_today(self._learning) - self._asked
        cases = cases[-max(0, left // 2) :] if left >= 2 else ()
        folder = self._skills.get(name).folder

        async def ask(system: str, text: str) -> str:
            self._asked += 1
            return await reflection.plain(model, system, text)

        broken = await self._learning.using.changing.broken_by(folder, old, new)
        return await replay(old, new, cases, broken, ask)


async def cases_of(learning: Learning, name: str) -> tuple[Case, ...]:
    """The newest past uses of a skill that went well, and the turn it was learned from."""
    most = learning.core.config.learning.replays
    if not most:
        return ()
    uses = await learning.core.db.read(lambda c: records.uses(c, name))
    history = await learning.core.db.read(lambda c: records.versions(c, name))
    places = [(one.session, one.turn) for one in uses if one.outcome == "ok"]
    for version in history[-1:]:
        session, _, turn = version.source.rpartition(":")
        if session and turn.isdigit():
            places.insert(0, (session, int(turn)))
    found: list[Case] = []
    for session, turn in reversed(list(dict.fromkeys(places))):
        row = await learning.core.db.read(lambda c, s=session, t=turn: rows.row_of(c, s, t))
        if row is not None and row.steps and row.went == "ok":
            found.append(Case(task=row.task, steps=row.steps))
        if len(found) == most:
            break
    return tuple(reversed(found))


def _kind(text: str) -> reflection.Kind:
    for one in ("correction", "again"):
        if text == one:
            return one
    return "effort"
