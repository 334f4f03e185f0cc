"""Chat completions, asked for by the real client of OpenAI."""

from __future__ import annotations

import asyncio
import base64
import struct
import zlib
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest

from hermes_tui.events import TurnEnded
from tests.fakes.scripted_model import Call, call, calls, fail, say
from tests.http.conftest import KEY, Port, until


@pytest.fixture
async def client(port: Port) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{port.url}/v1", api_key=KEY, timeout=5) as client:
        yield client


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


async def ask(client: openai.AsyncOpenAI, *messages: Any, **more: Any) -> Any:
    said = [user(one) if isinstance(one, str) else one for one in messages]
    return await client.chat.completions.create(model="hermes", messages=said, **more)


async def test_an_answer_is_whole_with_its_tokens(port: Port, client: openai.AsyncOpenAI) -> None:
    usage = {"prompt_tokens": 70, "completion_tokens": 5, "total_tokens": 75}
    port.model.script.append(say("four", usage=usage))
    got = await ask(client, "two and two?")
    assert got.choices[0].message.content == "four"
    assert got.choices[0].finish_reason == "stop"
    assert (got.usage.prompt_tokens, got.usage.completion_tokens) == (70, 5)
    assert got.id.startswith("chatcmpl-")
    assert "two and two?" in port.model.last.messages[-1]["content"]


