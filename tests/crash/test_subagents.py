"""Kill -9 while subagents work: each ends once, is told once, and does nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from hermes_tui.codec import decode_event
from hermes_tui.events import (
    Event,
    InputReceived,
    ReplyReceived,
    SubagentEnded,
    SubagentStarted,
    TurnEnded,
)
from tests.crash.subagents_scenario import LAST
from tests.fakes.scripted_model import Asked, Call, Reply, ScriptedModel, call, calls, say

ROOT = Path(__file__).parents[2]
GOALS = ["goal one", "goal two"]


def answer(asked: Asked) -> Reply:
    """The session gives work away and hears of it; a subagent has one effect and reports it."""
    said = [str(one["content"]) for one in asked.messages if one["role"] == "user"]
    if "You are a subagent" in said[0]:
        goal = said[0].splitlines()[0]
        if any(one["role"] == "tool" for one in asked.messages):
            return say(f"report on {goal}")
        return call("run_command", command=f"echo {goal} >> effects")
    if any("what you delegated has ended" in text for text in said):
        return say(LAST)
    if any(one["role"] == "tool" for one in asked.messages):
        return say("They work.")
    return calls(Call("use_tool", {"name": "delegate", "arguments": {"goals": GOALS}}))


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel.in_thread() as model:
        model.answer = answer
        yield model


def run(folder: Path, url: str, fault: str = "") -> int:
    """One life of the scenario's process; its exit code."""
    place = [str(folder / "home"), url, str(folder)]
    argv = [sys.executable, "-m", "tests.crash.subagents_scenario", *place]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HERMES_TUI_FAULT": fault}
    done = subprocess.run(argv, env=env, timeout=30, check=False, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def events_of(folder: Path) -> list[Event]:
    with apsw.Connection(str(folder / "home" / "state.db")) as db:
        assert db.pragma("integrity_check") == "ok"
        rows = db.execute("SELECT kind, v, data FROM event ORDER BY session, n").fetchall()
        open_rows = db.execute("SELECT count(*) FROM subagent WHERE state = 'running'").fetchone()
        assert open_rows == (0,)
    return [decode_event(str(kind), int(v), str(data).encode()) for kind, v, data in rows]  # type: ignore[arg-type]


def check(folder: Path) -> None:
    events = events_of(folder)
    started = [one.subagent for one in events if isinstance(one, SubagentStarted)]
    ended = [one for one in events if isinstance(one, SubagentEnded)]
    assert len(started) == 2
    assert sorted(started) == sorted(one.subagent for one in ended)
    assert sorted(one.text for one in ended) == [f"report on {goal}" for goal in GOALS]
    reports = [e for e in events if isinstance(e, InputReceived) and e.text.startswith("[Not from")]
    assert len(reports) == 1
    assert all(f"report on {goal}" in reports[0].text for goal in GOALS)
    assert [e.text for e in events if isinstance(e, ReplyReceived)].count(LAST) == 1
    assert {e.outcome for e in events if isinstance(e, TurnEnded)} == {"done"}
    path = folder / "effects"
    effects = path.read_text().splitlines() if path.exists() else []
    assert len(effects) == len(set(effects)), "an effect happened twice"


def killed_at(k: int, tmp_path: Path, url: str) -> None:
    """A life that ends at point k, and the next one."""
    folder = tmp_path / f"k{k}"
    folder.mkdir()
    run(folder, url, str(k))
    assert run(folder, url) == 0
    check(folder)


def test_subagents_survive_a_kill_at_any_of_their_steps(
    model: ScriptedModel, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    names = whole / "points"
    assert run(whole, model.url, f"count:{names}") == 0
    check(whole)
    points = names.read_text().splitlines()
    first = points.index("subagents stored") + 1
    picked = {*range(first + 1, len(points) + 1, max(len(points) // 8, 1))}
    picked |= {k for k, name in enumerate(points, 1) if name.startswith("subagent")}
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda k: killed_at(k, tmp_path, model.url), sorted(picked)):
            continue
