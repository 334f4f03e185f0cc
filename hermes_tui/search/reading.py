"""Reading the index: which messages hold a term, how often, and how long they are.

A word of a large store can be in a million messages. No list is ever read to its end: of a word
that is in more than `MOST` messages the newest are read, and those that hold a rarer word of the
same query beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import apsw
from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.search.query import Query, Term
from hermes_tui.search.spelling import alike
from hermes_tui.store.message_index import KIND_BITS, PLACE_BITS

MOST, MOST_OF_MANY = 1500, 400
"""Messages read of one term, in a store of up to `MANY` messages and in a larger one."""
MANY = 50_000
_FEW = 40
"""With fewer messages than this that hold a rare word, the newest of the common ones count too."""

_MOST_LOOKED_AT = 20_000
"""Messages of one term of which filters are tried, newest first."""
_BLOCK_BITS = PLACE_BITS + KIND_BITS

Row = tuple[int, int]
"""Row number of the index; hits in the message times 65,536 plus its length in words."""


class Where(Struct, frozen=True, kw_only=True):
    """Which messages may be found at all.

    sql: a condition over `m` (recall_message) and `b` (recall_block) with its values; first, last:
    the message ids between which they are.
    """

    sql: str = ""
    values: tuple[Any, ...] = ()
    first: int = 0
    last: int = 1 << 50


class Postings(Struct, kw_only=True):
    """The messages of one term. held: about how many messages hold it, read or not."""

    term: Term
    rows: list[Row]
    held: float
    all: bool = True


class Index:
    """The index, seen through one connection, for one query."""

    def __init__(self, c: apsw.Connection, query: Query, where: Where) -> None:
        self.c = c
        self.blocks: dict[int, int] = {}
        self.sessions = _number(c, "SELECT count(*) FROM session")
        self.count = 1
        self.average = 20.0
        self._where = where
        must = "".join(f" AND ({one.match})" for one in query.terms if one.must)
        self._always = must + "".join(f" NOT ({one})" for one in query.without)
        c.register_fts5_function("hits", self._hits)

    def _hits(self, api: apsw.FTS5ExtensionApi, *_: Any) -> int:
        if self.count == 1:
            self.count = max(2, api.row_count)
            self.average = max(1.0, api.column_total_size(0) / self.count)
        return api.inst_count << 16 | min(api.column_size(0), 65_535)

    def read(self, terms: Sequence[Term]) -> list[Postings]:
        """The messages of each term that is anywhere at all; of its parts, where it is nowhere."""
        found: list[Postings] = []
        for term in terms:
            one = self._read(term)
            if one.rows:
                found.append(one)
            else:
                found += [part for part in map(self._read, term.parts) if part.rows]
        common = [one for one in found if not one.all]
        if common and len(found) > 1:
            self._beside(found, common)
        return found

    def _read(self, term: Term) -> Postings:
        rows = self._rows(term.match)
        if not rows and (longer := _longer(term)):
            rows = self._rows(longer)
            if not rows and (others := alike(self.c, term.words[0])):
                term = replace(term, weight=0.7 * term.weight)
                rows = self._rows(" OR ".join(f'"{one}"' for one in others))
        full = len(rows) >= self._most
        held = self._estimate(rows) if full else float(len(rows))
        return Postings(term=term, rows=rows, held=held, all=not full)

    def _rows(self, match: str) -> list[Row]:
        rows = self.rows(match, MOST_OF_MANY)
        full = len(rows) == MOST_OF_MANY
        return self.rows(match, MOST) if full and self._most > MOST_OF_MANY else rows

    @property
    def _most(self) -> int:
        return MOST if self.count <= MANY else MOST_OF_MANY

    def rows(self, match: str, limit: int, where: Where | None = None) -> list[Row]:
        """Messages that match, those of the newest sessions first; `where` instead of its own."""
        match = f"({match}){self._always}"
        where = where or self._where
        bounds = (where.first << KIND_BITS, (where.last + 1) << KIND_BITS)
        sql = (
            "SELECT rowid, hits(recall_index) FROM recall_index WHERE recall_index MATCH ?"
            " AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
        )
        if not where.sql:
            return list(self.c.execute(sql, (match, *bounds, limit)))
        sql = (
            f"SELECT i.rowid, i.hits FROM ({sql.replace('hits(recall_index)', '&', 1)}) i"
            f" JOIN recall_message m ON m.id = i.rowid >> {KIND_BITS}"
            f" JOIN recall_block b ON b.block = m.id >> {PLACE_BITS}"
            f" WHERE {where.sql} LIMIT ?"
        ).replace("&", "hits(recall_index) AS hits")
        return list(self.c.execute(sql, (match, *bounds, _MOST_LOOKED_AT, *where.values, limit)))

    def learn(self, found: Sequence[Postings]) -> None:
        """Note of which sessions the messages are."""
        wanted = {row >> _BLOCK_BITS for one in found for row, _ in one.rows} - self.blocks.keys()
        rows: Any = self.c.execute(
            "SELECT b.block, b.session FROM json_each(?) j"
            " CROSS JOIN recall_block b ON b.block = j.value",
            (json.dumps(list(wanted)),),
        )
        self.blocks.update(rows)

    def read_in(self, found: list[Postings], where: Where, limit: int) -> None:
        """Of terms that were not read to the end, also the messages of a part of the store."""
        for one in found:
            if not one.all:
                one.rows = _merged(one.rows, self.rows(one.term.match, limit, where))

    def lengths(self, keys: set[int]) -> dict[int, float]:
        """How long sessions are, 1.0 being the average."""
        average = max(1.0, self.count / max(1, self.sessions))
        rows: Any = self.c.execute(
            "SELECT s.key, s.messages FROM json_each(?) j CROSS JOIN session s ON s.key = j.value",
            (json.dumps(list(keys)),),
        )
        return {key: messages / average for key, messages in rows}

    def _beside(self, found: list[Postings], common: list[Postings]) -> None:
        """For common terms: the messages that hold a rarer one of the query beside it."""
        rare = [one for one in found if one.all]
        few = sum(len(one.rows) for one in rare) < _FEW
        if not rare:
            together = self.rows(" AND ".join(f"({one.term.match})" for one in found), self._most)
            for one in found:
                one.rows = _merged(one.rows, together)
            if len(together) >= _FEW:
                return
            rare, few = [min(common, key=lambda one: one.held)], True
        either = " OR ".join(f"({one.term.match})" for one in rare)
        for one in common:
            if one is not rare[0]:
                both = self.rows(f"({either}) AND ({one.term.match})", self._most)
                one.rows = _merged(one.rows if few else [], both)

    def _estimate(self, rows: list[Row]) -> float:
        """How many messages hold a term of which only the newest were read."""
        newest = _number(self.c, "SELECT max(id) FROM recall_message")
        low = rows[-1][0] >> KIND_BITS
        share = (newest - low) / newest if newest > low else 1.0
        return min(self.count, max(len(rows), len(rows) / max(share, 1e-6)))


def rarity(held: float, count: int) -> float:
    """How much it says that a message holds a term that `held` of `count` hold."""
    return math.log(1 + (count - held + 0.5) / (held + 0.5))


def _merged(some: list[Row], others: list[Row]) -> list[Row]:
    return list({**dict(some), **dict(others)}.items())


def _number(c: apsw.Connection, sql: str) -> int:
    row: Any = c.execute(sql).fetchone()
    return int(row[0] or 0)


def _longer(term: Term) -> str:
    """Words that begin with a word that is nowhere: it was not typed to its end, or is a part."""
    if len(term.words) != 1 or len(term.words[0]) < 3 or term.match != f'"{term.words[0]}"':
        return ""
    return f'"{term.words[0]}" *'
