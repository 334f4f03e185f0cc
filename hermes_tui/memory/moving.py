"""Memory out of the store and into it: files of `§` entries, and JSON lines with everything."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import CARD, Fact, Kind, Source
from hermes_tui.memory import alike, entries, rows
from hermes_tui.memory.facts import Facts
from hermes_tui.memory.finding import ALL_STATES
from hermes_tui.memory.reading import gives_orders, judges, kind_of
from hermes_tui.memory.words import clean, terms

What = Literal["memory", "user", "jsonl"]
_LIVE = ("current", "disputed")
_COMPARED = 300
"""Imports up to this size say which of their entries look like others; it takes a while each."""
_FEW = 4
"""A memory this small may be replaced whole without being asked twice."""


class Moved(Struct, frozen=True, kw_only=True):
    """What an import did. alike: pairs that look alike and were kept apart."""

    added: int = 0
    known: int = 0
    dropped: int = 0
    candidates: int = 0
    batch: int = 0
    alike: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The sentence for a person."""
        parts = [f"{self.added} added", f"{self.known} known already"]
        parts += [f"{self.dropped} forgotten"] if self.dropped else []
        parts += [f"{self.candidates} of them wait to be confirmed"] if self.candidates else []
        text = ", ".join(parts) + "."
        if self.alike:
            pairs = "; ".join(f"{one} and {other}" for one, other in self.alike[:5])
            text += f" These look alike and were kept apart: {pairs}."
        return text


async def export(facts: Facts, what: What) -> str:
    """The text of a file with everything that counts; `jsonl`: with everything there is."""

    def work(c: apsw.Connection) -> list[Fact]:
        states = ALL_STATES if what == "jsonl" else _LIVE
        found = rows.listed(c, states)
        return sorted(found, key=lambda fact: rows.key_of(fact.id))

    found = await facts.read(work)
    if what == "jsonl":
        return "".join(msgspec.json.encode(fact).decode() + "\n" for fact in found)
    return entries.write(f.text for f in found if (f.kind in CARD) == (what == "user"))


async def take_in(
    facts: Facts, text: str, what: What, *, replace: bool = False, force: bool = False
) -> Moved:
    """Take in such a file's text. Raises HermesError, and then nothing was changed.

    replace: what is not in it is forgotten; refused when that would be most of what there is.
    """
    wanted = _from_lines(text) if what == "jsonl" else _from_entries(text, what)

    def work(c: apsw.Connection) -> Moved:
        write = rows.Write(c, "import", "import")
        return _take_in(write, wanted, what if replace else None, force)

    return await facts.change(work)


def _take_in(
    write: rows.Write, wanted: Sequence[Fact], replaces: What | None, force: bool
) -> Moved:
    here = rows.listed(write.c, ALL_STATES)
    known = {_mark(fact): fact for fact in here}
    dropped = _dropped(here, {_mark(fact) for fact in wanted}, replaces, force)
    for fact in dropped:
        write.put(msgspec.structs.replace(fact, state="retired", reason="forgotten", pinned=False))
    added: list[Fact] = []
    pairs: list[tuple[str, str]] = []
    names: dict[str, str] = {}
    for fact in wanted:
        if (twin := known.get(_mark(fact))) is not None:
            names[fact.id] = twin.id
            continue
        near = _looks_like(write.c, fact) if len(wanted) <= _COMPARED else None
        made = write.put(msgspec.structs.replace(fact, id="", other=""))
        known[_mark(made)], names[fact.id] = made, made.id
        added.append(msgspec.structs.replace(made, other=fact.other))
        pairs += [(made.id, near.id)] if near else []
    for fact in added:
        if fact.other in names:
            write.put(msgspec.structs.replace(fact, other=names[fact.other]))
    return Moved(
        added=len(added),
        known=len(wanted) - len(added),
        dropped=len(dropped),
        candidates=sum(fact.state == "candidate" for fact in added),
        batch=write.batch if added or dropped else 0,
        alike=tuple(pairs),
    )


def _dropped(
    here: Sequence[Fact], kept: set[tuple[str, ...]], replaces: What | None, force: bool
) -> list[Fact]:
    """What a replacing import would forget. Raises HermesError when that is most of it."""
    if replaces is None:
        return []
    mine = [fact for fact in here if fact.state in _LIVE]
    if replaces != "jsonl":
        mine = [fact for fact in mine if (fact.kind in CARD) == (replaces == "user")]
    gone = [fact for fact in mine if _mark(fact) not in kept]
    if len(gone) > _FEW and len(gone) * 2 > len(mine) and not force:
        raise HermesError(
            f"this would forget {len(gone)} of {len(mine)} statements; nothing was changed",
            "is the file whole? if it is meant, say so (--force)",
        )
    return gone


def _looks_like(c: apsw.Connection, fact: Fact) -> Fact | None:
    found = [one for one, _ in rows.matching(c, terms(fact.text), 10)]
    kin = ("same", "wider", "narrower", "near", "opposite")
    return next((one for one in found if alike.relation(fact.text, one.text) in kin), None)


def _from_entries(text: str, what: What) -> list[Fact]:
    now = time.time()
    by = Source(who="import", ts=now)
    made: dict[tuple[str, ...], Fact] = {}
    for entry in entries.read(text):
        kind = _kind(entry, what)
        fact = Fact(
            id="",
            text=entry,
            kind=kind,
            topic=alike.topic_of(entry),
            sources=(by,),
        )
        if gives_orders(entry) and kind == "fact":
            why = "it gives orders; a person has to confirm it"
            fact = msgspec.structs.replace(fact, state="candidate", reason=why)
        made.setdefault(_mark(fact), fact)
    return list(made.values())


def _kind(entry: str, what: What) -> Kind:
    """The kind of an entry: the file says whether it is of the person or of the world."""
    if what == "memory":
        return "fact"
    kind = kind_of(entry)
    return "about" if kind == "fact" or judges(entry) else kind


def _from_lines(text: str) -> list[Fact]:
    made: list[Fact] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            fact = msgspec.json.decode(line, type=Fact)
        except msgspec.MsgspecError as error:
            raise HermesError(
                f"line {number} is no statement: {error}; nothing was changed",
                "`hermes memory export --json` writes such lines",
            ) from error
        if not clean(fact.text):
            raise HermesError(f"line {number} has no text; nothing was changed")
        made.append(fact)
    return made


def _mark(fact: Fact) -> tuple[str, ...]:
    """What two statements must share to be the same one in an import."""
    age = "old" if fact.state in ("replaced", "retired") else "live"
    return fact.text, fact.scope, fact.place, fact.person, str(fact.kind == "fact"), age
