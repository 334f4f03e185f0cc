"""The memory as the core uses it: what prompts get, what talk leaves behind, who answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.config import MemoryConfig
from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import Source
from hermes_tui.memory import asking, choosing, rows, saying, telling
from hermes_tui.memory.beside import Beside
from hermes_tui.memory.facts import Facts, Wish
from hermes_tui.memory.place import Place
from hermes_tui.memory.provider import Answer, Heard
from hermes_tui.memory.reading import judges, lasting, told_to_remember
from hermes_tui.memory.words import asked
from hermes_tui.memory.writing import Outcome
from hermes_tui.store.db import Database

LEAN_BYTES = 500
"""What a small model's short prompt gets."""
_CONTEXT = 1200
PROVIDER_HEAD = "[From {name}, as it may matter here:"


class Note(Struct, frozen=True, kw_only=True):
    """What a session's next input is told beside it. problem: of the provider, for the person."""

    text: str = ""
    chosen: tuple[choosing.Chosen, ...] = ()
    problem: str = ""


class Snapshot(Struct, frozen=True, kw_only=True):
    """What a session's frozen prompt says: (part, text), and the statements in it."""

    parts: tuple[tuple[str, str], ...] = ()
    chosen: tuple[choosing.Chosen, ...] = ()


class Memory:
    """Everything about remembering. settings: the configuration in force; beside: a provider."""

    def __init__(self, db: Database, settings: Callable[[], MemoryConfig]) -> None:
        self.facts = Facts(db)
        self.beside: Beside | None = None
        self._settings = settings

    @property
    def settings(self) -> MemoryConfig:
        """The settings in force."""
        return self._settings()

    # --- prompts -----------------------------------------------------------------------------

    async def snapshot(self, session: str, said: str, place: Place, lean: bool = False) -> Snapshot:
        """What a new session's frozen prompt says of the person and the world."""
        if not self.settings.enabled:
            return Snapshot()
        budget = min(self.settings.prompt_bytes, LEAN_BYTES if lean else 1 << 30)
        fade = self.settings.fade_days

        def work(c: apsw.Connection) -> tuple[list[choosing.Chosen], int, int]:
            chosen = choosing.choose(c, said, place, budget, fade)
            return chosen, rows.newest_change(c), _kept(c)

        chosen, newest, kept = await self.facts.read(work)
        if newest:
            await self.facts.write(lambda c: _shown(c, session, 0, chosen, newest))
        parts = choosing.text_of(chosen, kept)
        if self.beside is not None and not lean:
            parts = (*parts, *_of_provider(self.beside, place, budget))
            self.beside.look(place)
        return Snapshot(parts=parts, chosen=tuple(chosen))

    async def note(self, talk: telling.Talk, turn: int, said: str, place: Place) -> Note:
        """What changed since the session was last told, and what fits what is said now; once."""
        if not self.settings.enabled:
            return Note()
        session, budget = talk.session, self.settings.note_bytes
        told = await self.facts.read(lambda c: telling.told(c, talk, said, place, budget))
        if told.chosen or told.upto > told.after:
            await self.facts.write(lambda c: _shown(c, session, turn, told.chosen, told.upto))
        if self.beside is None:
            return Note(text=told.text, chosen=told.chosen)
        text = await self._context(session, said, place)
        whole = "\n".join(one for one in (told.text, text) if one)
        return Note(text=whole, chosen=told.chosen, problem=self.beside.problem())

    async def _context(self, session: str, said: str, place: Place) -> str:
        if self.beside is None or trivial(said):
            return ""
        found = await self.beside.context(said, session, place, self.settings.wait_s)
        if not found:
            return ""
        lines = [" ".join(one.split()) for one in found.splitlines() if one.strip()]
        head = PROVIDER_HEAD.format(name=self.beside.provider.name)
        return f"{head}\n" + _cut("\n".join(lines), _CONTEXT) + "]"

    # --- writing -----------------------------------------------------------------------------

    async def remember(self, wish: Wish, place: Place, session: str = "") -> tuple[Outcome, int]:
        """Remember a statement; what became of it and the batch that takes it back.

        session: whose model knows of it already. Raises HermesError: an empty or far too long
        text, a kind or scope there is not, or feelings and character that nobody asked to keep.
        """
        said = wish.source.who == "user"
        if judges(wish.text) and not said and not self.settings.character:
            raise HermesError(saying.refused(wish.text))
        outcome, batch = await self.facts.add(wish, place, session)
        if self.beside is not None and outcome.fact.state == "current" and not place.group:
            self.beside.conclude(outcome.fact)
        return outcome, batch

    async def hear(self, heard: Heard, place: Place) -> Sequence[Outcome]:
        """What a person said leaves behind: what they asked to keep, and candidates."""
        if not self.settings.enabled:
            return ()
        by = Source(who="user", session=heard.session, message=heard.message, ts=heard.ts)
        if what := told_to_remember(heard.text):
            outcome, _ = await self.remember(Wish(text=what, source=by), place, heard.session)
            return (outcome,)
        if not self.settings.propose:
            return ()
        made: list[Outcome] = []
        for text in list(lasting(heard.text))[:3]:
            if judges(text) and not self.settings.character:
                continue
            reason = "you said it in passing; nobody confirmed it yet"
            wish = Wish(text=text, source=by, state="candidate", reason=reason)
            outcome, _ = await self.facts.add(wish, place, heard.session)
            made.append(outcome)
        return made

    def observe(self, messages: tuple[Heard, ...], place: Place) -> None:
        """A turn has ended: hand it to the provider, if there is one, whenever it can be."""
        if self.beside is not None and messages and not place.group:
            if all(trivial(one.text) for one in messages if one.by == "user"):
                return
            self.beside.observe(messages, place)

    # --- asking ------------------------------------------------------------------------------

    async def ask(self, question: str, session: str, place: Place) -> Answer:
        """An answer about the person with its sources; without text when nothing is known."""
        own = await self.facts.read(lambda c: asking.answer(c, question, place))
        if self.beside is None or place.group or trivial(question):
            return own
        theirs = await self.beside.ask(question, session, place)
        if theirs is None:
            why = self.beside.trouble or f"{self.beside.provider.name} is resting."
            note = f"({why} This is what is noted here.)"
            return msgspec.structs.replace(own, text=f"{own.text}\n\n{note}" if own.text else "")
        if not theirs.text:
            return own
        noted = f"\n\nNoted here:\n{own.text}" if own.text else ""
        return msgspec.structs.replace(
            theirs, text=theirs.text + noted, facts=own.facts, sources=theirs.sources
        )

    async def close(self) -> None:
        """Let go of the provider."""
        if self.beside is not None:
            await self.beside.close()