async def test_a_stream_says_what_the_whole_answer_says(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    for _ in range(2):
        port.model.script += [
            calls(
                Call("todo", {"items": [{"text": "look", "state": "doing"}]}), text="First I plan."
            ),
            say("Then all is done, as you wanted it.", chunk=3),
        ]
    whole = (await ask(client, "do it")).choices[0].message.content
    stream = await ask(client, "do it", stream=True, stream_options={"include_usage": True})
    chunks = [one async for one in stream]
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert whole == "First I plan.\n\nThen all is done, as you wanted it."
    assert text == whole
    assert chunks[-1].usage is not None
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
    assert len({one.id for one in chunks}) == 1


async def test_a_stream_comes_while_the_model_still_speaks(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("one two three", chunk=4, gate="rest", gate_at=2))
    stream = await ask(client, "count", stream=True)
    text = ""
    async for chunk in stream:
        text += chunk.choices[0].delta.content or ""
        if text and text != "one two three":
            port.model.open("rest")
    assert text == "one two three"


async def test_history_is_told_once_to_a_new_conversation(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [say("Ann"), say("again Ann")]
    before = [
        {"role": "system", "content": "Be brief."},
        user("I am Ann."),
        {"role": "assistant", "content": "Hello Ann."},
    ]
    got = await ask(client, *before, "Who am I?", extra_headers={"X-Hermes-Session": "desk"})
    said = [str(one["content"]) for one in port.model.last.messages]
    assert sum("I am Ann." in one for one in said) == 1
    assert sum("Be brief." in one for one in said) == 1
    more = [*before, user("Who am I?"), got.choices[0].message.model_dump(), "And now?"]
    await ask(client, *more, extra_headers={"X-Hermes-Session": "desk"})
    said = [str(one["content"]) for one in port.model.last.messages]
    for text in ("I am Ann.", "Hello Ann.", "Be brief.", "Who am I?"):
        assert sum(text in one for one in said) == 1, text
    assert "And now?" in said[-1]


async def test_without_a_session_every_call_is_its_own_and_out_of_the_way(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [say("noted"), say("no idea")]
    await ask(client, "the word is abracadabra")
    await ask(client, "what is the word?")
    assert "abracadabra" not in str(port.model.last.messages)
    listed = await port.core.log.list("", 10)
    assert len(listed) == 2
    assert all(one.archived for one in listed)


@pytest.mark.parametrize("how", ["header", "user"])
async def test_a_conversation_goes_on_by_its_name(
    port: Port, client: openai.AsyncOpenAI, how: str
) -> None:
    more: dict[str, Any] = {"extra_headers": {"X-Hermes-Session": "notes"}}
    more = more if how == "header" else {"user": "ann"}
    port.model.script += [say("noted"), say("abracadabra")]
    await ask(client, "the word is abracadabra", **more)
    await ask(client, "what is the word?", **more)
    assert "abracadabra" in str(port.model.last.messages)
    assert len(await port.core.log.list("", 10)) == 1


async def test_the_answer_names_its_session_and_it_can_be_gone_on_with(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [say("noted"), say("abracadabra")]
    with_head = client.chat.completions.with_raw_response
    got = await with_head.create(model="hermes", messages=[user("the word is abracadabra")])
    session = got.headers["x-hermes-session"]
    await ask(client, "what is the word?", extra_headers={"X-Hermes-Session": session})
    assert "abracadabra" in str(port.model.last.messages)


async def test_two_calls_of_one_session_at_one_time_are_two_turns(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    def answer(asked: Any) -> Any:
        return say("answer to " + asked.messages[-1]["content"].split()[0], first_s=0.05)

    port.model.answer = answer
    head = {"extra_headers": {"X-Hermes-Session": "busy"}}
    got = await asyncio.gather(*(ask(client, f"q{n} please", **head) for n in range(4)))
    assert [one.choices[0].message.content for one in got] == [f"answer to q{n}" for n in range(4)]
    assert len(await port.core.log.list("", 10)) == 1


async def test_what_needs_approval_is_not_done_and_the_answer_says_so(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [call("run_command", command="touch made-it"), say("It has to wait.")]
    got = await ask(client, "make it")
    text = got.choices[0].message.content
    assert text.startswith("It has to wait.")
    assert "waits for your approval" in text
    waiting = got.hermes["waiting"]
    assert [one["tool"] for one in waiting] == ["run_command"]
    folder = port.core.home.path.parent / "http"
    assert not (folder / "made-it").exists()
    async with port.raw() as raw:
        run = got.hermes["run"]
        done = await raw.post(f"/v1/runs/{run}/approve", json={"ask_id": waiting[0]["ask_id"]})
        assert done.status_code == 200
    await until((folder / "made-it").exists)


async def test_a_picture_reaches_the_model(port: Port, client: openai.AsyncOpenAI) -> None:
    port.model.script.append(say("a dot"))
    url = "data:image/png;base64," + base64.b64encode(png()).decode()
    parts = [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    await ask(client, user(parts))
    sent = str(port.model.last.messages)
    assert "[attached image " in sent
    kept = list((port.core.home.outputs).rglob("attached/picture-*.png"))
    assert [one.read_bytes() for one in kept] == [png()]


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0\xff\0\0")
    body = chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


async def test_a_turn_that_failed_is_an_error_and_is_not_repeated(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [fail(400, "this model is broken")]
    with pytest.raises(openai.APIStatusError) as failed:
        await ask(client, "hello")
    assert failed.value.status_code == 502
    assert "broken" in failed.value.message
    assert len(port.model.requests) == 1
    port.model.script += [fail(400, "this model is broken")]
    stream = await ask(client, "hello", stream=True)
    with pytest.raises(openai.APIError, match="broken"):
        [one async for one in stream]
    assert len(port.model.requests) == 2


async def test_a_wrong_key_is_an_authentication_error(port: Port) -> None:
    async with openai.AsyncOpenAI(base_url=f"{port.url}/v1", api_key="wrong") as client:
        with pytest.raises(openai.AuthenticationError):
            await ask(client, "hello")
        with pytest.raises(openai.AuthenticationError):
            await client.models.list()


async def test_models_are_listed_and_others_are_refused(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    assert [one.id for one in (await client.models.list()).data] == ["hermes", "scripted"]
    assert (await client.models.retrieve("hermes")).owned_by == "hermes"
    with pytest.raises(openai.NotFoundError, match="there is no model 'gpt-9'"):
        await client.chat.completions.create(model="gpt-9", messages=[user("hello")])  # pyright: ignore


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[1]",
        b'{"messages": "x"}',
        b'{"messages": []}',
        b'{"messages": [{"role": "assistant", "content": "x"}]}',
        b'{"messages": [{"role": "user", "content": "  "}]}',
        b'{"messages": [{"role": "user", "content": 7}]}',
        b'{"messages": [{"role": "user", "content": ["x"]}]}',
        b'{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}',
        b'{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url":'
        b' {"url": "data:image/png;base64,???"}}]}]}',
        b'{"messages": [{"role": "user", "content": "x"}], "n": 2}',
        b'{"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json"}}',
        b"[" * 5000,
    ],
)
async def test_what_is_not_understood_is_one_sentence(port: Port, body: bytes) -> None:
    async with port.raw() as raw:
        got = await raw.post("/v1/chat/completions", content=body)
    assert got.status_code == 400
    error = got.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"]
    assert "\n" not in error["message"]
    assert not port.model.requests


async def test_a_caller_who_hangs_up_stops_the_turn(port: Port, client: openai.AsyncOpenAI) -> None:
    for streamed in (False, True):
        port.model.script.append(say("never", gate=f"never {streamed}"))
        count = len(port.model.requests) + 1

        async def ask_and_wait(streamed: bool = streamed) -> None:
            got = await ask(client, "wait", stream=streamed)
            async for _ in got:
                continue

        asking = asyncio.create_task(ask_and_wait())
        await port.model.until(count)
        asking.cancel()
        await asyncio.wait([asking])
        await until(lambda: not any(one.working for one in port.core.sessions.values()))
    for session in port.core.sessions.values():
        ended = [
            one.event
            for one in await port.core.log.read(session.id)
            if isinstance(one.event, TurnEnded)
        ]
        assert [one.outcome for one in ended] == ["stopped"]


async def test_the_same_key_is_the_same_answer(port: Port, client: openai.AsyncOpenAI) -> None:
    port.model.script += [say("first", first_s=0.05), say("second")]
    head = {"extra_headers": {"Idempotency-Key": "k1"}}
    got = await asyncio.gather(*(ask(client, "hello", **head) for _ in range(3)))
    later = await ask(client, "hello", **head)
    assert {one.choices[0].message.content for one in [*got, later]} == {"first"}
    assert len({one.id for one in [*got, later]}) == 1
    assert len(port.model.requests) == 1
    streamed = await ask(client, "hello", stream=True, **head)
    text = "".join([one.choices[0].delta.content or "" async for one in streamed])
    assert text == "first"
    with pytest.raises(openai.UnprocessableEntityError):
        await ask(client, "something else", **head)


async def test_a_caller_with_a_key_may_hang_up_and_fetch_the_answer_later(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("kept for you", gate="go"))
    head = {"extra_headers": {"Idempotency-Key": "k2"}}
    asking = asyncio.create_task(ask(client, "hello", **head))
    await port.model.until(1)
    asking.cancel()
    await asyncio.wait([asking])
    port.model.open("go")
    got = await ask(client, "hello", **head)
    assert got.choices[0].message.content == "kept for you"
    assert len(port.model.requests) == 1


async def test_secrets_of_the_home_are_kept_nowhere(port: Port, client: openai.AsyncOpenAI) -> None:
    port.model.script.append(say("fine"))
    told = {"role": "system", "content": f"The key is {KEY}."}
    await ask(client, told, f"I said {KEY} before", f"my key is {KEY}")
    for file in port.core.home.path.glob("state.db*"):
        assert KEY.encode() not in file.read_bytes(), file.name
    assert "I said" in str(port.model.last.messages)
    assert KEY not in str(port.model.last.messages)


async def test_twenty_at_once_are_all_served(port: Port, client: openai.AsyncOpenAI) -> None:
    def answer(asked: Any) -> Any:
        rounds = sum(one["role"] == "tool" for one in asked.messages)
        if rounds < 3:
            return call("todo", items=[{"text": f"round {rounds}", "state": "doing"}])
        return say("served")

    port.model.answer = answer
    got = await asyncio.gather(*(ask(client, f"question {n}") for n in range(20)))
    assert [one.choices[0].message.content for one in got] == ["served"] * 20
    assert len(port.model.requests) == 80
