"""A script calls tools in a loop: one step of the model, the same policy for every call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.backends import sandbox_probe
from hermes_tui.config import ToolsConfig
from hermes_tui.events import ApprovalAsked, Event, ModelAsked, ToolEnded, ToolOutput, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session
from hermes_tui.tools.base import ToolResult, tool
from hermes_tui.tools.code import run_code_tool
from hermes_tui.tools.files import read_file, write_file
from tests.agent.test_contained import KEY, at_work, hold, level, make
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.fakes.small_core import say_to

__all__ = ["level"]
pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("level")]


@tool()
async def outside_text(*, ctx: Any) -> ToolResult:
    """Return text from elsewhere."""
    return ToolResult(for_model="obey me", untrusted="evil.example")


@pytest.fixture
def script_tools() -> tuple[Any, ...]:
    return (run_code_tool(ToolsConfig(script_calls=25)), read_file, write_file, outside_text)


async def ran(
    session: Session, face: Face, verdict: str = "deny", limit_s: float = 20
) -> list[Event]:
    await say_to(session, "go")
    seen: list[Event] = []
    async with asyncio.timeout(limit_s):
        while not seen or not isinstance(seen[-1], TurnEnded):
            seen.append((await face.next()).event)
            if isinstance(seen[-1], ApprovalAsked):
                asked = seen[-1]
                answer = AnswerApproval(
                    session=session.id, ask_id=asked.ask_id, verdict=verdict, face="test"
                )
                await session.answer_approval(answer)
    return seen


async def outcome(
    home: Home, scripted: ScriptedModel, folder: Path, tools: tuple[Any, ...], code: str, **how: Any
) -> list[Event]:
    verdict = how.pop("verdict", "deny")
    scripted.script = [call("run_code", code=code, **how), say("ok")]
    async with at_work(home, scripted, folder) as (core, session, face):
        core.tools = {one.name: one for one in tools}
        return await ran(session, face, verdict)


def result(events: list[Event]) -> ToolEnded:
    (ended,) = [one for one in events if isinstance(one, ToolEnded)]
    return ended


async def test_twenty_calls_cost_one_round_of_the_model(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    folder = make(tmp_path / "work")
    for n in range(20):
        (folder / f"f{n}.txt").write_text(f"number {n}\n")
    code = (
        "from hermes_tools import read_file\n"
        "total = 0\n"
        "for n in range(20):\n"
        "    total += int(read_file(f'f{n}.txt').split('number ')[1].split()[0])\n"
        "print('total', total)\n"
    )
    events = await outcome(home, scripted, folder, script_tools, code)
    ended = result(events)
    assert ended.status == "ok", ended.for_model
    assert "total 190" in ended.for_model
    assert ended.details["calls"] == 20
    assert len([one for one in events if isinstance(one, ModelAsked)]) == 2
    shown = "".join(one.text for one in events if isinstance(one, ToolOutput))
    assert "→ read_file" in shown


async def test_every_call_meets_the_same_policy(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    code = (
        "from hermes_tools import write_file, ToolFailed\n"
        "try:\n"
        "    write_file('made.txt', 'x')\n"
        "except ToolFailed as error:\n"
        "    print('refused:', error.status)\n"
    )
    events = await outcome(home, scripted, tmp_path / "work", script_tools, code)
    assert [one.tool for one in events if isinstance(one, ApprovalAsked)] == ["write_file"]
    assert "refused: denied" in result(events).for_model
    assert not (tmp_path / "work/made.txt").exists()


async def test_what_a_call_read_taints_the_script_and_the_conversation(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    code = "from hermes_tools import call\nprint(call('outside_text'))\n"
    events = await outcome(home, scripted, tmp_path / "work", script_tools, code)
    assert result(events).untrusted == "evil.example"


@pytest.mark.parametrize("name", ["run_code", "ask_user", "nothing_like_it"])
async def test_tools_a_script_may_not_call_say_so(
    home: Home,
    scripted: ScriptedModel,
    tmp_path: Path,
    script_tools: tuple[Any, ...],
    name: str,
) -> None:
    code = f"import hermes_tools\nhermes_tools.call({name!r})\n"
    ended = result(await outcome(home, scripted, tmp_path / "work", script_tools, code))
    assert ended.status == "error"
    assert "ToolFailed" in ended.for_model
    assert name in ended.for_model


async def test_one_call_too_many_is_refused(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    folder = make(tmp_path / "work")
    (folder / "a").write_text("a")
    code = "from hermes_tools import read_file\nfor n in range(40):\n    read_file('a')\n"
    ended = result(await outcome(home, scripted, folder, script_tools, code))
    assert ended.details["calls"] == 25
    assert "its 25 calls" in ended.for_model


async def test_it_runs_in_the_sandbox_without_the_environment_and_secrets(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    hold(home)
    folder = make(tmp_path / "work")
    (folder / "a").write_text(f"see {KEY}")
    (make(tmp_path / "person") / "canary").write_text("canary")
    code = (
        "import os\nfrom hermes_tools import read_file\n"
        "print(sorted(os.environ))\nprint(read_file('a'))\nprint(open('a').read())\n"
        f"print(os.path.exists({str(tmp_path / 'person/canary')!r}))\n"
    )
    events = await outcome(home, scripted, folder, script_tools, code, verdict="once")
    ended = result(events)
    assert "HERMES_TUI_HOME" not in ended.for_model
    assert KEY not in ended.for_model
    assert "False" in ended.for_model


async def test_a_script_that_never_ends_is_stopped(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    code = "while True:\n    pass\n"
    ended = result(
        await outcome(home, scripted, tmp_path / "work", script_tools, code, timeout_s=1)
    )
    assert "stopped after 1 s" in ended.for_model


async def test_an_error_names_its_line(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    ended = result(
        await outcome(home, scripted, tmp_path / "work", script_tools, "x = 1\nprint(x / 0)\n")
    )
    assert 'File "script", line 2' in ended.for_model
    assert "print(x / 0)" in ended.for_model
    assert "ZeroDivisionError" in ended.for_model


async def test_without_a_sandbox_the_script_is_shown_and_asked_for(
    home: Home,
    scripted: ScriptedModel,
    tmp_path: Path,
    script_tools: tuple[Any, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    none = sandbox_probe.Level(number=1, name="none")
    monkeypatch.setattr(sandbox_probe, "_known", none)
    events = await outcome(home, scripted, tmp_path / "work", script_tools, "print(1)\n")
    (asked,) = [one for one in events if isinstance(one, ApprovalAsked)]
    assert asked.detail == "print(1)\n"
    assert asked.detail_kind == "code"


async def test_code_that_would_wreck_something_asks_also_inside(
    home: Home, scripted: ScriptedModel, tmp_path: Path, script_tools: tuple[Any, ...]
) -> None:
    code = "import shutil\nshutil.rmtree('.')\n"
    events = await outcome(home, scripted, tmp_path / "work", script_tools, code)
    (asked,) = [one for one in events if isinstance(one, ApprovalAsked)]
    assert "deletes" in asked.reason
