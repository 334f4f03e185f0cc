"""Seeded runs of one platform: messages come in, the core is killed again and again, and then
everything must have been answered once.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections import Counter
from collections.abc import Awaitable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
from msgspec import Struct

from hermes_tui.home import Home
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, say
from tests.gateways.contract import Rig

LIMIT_S = 30.0
LIFE_S = 8.0
MESSAGES = 3


class Outcome(Struct, frozen=True, kw_only=True):
    """lost: messages without an answer; doubled: answers that came twice; unmarked: of these,
    how many nobody marked as in doubt. points: where it was killed.
    """

    lost: int
    doubled: int
    unmarked: int
    points: tuple[str, ...]


class Lives:
    """The process that forks lives. It serves any number of runs of a platform, one by one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def begin(cls, home: Home, platform: str, env: dict[str, str]) -> Lives:
        """Have everything imported."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.crash.chats_lives", str(home.path), platform),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **env},
        )
        lives = cls(process)
        assert await lives.heard() == "ready"
        return lives

    def ask(self, line: str) -> None:
        """Begin a life, or end it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    async def heard(self) -> str:
        """The next line."""
        assert self._process.stdout is not None
        return (await self._process.stdout.readline()).decode().strip()

    async def over(self, begun: Awaitable[str] | None = None) -> list[str]:
        """End the life; what was said of it. begun: a line that is waited for already."""
        self.ask("end")
        lines = [await (begun or self.heard())]
        while lines[-1] != "over":
            lines.append(await self.heard())
        return lines[:-1]

    async def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()


def settle(home: Home, url: str, rig: Any) -> None:
    """The settings of a home with one platform; with a port if the platform calls."""
    home.ensure()
    port = rig.listening() if hasattr(rig, "listening") else 0
    home.config.write_text(
        f"model:\n  name: scripted\n  base_url: {url}\n"
        f"gateways:\n  folder: {home.path.parent / 'work'}\n  gather_s: 0.01\n"
        f"http:\n  port: {port}\n  api: false\n"
        f"{rig.platform}:\n  enabled: true\n  owners: ['{rig.owner}']\n"
        + "".join(f"  {line}\n" for line in rig.settings())
    )


def echo(asked: Asked) -> Reply:
    """Answer with what was said since the last answer: two inputs may have become one turn."""
    messages = asked.json["messages"]
    answers = [n for n, one in enumerate(messages) if one["role"] == "assistant"]
    fresh = messages[answers[-1] + 1 :] if answers else messages
    said = [one["content"] for one in fresh if one["role"] == "user"]
    text = " ".join(_words(one) for one in said)
    marks = [word for word in text.split() if word.startswith("mark")]
    return say("heard " + " ".join(marks) + ".")


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content)


async def run(rig: Rig, scripted: ScriptedModel, folder: Path, seed: int, most: int) -> Outcome:
    """One run. most: how many points a life may pass before it is killed."""
    home = Home(folder / "home")
    settle(home, scripted.url, rig)
    lives = await Lives.begin(home, rig.platform, rig.environment())
    try:
        return await lived(lives, rig, scripted, home, random.Random(seed), most)
    finally:
        await lives.close()


async def lived(
    lives: Lives, rig: Rig, scripted: ScriptedModel, home: Home, rng: random.Random, most: int
) -> Outcome:
    """One run in a home whose settings are there."""
    scripted.answer = echo
    marks = [f"mark{n}" for n in range(MESSAGES)]
    points: list[str] = []
    waiting = list(marks)
    for _ in range(rng.randint(1, 3)):
        lives.ask(f"{rng.randint(1, most)} {home.path}")
        if waiting:
            await rig.says(f"please {waiting.pop(0)}")
        points += await _killed(lives, rig, home, marks[: len(marks) - len(waiting)])
    for mark in waiting:
        await rig.says(f"please {mark}")
    lives.ask(f"0 {home.path}")
    await _answered(rig, home, marks, LIMIT_S)
    await lives.over()
    return _judged(rig, home, marks, tuple(points))


async def _killed(lives: Lives, rig: Rig, home: Home, told: list[str]) -> list[str]:
    """Wait until the life was killed; one that has nothing left to do is ended."""
    dying = asyncio.ensure_future(lives.heard())
    done = asyncio.ensure_future(_answered(rig, home, told, LIFE_S))
    await asyncio.wait([dying, done], return_when=asyncio.FIRST_COMPLETED)
    done.cancel()
    await asyncio.wait([done])
    lines = await lives.over(dying)
    return [line for line in lines if not line.startswith("ended")]


async def _answered(rig: Rig, home: Home, marks: list[str], limit_s: float) -> None:
    end = asyncio.get_running_loop().time() + limit_s
    while asyncio.get_running_loop().time() < end:
        if set(marks) <= set(said(rig)) and not _open(home):
            return
        await asyncio.sleep(0.02)


def said(rig: Rig) -> Counter[str]:
    """How often each mark is to be read in what was sent, as it stands."""
    words = Counter[str]()
    for text in shown(rig).values():
        if not text.endswith("…"):
            words.update(word.strip(".") for word in text.split() if word.startswith("mark"))
    return words


def shown(rig: Rig) -> dict[str, str]:
    """What a person sees in the chats of a platform: message → its text as it stands."""
    return {one.proof: one.text for one in rig.sent()} | dict(rig.edited())


def _database(home: Home) -> apsw.Connection:
    return apsw.Connection(str(home.database), flags=apsw.SQLITE_OPEN_READONLY)


def _open(home: Home) -> int:
    with closing(_database(home)) as db:
        query = (
            "SELECT (SELECT count(*) FROM outbox WHERE state IN ('waiting', 'sending'))"
            " + (SELECT count(*) FROM inbox WHERE state = 'waiting')"
        )
        return int(db.execute(query).get or 0)


def _judged(rig: Rig, home: Home, marks: list[str], points: tuple[str, ...]) -> Outcome:
    words = said(rig)
    with closing(_database(home)) as db:
        rows = list(db.execute("SELECT text, doubt FROM outbox"))
    doubtful = " ".join(str(text) for text, doubt in rows if doubt)
    twice = [mark for mark in marks if words[mark] > 1]
    return Outcome(
        lost=sum(not words[mark] for mark in marks),
        doubled=len(twice),
        unmarked=sum(mark not in doubtful for mark in twice),
        points=points,
    )
