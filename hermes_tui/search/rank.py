"""Which messages answer best: by what they hold, what stands around them, and their session.

A message counts what it holds itself and, less, what its neighbours hold, each term once: the
answer often stands beside the words of the question. Its session counts as a whole. Times that
the question speaks of and names in it lift the sessions they belong to; they never filter.
The weights were set by hand on dated conversations and checked on our own set (tests/data/recall).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from hermes_tui.search.reading import Index, Postings, rarity
from hermes_tui.store.message_index import ASKS, KIND_BITS, OTHER, PLACE_BITS, TOOL

Scores = dict[int, float]

_NEAR = ((1, 0.5), (-1, 0.5), (2, 0.35), (-2, 0.25))
"""(messages away, share of a hit that counts there)"""
_SATURATION, _LENGTH = 1.4, 0.4
_SESSION_SATURATION, _SESSION_LENGTH = 1.2, 0.4
_OWN, _BEST, _WHOLE, _NAMED = 0.2, 0.3, 0.8, 0.9
_KIND = {TOOL: 0.5, OTHER: 0.7}
_QUESTION = 0.9
_SAME = 0.06
"""What each further message of one session loses, so that others get a word in."""


class Ranking:
    """Scores of messages by id, and of their sessions by key, best is highest.

    beside: what stands beside a hit may be the answer.
    """

    def __init__(self, index: Index, *, beside: bool) -> None:
        self.messages: Scores = {}
        self.sessions: Scores = {}
        self.named: Scores = {}
        self._index = index
        self._beside = beside
        self._held: dict[int, float] = defaultdict(float)
        self._wholes: list[tuple[float, Scores]] = []
        self._terms: dict[int, int] = defaultdict(int)
        self._around: dict[int, float] = defaultdict(float)

    def add(self, postings: Postings) -> None:
        """Count one term in."""
        weight = rarity(postings.held, self._index.count) * postings.term.weight
        around: Scores = {}
        blocks = self._index.blocks
        by_session: dict[int, float] = defaultdict(float)
        for row, packed in postings.rows:
            worth = weight * self._worth(row, packed)
            id_ = row >> KIND_BITS
            self._held[id_] += worth
            self._terms[id_] += 1
            by_session[blocks[id_ >> PLACE_BITS]] += worth
            if self._beside:
                self._spread(around, id_, worth)
            else:
                around[id_] = worth
        for id_, worth in around.items():
            self._around[id_] += worth
        share = rarity(len(by_session), max(len(by_session), self._index.sessions))
        share *= postings.term.weight
        self._wholes.append((share, {key: worth / weight for key, worth in by_session.items()}))
        if postings.term.name:
            for key in by_session:
                self.named[key] = self.named.get(key, 0.0) + share

    @property
    def most_terms(self) -> int:
        """How many terms the message with the most of them holds."""
        return max(self._terms.values(), default=0)

    def session(self, id_: int) -> int:
        """The key of a message's session."""
        return self._index.blocks[id_ >> PLACE_BITS]

    def _three_best(self, scores: Scores) -> Scores:
        by_session: dict[int, list[float]] = defaultdict(list)
        for id_, worth in scores.items():
            by_session[self.session(id_)].append(worth)
        return {key: _halving(values) for key, values in by_session.items()}

    def holds(self, id_: int) -> bool:
        """Whether a message holds anything of the query itself."""
        return id_ in self._terms

    def _worth(self, row: int, packed: int) -> float:
        hits, length = packed >> 16, packed & 65_535
        long = 1 - _LENGTH + _LENGTH * length / self._index.average
        worth = hits * (_SATURATION + 1) / (hits + _SATURATION * long)
        worth *= _KIND.get(row & 3, 1.0)
        return worth * _QUESTION if row & ASKS else worth

    def _spread(self, around: Scores, id_: int, worth: float) -> None:
        if worth > around.get(id_, 0.0):
            around[id_] = worth
        here = self._index.blocks.get(id_ >> PLACE_BITS)
        for step, share in _NEAR:
            near, other = share * worth, id_ + step
            if near <= around.get(other, 0.0):
                continue
            if (id_ ^ other) >> PLACE_BITS == 0 or self._index.blocks.get(
                other >> PLACE_BITS
            ) == here:
                around[other] = near

    def _whole(self) -> Scores:
        """Sessions by what all their messages hold together."""
        scores: Scores = defaultdict(float)
        keys = {key for _, often in self._wholes for key in often}
        lengths = self._index.lengths(keys)
        for share, held in self._wholes:
            for key, often in held.items():
                long = 1 - _SESSION_LENGTH + _SESSION_LENGTH * lengths.get(key, 1.0)
                limit = often + _SESSION_SATURATION * long
                scores[key] += share * often * (_SESSION_SATURATION + 1) / limit
        return scores

    def finish(self, most: int) -> list[int]:
        """Work out all scores, relative to the best; ids of the best `most` messages, unordered."""
        ids = self._around
        held = self._held
        whole = {id_: worth + _OWN * held.get(id_, 0.0) for id_, worth in ids.items()}
        best = self._three_best(whole)
        top, top_best = max(whole.values(), default=0) or 1, max(best.values(), default=0) or 1
        whole_sessions = self._whole()
        top_whole = max(whole_sessions.values(), default=0) or 1
        top_named = max(self.named.values(), default=0) or 1
        self.sessions = {
            key: _BEST * best[key] / top_best
            + _WHOLE * whole_sessions.get(key, 0.0) / top_whole
            + _NAMED * self.named.get(key, 0.0) / top_named
            for key in best
        }
        self.messages = {
            id_: worth / top + self.sessions[self.session(id_)] for id_, worth in whole.items()
        }
        ranked = sorted(self.messages, key=self.messages.__getitem__, reverse=True)
        return ranked[:most]


def mixed(scores: Scores, sessions: dict[int, int]) -> list[int]:
    """Ids, best first, where each further message of one session counts a little less.

    sessions: the session of each id.
    """
    seen: dict[int, int] = defaultdict(int)
    lowered: Scores = {}
    for id_ in sorted(scores, key=scores.__getitem__, reverse=True):
        key = sessions[id_]
        lowered[id_] = scores[id_] - _SAME * seen[key]
        seen[key] += 1
    return sorted(lowered, key=lowered.__getitem__, reverse=True)


def _halving(values: Iterable[float]) -> float:
    return sum(worth * 0.5**i for i, worth in enumerate(sorted(values, reverse=True)[:3]))
