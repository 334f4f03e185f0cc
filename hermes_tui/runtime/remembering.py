"""The memory among the sessions: who says what where, what their prompts get, what they leave."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import apsw

from hermes_tui.config import Config, MemoryConfig
from hermes_tui.errors import ConfigError, HermesError, StoreError
from hermes_tui.events import InputReceived, Notice, Record, ReplyReceived
from hermes_tui.events.memory import MemoryChanged, MemoryUsed, Recalled
from hermes_tui.home import Home
from hermes_tui.memory import telling
from hermes_tui.memory.beside import Beside, Spawn
from hermes_tui.memory.choosing import Chosen
from hermes_tui.memory.keeper import Memory, Note
from hermes_tui.memory.place import Place, project_of
from hermes_tui.memory.provider import Heard, ProviderError, ProviderSettings, made
from hermes_tui.memory.reading import leaves_something
from hermes_tui.memory.telling import Talk
from hermes_tui.memory.words import clean
from hermes_tui.runtime.origins import told_by, worded
from hermes_tui.runtime.session import Session
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log

if TYPE_CHECKING:
    from hermes_tui.security.secrets import Redactor

BUILTIN = "builtin"
_log = logging.getLogger(__name__)
_TIDY_S = 86_400.0
_BEGUN = 4
"""Events that the input of a turn which is just beginning may lie back at most."""


class Owner(Protocol):
    """What is needed of the core."""

    home: Home
    db: Database
    log: Log
    spawn: Spawn
    surroundings: Any

    @property
    def config(self) -> Config:
        """The settings in force."""
        ...

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions in memory."""
        ...

    def announce(self, event: MemoryChanged) -> None:
        """Tell every face."""
        ...


