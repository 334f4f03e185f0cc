"""The benchmarks' model server follows the script in the prompt, the same way every time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fake_model import Script, decide
from hermes_tui.events import ToolCall
from hermes_tui.models.base import Delta, Message, Request, ToolSchema
from hermes_tui.models.chat_completions import ChatCompletions

SERVER = Path(__file__).parents[2] / "benchmarks" / "fake_model.py"
TOOL = ToolSchema(name="todo", description="", parameters={"type": "object"})


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    argv = [sys.executable, str(SERVER), "--log", str(folder / "log"), "--dump", str(folder)]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        yield found.group()
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


async def test_the_script_in_the_prompt_is_followed(tmp_path: Path) -> None:
    prompt = 'go [[rounds=1 parallel=2 tool=todo tokens=5 chunk=2 args={"items":[["a %d"]]}]]'
    first = Message(role="user", content=prompt)
    with _served(tmp_path) as url:
        model = ChatCompletions("bench-model", url)

        async def ask(*messages: Message) -> list[Delta]:
            request = Request(system="s", messages=messages, tools=(TOOL,))
            return [delta async for delta in model.stream(request)]

        asked = await ask(first)
        arguments = {
            n: "".join(c.arguments for d in asked for c in d.calls if c.index == n) for n in (0, 1)
        }
        assert [json.loads(arguments[n]) for n in (0, 1)] == [
            {"items": [["a 0"]]},
            {"items": [["a 1"]]},
        ]
        call = ToolCall(id="c", tool="todo")
        done = (Message(role="assistant", calls=(call,)), Message(role="tool", call_id="c"))
        answers = ["".join(d.text for d in await ask(first, *done)) for _ in range(2)]
        await model.close()
    assert answers[0] == answers[1]
    assert len(answers[0].split()) == 5
    rows = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(row["kind"], row["seq"], row["calls"], row["done"]) for row in rows] == [
        ("chat", 1, 2, 0),
        ("chat", 2, 0, 1),
        ("chat", 3, 0, 1),
    ]
    assert (tmp_path / "000002.json").read_bytes() == (tmp_path / "000003.json").read_bytes()


def test_twenty_thousand_tokens_are_twenty_thousand_words() -> None:
    body = {
        "messages": [{"role": "user", "content": "go [[tokens=20000 chunk=1]]"}],
        "tools": [{"function": {"name": "a"}}],
    }
    assert len(decide(body).pieces) == 20_000


def test_scripts_are_read_in_any_order_and_the_last_one_counts() -> None:
    script = Script.read('[[rounds=9]] then [[args={"a":"]]"} delay_ms=0.5 prose=zh say=1]]')
    assert script == Script(args='{"a":"]]"}', delay_ms=0.5, prose="zh", say=1)
    assert Script.read("nothing here") is None
