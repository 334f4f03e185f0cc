"""Responses, asked for by the real client of OpenAI."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest

from tests.fakes.scripted_model import Call, call, calls, fail, say
from tests.http.conftest import KEY, Port, until


@pytest.fixture
async def client(port: Port) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{port.url}/v1", api_key=KEY, timeout=5) as client:
        yield client


async def ask(client: openai.AsyncOpenAI, given: Any, **more: Any) -> Any:
    return await client.responses.create(model="hermes", input=given, **more)


async def test_a_response_is_whole_and_can_be_fetched_again(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("four"))
    got = await ask(client, "two and two?")
    assert (got.output_text, got.status) == ("four", "completed")
    again = await client.responses.retrieve(got.id)
    assert again.output_text == "four"
    assert again.usage == got.usage


async def test_a_conversation_goes_on_from_a_response(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [say("noted"), say("abracadabra"), say("it was told to me")]
    first = await ask(client, "the word is abracadabra", instructions="Be brief.")
    second = await ask(
        client, "what is the word?", previous_response_id=first.id, instructions="Be brief."
    )
    said = [str(one["content"]) for one in port.model.last.messages]
    assert sum("abracadabra" in one for one in said) == 1
    assert sum("Be brief." in one for one in said) == 1
    assert second.output_text == "abracadabra"
    assert second.previous_response_id == first.id
    other = await ask(client, "how do you know?", previous_response_id=first.id)
    said = str(port.model.last.messages)
    assert "abracadabra" in said
    assert "what is the word?" not in said, "what was said after the first response is no part"
    assert other.output_text == "it was told to me"


async def test_a_stream_ends_in_what_the_whole_response_is(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script += [
        calls(Call("todo", {"items": [{"text": "look", "state": "doing"}]}), text="I plan."),
        say("All is done, as you wanted.", chunk=3),
    ]
    kinds: list[str] = []
    async with client.responses.stream(model="hermes", input="do it") as stream:
        async for event in stream:
            kinds.append(event.type)
        final = await stream.get_final_response()
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    assert kinds.count("response.output_item.done") == 2
    assert [one.content[0].text for one in final.output] == [  # pyright: ignore
        "I plan.",
        "All is done, as you wanted.",
    ]
    again = await client.responses.retrieve(final.id)
    assert again.output_text == final.output_text


async def test_events_of_a_stream_are_numbered_without_a_gap(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("one two three", chunk=2))
    stream = await ask(client, "count", stream=True)
    events = [one async for one in stream]
    assert [one.sequence_number for one in events] == list(range(len(events)))
    deltas = [one.delta for one in events if one.type == "response.output_text.delta"]
    assert "".join(deltas) == "one two three"


async def test_a_response_in_the_background_is_fetched_when_it_is_there(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("there", gate="go"))
    got = await ask(client, "think", background=True)
    assert got.status == "in_progress"
    await port.model.until(1)
    port.model.open("go")
    async with asyncio.timeout(3):
        while got.status == "in_progress":
            got = await client.responses.retrieve(got.id)
    assert got.output_text == "there"


async def test_a_response_in_the_background_can_be_cancelled(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("never", gate="never"))
    got = await ask(client, "think", background=True)
    await port.model.until(1)
    assert (await client.responses.cancel(got.id)).status == "cancelled"
    assert not any(one.working for one in port.core.sessions.values())


async def test_what_failed_says_so_also_later(port: Port, client: openai.AsyncOpenAI) -> None:
    port.model.script.append(fail(400, "this model is broken"))
    got = await ask(client, "think", background=True)
    await until(lambda: port.model.requests and not working(port))
    got = await client.responses.retrieve(got.id)
    assert got.status == "failed"
    assert "broken" in got.error.message  # pyright: ignore[reportOptionalMemberAccess]


def working(port: Port) -> bool:
    return any(one.working for one in port.core.sessions.values())


async def test_what_waits_for_approval_is_said(port: Port, client: openai.AsyncOpenAI) -> None:
    port.model.script += [call("run_command", command="touch made-it"), say("It waits.")]
    got = await ask(client, "make it")
    assert "waits for your approval" in got.output_text
    assert len(got.hermes["waiting"]) == 1


async def test_a_stream_whose_agent_ends_is_no_success(
    port: Port, client: openai.AsyncOpenAI
) -> None:
    port.model.script.append(say("never", gate="never"))
    stream = await ask(client, "think", stream=True)
    await port.model.until(1)
    await port.core.end("test over")
    events = [one async for one in stream]
    assert events[-1].type == "error"
    assert "Idempotency-Key" in events[-1].message


async def test_an_unknown_response_is_not_found(port: Port, client: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve("resp_0000")
    with pytest.raises(openai.NotFoundError):
        await ask(client, "and?", previous_response_id="resp_0000")


async def test_items_of_all_kinds_are_understood(port: Port, client: openai.AsyncOpenAI) -> None:
    port.model.script.append(say("fine"))
    given = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "input_text", "text": "What is the time?"}]},
        {"type": "function_call", "call_id": "c", "name": "clock", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "noon"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Noon."}],
        },
        {"role": "user", "content": [{"type": "input_text", "text": "And now?"}]},
    ]
    await ask(client, given)
    said = [str(one["content"]) for one in port.model.last.messages]
    for text in ("Be kind.", "What is the time?", "noon", "Noon.", "And now?"):
        assert sum(text in one for one in said) == 1, text
