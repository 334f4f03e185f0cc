"""The embedded model's child comes when needed, goes when idle, and never outlives its parent."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermes_tui.errors import ModelError
from hermes_tui.events import ToolCall, Usage
from hermes_tui.models.base import Delta, Message, Request, ToolSchema
from hermes_tui.models.embedded import Embedded

GGUF = os.environ.get("HERMES_TEST_GGUF", "")
FAKE = Path(__file__).parent / "fake_llama"
RUN = ToolSchema(
    name="run_command",
    description="Run a shell command. More words.",
    parameters={
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
)
CALL = json.dumps({"tool": "run_command", "arguments": {"command": "ls"}})


def _model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *answers: str, **more: float
) -> Embedded:
    monkeypatch.syspath_prepend(str(FAKE))
    monkeypatch.setenv("PYTHONPATH", str(FAKE))
    file = tmp_path / "tiny.gguf"
    file.write_text(json.dumps(answers))
    return Embedded(file, **more)  # type: ignore[arg-type]


def _request(*messages: Message, tools: tuple[ToolSchema, ...] = (RUN,)) -> Request:
    ask = Message(role="user", content="list files")
    return Request(system="be kind", messages=messages or (ask,), tools=tools)


async def _all(model: Embedded, request: Request) -> list[Delta]:
    return [delta async for delta in model.stream(request)]


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return Path("/proc/self").exists()


def _wait_until_gone(pid: int, seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not _gone(pid):
        assert time.monotonic() < deadline, "the child still runs"
        time.sleep(0.01)


async def test_it_talks_and_calls_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = _model(tmp_path, monkeypatch, '{"say": "hello \\u00e9\\n"}', CALL, "plain words")
    assert model.pid is None
    talk = await _all(model, _request())
    assert "".join(delta.text for delta in talk) == "hello é\n"
    assert talk[-1].usage == Usage(prompt=7, completion=3)
    called = (await _all(model, _request()))[-1]
    assert [(one.tool, one.arguments) for one in called.calls] == [
        ("run_command", '{"command": "ls"}')
    ]
    assert called.finish == "tool_calls"
    plain = await _all(model, _request(tools=()))
    assert "".join(delta.text for delta in plain) == "plain words"
    pid = model.pid
    assert pid is not None
    await model.close()
    _wait_until_gone(pid)


async def test_the_call_just_answered_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(tmp_path, monkeypatch, CALL, '{"say": "two files"}')
    call = ToolCall(id="c", tool="run_command", arguments='{ "command":"ls" }')
    conversation = _request(
        Message(role="user", content="list files"),
        Message(role="assistant", calls=(call,)),
        Message(role="tool", content="a b", call_id="c"),
    )
    deltas = await _all(model, conversation)
    assert "".join(delta.text for delta in deltas) == "two files"
    assert [delta.calls for delta in deltas if delta.calls] == []
    assert deltas[-1].usage == Usage(prompt=14, completion=6)
    await model.close()


async def test_the_child_goes_when_idle_and_comes_back_when_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(tmp_path, monkeypatch, "one", "two", idle_s=0.1)
    await _all(model, _request(tools=()))
    first = model.pid
    deadline = time.monotonic() + 5
    while model.pid is not None:
        assert time.monotonic() < deadline, "the child still runs"
        await asyncio.sleep(0.01)
    assert "".join(d.text for d in await _all(model, _request(tools=()))) == "one"
    assert model.pid not in (None, first)
    await model.close()


async def test_a_model_that_only_talks_is_offered_no_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(tmp_path, monkeypatch, CALL, only_talks=True)
    deltas = await _all(model, _request())
    assert "".join(delta.text for delta in deltas) == CALL
    assert [delta.calls for delta in deltas if delta.calls] == []
    await model.close()


async def test_two_requests_at_once_start_one_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(tmp_path, monkeypatch, "one", "two")
    answers = await asyncio.gather(*(_all(model, _request(tools=())) for _ in range(2)))
    assert sorted("".join(d.text for d in one) for one in answers) == ["one", "two"]
    await model.close()


async def test_a_file_that_cannot_be_loaded_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(tmp_path, monkeypatch)
    (tmp_path / "tiny.gguf").write_text("not a model")
    with pytest.raises(ModelError, match=r"could not be loaded from .*tiny\.gguf") as caught:
        await _all(model, _request())
    assert caught.value.kind == "missing"
    assert model.pid is None


async def test_without_the_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError) as caught:
        await _all(Embedded(tmp_path / "x.gguf"), _request())
    assert "hermes-tui[local]" in caught.value.hint


def test_the_child_dies_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    file.write_text('["one"]')
    code = f"""
import asyncio, os, signal
from pathlib import Path
from hermes_tui.models.base import Message, Request
from hermes_tui.models.embedded import Embedded

async def main():
    model = Embedded(Path({str(file)!r}))
    request = Request(system="", messages=(Message(role="user", content="x"),))
    async for _ in model.stream(request):
        pass
    print(model.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    env = {**os.environ, "PYTHONPATH": f"{FAKE}{os.pathsep}{Path(__file__).parents[2]}"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=20
    )
    assert done.stdout.strip(), done.stderr
    _wait_until_gone(int(done.stdout))


@pytest.mark.slow
@pytest.mark.skipif(not GGUF, reason="HERMES_TEST_GGUF names no model file")
async def test_a_real_model_answers_and_calls_a_tool() -> None:
    model = Embedded(Path(GGUF))
    hello = await _all(model, _request(Message(role="user", content="hello")))
    assert "".join(delta.text for delta in hello).strip()
    ask = Message(role="user", content="Run the command: uname -a")
    called = (await _all(model, _request(ask)))[-1]
    assert [(one.tool, one.arguments) for one in called.calls] == [
        ("run_command", '{"command": "uname -a"}')
    ]
    await model.close()
