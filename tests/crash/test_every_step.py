"""Kill -9 at every step of a turn: nothing acknowledged is lost, no effect happens twice."""

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

from hermes_tui.agent.conversation import INTERRUPTED, Conversation
from hermes_tui.codec import decode_event
from hermes_tui.events import Event, InputReceived, ReplyReceived, TurnEnded
from tests.crash.scenario import INPUT
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, call, say

ROOT = Path(__file__).parents[2]
STEPS = 2


def answer(asked: Asked) -> Reply:
    """Steps, each an effect that can be counted, whatever happened before."""
    done = sum(message["role"] == "tool" for message in asked.messages)
    if done < STEPS:
        return call("run_command", command=f"echo step {done} >> effects")
    return say("All steps are done.")


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel.in_thread() as model:
        model.answer = answer
        yield model


def run(folder: Path, url: str, fault: str = "") -> int:
    """One life of the scenario's process; its exit code."""
    argv = [sys.executable, "-m", "tests.crash.scenario", str(folder / "home"), url, str(folder)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HERMES_TUI_FAULT": fault}
    done = subprocess.run(argv, env=env, timeout=30, check=False, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def events_of(folder: Path) -> list[Event]:
    with apsw.Connection(str(folder / "home" / "state.db")) as db:
        assert db.pragma("integrity_check") == "ok"
        db.execute("INSERT INTO recall_index (recall_index) VALUES ('integrity-check')")
        rows = db.execute("SELECT kind, v, data FROM event ORDER BY session, n").fetchall()
    return [decode_event(str(kind), int(v), str(data).encode()) for kind, v, data in rows]  # type: ignore[arg-type]


def points(folder: Path, url: str) -> int:
    """How many points an undisturbed life passes."""
    names = folder / "points"
    assert run(folder, url, f"count:{names}") == 0
    return len(names.read_text().splitlines())


def check(folder: Path, was_acknowledged: bool) -> None:
    events = events_of(folder)
    inputs = [e for e in events if isinstance(e, InputReceived)]
    assert [e.input_id for e in inputs] == [INPUT], f"acknowledged: {was_acknowledged}"
    finals = [e for e in events if isinstance(e, ReplyReceived) and not e.calls]
    assert [e.text for e in finals] == ["All steps are done."]
    assert [e.outcome for e in events if isinstance(e, TurnEnded)] == ["done"]
    talk = Conversation()
    for event in events:
        talk.apply(event)
    results = [m.content for m in talk.messages if m.role == "tool"]
    assert len(results) == STEPS
    path = folder / "effects"
    effects = path.read_text().splitlines() if path.exists() else []
    assert len(effects) == len(set(effects)), "an effect happened twice"
    known = [n for n, text in enumerate(results) if text != INTERRUPTED]
    assert all(f"step {n}" in effects for n in known), "a result without its effect"


def test_a_turn_survives_a_kill_at_each_of_its_steps(model: ScriptedModel, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    count = points(whole, model.url)
    check(whole, True)
    assert count > 15
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda k: killed_at(k, tmp_path, model.url), range(1, count + 1)):
            continue


def killed_at(k: int, tmp_path: Path, url: str) -> None:
    """A life that ends at point k, and the next one."""
    folder = tmp_path / f"k{k}"
    folder.mkdir()
    assert run(folder, url, str(k)) == -signal.SIGKILL
    acknowledged = (folder / "acknowledged").exists()
    assert run(folder, url) == 0
    check(folder, acknowledged)
