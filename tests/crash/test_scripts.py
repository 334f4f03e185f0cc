"""Kill -9 while subagents run scripts: nothing of a script outlives the core or happens twice."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes_tui.agent.conversation import INTERRUPTED
from hermes_tui.events import (
    Event,
    ReplyReceived,
    SubagentEnded,
    SubagentStarted,
    ToolEnded,
    TurnEnded,
)
from tests.crash.subagents_scenario import LAST
from tests.crash.test_subagents import events_of, run
from tests.fakes.scripted_model import Asked, Call, Reply, ScriptedModel, call, calls, say

GOALS = ["inside", "outside"]
PICKED = 8
CODE = """
import os, subprocess, sys
from hermes_tools import run_command
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", os.getcwd()])
run_command("echo {goal} one >> effects")
run_command("echo {goal} two >> effects")
print("both were written")
"""


def answer(asked: Asked) -> Reply:
    """Two subagents, each with a script that has two effects and a child that would stay."""
    said = [str(one["content"]) for one in asked.messages if one["role"] == "user"]
    if "You are a subagent" in said[0]:
        goal = said[0].splitlines()[0]
        if any(one["role"] == "tool" for one in asked.messages):
            return say(f"report on {goal}")
        return call("run_code", code=CODE.format(goal=goal), outside=goal == "outside")
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


def left_of(folder: Path) -> list[str]:
    """Command lines of living processes that name a folder, once those that end have ended."""
    deadline = time.monotonic() + 5
    while (found := _naming(str(folder))) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _naming(text: str) -> list[str]:
    found: list[str] = []
    for place in Path("/proc").iterdir():
        try:
            line = (place / "cmdline").read_bytes() if place.name.isdigit() else b""
        except OSError:
            continue
        if text.encode() in line:
            found.append(line.replace(b"\0", b" ").decode())
    return found


def check(folder: Path) -> list[Event]:
    events = events_of(folder)
    started = [one.subagent for one in events if isinstance(one, SubagentStarted)]
    ended = [one for one in events if isinstance(one, SubagentEnded)]
    assert len(started) == 2
    assert sorted(started) == sorted(one.subagent for one in ended)
    assert sorted(one.text for one in ended) == [f"report on {goal}" for goal in GOALS]
    assert [e.text for e in events if isinstance(e, ReplyReceived)].count(LAST) == 1
    assert {e.outcome for e in events if isinstance(e, TurnEnded)} == {"done"}
    scripts = [e for e in events if isinstance(e, ToolEnded) and e.tool == "run_code"]
    assert len({e.call_id for e in scripts}) == len(scripts) == 2
    path = folder / "effects"
    effects = path.read_text().splitlines() if path.exists() else []
    assert len(effects) == len(set(effects)), "an effect happened twice"
    for one in scripts:
        assert one.status == "ok" or INTERRUPTED in one.for_model
        assert one.status != "ok" or "both were written" in one.for_model
    return events


def killed_at(k: int, tmp_path: Path, url: str) -> None:
    """A life that ends at point k, and the next one."""
    folder = tmp_path / f"k{k}"
    folder.mkdir()
    run(folder, url, str(k))
    assert left_of(folder) == []
    assert run(folder, url) == 0
    assert left_of(folder) == []
    check(folder)


def test_no_script_outlives_a_killed_core_and_none_is_run_again(
    model: ScriptedModel, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    names = whole / "points"
    assert run(whole, model.url, f"count:{names}") == 0
    check(whole)
    assert len((whole / "effects").read_text().splitlines()) == 4
    assert left_of(whole) == []
    points = names.read_text().splitlines()
    # The points at which scripts are in flight: from the first intent of one to the last result.
    first = points.index("tool intent stored", points.index("subagents stored")) + 1
    last = len(points) - points[::-1].index("tool result stored")
    step = 1 if os.environ.get("EVERY_FAULT") else max((last - first) // PICKED, 1)
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda k: killed_at(k, tmp_path, model.url), range(first, last, step)):
            continue
