"""How much learning helps when a task returns, and what is left of mistakes. No real model.

A core of its own home, and a model that does what a skill says to the letter, and without one
goes a made-up hard way first. Ten kinds of task, each met three times and once varied.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import msgspec
from measure import Figure

from hermes_tui.config import LearningConfig
from hermes_tui.configuration.load import load
from hermes_tui.events import ToolEnded, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import (
    AnswerSkillProposal,
    ListSkillProposals,
    OpenSession,
    ReviewLearning,
    Send,
    ShowLearning,
    Standing,
)
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.store import learning as rows
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, call, say

THINGS = (
    ("invoice", "customers"), ("greenhouse", "sensors"), ("podcast", "episodes"),
    ("library", "loans"), ("bakery", "orders"), ("ferry", "timetables"), ("museum", "tickets"),
    ("orchard", "harvests"), ("choir", "rehearsals"), ("workshop", "repairs"),
)  # fmt: skip
"""What the tasks are about."""


class Scripted:
    """The model."""

    def __init__(self) -> None:
        self.looks = 0
        self.tools: tuple[str, ...] = ()

    def __call__(self, asked: Asked) -> Reply | str:
        first, last = asked.messages[0]["content"], asked.messages[-1]["content"]
        if first.startswith("You rehearse"):
            return "\n".join(f"run_command: {one}" for one in _commands(last)) or "none"
        if "[Looking back." in last:
            self.looks += 1
            return _skill(last if "The correction" in last else _task_of(asked))
        return self._work(asked)

    def _work(self, asked: Asked) -> Reply | str:
        begun = max(n for n, one in enumerate(asked.messages) if one["role"] == "user")
        said, since = asked.messages[begun]["content"], asked.messages[begun + 1 :]
        results = [one["content"] for one in since if one["role"] == "tool"]
        name = f"{_thing(said)}-report"
        offered = f"- {name}:" in said
        if offered and not results:
            return call("use_skill", name=name)
        own = list(self.tools) or _hard_way(_thing(said))
        todo = _commands(results[0]) if offered and results else own
        at = len(results) - offered
        return call("run_command", command=todo[at]) if at < len(todo) else say("Done.")


def _hard_way(thing: str) -> list[str]:
    return ["ls", f"cat {thing}.old", f"test -d {thing}", "pwd", *_way(thing)]


def _way(thing: str) -> list[str]:
    return [f"touch {thing}.csv", f"ls {thing}.csv"]


def _thing(text: str) -> str:
    asked = text.partition("\n\n[")[0]  # skills on other things may stand beside it
    return next((one for one, _ in THINGS if one in asked), "nothing")


def _task_of(asked: Asked) -> str:
    return " ".join(one["content"] for one in asked.messages if one["role"] == "user")


def _skill(text: str) -> str:
    thing = _thing(text)
    what = dict(THINGS)[thing]
    steps = "\n".join(f"{n}. `{one}`" for n, one in enumerate(_way(thing), 1))
    return (
        f"NEW {thing}-report\nBECAUSE two ways failed first\n---\nname: {thing}-report\n"
        f"description: Draws up the {thing} report on {what}. Use for {thing} reports.\n---\n\n"
        f"# The {thing} report on {what}\n\n{steps}\n"
    )


def _commands(text: str) -> list[str]:
    return re.findall(r"^\d+\. `([^`]+)`", text, re.M)


class Loop:
    """A core, a face and the model's side."""

    def __init__(self, core: Core, model: ScriptedModel, script: Scripted, folder: Path) -> None:
        self.core, self.model, self.script = core, model, script
        self.folder = folder
        self.client = LocalClient(core, through_codec=True)

    async def task(self, text: str) -> tuple[int, rows.Row]:
        """One turn in a session of its own: tool calls, and what came of looking back."""
        standing = Standing(cwd=str(self.folder), env={"PATH": "/usr/bin:/bin"})
        view = await self.client.ask(OpenSession(which="new", standing=standing))
        await self.client.ask(Send(session=view.info.id, text=text))
        calls = 0
        async for record in self.client.events():
            calls += isinstance(record.event, ToolEnded)
            if isinstance(record.event, TurnEnded):
                break
        return calls, await self._looked(view.info.id)

    async def _looked(self, session: str) -> rows.Row:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            row = await self.core.db.read(lambda c: rows.row_of(c, session, 1))
            if row is not None and (row.result or not row.occasion):
                return row
            await asyncio.sleep(0.005)
        raise TimeoutError(session)

    async def accept_all(self) -> int:
        """Let in what was proposed."""
        waiting = (await self.client.ask(ListSkillProposals())).proposals
        for one in waiting:
            await self.client.ask(AnswerSkillProposal(id=one.id, accept=True))
        return len(waiting)


