"""Learning among the sessions: what a turn is told of it, and looking back when nobody waits.

What goes by rules happens as soon as a turn has ended: how skills did, what failed, what was
corrected. A model is asked only after some quiet, and not while the session's next turn runs.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hermes_tui.config import Config
from hermes_tui.errors import HermesError
from hermes_tui.events import Record, SkillsChanged, Transient, TurnStarted
from hermes_tui.models.base import Model
from hermes_tui.runtime.session import Session
from hermes_tui.store import learning as rows
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log

if TYPE_CHECKING:
    from hermes_tui.agent.reflection import Known
    from hermes_tui.agent.reflection_turn import Looked
    from hermes_tui.runtime.using_skills import UsingSkills
    from hermes_tui.skills.life import Outcome

_log = logging.getLogger(__name__)
_DAY = 86_400.0
_EVENTS = 4000
"""Events of a session that are read when it is looked at for the first time."""
_IDLE_S = 300.0
_LIKE, _SAME, _COVERED = 0.5, 0.7, 0.6
"""Shares of words that two tasks of one kind, one task said twice, and a task and the text of a
proposal for it have in common."""
NUDGE = (
    "[If this should hold next time too, note it in one sentence with `remember`, or with"
    " propose_skill (found by find_tools) where it is about how a kind of task is done. If it is"
    " about this case alone, note nothing.]"
)


class Owner(Protocol):
    """What is needed of the core."""

    db: Database
    log: Log

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the core's task group."""
        ...

    def announce(self, event: Transient) -> None:
        """Tell every face."""
        ...

    def aux_model(self, task: str, session: Session | None = None, job: str = "") -> Model:
        """The model for a task of its own."""
        ...

    @property
    def config(self) -> Config:
        """The settings in force."""
        ...

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions in memory."""
        ...


class Learning:
    """One core's learning. `turn_begins` and `turns_ended` are told by the core."""

    def __init__(self, core: Owner, using: UsingSkills) -> None:
        self.core = core
        self.using = using
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._open: set[str] = set()
        self._at: dict[str, int] = {}
        self._last: dict[str, Looked] = {}
        self._notes: list[rows.Note] | None = None
        self._idle: asyncio.Task[None] | None = None

    @property
    def on(self) -> bool:
        """Whether anything is learned at all."""
        return self.core.config.learning.enabled

    # --- a turn ------------------------------------------------------------------------------

    async def turn_begins(self, session: Session, said: str) -> None:
        """Leave off looking back at this session; tell its turn what helps, mostly nothing."""
        for task in (self._tasks.pop(session.id, None), self._idle):
            if task is not None:
                task.cancel()
        if not self.on or not said:
            return
        self._open.add(session.id)
        if self._notes is None:
            self._notes = await self.core.db.read(lambda c: rows.open_notes(c, "failure"))
        talk = session.conversation
        notes = [] if talk.person or talk.group else self._notes  # they are of the owner's work
        if notes and (told := _failures(notes, said)):
            session.remarks.append(told)
        if self.core.config.learning.nudges and self._calls_for_a_note(session, said):
            session.remarks.append(NUDGE)

    def _calls_for_a_note(self, session: Session, said: str) -> bool:
        """Whether words correct what was done and sound as if they should hold."""
        if not (session.conversation.done and session.conversation.attended):
            return False
        from hermes_tui.agent.reflection_turn import corrects, is_lasting

        return is_lasting(said) and corrects(said)

    def turns_ended(self) -> None:
        """Look back at sessions whose turns have ended, once they are quiet."""
        if not self.on:
            self._open.clear()
            return
        for name in list(self._open):
            session = self.core.sessions.get(name)
            if session is None or session.conversation.in_turn:
                continue
            self._open.discard(name)
            self._tasks[name] = self.core.spawn(self._after(session))
        if self._idle is None or self._idle.done():
            self._idle = self.core.spawn(self._when_idle())

    async def close(self) -> None:
        """Leave off; what was not looked at is when its session goes on."""
        tasks = [one for one in (*self._tasks.values(), self._idle) if one is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2)

    async def _after(self, session: Session) -> None:
        try:
            await self.settle(session)
            since = time.time() - _DAY
            if not await self.core.db.read(lambda c: rows.unasked(c, session.id, since)):
                return
            await asyncio.sleep(self.core.config.learning.wait_s)
            from hermes_tui.runtime.learning_asking import Asking

            for row in await self.core.db.read(lambda c: rows.unasked(c, session.id, since)):
                await Asking(self, session).look(row)
        except HermesError as error:
            _log.warning("learning: %s", error)

    async def _when_idle(self) -> None:
        """Go through what was learned once a day, when nothing is going on."""
        try:
            await asyncio.sleep(max(_IDLE_S, self.core.config.learning.wait_s))
            ts, _ = await self.core.db.read(rows.last_review)
            if time.time() - ts > _DAY:
                from hermes_tui.runtime.learning_review import review

                await review(self)
        except HermesError as error:
            _log.warning("learning: %s", error)

    # --- what goes by rules --------------------------------------------------------------------

    async def settle(self, session: Session) -> None:
        """Note how the turns since the last look went, and what they held."""
        from hermes_tui.agent.reflection_turn import turns_of

        last = self._last.get(session.id)
        after = self._at.get(session.id, 0)
        records = await self.core.log.read(session.id, after=after, limit=_EVENTS)
        if not records:
            return
        if last is None:
            records = (*await self.core.log.read(session.id, before=min(3, records[0].n)), *records)
        outside, foreign = (last.untrusted, last.foreign) if last else ("", False)
        for turn in turns_of(session.id, records, outside, foreign):
            if turn.outcome is not None and (last is None or turn.turn > last.turn):
                await self._look(turn, last, session.cwd)
                last = self._last[session.id] = turn
        self._at[session.id] = _last_begun(records, last.turn if last else 0) or after

    async def _look(self, turn: Looked, before: Looked | None, cwd: str) -> None:
        db = self.core.db
        if await db.read(lambda c: rows.row_of(c, turn.session, turn.turn)) is not None:
            return
        from hermes_tui.agent.reflection import is_correction, occasion

        if before is not None and is_correction(turn, before):
            await self._corrected(turn, before)
        went = went_of(turn)
        if turn.skills and went:
            await self._judge(turn, went, "")
        if not turn.foreign:
            await self._failed(turn, cwd)
        effort = self.core.config.learning.effort
        found = occasion(turn, before, await self._known(turn), effort)
        row = rows.Row(
            session=turn.session,
            turn=turn.turn,
            ts=time.time(),
            task=turn.task,
            calls=len(turn.steps),
            failed=turn.failed,
            went=went,
            occasion=f"{found.kind}:{found.skill}" if found else "",
            why=found.why if found else "",
            steps=tuple(one.told for one in turn.steps if one.ok),
        )
        await db.write(lambda c: rows.put_row(c, row), durable=False)

    async def _known(self, turn: Looked) -> Known:
        """What is known of earlier turns with the same task; looked up for real work only."""
        from hermes_tui.agent.reflection import Known
        from hermes_tui.skills import records

        if len(turn.steps) < self.core.config.learning.effort:
            return Known()
        since = time.time() - 180 * _DAY
        earlier = await self.core.db.read(lambda c: rows.rows_since(c, since))
        waiting = await self.core.db.read(records.open_proposals)
        return await asyncio.to_thread(_known_of, turn.task, earlier, [one.text for one in waiting])

    async def _corrected(self, turn: Looked, before: Looked) -> None:
        """The person said that the turn before should have gone otherwise."""
        why = turn.task[:200]
        await self.core.db.write(
            lambda c: rows.set_went(c, before.session, before.turn, "corrected"), durable=False
        )
        if not before.skills:
            return
        await self._judge(before, "corrected", why)
        now = time.time()
        for skill in before.skills if not turn.foreign else ():
            note = rows.Note(
                kind="correction",
                about=skill,
                text=turn.task[:400],
                source=f"{turn.session}:{turn.turn}",
                ts=now,
                expires=now + 90 * _DAY,
            )
            await self.core.db.write(lambda c, note=note: rows.add_note(c, note))

    async def _judge(self, turn: Looked, went: Outcome, why: str) -> None:
        moved = await self.using.skills.judge(turn.session, turn.turn, went, why)
        if moved:
            _log.info("skills: %s", "; ".join(f"{n}: {a} to {b}" for n, a, b in moved))
            self.core.announce(SkillsChanged())

    async def _failed(self, turn: Looked, cwd: str) -> None:
        """Note what kept failing, for a while; what works again is noted no longer."""
        known = {one.about for one in self._notes or ()}
        working, failing = _heads(turn)
        if not failing and not (known & working):
            return
        now, days = time.time(), self.core.config.learning.note_days

        def work(c: Any) -> list[rows.Note]:
            for head in working:
                rows.close_notes(c, "failure", head, "it worked again")
            for head, error in failing.items():
                note = rows.Note(
                    kind="failure",
                    about=head,
                    text=_failure(head, "" if turn.untrusted else error, now),
                    condition=f"in {cwd}, asked: {turn.task[:120]}",
                    source=f"{turn.session}:{turn.turn}",
                    ts=now,
                    expires=now + days * _DAY,
                )
                rows.add_note(c, note)
            return rows.open_notes(c, "failure")

        self._notes = await self.core.db.write(work)

    # --- for skills ------------------------------------------------------------------------------

    async def corrections_of(self, skill: str) -> str:
        """What people said of a skill that its text does not have yet, to be read with it."""
        if not self.on:
            return ""
        notes = await self.core.db.read(lambda c: rows.open_corrections(c, skill))
        lines = [f"- {one.text}" for one in notes[-5:]]
        head = "What the user said when this was followed, and what goes before the text above:"
        return "\n".join(["", head, *lines]) if lines else ""

    def forget_notes(self) -> None:
        """Read the notes of failures anew."""
        self._notes = None


