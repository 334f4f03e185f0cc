"""Going through all that was learned: what is over, unused, double or got worse is put right.

Only what the agent learned itself is changed, and each change can be taken back; of what a person
wrote it is only said.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.agent import reflection
from hermes_tui.agent.reflection_turn import turns_of
from hermes_tui.errors import HermesError, ModelError, NotFoundError
from hermes_tui.events import SkillsChanged
from hermes_tui.runtime.learning import went_of
from hermes_tui.runtime.learning_asking import cases_of, left_today
from hermes_tui.skills import records
from hermes_tui.skills.life import Use, success
from hermes_tui.skills.records import Mark, Version
from hermes_tui.skills.replay import Tried, replay
from hermes_tui.skills.routing import Text
from hermes_tui.skills.skill import Skill, parse
from hermes_tui.store import learning as rows

if TYPE_CHECKING:
    from hermes_tui.models.base import Model
    from hermes_tui.runtime.learning import Learning

_DAY = 86_400.0
_HOUR = 3600.0


async def review(learning: Learning) -> tuple[str, ...]:
    """Go through everything once; returns what was changed or should be looked at, a line each."""
    return await _Review(learning).run()


class _Tried(Struct, frozen=True):
    """A version that was tried, and the one before it."""

    version: Version
    before: Version
    tried: Tried


class _Review:
    def __init__(self, learning: Learning) -> None:
        self._learning = learning
        self._core = learning.core
        self._db = learning.core.db
        self._skills = learning.using.skills
        self._changing = learning.using.changing
        self._asked = 0
        self._lines: list[str] = []

    async def run(self) -> tuple[str, ...]:
        now = time.time()
        await self._skills.ready()
        over = await self._db.write(lambda c: rows.expire_notes(c, now))
        if over:
            what = "1 note" if over == 1 else f"{over} notes"
            self._lines.append(f"{what} ended: the time was over")
            self._learning.forget_notes()
        await self._judge_late(now)
        await self._replays(now)
        await self._put_back()
        await self._retire(now)
        await self._doubles()
        lines = tuple(self._lines)
        await self._db.write(lambda c: rows.put_review(c, now, lines))
        if lines:
            self._core.announce(SkillsChanged())
        return lines

    def _learned(self) -> list[Skill]:
        """The learned skills that count."""
        return [
            one
            for one in self._skills.all()
            if one.origin == "learned" and self._skills.usable(one)
        ]

    async def _uses(self, name: str) -> list[Use]:
        return await self._db.read(lambda c: records.uses(c, name))

    async def _judge_late(self, now: float) -> None:
        """Judge uses of sessions that no core looked back on, such as those of scripts."""
        late = [
            one
            for one in await self._uses("")
            if not one.outcome and one.ts < now - _HOUR and one.ts > now - 30 * _DAY
        ]
        for session in sorted({one.session for one in late}):
            try:
                records_of = await self._core.log.read(session, limit=4000)
            except NotFoundError:
                continue
            turns = {one.turn: one for one in turns_of(session, records_of)}
            for use in (one for one in late if one.session == session):
                turn = turns.get(use.turn)
                went = went_of(turn) if turn is not None else ""
                if went:
                    await self._skills.judge(session, use.turn, went, "")

    # --- replays -------------------------------------------------------------------------------

    async def _replays(self, now: float) -> None:
        """Try texts that were not tried yet on past uses; what does worse is taken back."""
        done = {(one.name, one.n) for one in await self._db.read(rows.replays)}
        for skill in self._skills.all():
            if skill.origin not in ("learned", "user") or not self._skills.usable(skill):
                continue
            history = await self._db.read(lambda c, n=skill.name: records.versions(c, n))
            if len(history) < 2 or (skill.name, history[0].n) in done:
                continue
            if history[0].by in ("undo", "update"):
                continue
            tried = await self._try(skill, history)
            if tried is None:
                continue
            one = rows.Replayed(
                name=skill.name,
                n=history[0].n,
                ts=now,
                told=tried.tried.told,
                worse=tried.tried.worse,
            )
            await self._db.write(lambda c, one=one: rows.put_replay(c, one))
            if tried.tried.worse:
                await self._worse(skill, tried)

    async def _try(self, skill: Skill, history: Sequence[Version]) -> _Tried | None:
        """How the newest text does; None when it can't be tried now."""
        version, before = history[0], history[1]
        cases = await cases_of(self._learning, skill.name)
        model = self._model() if cases else None
        if cases and (model is None or await left_today(self._learning) < 2 * len(cases)):
            return None

        async def ask(system: str, text: str) -> str:
            if model is None:
                raise ModelError("there is no model to ask")
            self._asked += 1
            return await reflection.plain(model, system, text)

        try:
            broken_by = self._learning.using.changing.broken_by
            broken = await broken_by(skill.folder, before.text, version.text)
            tried = await replay(before.text, version.text, cases, broken, ask)
        except ModelError:
            return None
        finally:
            await self._spent(skill.name, version.n)
        return _Tried(version, before, tried)

    async def _spent(self, name: str, n: int) -> None:
        """Put the calls on the day's account."""
        if not self._asked:
            return
        asked, self._asked = self._asked, 0
        row = rows.Row(
            session=f"review:{name}",
            turn=int(time.time() * 1000),
            ts=time.time(),
            task=f"replay of {name}, version {n}",
            asked=asked,
            result="nothing",
        )
        await self._db.write(lambda c: rows.put_row(c, row))

    def _model(self) -> Model | None:
        try:
            model = self._core.aux_model("reflection")
        except HermesError:
            return None
        own = getattr(model, "provider", "") == "embedded"
        return None if own and not self._core.config.models.reflection else model

    async def _worse(self, skill: Skill, one: _Tried) -> None:
        told = f"{skill.name}: version {one.version.n} is {one.tried.told}"
        if skill.origin != "learned" or one.version.by == "person":
            self._lines.append(f"{told}; `hermes skills undo {skill.name}` takes it back")
            return
        await self._changing.restore(skill.name, one.before.n)
        self._lines.append(f"{told}; version {one.before.n} is back")

    async def _put_back(self) -> None:
        """Take back edits after which a skill that had worked only failed."""
        for skill in self._learned():
            history = await self._db.read(lambda c, n=skill.name: records.versions(c, n))
            if len(history) < 2 or history[0].by not in ("agent", "outside"):
                continue
            uses = await self._uses(skill.name)
            after = [one for one in uses if one.version >= history[0].n and one.outcome]
            before = [one for one in uses if one.version < history[0].n]
            bad = [one for one in after if one.outcome != "ok"]
            if len(bad) >= 2 and len(bad) == len(after) and success(before)[0] >= 2:
                await self._changing.restore(skill.name, history[1].n)
                text = f"it failed {len(bad)} times since version {history[0].n}"
                self._lines.append(f"{skill.name}: {text}; version {history[1].n} is back")

    # --- unused and double ---------------------------------------------------------------------

    async def _retire(self, now: float) -> None:
        """Archive what was learned and then not used for long."""
        limit = now - self._core.config.learning.unused_days * _DAY
        for skill in self._learned():
            uses = await self._uses(skill.name)
            mark = self._skills.marks.get(skill.name, Mark(name=skill.name))
            last = max([mark.since, *(one.ts for one in uses)])
            if 0 < last < limit:
                days = round((now - last) / _DAY)
                await self._archive(skill.name, f"not used for {days} days")

    async def _doubles(self) -> None:
        """Archive the less used of two learned skills that say the same."""
        for skill in self._learned():
            if not self._skills.usable(skill):
                continue  # archived by this very review
            text = await self._skills.text(skill.name)
            whole = parse(text, skill.name)
            found = await self._changing.copies(Text(skill.name, whole.description, whole.body))
            own = {one.name for one in self._learned()}
            for other in found:
                if other.name not in own:
                    continue
                keep, drop = await self._better(skill.name, other.name)
                await self._archive(drop, f"it says the same as {keep}")
                break

    async def _better(self, one: str, other: str) -> tuple[str, str]:
        first, second = await self._uses(one), await self._uses(other)
        ranks = [(success(uses)[0], len(uses)) for uses in (first, second)]
        return (one, other) if ranks[0] >= ranks[1] else (other, one)

    async def _archive(self, name: str, why: str) -> None:
        mark = self._skills.marks.get(name, Mark(name=name))
        new = replace(mark, state="archived", since=0.0)
        await self._db.write(lambda c: records.set_mark(c, new))
        await self._skills.read_marks()
        self._lines.append(f"{name} is archived: {why}; `hermes skills enable {name}` undoes it")
