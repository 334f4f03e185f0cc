"""Everything remembered, in the core's store: any number of statements, each write undoable."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import (
    CARD,
    EditFact,
    Fact,
    FactStory,
    FactUse,
    Source,
    State,
    Who,
)
from hermes_tui.memory import alike, finding, rows, writing
from hermes_tui.memory.place import Place, kind_named, placed
from hermes_tui.memory.reading import kind_of
from hermes_tui.memory.words import clean
from hermes_tui.store.db import Database

T = TypeVar("T")
HERE = Place()
LONGEST = 8_000
"""Characters of one statement; a longer text belongs into a file."""
_CURRENT = ("current", "disputed")
_SHRINKS = 200
"""From this length on, an edit that would leave less than a third asks to be meant."""


class Wish(Struct, frozen=True, kw_only=True):
    """A statement somebody wants remembered. kind, scope empty: as it reads, where it is said.

    where: another folder or chat than the place's; replaces: what it corrects, by id or words;
    taint: `untrusted` when it stood in what came from outside.
    """

    text: str
    source: Source
    kind: str = ""
    scope: str = ""
    where: str = ""
    replaces: str = ""
    taint: str = ""
    state: State = "current"
    reason: str = ""


class Facts:
    """The statements. Every write is one transaction and one batch for `undo`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # --- writing -----------------------------------------------------------------------------

    async def add(
        self, wish: Wish, place: Place = HERE, session: str = ""
    ) -> tuple[writing.Outcome, int]:
        """Take a statement in; what became of it, and the batch that takes it back.

        session: whose model knows of it already. Raises HermesError for an empty or far too long
        text, and for a kind or scope there is not.
        """
        made = _made(wish, place)

        def work(c: apsw.Connection) -> tuple[writing.Outcome, int]:
            write = rows.Write(c, "add", wish.source.who, session)
            target = finding.one(c, wish.replaces, True, place).id if wish.replaces else ""
            return writing.add(write, made, target), write.batch

        return await self._db.write(work)

    async def edit(self, wish: EditFact, place: Place = HERE) -> tuple[Fact, int, tuple[Fact, ...]]:
        """Change a statement: (as it is now, batch, those it replaced). Raises HermesError."""

        def work(c: apsw.Connection) -> tuple[Fact, int, tuple[Fact, ...]]:
            write = rows.Write(c, "edit", "user")
            old = finding.one(c, wish.which)
            made = _edited(old, wish, place)
            replaced: tuple[Fact, ...] = ()
            if wish.state == "current" and old.state != "current":
                outcome = writing.settle(write, made, "user")
                return outcome.fact, write.batch, outcome.replaced
            made = write.put(made)
            return made, write.batch, replaced

        return await self._db.write(work)

    async def merge(self, keep: str, other: str, text: str = "") -> tuple[Fact, int]:
        """Make one statement of two. Raises HermesError."""

        def work(c: apsw.Connection) -> tuple[Fact, int]:
            write = rows.Write(c, "merge", "user")
            first, second = finding.one(c, keep, live=True), finding.one(c, other, live=True)
            if first.id == second.id:
                raise HermesError(f"{first.id} can't be merged with itself")
            return writing.join(write, first, second, clean(text)), write.batch

        return await self._db.write(work)

    async def forget(
        self, which: str, who: Who = "user", session: str = "", place: Place | None = None
    ) -> tuple[Fact, int]:
        """Retire a statement; it can be taken back. place: where it must be visible from."""

        def work(c: apsw.Connection) -> tuple[Fact, int]:
            write = rows.Write(c, "forget", who, session)
            old = finding.one(c, which, live=True, place=place)
            gone = msgspec.structs.replace(old, state="retired", reason="forgotten", pinned=False)
            return write.put(gone), write.batch

        return await self._db.write(work)

    async def erase(self, which: str) -> Fact:
        """Remove every byte of a statement from the memory; there is no way back."""

        def work(c: apsw.Connection) -> Fact:
            old = finding.one(c, which)
            rows.erase(c, rows.key_of(old.id))
            return old

        return await self._db.write(work)

    async def undo(self, batch: int = 0) -> tuple[list[Fact], int]:
        """Take back the last write, or the one of a batch. Raises HermesError."""

        def work(c: apsw.Connection) -> tuple[list[Fact], int]:
            write = rows.Write(c, "undo", "user")
            return write.undo(batch), write.batch

        return await self._db.write(work)

    async def tidy(self, candidate_days: float) -> int:
        """Retire candidates that nobody confirmed for long; how many. Takes one batch."""
        old = time.time() - candidate_days * 86_400

        def work(c: apsw.Connection) -> int:
            write = rows.Write(c, "fade", "agent")
            stale = [f for f in rows.listed(c, ("candidate",)) if f.changed < old]
            for fact in stale:
                gone = msgspec.structs.replace(fact, state="retired", reason="never confirmed")
                write.put(gone)
            return len(stale)

        return await self._db.write(work, durable=False)

    # --- reading -----------------------------------------------------------------------------

    async def find(self, which: str, place: Place | None = None) -> Fact:
        """The statement meant by an id or by its words. Raises NotFoundError."""
        return await self.read(lambda c: finding.titled(c, [finding.one(c, which, place=place)])[0])

    async def list(
        self, query: str = "", *, card: bool = False, everything: bool = False, limit: int = 500
    ) -> tuple[Fact, ...]:
        """Statements: those that fit a query, best first, or all, the newest first."""
        states = finding.ALL_STATES if everything else rows.LIVE

        def work(c: apsw.Connection) -> tuple[Fact, ...]:
            if query.strip():
                found = finding.typed(c, query, card, states)
            else:
                kinds = ",".join(f"'{kind}'" for kind in CARD)
                found = rows.listed(c, states, limit, f"f.kind IN ({kinds})" if card else "1")
            return tuple(finding.titled(c, found[:limit]))

        return await self.read(work)

    async def fitting(
        self, text: str, place: Place, *, card: bool = False, limit: int = 20
    ) -> list[tuple[Fact, float]]:
        """(statement, fit 0 to 1) of those that may be used in a place and fit a text."""

        def work(c: apsw.Connection) -> list[tuple[Fact, float]]:
            found = finding.fitting(c, text, place, card)[:limit]
            facts = finding.titled(c, [fact for fact, _ in found])
            return [(fact, fit) for fact, (_, fit) in zip(facts, found, strict=True)]

        return await self.read(work)

    async def count(self) -> int:
        """How many statements count now."""
        marks = ",".join("?" * len(_CURRENT))

        def work(c: apsw.Connection) -> int:
            row = c.execute(
                f"SELECT count(*) FROM fact WHERE state IN ({marks})", _CURRENT
            ).fetchone()
            return int(row[0]) if row else 0  # type: ignore[arg-type]

        return await self.read(work)

    async def story(self, which: str) -> FactStory:
        """Everything about one statement. Raises NotFoundError."""

        def work(c: apsw.Connection) -> FactStory:
            fact = finding.titled(c, [finding.one(c, which)])[0]
            key = rows.key_of(fact.id)
            others = [
                f for f, _ in rows.matching(c, finding.terms(fact.text), 30) if f.id != fact.id
            ]
            near = [f for f in others if alike.similarity(fact.text, f.text) >= alike.NEAR]
            return FactStory(
                fact=fact, changes=rows.changes(c, key), uses=_uses(c, key), alike=tuple(near[:5])
            )

        return await self.read(work)

    async def told(self, session: str) -> int:
        """How many of the statements that count a session was told."""

        def work(c: apsw.Connection) -> int:
            row = c.execute(
                "SELECT count(DISTINCT fact) FROM fact_use WHERE session = ?", (session,)
            ).fetchone()
            return int(row[0]) if row else 0  # type: ignore[arg-type]

        return await self.read(work)

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Look something up on the reading thread."""
        return await self._db.read(work)

    async def change(self, work: Callable[[apsw.Connection], T]) -> T:
        """Change something in one durable transaction."""
        return await self._db.write(work)

    async def write(self, work: Callable[[apsw.Connection], T]) -> T:
        """Note something that may be lost with the power, such as a use."""
        return await self._db.write(work, durable=False)


def source(who: Who, session: str = "", message: str = "") -> Source:
    """A source of now."""
    return Source(who=who, session=session, message=message, ts=time.time())


def _made(wish: Wish, place: Place) -> Fact:
    text = _checked(wish.text)
    fact = Fact(
        id="",
        text=text,
        kind=kind_named(wish.kind) if wish.kind else kind_of(text),
        topic=alike.topic_of(text),
        state=wish.state,
        reason=wish.reason,
        taint=wish.taint,
        sources=(wish.source,),
    )
    return placed(fact, wish.scope, place, wish.where)


def _checked(text: str) -> str:
    text = clean(text)
    if not text:
        raise HermesError("there is nothing to remember in an empty text")
    if len(text) > LONGEST:
        raise HermesError(
            f"{len(text):,} characters are too long for one statement (limit {LONGEST:,})",
            "split it into several, or keep it in a file and remember where that is",
        )
    return text


def _edited(old: Fact, wish: EditFact, place: Place) -> Fact:
    made = old
    if text := clean(wish.text):
        if len(old.text) >= _SHRINKS and len(text) * 3 < len(old.text) and not wish.force:
            raise HermesError(
                f"this would cut {old.id} from {len(old.text)} characters to {len(text)};"
                " nothing was changed",
                "say that it is meant (--force), or edit a part of it",
            )
        by = Source(who="user", ts=time.time())
        made = msgspec.structs.replace(
            made,
            text=_checked(text),
            topic=alike.topic_of(text),
            taint="",  # a person wrote it now
            sources=(*made.sources, by),
        )
    if wish.kind:
        made = msgspec.structs.replace(made, kind=kind_named(wish.kind))
    if wish.scope:
        made = placed(made, wish.scope, place, wish.place)
    if wish.pinned is not None:
        made = msgspec.structs.replace(made, pinned=wish.pinned)
    if wish.state:
        reason = "" if wish.state == "current" else "forgotten"
        made = msgspec.structs.replace(made, state=wish.state, reason=reason)
    if made == old:
        raise HermesError(f"nothing of {old.id} would change")
    return made


def _uses(c: apsw.Connection, key: int) -> tuple[FactUse, ...]:
    found = c.execute(
        "SELECT u.session, u.turn, u.ts, u.why, coalesce(s.title, '') FROM fact_use u"
        " LEFT JOIN session s ON s.id = u.session WHERE u.fact = ? ORDER BY u.id DESC LIMIT 20",
        (key,),
    )
    return tuple(
        FactUse(session=str(s), turn=int(t), ts=float(ts), why=str(w), title=str(title))  # type: ignore[arg-type]
        for s, t, ts, w, title in found
    )