def _last_begun(records: Sequence[Record], turn: int) -> int:
    """The event before a turn began; what was typed during it and waits is read again with it."""
    begun = [one.n for one in records if one.event == TurnStarted(turn=turn)]
    return begun[-1] - 1 if begun else 0


def went_of(turn: Looked) -> Outcome:
    """How a turn went: `ok`, `failed`, or empty when it was stopped and can't be told."""
    if turn.outcome == "stopped" or turn.outcome is None:
        return ""
    return "ok" if turn.ended_well else "failed"


def _heads(turn: Looked) -> tuple[set[str], dict[str, str]]:
    """What works at the end of a turn; what failed twice or more and does not, with its error."""
    counts: dict[str, int] = {}
    failing: dict[str, str] = {}
    working: set[str] = set()
    for one in turn.steps:
        if one.ok:
            working.add(one.head)
            counts.pop(one.head, None)
        else:
            working.discard(one.head)
            counts[one.head] = counts.get(one.head, 0) + 1
            failing[one.head] = one.error
    return working, {head: failing[head] for head, count in counts.items() if count >= 2}


def _failure(head: str, error: str, now: float) -> str:
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    why = f" ({error})" if error else ""
    return f"On {day} `{head}` failed{why}. It may work by now: try it as usual first."


def _failures(notes: list[rows.Note], said: str) -> str:
    """The notes that concern a request; empty for nearly all."""
    from hermes_tui.skills.words import is_common, words

    asked = {one for one in words(said) if not is_common(one)}
    fitting = [one for one in notes if one.expires > time.time() and _concerns(one, asked)]
    return "\n".join(f"[{one.text}]" for one in fitting[-2:])


def _concerns(note: rows.Note, asked: set[str]) -> bool:
    from hermes_tui.skills.words import words

    own = set(words(note.about.partition(" ")[2]))
    task = set(words(note.condition.partition("asked: ")[2]))
    return bool(own & asked) or len(task & asked) >= 3


def _known_of(task: str, earlier: list[rows.Row], waiting: list[str]) -> Known:
    """How often a task like this one went well, and whether something of it is settled."""
    from hermes_tui.agent.reflection import Known
    from hermes_tui.skills.words import words

    asked = set(words(task))
    near = [(one, _share(asked, set(words(one.task)))) for one in earlier]
    settled = ("proposed", "kept", "worse")
    covered = any(len(asked & set(words(text))) >= _COVERED * len(asked) for text in waiting)
    return Known(
        seen=sum(one.went == "ok" and share >= _LIKE for one, share in near),
        waiting=(covered and bool(asked))
        or any(one.result in settled and share >= _SAME for one, share in near),
    )


def _share(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
