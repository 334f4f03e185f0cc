"""Search: how well on talks with known answers, and how fast in a large store.

As a suite of `run.py` it measures our own set (tests/data/recall) and a store of 100,000 messages.
By itself it takes other data:

python benchmarks/recall.py --talks FILE.json [--messages N --corpus FOLDER]

FILE: {"sessions": [{"id", "started_at", "turns": [{"id", "role", "text", "ts"}]}], "questions":
[{"q", "category", "evidence": [turn ids]}]}; category `adversarial` is left out. FOLDER holds a
`corpus.py` with `Corpus(n)`: `rows()` of (role, text, tool), `queries()` of (name, text), `truth`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from measure import Bench, Figure

from hermes_tui.events import MessageImported, Record, SessionStarted
from hermes_tui.intents import Hit, SessionInfo
from hermes_tui.search import meaning
from hermes_tui.search.answer import OVERHEAD, hits_of
from hermes_tui.search.index import Asking, look, search
from hermes_tui.search.meaning import pack
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log
from tests.fakes.embedder import Embedder

A_SESSION, A_COMMIT = 50, 25
MADE = 100_000
QUESTIONS = (
    "what did we say about the error in the file last week",
    "how do we fix the test run that needs a new file",
    "which code file has the retry limit and the error?",
    "我们什么时候讨论过系统测试的错误问题",
)


@dataclass(frozen=True)
class Question:
    """A question and the ids of the messages that answer it."""

    text: str
    evidence: frozenset[str]


async def fill(log: Log, sessions: Iterable[tuple[str, float, list[Any]]]) -> tuple[int, int]:
    """Store sessions of (id, role, text, time) rows; (messages, bytes of text)."""
    count = size = 0
    for name, started, rows in sessions:
        first = SessionStarted(origin="import")
        info = SessionInfo(id=name, created=started, updated=started)
        key = await log.create(info, [Record(session=name, n=1, ts=started, event=first)])
        records = [
            Record(session=name, n=n, ts=ts, event=MessageImported(message_id=i, role=r, text=t))
            for n, (i, r, t, ts) in enumerate(rows, 2)
        ]
        parts = [records[at : at + A_COMMIT] for at in range(0, len(records), A_COMMIT)]
        await asyncio.gather(*(log.append(key, part) for part in parts))
        count += len(records)
        size += sum(len(text.encode()) for _, _, text, _ in rows)
    return count, size


def shares(
    found: list[tuple[Question, tuple[Hit, ...]]], session: dict[str, str]
) -> dict[str, float]:
    """Mean share of the evidence among the first sessions, messages and bytes."""
    totals: dict[str, float] = dict.fromkeys(
        ("session r@1", "session r@5", "turn r@10", "in 4 KB", "empty"), 0.0
    )
    for question, hits in found:
        places = {session[one] for one in question.evidence}
        sessions = list(dict.fromkeys(hit.session for hit in hits))
        totals["session r@1"] += len(places & set(sessions[:1])) / len(places)
        totals["session r@5"] += len(places & set(sessions[:5])) / len(places)
        messages = [hit.message for hit in hits]
        for name, some in (("turn r@10", messages[:10]), ("in 4 KB", _within(hits, 4096))):
            totals[name] += len(question.evidence & set(some)) / len(question.evidence)
        totals["empty"] += not hits
    return {name: total / len(found) for name, total in totals.items()}


def _within(hits: tuple[Hit, ...], budget: int) -> list[str]:
    kept: list[str] = []
    for hit in hits:
        budget -= len(hit.text.encode()) + OVERHEAD
        if budget < 0:
            break
        kept.append(hit.message)
    return kept


async def quality(
    folder: Path,
    sessions: list[tuple[str, float, list[Any]]],
    questions: list[Question],
    weight: float = 0.0,
) -> tuple[dict[str, float], list[float]]:
    """Shares, and milliseconds of each question. weight: of nearness in hashed trigrams, which
    stand for an embedding model where none can be had."""
    db = Database(folder / f"quality{weight}.db").open()
    await fill(Log(db), sessions)
    if weight:
        await _embed(db)
    place = {row[0]: name for name, _, rows in sessions for row in rows}
    found: list[tuple[Question, tuple[Hit, ...]]] = []
    times: list[float] = []
    for question in questions:
        meant = pack(Embedder().vector(question.text)) if weight else b""
        began = time.perf_counter()
        asking = Asking(text=question.text, limit=50, meant=meant, weight=weight)
        hits = (await look(db, asking)).hits
        times.append(1000 * (time.perf_counter() - began))
        found.append((question, hits))
    await db.close()
    return shares(found, place), times


async def _embed(db: Database) -> None:
    """Give every message its numbers."""
    ids = await db.read(lambda c: meaning.missing(c, 0, 1 << 50))
    scores = dict.fromkeys(ids, 0.0)
    hits = await db.read(lambda c: hits_of(c, ids, scores, whole=True))
    made = [(id_, pack(Embedder().vector(hit.text))) for id_, hit in zip(ids, hits, strict=True)]
    await db.write(lambda c: meaning.put(c, made))


def own_set() -> tuple[list[tuple[str, float, list[Any]]], list[Question]]:
    """The talks of the tests."""
    from tests.data.recall.talks import talks

    sessions: list[tuple[str, float, list[Any]]] = []
    questions: list[Question] = []
    for talk in talks():
        start = talk.start.timestamp()
        rows = [
            (f"{talk.id}/{n}", turn.role, turn.text, start + n) for n, turn in enumerate(talk.turns)
        ]
        sessions.append((talk.id, start, rows))
        for row, turn in zip(rows, talk.turns, strict=True):
            questions += [Question(one, frozenset({row[0]})) for one in turn.asked]
    return sessions, questions


def foreign_set(path: Path) -> tuple[list[tuple[str, float, list[Any]]], list[Question]]:
    """Talks of a file."""
    data = json.loads(path.read_text())
    sessions = [
        (s["id"], s["started_at"], [(t["id"], t["role"], t["text"], t["ts"]) for t in s["turns"]])
        for s in data["sessions"]
    ]
    known = {row[0] for _, _, rows in sessions for row in rows}
    questions = [
        Question(q["q"], frozenset(known.intersection(q["evidence"])))
        for q in data["questions"]
        if q["category"] != "adversarial" and known.intersection(q["evidence"])
    ]
    return sessions, questions


def made_rows(count: int) -> Iterator[tuple[str, str]]:
    """(role, text) of made-up messages: words by Zipf's law, every fifth in Chinese."""
    rnd = random.Random(5)
    head = ["error", "file", "test", "run", "code", "time", "new", "use", "data", "system"]
    words = head + [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in _TAILS]
    weights = [1 / (i + 3) for i in range(len(words))]
    han = [chr(0x4E00 + 7 * i) for i in range(2000)]
    for i in range(count):
        length = 8 + min(200, int(rnd.expovariate(1 / 35)))
        if i % 5 == 4:
            yield "user", "时间" * (i % 3 == 0) + "".join(rnd.choices(han, k=length))
        else:
            planted = " xylograph cfg_flush_limit lib/pump/valve.py" if i % 9973 == 0 else ""
            role = ("user", "assistant", "tool")[i % 3]
            yield role, " ".join(rnd.choices(words, weights, k=length)) + planted