class Remembering:
    """One core's memory. Made at first use; `close` lets go of the provider."""

    def __init__(self, core: Owner) -> None:
        self.memory = Memory(core.db, lambda: core.config.memory)
        self._core = core
        self._chosen: tuple[Any, ...] = ()
        self._handed: dict[str, int] = {}
        self._tidy_at = 0.0

    @property
    def redactor(self) -> Redactor:
        """Hides the home's secrets, and whatever looks like one."""
        return self._core.surroundings.redactor

    async def place_of(self, session: Session | None) -> Place:
        """Where a session takes place; without one, where the owner of the home is alone."""
        if session is None:
            return Place()
        talk = session.conversation
        folder = await asyncio.to_thread(project_of, session.cwd)
        return Place(person=talk.person, folder=folder, chat=talk.chat, group=talk.group)

    # --- a turn ------------------------------------------------------------------------------

    async def prefix(self, session: Session, lean: bool) -> tuple[tuple[str, str], ...]:
        """(part, text) for the frozen first part of a new session's prompt."""
        await self._choose()
        said, place = said_now(session), await self.place_of(session)
        shot = await self.memory.snapshot(session.id, said, place, lean)
        await self._used(session, shot.chosen, sum(len(text.encode()) for _, text in shot.parts))
        return shot.parts

    async def prepare(self, session: Session, lean: bool) -> None:
        """Before a turn: the note beside its input, and what the input itself says to keep."""
        said = said_now(session)
        if not said:
            return
        await self._choose()
        place = await self.place_of(session)
        self._handed.setdefault(session.id, max(session.last - _BEGUN, 0))
        if not lean:
            talk = Talk(session=session.id, turns=frozenset(session.conversation.marks))
            turn = session.conversation.turn
            await self._tell(session, await self.memory.note(talk, turn, said, place))
        inputs = list(session.conversation.waiting.values())
        self._core.spawn(self._hear(session, inputs, place))

    async def _tell(self, session: Session, note: Note) -> None:
        if note.problem:
            hint = "the built-in memory goes on; `hermes config set memory.provider builtin`"
            await session.add(Notice(text=note.problem, hint=hint, level="warning"), hold=True)
        if not note.text:
            return
        session.remarks.append(note.text)
        await self._used(session, note.chosen, len(note.text.encode()))

    async def _used(self, session: Session, chosen: Sequence[Chosen], size: int) -> None:
        """Keep in the log what was put before the model, with the turn's next event."""
        if not chosen:
            return
        facts = tuple(Recalled(id=one.fact.id, text=one.fact.text, why=one.why) for one in chosen)
        turn = max(session.conversation.turn, 1)
        await session.add(MemoryUsed(turn=turn, facts=facts, size=size), hold=True)

    async def _hear(self, session: Session, inputs: list[InputReceived], place: Place) -> None:
        """Keep what a person said is to be kept; a statement that can't be is let go."""
        try:
            await self._keep(session, inputs, place)
        except HermesError as error:
            _log.warning("memory: %s", error)

    async def _keep(self, session: Session, inputs: list[InputReceived], place: Place) -> None:
        for one in inputs:
            spoken = one.typed and one.attended and leaves_something(one.text)
            if not spoken or self.holds_secret(one.text):
                continue
            n, ts = await self._core.db.read(partial(_stored, session.key, one.input_id))
            message = f"{session.id}:{n}"
            heard = Heard(session=session.id, message=message, by="user", text=one.text, ts=ts)
            if await self.memory.hear(heard, place):
                self.changed("")

    def holds_secret(self, text: str) -> bool:
        """Whether a text holds what looks like a secret."""
        return bool(self.redactor.spans(text))

    def changed(self, text: str, batch: int = 0) -> None:
        """Tell every face that the memory changed."""
        self._core.announce(MemoryChanged(text=text, batch=batch))

    async def turns_ended(self) -> None:
        """Hand the provider what was said since, and let go of candidates nobody confirmed."""
        try:
            await self._turns_ended()
        except StoreError as error:
            _log.error("memory: %s", error)

    async def _turns_ended(self) -> None:
        if time.monotonic() > self._tidy_at:
            self._tidy_at = time.monotonic() + _TIDY_S
            await self.memory.facts.tidy(self._core.config.memory.candidate_days)
        if self.memory.beside is None:
            return
        for session in list(self._core.sessions.values()):
            after = self._handed.get(session.id, session.last)
            if session.conversation.in_turn or session.last <= after:
                continue
            self._handed[session.id] = session.last
            records = await self._core.log.read(session.id, after=after)
            heard = tuple(one for one in map(_heard, worded(records)) if one is not None)
            self.memory.observe(heard, await self.place_of(session))

    async def forked(self, session: str, copy: str) -> None:
        """A session went on as a copy: the copy was told what the session was."""
        await self.memory.facts.write(lambda c: telling.copy(c, session, copy))

    async def session_deleted(self, session: str) -> None:
        """A session is gone; what was learned in it stays."""
        await self.memory.facts.write(lambda c: telling.forget_session(c, session))

    # --- the provider ------------------------------------------------------------------------

    async def _choose(self) -> None:
        """Take the provider the settings name; one that can't be taken is a problem, told once."""
        settings = self._core.config.memory
        wanted = (
            *(settings.provider, settings.url, settings.workspace),
            *(settings.api_key_env, settings.timeout_s),
        )
        if wanted == self._chosen:
            return
        self._chosen = wanted
        old, self.memory.beside = self.memory.beside, None
        if old is not None:
            await old.close()
        if settings.provider == BUILTIN:
            return
        provider: Any
        try:
            provider = await asyncio.to_thread(self._made, settings)
        except HermesError as error:
            provider = _Missing(settings.provider, error)
        self.memory.beside = Beside(provider, self._core.spawn, settings.timeout_s)

    def _made(self, settings: MemoryConfig) -> Any:
        from hermes_tui.models.credentials import first_key, read_secrets

        try:
            key = first_key([settings.api_key_env], os.environ, read_secrets(self._core.home))
        except ConfigError as error:
            raise ProviderError(error.message, error.hint) from error
        return made(
            settings.provider,
            ProviderSettings(
                url=settings.url,
                workspace=settings.workspace,
                key=key,
                timeout_s=settings.timeout_s,
            ),
        )

    async def close(self) -> None:
        """Let go of the provider."""
        await self.memory.close()


