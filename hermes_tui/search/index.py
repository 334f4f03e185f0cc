"""Search over all conversations: any text is a query, the best answers come first."""

from __future__ import annotations

import json
import time
from typing import Any

import apsw
from msgspec import Struct

from hermes_tui.intents import Hit, Hits
from hermes_tui.search.answer import excerpt, fit, hits_of
from hermes_tui.search.asked_for import answers
from hermes_tui.search.dates import Span, every_year
from hermes_tui.search.meaning import nearer
from hermes_tui.search.query import Query, Term, understand
from hermes_tui.search.rank import Ranking, Scores, mixed
from hermes_tui.search.reading import Index, Where
from hermes_tui.search.where import Asker, where, within
from hermes_tui.store.db import Database
from hermes_tui.store.message_index import ASSISTANT, PLACE_BITS, TOOL, USER, waiting

AUTOMATION = ("cron", "subagent", "delegate", "hook", "batch", "eval")
"""Origins of sessions that no person was in; they rank lower."""

_CANDIDATES = 300
_DAY_ROWS = 400
_AUTOMATED = 0.6
_RECENT = 0.01
_CHARACTERS = 0.3
_ANSWERS = 0.15
_READ = 120
_OF_A_DAY = {USER: 1.0, ASSISTANT: 0.8, TOOL: 0.3}


class Asking(Struct, frozen=True, kw_only=True):
    """A search. budget: bytes of the answer, 0 for any; asker None: the owner, who sees all.

    session: the one the question comes from; now: Unix seconds, None for the clock; meant: what
    the question means, as `search.meaning` packs it, with what that weighs.
    """

    text: str
    limit: int = 20
    budget: int = 0
    asker: Asker | None = None
    session: str = ""
    now: float | None = None
    meant: bytes = b""
    weight: float = 0.0


async def search(db: Database, text: str, limit: int) -> tuple[Hit, ...]:
    """Messages that match, best first; higher scores are better."""
    return (await look(db, Asking(text=text, limit=limit))).hits


async def look(db: Database, asking: Asking) -> Hits:
    """Answer a search. Raises StoreError when the store can't be read."""
    return await db.read(lambda c: answer(c, asking))


