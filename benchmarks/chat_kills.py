"""Chats killed at any point, many times for each platform: what was lost, doubled, marked.

python benchmarks/chat_kills.py [--runs 100] [--first 0] [--write] [PLATFORM ...]

Each run: a core with one platform (a loopback server, the real client library) gets three
messages and is killed with kill -9 one to three times, each time when a drawn number of points
between receiving and recording has been passed; the next core has to answer what is left. Two
runs go at a time. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from hermes_tui.home import Home
from tests.crash.chats_runs import MESSAGES, Lives, Outcome, lived, settle
from tests.fakes.scripted_model import ScriptedModel
from tests.gateways.contract import RIGS

MOST_POINTS = 25
PARALLEL = 2
SLOW_S = 15.0
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- chat kills: begin -->", "<!-- chat kills: end -->"
HEAD = (
    "| platform | runs | kills | messages | lost | doubled | of these not marked |"
    "\n|---|--:|--:|--:|--:|--:|--:|"
)


async def some(platform: str, seeds: Iterator[int]) -> list[Outcome]:
    """Runs one after the other while there are seeds; each has servers and a home of its own."""
    found: list[Outcome] = []
    async with AsyncExitStack() as stack:
        lives: Lives | None = None
        for seed in seeds:
            async with ScriptedModel() as scripted, import_module(RIGS[platform]).rig() as rig:
                folder = Path(stack.enter_context(TemporaryDirectory(prefix="hermes-kills-")))
                home = Home(folder / "home")
                settle(home, scripted.url, rig)
                if lives is None:
                    lives = await Lives.begin(home, rig.platform, rig.environment())
                    stack.push_async_callback(lives.close)
                rng = random.Random(f"{platform} {seed}")
                began = time.monotonic()
                found.append(await lived(lives, rig, scripted, home, rng, MOST_POINTS))
            took = time.monotonic() - began
            if found[-1].lost or found[-1].unmarked or took > SLOW_S:
                print(f"{platform} {seed}: {took:.1f} s {found[-1]}", flush=True)
    return found


async def many(platform: str, numbers: range) -> list[Outcome]:
    """All runs of a platform; what went wrong is printed as it comes."""
    seeds = iter(numbers)
    found = await asyncio.gather(*(some(platform, seeds) for _ in range(PARALLEL)))
    return [one for part in found for one in part]


def row(platform: str, found: Sequence[Outcome]) -> str:
    """A platform's row of the table."""
    kills = sum(len(outcome.points) for outcome in found)
    figures = (
        len(found),
        kills,
        MESSAGES * len(found),
        sum(outcome.lost for outcome in found),
        sum(outcome.doubled for outcome in found),
        sum(outcome.unmarked for outcome in found),
    )
    return f"| {platform} | " + " | ".join(map(str, figures)) + " |"


def write(rows: list[str]) -> None:
    """Put the table into the page, in place of the one before."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    day = time.strftime("%d %B %Y")
    table = "\n".join([f"Taken on {day}.", "", HEAD, *rows])
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")


def main() -> int:
    """Run, print, write; 1 when a message was lost, or doubled with nobody saying so."""
    parser = argparse.ArgumentParser()
    parser.add_argument("platforms", nargs="*", default=[name for name in RIGS if "_" not in name])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    rows: list[str] = []
    bad = 0
    print(HEAD)
    for platform in chosen.platforms:
        found = asyncio.run(many(platform, range(chosen.first, chosen.first + chosen.runs)))
        rows.append(row(platform, found))
        print(rows[-1], flush=True)
        points = Counter(point for outcome in found for point in outcome.points)
        print("  killed at", dict(sorted(points.items())), flush=True)
        bad += sum(outcome.lost + outcome.unmarked for outcome in found)
    if chosen.write:
        write(rows)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