class SessionMemory:
    """The memory as the tools of one session use it (`tools.base.Context.memory`)."""

    def __init__(self, remembering: Remembering, session: Session, log: Log) -> None:
        self._remembering = remembering
        self._memory = remembering.memory
        self._session = session
        self._log = log

    async def remember(
        self, text: str, kind: str = "", scope: str = "", replaces: str = ""
    ) -> tuple[str, int]:
        """Remember a statement of the model's: (what became of it, what takes it back)."""
        from hermes_tui.memory.facts import Wish
        from hermes_tui.memory.saying import of_outcome

        self._allowed()
        if self._remembering.holds_secret(text):
            raise HermesError(SECRET, SECRET_HINT)
        records = worded(await self._log.read(self._session.id, limit=400))
        tainted = self._session.conversation.taint
        source, taint = await asyncio.to_thread(
            told_by, clean(text), self._session.id, records, tainted
        )
        place = await self._remembering.place_of(self._session)
        wish = Wish(
            text=text, kind=kind, scope=scope, replaces=replaces, source=source, taint=taint
        )
        outcome, batch = await self._memory.remember(wish, place, self._session.id)
        said = of_outcome(outcome)
        self._remembering.changed(said, batch)
        return said, batch

    async def forget(self, which: str) -> tuple[str, int]:
        """Forget a statement: (what was forgotten, what takes it back)."""
        self._allowed()
        place = await self._remembering.place_of(self._session)
        if self._session.conversation.taint:
            old = await self._memory.facts.find(which, place)
            if old.pinned or any(source.who == "user" for source in old.sources):
                raise HermesError(
                    f"{old.id} is the user's word, and this talk has read text from outside",
                    f"the user can forget it themselves: /me forget {old.id}",
                )
        fact, batch = await self._memory.facts.forget(which, "agent", self._session.id, place)
        said = f"Forgot {fact.id} «{fact.text}». The user can take it back."
        self._remembering.changed(said, batch)
        return said, batch

    async def ask(self, question: str) -> str:
        """What is known of the person about a question; empty when nothing is."""
        self._allowed()
        place = await self._remembering.place_of(self._session)
        return (await self._memory.ask(question, self._session.id, place)).text

    def _allowed(self) -> None:
        if not self._memory.settings.enabled:
            raise HermesError("memory is switched off", "the user can set memory.enabled")


SECRET = "that holds what looks like a secret; it was not remembered"
SECRET_HINT = (
    "a key belongs into the system keyring or secrets.env of the home, where nothing shows it"
)


class _Missing:
    """Stands in for a provider that can't be had: everything says why."""

    def __init__(self, name: str, error: HermesError) -> None:
        self.name = name
        self._error = ProviderError(error.message, error.hint)

    async def close(self) -> None:
        """Nothing to let go of."""

    async def _no(self, *_: object) -> Any:
        raise self._error

    observe = card = context = ask = conclude = _no


def said_now(session: Session) -> str:
    """What was typed and is about to be taken."""
    return "\n\n".join(one.text for one in session.conversation.waiting.values())


def _stored(key: int, input_id: str, c: apsw.Connection) -> tuple[int, float]:
    """(number, time) of an input in the log."""
    row: Any = c.execute(
        "SELECT n, ts FROM event WHERE session = ? AND kind = 'input_received'"
        " AND data ->> 'input_id' = ?",
        (key, input_id),
    ).fetchone()
    return (int(row[0]), float(row[1])) if row else (0, 0.0)


def _heard(record: Record) -> Heard | None:
    message = f"{record.session}:{record.n}"
    match record.event:
        case InputReceived(text=text) as event:
            by = "user" if event.typed else "agent"
            return Heard(session=record.session, message=message, by=by, text=text, ts=record.ts)
        case ReplyReceived(text=text, partial=False) if text:
            return Heard(
                session=record.session, message=message, by="agent", text=text, ts=record.ts
            )
        case _:
            return None