def answer(c: apsw.Connection, asking: Asking) -> Hits:
    """The same, on a connection of the store."""
    now = time.time() if asking.now is None else asking.now
    query = understand(asking.text, now)
    missing = waiting(c)
    if query.empty:
        return Hits(waiting=missing)
    base = where(c, query.filters, asking.asker, asking.session)
    search = _Search(c, query, base)
    if asking.meant:
        search.lean(asking.meant, asking.weight)
    ids = search.ids(asking.limit)
    longest = min(600, max(120, asking.budget // 8)) if asking.budget else 600
    hits = hits_of(c, ids, search.scores)
    hits = [excerpt(hit, search.words, longest) for hit in hits]
    return Hits(hits=tuple(fit(hits, asking.budget)), note=search.note(bool(hits)), waiting=missing)


class _Search:
    """One query on its way through the index."""

    def __init__(self, c: apsw.Connection, query: Query, base: Where) -> None:
        self.scores: Scores = {}
        self._c = c
        self._query = query
        self._base = base
        self._spans = every_year(query.spans, _oldest(c)) if query.spans else ()
        self._sessions: dict[int, int] = {}
        self._found: set[str] = set()
        self._all_held = True
        self._meant, self._weight = b"", 0.0

    def lean(self, meant: bytes, weight: float) -> None:
        """Of what is found, let the nearest in meaning gain."""
        self._meant, self._weight = meant, weight

    @property
    def words(self) -> list[str]:
        """Words to look for in a text, to show the part of it that was found."""
        return [word for term in self._query.terms for word in term.words]

    def ids(self, limit: int) -> list[int]:
        """Ids of the messages found, best first."""
        if not self._query.terms:
            self._score_literally(limit)
            self._score_times()
        else:
            self._score_words(limit)
            if self._spans and not self.scores:
                self._score_times()
        self._settle()
        return mixed(self.scores, self._sessions)[:limit]

    def note(self, found: bool) -> str:
        """What a person should know about how this was searched; empty for nothing."""
        nowhere = [
            term.words[0]
            for term in self._query.terms
            if term.words and term.match not in self._found and term.weight >= 1
        ]
        if not found:
            return ""
        if nowhere:
            return "nowhere in here: " + ", ".join(dict.fromkeys(nowhere))
        return "" if self._all_held else "no message holds all of it; these come nearest"

    # --- scoring -----------------------------------------------------------------------------

    def _score_words(self, limit: int) -> None:
        index = Index(self._c, self._query, self._base)
        postings = index.read(self._query.terms)
        if not postings and self._query.required:
            self._query = self._query.relaxed()
            index = Index(self._c, self._query, self._base)
            postings = index.read(self._query.terms)
        if (
            self._query.question
            and self._query.characters
            and sum(len(one.rows) for one in postings) < 50
        ):
            postings += index.read(_singles(self._query))
        if self._spans:
            index.read_in(postings, within(self._c, self._spans, self._base), _DAY_ROWS)
        index.learn(postings)
        ranking = Ranking(index, beside=self._query.question)
        for one in postings:
            self._found.add(one.term.match)
            ranking.add(one)
        self._all_held = ranking.most_terms >= sum(t.weight >= 1 for t in self._query.terms)
        best = ranking.finish(self._candidates(limit))
        if self._query.without or self._query.required:
            best = [id_ for id_ in best if ranking.holds(id_)]
        self.scores = {id_: ranking.messages[id_] for id_ in best}

    def _candidates(self, limit: int) -> int:
        if self._spans or self._base.sql:
            return 4 * _CANDIDATES
        return max(_CANDIDATES if self._query.question else 60, 2 * limit)

    def _score_times(self) -> None:
        """No words, only times or filters: what was said then."""
        only = within(self._c, self._spans, self._base) if self._spans else self._base
        rows: Any = self._c.execute(
            f"SELECT m.id, m.kind FROM recall_message m JOIN recall_block b"
            f" ON b.block = m.id >> {PLACE_BITS} WHERE m.id BETWEEN ? AND ?"
            f" AND {only.sql or '1'} ORDER BY m.id DESC LIMIT {_DAY_ROWS}",
            (only.first, only.last, *only.values),
        )
        self.scores |= {id_: _OF_A_DAY.get(kind, 0.5) for id_, kind in rows}

    def _score_literally(self, limit: int) -> None:
        """Whoever looks up `yesterday` may mean the word."""
        if not self._query.spans or self._query.question:
            return
        asked, spans = self._query, self._spans
        self._query, self._spans = asked.literal(), ()
        if self._query.terms:
            self._score_words(limit)
        self._query, self._spans = asked, spans
        self.scores = {id_: 0.3 * score for id_, score in self.scores.items()}

    def _settle(self) -> None:
        """Drop what is not there or may not be seen, count times, recency and automation."""
        rows = list(_rows(self._c, list(self.scores), self._base))
        newest = max((ts for _, ts, *_ in rows), default=0.0)
        oldest = min((ts for _, ts, *_ in rows), default=0.0)
        settled: Scores = {}
        for id_, ts, key, origin in rows:
            score = self.scores[id_] + _RECENT * (ts - oldest) / ((newest - oldest) or 1)
            score += max((_time_bonus(ts, span) for span in self._spans), default=0.0)
            score *= _AUTOMATED if origin in AUTOMATION else 1.0
            settled[id_] = score
            self._sessions[id_] = key
        self._look_inside(settled)
        if self._meant:
            best = sorted(settled, key=settled.__getitem__, reverse=True)[:_READ]
            for id_, near in nearer(self._c, self._meant, best).items():
                settled[id_] += self._weight * near
        self.scores = settled

    def _look_inside(self, scores: Scores) -> None:
        """Of the best, read the text: does it hold what the question asks for?"""
        wanted = self._query.characters
        answer = answers(self._query.text)
        if not wanted and answer is None:
            return
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:_READ]
        for hit, id_ in zip(hits_of(self._c, best, scores, whole=True), best, strict=True):
            if wanted:
                scores[id_] += _CHARACTERS * len(wanted.intersection(hit.text)) / len(wanted)
            if answer is not None and answer.search(hit.text[:4000]):
                scores[id_] += _ANSWERS


def _rows(c: apsw.Connection, ids: list[int], base: Where) -> Any:
    """(id, time, session, origin) of the messages that exist and may be seen."""
    sql = (
        "SELECT m.id, m.ts, b.session, s.origin FROM json_each(?) j"
        " CROSS JOIN recall_message m ON m.id = j.value"
        f" CROSS JOIN recall_block b ON b.block = m.id >> {PLACE_BITS}"
        " CROSS JOIN session s ON s.key = b.session"
    )
    return c.execute(sql + f" WHERE {base.sql}" * bool(base.sql), (json.dumps(ids), *base.values))


def _oldest(c: apsw.Connection) -> float:
    row: Any = c.execute("SELECT min(created) FROM session WHERE created > 0").fetchone()
    return float(row[0] or time.time())


def _time_bonus(ts: float, span: Span) -> float:
    """What a message gains by when it was said: what happened is told then, or soon after."""
    days = (span.end - span.start) / 86_400
    late = (ts - span.end) / 86_400
    if span.start <= ts < span.end:
        return 2.0 if days < 3 else 0.8 if days < 40 else 0.1
    if days < 3:
        if 0 <= late <= 10:
            return 1.2 * (1 - (late + 1) / 14)
        return 0.2 if 0 < (span.start - ts) / 86_400 <= 2 else 0.0
    if days < 40 and 0 <= late <= 14:
        return 0.8 * (0.8 - late / 28)
    return 0.0


def _singles(query: Query) -> list[Term]:
    """The characters of a question by themselves, for when its pairs find little."""
    return [
        Term(match=f'"{one}" *', weight=0.3)
        for one in sorted(query.characters)
        if not "\u3040" <= one <= "\u309f"
    ][:12]
