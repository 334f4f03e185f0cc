"""On a hundred invented sessions full of look-alikes, questions find what answers them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass

from hermes_tui.search.answer import fit
from hermes_tui.search.index import Asking, look
from hermes_tui.store.log import Log
from tests.data.recall.talks import Talk, talks
from tests.search.scenes import put_talk

NOW = 1_780_000_000.0
"""In May 2026, after all of it."""


@dataclass
class Score:
    """How many questions there were, and how many found session or message early enough."""

    asked: int = 0
    empty: int = 0
    session_1: int = 0
    session_5: int = 0
    turn_10: int = 0
    in_4_kb: int = 0

    def share(self, name: str) -> float:
        """The share of the questions."""
        return getattr(self, name) / self.asked


async def measured(log: Log, every: list[Talk]) -> dict[str, Score]:
    scores: dict[str, Score] = defaultdict(Score)
    for talk in every:
        for place, turn in enumerate(talk.turns, 1):
            for question in turn.asked:
                score = scores[talk.lang]
                score.asked += 1
                answer = f"{talk.id}/{place}"
                hits = (await look(log.db, Asking(text=question, limit=50, now=NOW))).hits
                sessions = list(dict.fromkeys(hit.session for hit in hits))
                score.empty += not hits
                score.session_1 += sessions[:1] == [talk.id]
                score.session_5 += talk.id in sessions[:5]
                score.turn_10 += answer in [hit.message for hit in hits[:10]]
                score.in_4_kb += answer in [hit.message for hit in fit(list(hits), 4096)]
    return scores


async def test_questions_find_what_answers_them_among_look_alikes(log: Log) -> None:
    every = talks()
    await asyncio.gather(*(put_talk(log, talk) for talk in every))
    scores = await measured(log, every)
    assert len(every) >= 100
    assert sum(score.asked for score in scores.values()) >= 150
    for lang, score in scores.items():
        assert score.empty == 0, lang
        assert score.share("session_1") >= 0.92, (lang, score)
        assert score.share("session_5") >= 0.95, (lang, score)
        assert score.share("turn_10") >= 0.93, (lang, score)
        assert score.share("in_4_kb") >= 0.93, (lang, score)
