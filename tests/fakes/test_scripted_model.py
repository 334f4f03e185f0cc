"""The scripted model keeps what it promises to other tests."""

from __future__ import annotations

import asyncio
import json
import urllib.request

import httpx2
import pytest

from tests.fakes.scripted_model import Asked, Call, Reply, ScriptedModel, call, calls, fail, say

ASK = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


def _events(text: str) -> list[dict[str, object]]:
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


async def test_text_calls_and_reasoning_are_streamed_in_pieces(scripted: ScriptedModel) -> None:
    scripted.script.append(
        Reply(text="hello", reasoning="hm", chunk=2, calls=(Call("a"), Call("b", {"x": 1})))
    )
    async with httpx2.AsyncClient() as client:
        answer = await client.post(scripted.url + "/chat/completions", json=ASK)
    deltas = [event["choices"][0]["delta"] for event in _events(answer.text) if event["choices"]]  # type: ignore[index]
    assert "".join(delta.get("content") or "" for delta in deltas) == "hello"
    assert sum("content" in delta for delta in deltas) == 4
    assert [d["tool_calls"][0]["index"] for d in deltas if "tool_calls" in d] == [0, 0, 1, 1]
    assert scripted.last.json == ASK
    assert json.loads(scripted.last.body) == scripted.last.json


async def test_a_function_may_be_the_whole_script(scripted: ScriptedModel) -> None:
    def answer(asked: Asked) -> Reply:
        return say(asked.messages[-1]["content"].upper())

    scripted.answer = answer
    async with httpx2.AsyncClient() as client:
        plain = {**ASK, "stream": False}
        got = (await client.post(scripted.url + "/chat/completions", json=plain)).json()
    assert got["choices"][0]["message"]["content"] == "HI"


async def test_a_gate_holds_a_reply_until_it_is_opened(scripted: ScriptedModel) -> None:
    scripted.script.append(say("one two three", chunk=4, gate="go", gate_at=2))
    async with (
        httpx2.AsyncClient() as client,
        client.stream("POST", scripted.url + "/chat/completions", json=ASK) as answer,
    ):
        reads = answer.aiter_bytes()
        early = b""
        while b"one " not in early:
            early += await anext(reads)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await scripted.until(2)
        scripted.open("go")
        late = b"".join([part async for part in reads])
    assert b"two " not in early
    assert b"thre" in late


async def test_errors_keys_and_a_script_that_is_over(scripted: ScriptedModel) -> None:
    scripted.script.append(fail(429, "slow down", retry_after="7"))
    async with httpx2.AsyncClient() as client:
        first = await client.post(scripted.url + "/chat/completions", json=ASK)
        second = await client.post(scripted.url + "/chat/completions", json=ASK)
    assert (first.status_code, first.headers["retry-after"]) == (429, "7")
    assert second.status_code == 400
    assert scripted.connections == 1


def test_it_serves_commands_from_a_thread() -> None:
    with ScriptedModel.in_thread(call("read_file", path="x"), name="m", window=5) as model:
        request = urllib.request.Request(
            model.url + "/chat/completions",
            json.dumps({**ASK, "stream": False}).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=5) as answer:
            message = json.load(answer)["choices"][0]["message"]
        with urllib.request.urlopen(model.url + "/models", timeout=5) as answer:
            assert json.load(answer)["data"][0]["context_length"] == 5
    assert message["tool_calls"][0]["function"] == {
        "name": "read_file",
        "arguments": '{"path": "x"}',
    }


async def test_a_dropped_line_breaks_off_in_the_middle(scripted: ScriptedModel) -> None:
    scripted.script.append(calls(Call("a"), text="x" * 100, drop_after=300))
    async with httpx2.AsyncClient() as client:
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.post(scripted.url + "/chat/completions", json=ASK)