_TAILS = [
    a + b
    for a in ("lan", "mer", "tok", "vis", "dor", "pel", "quin", "sar")
    for b in ("", "a", "ed", "ic", "on", "us", "ly", "ing", "er", "ism")
]
MADE_QUERIES = (
    *(("rare word", "xylograph"), ("common word", "error"), ("two words", "error file")),
    *(("phrase", '"error file"'), ("prefix", "xylog*"), ("identifier", "cfg_flush_limit")),
    *(("path", "lib/pump/valve.py"), ("two characters", "时间")),
)


def in_sessions(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, float, list[Any]]]:
    """Rows as sessions of fifty."""
    some: list[Any] = []
    for i, (role, text) in enumerate(rows):
        some.append((f"m{i}", role, text, 1.6e9 + 60 * i))
        if len(some) == A_SESSION:
            yield f"s{i}", some[0][3], some
            some = []
    if some:
        yield "last", some[0][3], some


async def speed(
    path: Path,
    rows: Iterable[tuple[str, str]],
    queries: Iterable[tuple[str, str]],
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Inserts a second, size of the store, milliseconds of each kind of query (95th percentile).

    clock: `time.process_time` where other programs are busy on the same processors.
    """
    db = Database(path).open()
    began = clock()
    count, size = await fill(Log(db), in_sessions(rows))
    seconds = clock() - began
    found = {"inserts a second": count / seconds}
    for name, text in [*queries, *(("a question", one) for one in QUESTIONS)]:
        times = [await _timed(db, text, clock) for _ in range(11)][1:]
        worst = statistics.quantiles(times, n=20)[-1]
        found[f"{name} (ms)"] = max(worst, found.get(f"{name} (ms)", 0.0))
    await db.close()
    found["store, times the text"] = await asyncio.to_thread(_size, path) / size
    return found


def _size(path: Path) -> int:
    return path.stat().st_size


async def _timed(db: Database, text: str, clock: Callable[[], float]) -> float:
    began = clock()
    await search(db, text, 20)
    return 1000 * (clock() - began)


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    got, times = asyncio.run(quality(bench.folder, *own_set()))
    rows = [Figure(f"recall, own set: {name}", value, "") for name, value in got.items()]
    rows.append(Figure("recall, own set: a question", statistics.median(times), "ms", 20))
    path = bench.folder / "speed.db"
    for name, value in asyncio.run(speed(path, made_rows(MADE), MADE_QUERIES)).items():
        limit = 60 if name.startswith("a question") else 20 if name.endswith("(ms)") else None
        rows.append(Figure(f"search in {MADE:,} messages: {name}", value, "", limit))
    return rows


def write(part: str, rows: Iterable[tuple[str, str, str]]) -> None:
    """Put a table into docs/learning.md, in place of the one between its two marks."""
    page = Path(__file__).parents[1] / "docs" / "learning.md"
    text = page.read_text("utf-8")
    begin, end = f"<!-- recall: {part} -->\n", "<!-- end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    lines = ["| what | measured | aim |", "|---|--:|--:|"]
    lines += [f"| {what} | {measured} | {aim} |" for what, measured, aim in rows]
    page.write_text(before + begin + "\n".join(["", *lines, "", ""]) + end + after, "utf-8")


def quality_rows(
    got: dict[str, float], near: dict[str, float], own: dict[str, float]
) -> list[tuple[str, str, str]]:
    """Of a table: bare questions on talks of others, on our own, and with numbers beside."""
    rows = [
        (f"{name}, dated talks of others", f"{value:.3f}", AIMS.get(name, ""))
        for name, value in got.items()
    ]
    rows += [(f"{name}, with hashed trigrams beside", f"{v:.3f}", "–") for name, v in near.items()]
    return rows + [(f"{name}, our own set", f"{value:.3f}", "–") for name, value in own.items()]


def speed_rows(found: dict[str, float], cpu: bool) -> list[tuple[str, str, str]]:
    """Of a table: how fast, and how large."""
    kind = "processor ms" if cpu else "ms"
    rows: list[tuple[str, str, str]] = []
    for name, value in found.items():
        limit = "60" if name.startswith("a question") else "20" if name.endswith("(ms)") else ""
        aim = limit or ("3,000" if name.startswith("inserts") else "3.0")
        shown = f"{value:,.0f}" if name.startswith("inserts") else f"{value:.1f}"
        rows.append((name.replace("_", " ").replace("(ms)", f"({kind})"), shown, aim))
    return rows


AIMS = {
    "session r@1": "0.65",
    "session r@5": "0.88",
    "turn r@10": "0.70",
    "in 4 KB": "0.77",
    "empty": "0.005",
}


def main() -> None:
    """Measure other data and print it."""
    parser = argparse.ArgumentParser(description="Measure search on other data.")
    parser.add_argument("--talks", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--messages", type=int, default=MADE)
    parser.add_argument("--cpu", action="store_true", help="processor time, on a busy machine")
    parser.add_argument("--weight", type=float, default=0.3, help="of the numbers")
    parser.add_argument("--write", action="store_true", help="into docs/learning.md")
    parser.add_argument("--no-speed", action="store_true", help="only how well")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        talks = foreign_set(chosen.talks) if chosen.talks else own_set()
        got, times = asyncio.run(quality(folder, *talks))
        print({key: round(value, 3) for key, value in got.items()})
        print(f"a question: {statistics.median(times):.1f} ms")
        near, _ = asyncio.run(quality(folder, *talks, chosen.weight))
        print("with hashed trigrams:", {key: round(value, 3) for key, value in near.items()})
        if chosen.write:
            (folder / "own").mkdir()
            own, _ = asyncio.run(quality(folder / "own", *own_set()))
            write("how well", quality_rows(got, near, own))
        if chosen.no_speed:
            return
        clock = time.process_time if chosen.cpu else time.perf_counter
        rows: Iterable[tuple[str, str]] = made_rows(chosen.messages)
        queries: Iterable[tuple[str, str]] = MADE_QUERIES
        if chosen.corpus:
            sys.path.insert(0, str(chosen.corpus))
            corpus = __import__("corpus").Corpus(chosen.messages)
            rows, queries = ((row[0], row[1]) for row in corpus.rows()), corpus.queries()
        found = asyncio.run(speed(folder / "speed.db", rows, queries, clock))
        for key, value in found.items():
            print(f"{key}: {value:.2f}")
        if chosen.write:
            write("how fast", speed_rows(found, chosen.cpu))


if __name__ == "__main__":
    main()
