"""The loop from outside: time between requests, calls at once, how much of a request repeats."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from measure import Bench, Figure, Screen

CALLS = '[[rounds=50 tool=run_command args={"command":"true"}]]'
TODO = '[[rounds=50 tool=todo args={"items":[{"text":"one"}]}]]'
SLEEPS = '[[rounds=1 parallel=8 tool=run_command args={"command":"sleep 1; echo %d"}]]'
NO_SANDBOX = "sandbox:\n  profile: full\n"
SHORT = '[[rounds=3 tool=run_command args={"command":"echo %d"}]]'


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    return [*_rounds(bench), _parallel(bench), *_prefix(bench), *_inside(bench)]


def _work(bench: Bench) -> Path:
    """A folder to work in, with a few files, as a project has them."""
    folder = bench.folder / "work"
    if not folder.exists():
        (folder / "src").mkdir(parents=True)
        for number in range(100):
            (folder / "src" / f"part_{number}.py").write_text(f"print({number})\n" * 200)
    return folder


def _gaps(bench: Bench, script: str, settings: str = "") -> float:
    bench.new_home(settings)
    run = bench.run("-z", f"go {script}", "--mode", "yolo", cwd=_work(bench))
    rows = bench.requests(run.began)
    assert len(rows) == 51, f"{len(rows)} requests"
    pairs = itertools.pairwise(rows)
    return 1000 * statistics.median(after["t0"] - before["t1"] for before, after in pairs)


def _rounds(bench: Bench) -> list[Figure]:
    inside = statistics.median(_gaps(bench, TODO) for _ in range(3))
    outside = statistics.median(_gaps(bench, CALLS, NO_SANDBOX) for _ in range(3))
    contained = statistics.median(_gaps(bench, CALLS) for _ in range(3))
    return [
        Figure("client time a tool round, in-process tool", inside, "ms", 4),
        Figure("client time a tool round, `run_command true` without sandbox", outside, "ms", 10),
        Figure("client time a tool round, `run_command true` in the sandbox", contained, "ms", 28),
    ]


def _parallel(bench: Bench) -> Figure:
    bench.new_home()
    run = bench.run("-z", f"go {SLEEPS}", "--mode", "yolo", cwd=_work(bench))
    first, second = bench.requests(run.began)
    name = "8 × `sleep 1` in one reply, the first of a new home"
    return Figure(name, second["t0"] - first["t1"], "s", 1.15)


def _prefix(bench: Bench) -> list[Figure]:
    """Live rounds, then the same session resumed cold, through a core, and re-attached."""
    bench.new_home()
    began = time.time()
    bench.run("-z", f"go {SHORT}", "--mode", "yolo")
    bench.run("-z", "and now?", "--continue", "--mode", "yolo")
    bench.run("daemon", "start")
    bench.run("-z", f"more {SHORT}", "--continue", "--mode", "yolo")
    screen = Screen(bench, "--continue", size=(120, 35))
    screen.until("❯|>")
    screen.type("from the screen")
    screen.key("Enter")
    while len(bench.requests(began)) < 10:
        time.sleep(0.05)
    screen.close()
    bench.run("daemon", "stop")
    bodies = [_flat(body) for body in bench.bodies(began)]
    shares = [_shared(a, b) / len(a) for a, b in itertools.pairwise(bodies)]
    name = "requests that repeat the one before byte for byte (live, resumed, re-attached)"
    return [Figure(f"{name}: share missing", 100 * (1 - min(shares)), "%", 0.0)]


def _flat(body: bytes) -> bytes:
    """A request in the order providers lay a prompt out."""
    made = json.loads(body)
    parts = [json.dumps(made.get("tools") or [], ensure_ascii=False)]
    parts += [json.dumps(message, ensure_ascii=False) for message in made["messages"]]
    return "\n".join(parts).encode()


def _shared(before: bytes, after: bytes) -> int:
    size = min(len(before), len(after))
    same = next((n for n in range(size) if before[n] != after[n]), size)
    return same


class Cost(NamedTuple):
    """What rounds in a core of this process cost, each: durable commits, and CPU ms of the
    core and of what it started.
    """

    commits: float
    own: float
    children: float


def _inside(bench: Bench) -> list[Figure]:
    plain, contained = asyncio.run(_cost(bench, TODO)), asyncio.run(_cost(bench, CALLS))
    return [
        Figure("CPU of the core a round, in-process tool", plain.own, "ms"),
        Figure("CPU of the core a round, `run_command true` in the sandbox", contained.own, "ms"),
        Figure("CPU of that command and its sandbox", contained.children, "ms"),
        Figure("durable commits a tool round", contained.commits, "", 3),
    ]


async def _cost(bench: Bench, script: str) -> Cost:
    from hermes_tui.configuration.load import load
    from hermes_tui.events import TurnEnded
    from hermes_tui.home import Home
    from hermes_tui.intents import OpenSession, Send, Standing
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.local import LocalClient

    home = Home(bench.new_home())
    core = await Core(home, load(home, {}).config, headless=True).start()
    client = LocalClient(core)
    standing = Standing(cwd=str(_work(bench)), env={"PATH": os.environ["PATH"]})
    view = await client.ask(OpenSession(which="new", standing=standing))

    async def turn(text: str) -> None:
        await client.ask(Send(session=view.info.id, text=text))
        async for record in client.events():
            if isinstance(record.event, TurnEnded):
                break

    await turn(f"first {script.replace('rounds=50', 'rounds=1')}")  # loads what is used first
    before = (core.db.durable_commits, *_cpu())
    await turn(f"go {script}")
    after = (core.db.durable_commits, *_cpu())
    await core.end("measured")
    commits, own, children = ((b - a) / 50 for a, b in zip(before, after, strict=True))
    return Cost(commits, 1000 * own, 1000 * children)


def _cpu() -> tuple[float, float]:
    """CPU seconds so far, of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system, used.children_user + used.children_system