def trivial(text: str) -> bool:
    """Whether an input says nothing that memory could be about: `ok`, `yes`, `/help`."""
    bare = text.strip()
    return not bare or bare.startswith("/") or (len(bare) < 16 and len(asked(bare)) < 2)


def _shown(
    c: apsw.Connection, session: str, turn: int, chosen: Sequence[choosing.Chosen], upto: int
) -> None:
    telling.note_use(c, session, turn, chosen)
    telling.note_upto(c, session, turn, upto)


def _kept(c: apsw.Connection) -> int:
    row = c.execute("SELECT count(*) FROM fact WHERE state IN ('current', 'disputed')").fetchone()
    return int(row[0]) if row else 0  # type: ignore[arg-type]


def _of_provider(beside: Beside, place: Place, budget: int) -> tuple[tuple[str, str], ...]:
    lines = [f"- {' '.join(line.split())}" for line in beside.card(place)]
    if not lines:
        return ()
    head = f"The user, as {beside.provider.name} has it:"
    return ((beside.provider.name, f"{head}\n" + _cut("\n".join(lines), budget)),)


def _cut(text: str, budget: int) -> str:
    """Whole lines of a text within a budget of bytes."""
    kept: list[str] = []
    for line in text.split("\n"):
        budget -= choosing.size(line)
        if budget < 0:
            break
        kept.append(line)
    return "\n".join(kept)