async def loop_figures() -> list[Figure]:
    """All figures of the loop."""
    with tempfile.TemporaryDirectory(prefix="hermes-learning-") as place:
        home = Home(Path(place) / "home").ensure()
        folder = Path(place) / "work"
        folder.mkdir()
        script = Scripted()
        async with ScriptedModel() as model:
            model.answer = script
            home.config.write_text(f"model:\n  name: scripted\n  base_url: {model.url}\n")
            config = load(home, {}).config
            agent = msgspec.structs.replace(config.agent, mode="yolo")
            learning = LearningConfig(wait_s=0.0, calls_per_day=1000)
            config = msgspec.structs.replace(config, agent=agent, learning=learning)
            core = await Core(home, config, headless=True).start(listen=False)
            try:
                loop = Loop(core, model, script, folder)
                return [
                    *await _silent(loop),
                    *await _meetings(loop),
                    *await _edits(loop),
                    *await _poison(loop),
                ]
            finally:
                await core.end("measured")


async def _silent(loop: Loop) -> list[Figure]:
    """Talk and small work that no skill is needed for."""
    extra = grown = 0
    for text in ("hello", "what is seven times six?", "thanks"):
        loop.script.tools = ("true",) if "seven" in text else ("pwd", "ls")
        before = len(loop.model.requests)
        calls, _ = await loop.task(text)
        sent = loop.model.requests[before:]
        extra += len(sent) - calls - 1
        said = [one for one in sent[0].messages if one["role"] == "user"][-1]["content"]
        grown += "kill" in said or "Looking back" in said
    loop.script.tools = ()
    return [
        Figure("model calls for learning where nothing is to be learned", extra, "", 0.0),
        Figure("requests that grew where no skill is needed", grown, "", 0.0),
    ]


async def _meetings(loop: Loop) -> list[Figure]:
    """Every task three times and once varied."""
    met: dict[int, int] = {1: 0, 2: 0, 3: 0}
    varied = worse = 0
    for thing, what in THINGS:
        text = f"draw up the {thing} report on all {what} of this month"
        for meeting in met:
            calls, _ = await loop.task(text)
            met[meeting] += calls
            await loop.accept_all()
        calls, _ = await loop.task(f"the {thing} report for last year, {what} by name please")
        varied += calls
        worse += calls > len(_hard_way(thing))
    first = met[1] or 1
    report = await loop.client.ask(ShowLearning())
    return [
        Figure("tool calls at the second meeting, of the first", met[2] / first, "×", 0.6),
        Figure("at the third", met[3] / first, "×", 0.6),
        Figure("for a varied task", varied / first, "×", 1.0),
        Figure("varied tasks that got worse", worse, "", 0.0, f"{len(THINGS)} tasks"),
        Figure("model calls for learning, a task met four times", report.asked / len(THINGS), ""),
        Figure("skills learned of tasks met", len(report.skills) / len(THINGS), "×"),
    ]


async def _edits(loop: Loop) -> list[Figure]:
    """Edits on disk that make a skill worse, one after the other; then honest ones."""
    kept = false = 0
    for thing, _ in THINGS:
        file = loop.core.home.skills / ".learned" / f"{thing}-report" / "SKILL.md"
        good = file.read_text()
        for bad in (
            "TODO\n",
            good.replace("1. `touch", "1. `rm"),
            good.replace(f" {thing}.csv", " x"),
        ):
            head = good[: good.index("# The")]
            file.write_text(bad if bad.startswith("---") else head + bad)
            await loop.client.ask(ReviewLearning())
            kept += file.read_text() != good
            file.write_text(good)
            await loop.client.ask(ReviewLearning())
        honest = good + "\nSay who read it.\n"
        file.write_text(honest)
        await loop.client.ask(ReviewLearning())
        false += file.read_text() != honest
    return [
        Figure("bad edits on disk not undone by one review", kept, "", 0.0, "30 edits"),
        Figure("honest edits undone", false, "", 0.0, "10 edits"),
    ]


async def _poison(loop: Loop) -> list[Figure]:
    """Tools that fail for a while and then work."""
    names = [f"./gone{n}" for n in range(10)]
    for name in names:
        loop.script.tools = (name, name)
        await loop.task(f"have {name} done")
    planted = (await loop.client.ask(ShowLearning())).notes
    bans = sum("try it as usual" not in one.text or not one.expires for one in planted)
    for name in names:
        (loop.folder / name).write_text("#!/bin/sh\n")
        (loop.folder / name).chmod(0o755)
        loop.script.tools = (name,)
        await loop.task(f"have {name} done")
    left = (await loop.client.ask(ShowLearning())).notes
    return [
        Figure("notes of failures without condition or end", bans, "", 0.0, f"of {len(planted)}"),
        Figure("notes left once the tools work again", len(left), "", 0.0),
    ]


def loop_of(_: Any = None) -> list[Figure]:
    """The figures, for a program that is not asynchronous."""
    return asyncio.run(loop_figures())


if __name__ == "__main__":
    for one in loop_of():
        print(json.dumps(msgspec.to_builtins(one)))
