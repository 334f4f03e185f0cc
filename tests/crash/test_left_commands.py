"""Kill -9 while a command runs: when the model hears of it, nothing of the command goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_tui.agent.conversation import INTERRUPTED
from hermes_tui.backends import leftovers
from hermes_tui.events import ReplyReceived, ToolEnded, TurnEnded
from tests.crash.test_every_step import ROOT, events_of
from tests.fakes.children import lives
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, call, say

COMMAND = (
    "echo $$ > shell; (trap '' TERM; echo $BASHPID > child; sleep 60) & "
    "setsid sh -c 'echo $$ > far; sleep 60' & sleep 60; echo late > effects"
)
PLACES = ("shell", "child", "far")


def answer(asked: Asked) -> Reply:
    if any(one["role"] == "tool" for one in asked.messages):
        return say("I shall look.")
    return call("run_command", command=COMMAND, outside=True)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel.in_thread() as model:
        model.answer = answer
        yield model


def life(folder: Path, url: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "tests.crash.scenario", str(folder / "home"), url, str(folder)]
    return subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": str(ROOT)})


def becomes(true: Callable[[], bool], seconds: float = 8.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_command_that_outlived_the_agent_has_ended_before_the_model_hears_of_it(
    model: ScriptedModel, tmp_path: Path
) -> None:
    first = life(tmp_path, model.url)
    files = [tmp_path / name for name in PLACES]
    becomes(lambda: all(one.exists() and one.read_text().strip() for one in files))
    pids = [int(one.read_text()) for one in files]
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert all(map(lives, pids))
    assert life(tmp_path, model.url).wait(20) == 0
    assert not any(map(lives, pids))
    assert not (tmp_path / "effects").exists()
    events = events_of(tmp_path)
    assert [one.for_model for one in events if isinstance(one, ToolEnded)] == [INTERRUPTED]
    assert [one.text for one in events if isinstance(one, ReplyReceived)][1:] == ["I shall look."]
    assert [one.outcome for one in events if isinstance(one, TurnEnded)] == ["done"]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_only_the_commands_of_that_session_are_ended(tmp_path: Path) -> None:
    ours, others = (
        subprocess.Popen(["sleep", "60"], env=leftovers.marked({}, name))
        for name in ("20261201-000000-aaaa", "20261201-000000-aaaa2")
    )
    try:
        assert leftovers.end_of("20261201-000000-aaaa") == 1
        assert ours.wait(5) == -signal.SIGKILL
        assert others.poll() is None
    finally:
        others.kill()
        others.wait(5)
