"""The chat-completions client against a real server: what it sends, reads and survives."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from contextlib import aclosing
from typing import Any

import httpx2
import pytest

from hermes_tui.errors import ModelError
from hermes_tui.events import ToolCall, Usage
from hermes_tui.models import failures
from hermes_tui.models.base import Delta, Message, Model, Request, ToolSchema
from hermes_tui.models.chat_completions import ChatCompletions, clean_url
from hermes_tui.models.windows import read_models
from tests.fakes.scripted_model import Call, Reply, ScriptedModel, events, fail, say

USER = Message(role="user", content="hi")
RUN = ToolSchema(
    name="run_command",
    description="Run it.",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}},
)


def _request(*messages: Message, tools: tuple[ToolSchema, ...] = ()) -> Request:
    return Request(system="be kind", messages=messages or (USER,), tools=tools)


def _model(server: ScriptedModel, **settings: Any) -> ChatCompletions:
    return ChatCompletions("scripted", server.url, **settings)


async def _all(model: Model, request: Request | None = None) -> list[Delta]:
    return [delta async for delta in model.stream(request or _request())]


def _text(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas)


def _calls(deltas: list[Delta]) -> dict[int, tuple[str, str, str]]:
    found: dict[int, tuple[str, str, str]] = {}
    for delta in deltas:
        for part in delta.calls:
            known = found.get(part.index, ("", "", ""))
            pieces = (part.id, part.tool, part.arguments)
            found[part.index] = (known[0] + pieces[0], known[1] + pieces[1], known[2] + pieces[2])
    return found


# --- what is sent ------------------------------------------------------------------------------


async def test_a_conversation_goes_out_in_the_protocols_own_form(scripted: ScriptedModel) -> None:
    scripted.script.append("ok")
    call = ToolCall(id="c1", tool="run_command", arguments='{"command":"ls"}')
    await _all(
        _model(scripted, key="k" * 8),
        _request(
            USER,
            Message(role="assistant", content="looking", calls=(call,)),
            Message(role="tool", content="a b", call_id="c1"),
            tools=(RUN,),
        ),
    )
    sent = scripted.last.json
    function = {"name": "run_command", "arguments": '{"command":"ls"}'}
    assert sent == {
        "model": "scripted",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "run_command",
                    "description": "Run it.",
                    "parameters": RUN.parameters,
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": "looking",
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "content": "a b", "tool_call_id": "c1"},
        ],
    }
    assert scripted.last.headers["authorization"] == "Bearer " + "k" * 8


async def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter(
    scripted: ScriptedModel,
) -> None:
    scripted.script += ["ok", "ok"]
    for messages in ((USER,), (USER, Message(role="assistant", content="ok"), USER)):
        await _all(_model(scripted), _request(*messages, tools=(RUN,)))
    first, second = (asked.body for asked in scripted.requests)
    assert second.startswith(first.removesuffix(b"]}"))


async def test_one_connection_serves_request_after_request(scripted: ScriptedModel) -> None:
    model = _model(scripted)
    for number in range(5):
        scripted.script.append(str(number))
        assert _text(await _all(model)) == str(number)
    assert scripted.connections == 1
    await model.close()


async def test_broken_arguments_and_broken_text_in_a_history_go_out_readable(
    scripted: ScriptedModel,
) -> None:
    scripted.script.append("ok")
    broken = ToolCall(id="c1", tool="run_command", arguments='{"command": "l')
    empty = ToolCall(id="c2", tool="run_command", arguments="")
    message = Message(role="assistant", calls=(broken, empty))
    await _all(_model(scripted), _request(Message(role="user", content="\ud83d!"), message))
    sent = scripted.last.messages
    assert "�" in sent[1]["content"]
    assert sent[1]["content"].endswith("!")
    arguments = [one["function"]["arguments"] for one in sent[2]["tool_calls"]]
    assert [json.loads(text) for text in arguments] == [{"unreadable": '{"command": "l'}, {}]
    assert sent[2]["content"] is None


@pytest.mark.parametrize("field", ["stream_options", "max_tokens"])
async def test_a_field_the_endpoint_refuses_is_left_out_from_then_on(field: str) -> None:
    async with ScriptedModel("one", "two", refuses=frozenset({field})) as server:
        model = _model(server)
        request = Request(system="", messages=(USER,), max_tokens=5)
        assert _text(await _all(model, request)) == "one"
        assert _text(await _all(model, request)) == "two"
        assert [field in asked.json for asked in server.requests] == [True, False, False]


async def test_a_model_without_a_name_is_the_first_the_endpoint_offers() -> None:
    async with ScriptedModel("ok", name="local-7b", window=4096) as server:
        model = ChatCompletions("", server.url)
        await _all(model)
        assert (model.name, model.window) == ("local-7b", 4096)
        assert server.last.json["model"] == "local-7b"


async def test_the_window_is_learned_from_the_endpoint_and_not_before_a_request() -> None:
    async with ScriptedModel("ok", window=32_768) as server:
        model = _model(server)
        await _all(model)
        assert server.others == []
        assert await model.learn_window() == 32_768
        assert await _model(server, window=1000).learn_window() == 1000


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/ps", {"models": [{"name": "m", "context_length": 4096}]}),
        ("/api/v0/models", {"data": [{"id": "m", "loaded_context_length": 4096}]}),
        ("/props", {"default_generation_settings": {"n_ctx": 4096}}),
    ],
)
async def test_a_local_server_tells_the_context_it_has_really_loaded(
    path: str, body: dict[str, Any]
) -> None:
    async with ScriptedModel(name="m", window=1_000_000, also={path: body}) as server:
        model = ChatCompletions("m", server.url)
        assert await model.learn_window() == 4096


# --- what is read ------------------------------------------------------------------------------


async def test_text_thinking_calls_usage_and_finish_arrive(scripted: ScriptedModel) -> None:
    scripted.script.append(
        Reply(
            text="hello",
            reasoning="hm",
            calls=(Call("a", {"x": 1}, "i1"), Call("b", {}, "i2")),
            usage={
                "prompt_tokens": 1000,
                "completion_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 800},
            },
        )
    )
    deltas = await _all(_model(scripted, prices=(2.0, 10.0)))
    assert _text(deltas) == "hello"
    assert "".join(delta.reasoning for delta in deltas) == "hm"
    assert _calls(deltas) == {0: ("i1", "a", '{"x": 1}'), 1: ("i2", "b", "{}")}
    usage = [delta.usage for delta in deltas if delta.usage]
    assert usage == [Usage(prompt=1000, cached=800, completion=10, cost=0.0021)]
    assert [delta.finish for delta in deltas if delta.finish] == ["tool_calls"]


async def test_a_price_that_is_not_known_is_none(scripted: ScriptedModel) -> None:
    scripted.script.append("ok")
    assert [delta.usage.cost for delta in await _all(_model(scripted)) if delta.usage] == [None]


async def test_think_tags_are_thinking(scripted: ScriptedModel) -> None:
    scripted.script.append(say("<think>let me see</think>\nfour", chunk=3))
    deltas = await _all(_model(scripted))
    assert _text(deltas) == "four"
    assert "".join(delta.reasoning for delta in deltas) == "let me see"


async def test_an_endpoint_that_does_not_stream_is_read_as_well(scripted: ScriptedModel) -> None:
    message = {"content": "hello", "tool_calls": [Call("a", {"x": 1}, "i1").wire()]}
    whole = {"choices": [{"message": message}], "usage": {"prompt_tokens": 5}}
    body = json.dumps(whole, indent=2).encode()
    scripted.script.append(Reply(body=body))
    deltas = await _all(_model(scripted))
    assert _text(deltas) == "hello"
    assert _calls(deltas) == {0: ("i1", "a", '{"x": 1}')}
    assert [delta.finish for delta in deltas] == ["stop"]


def _chunk(delta: dict[str, Any] | None, finish: str | None = None) -> bytes:
    choice = {"delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


def _piece(**call: Any) -> bytes:
    name, arguments = call.pop("name", None), call.pop("arguments", None)
    return _chunk({"tool_calls": [{**call, "function": {"name": name, "arguments": arguments}}]})


END = _chunk({}, "stop")


@pytest.mark.parametrize(
    ("raw", "text", "found"),
    [
        (b'data: {"choices":null}\n\n' + _chunk({"content": "a"}) + END, "a", {}),
        (_chunk({"content": None}) + _chunk(None) + _chunk({"content": "a"}) + END, "a", {}),
        (b'data: {"choices":[null]}\n\n' + _chunk({"content": "a"}) + END, "a", {}),
        (b"data: {oops}\n\n: x\n\n" + _chunk({"content": "a"}) + END, "a", {}),
        (b'data: {"choices":[],"error":null}\n\n' + _chunk({"content": "a"}) + END, "a", {}),
        (_chunk({"content": [{"type": "text", "text": "a"}, {"text": "b"}]}) + END, "ab", {}),
        (_chunk({"content": "a"}) + b"data: [DONE]", "a", {}),
        (_chunk({"content": "a\xff".encode("latin-1").decode("latin-1")}) + END, "aÿ", {}),
        (
            _piece(index=0, id="x", name="a", arguments={"k": 1}) + END,
            "",
            {0: ("x", "a", '{"k":1}')},
        ),
        (
            _piece(index=0, id="x", name="a", arguments="{}")
            + _piece(index=0, id="y", name="b", arguments='{"q"')
            + _piece(index=0, arguments=":1}")
            + END,
            "",
            {0: ("x", "a", "{}"), 1: ("y", "b", '{"q":1}')},
        ),
        (
            _piece(id="x", name="a", arguments="{")
            + _piece(arguments="}")
            + _piece(id="y", name="b", arguments="{}")
            + END,
            "",
            {0: ("x", "a", "{}"), 1: ("y", "b", "{}")},
        ),
        (
            _piece(index=3, id="x", name="a", arguments="{")
            + _piece(index=3, id="x", name="a", arguments="}")
            + END,
            "",
            {0: ("x", "a", "{}")},
        ),
    ],
)
async def test_streams_that_are_not_quite_the_protocol_are_understood(
    scripted: ScriptedModel, raw: bytes, text: str, found: dict[int, tuple[str, str, str]]
) -> None:
    scripted.script.append(Reply(raw=raw))
    deltas = await _all(_model(scripted))
    assert (_text(deltas), _calls(deltas)) == (text, found)


async def test_a_stream_cut_anywhere_reads_the_same(scripted: ScriptedModel) -> None:
    reply = Reply(text="日本語 🙂", reasoning="é", calls=(Call("a", {"x": "ü"}, "i"),), chunk=3)
    raw = b"".join(events(reply))
    model = _model(scripted)
    for cut in (1, 2, 3, 5, 7, 11, 97):
        scripted.script.append(Reply(raw=raw, cut=cut))
        deltas = await _all(model)
        assert _text(deltas) == "日本語 🙂"
        assert _calls(deltas) == {0: ("i", "a", json.dumps({"x": "ü"}))}


async def test_a_ten_megabyte_event_is_read(scripted: ScriptedModel) -> None:
    scripted.script.append(Reply(text="x" * 10_000_000, chunk=10_000_000))
    assert len(_text(await _all(_model(scripted)))) == 10_000_000


def test_twenty_thousand_tokens_cost_little() -> None:
    from hermes_tui.models.replies import ReplyReader

    stream = list(events(Reply(text="tok " * 20_000, chunk=4)))
    best = 9.0
    for _ in range(3):
        reader = ReplyReader()
        started = time.process_time()
        size = sum(len(delta.text) for data in stream if (delta := reader.feed(data)))
        best = min(best, time.process_time() - started)
        assert (size, reader.finished) == (80_000, True)
    assert best < 0.6, "four times what it is meant to cost at most"


async def test_many_events_in_one_read_are_one_delta(scripted: ScriptedModel) -> None:
    scripted.script.append(say("word " * 100, chunk=5, events_per_write=1000))
    assert len([delta for delta in await _all(_model(scripted)) if delta.text]) == 1


# --- what goes wrong ---------------------------------------------------------------------------


async def _error(model: Model) -> tuple[str, ModelError]:
    """(text that came before, the error)."""
    pieces: list[str] = []

    async def read() -> None:
        async for delta in model.stream(_request()):
            pieces.append(delta.text)

    with pytest.raises(ModelError) as caught:
        await read()
    assert caught.value.message
    assert caught.value.hint
    return "".join(pieces), caught.value


@pytest.mark.parametrize(
    ("reply", "kind", "retry_after"),
    [
        (fail(401, "Incorrect API key provided"), "auth", None),
        (fail(403, "forbidden"), "auth", None),
        (fail(403, "input was flagged by moderation"), "refused", None),
        (fail(400, "API key not valid. Please pass a valid API key."), "auth", None),
        (fail(402, "Payment Required"), "billing", None),
        (fail(429, "You exceeded your current quota", code="insufficient_quota"), "billing", None),
        (fail(429, "slow down", retry_after="7"), "rate", 7.0),
        (fail(429, "quota exceeded, check billing. Please retry in 17.5s."), "rate", 17.5),
        (fail(429, "slow down", retry_after_ms="250"), "rate", 0.25),
        (fail(429, "usage limit reached, resets in 2 hours 5 min"), "rate", 7500.0),
        (fail(429, "try again in 1h2m3.5s"), "rate", 3723.5),
        (fail(429, "retry after 250 milliseconds"), "rate", 0.25),
        (
            Reply(
                status=429,
                body=b'{"error":{"type":"usage_limit_reached","resets_in_seconds":900}}',
            ),
            "rate",
            900.0,
        ),
        (fail(429, "slow down", x_ratelimit_reset="12"), "rate", 12.0),
        (fail(429, "Rate limit reached. Please try again in 1.5s."), "rate", 1.5),
        (fail(429, "Please try again in 2m3s"), "rate", 123.0),
        (fail(429, "slow down", retry_after="Thu, 01 Jan 1970 00:00:00 GMT"), "rate", 0.0),
        (fail(429, "slow down", retry_after="nan"), "rate", None),
        (fail(500, "oops"), "overloaded", None),
        (fail(503, "loading", retry_after="3"), "overloaded", 3.0),
        (fail(529, "overloaded"), "overloaded", None),
        (fail(400, "This model's maximum context length is 8192 tokens."), "context", None),
        (fail(400, "the request exceeds the available context size"), "context", None),
        (fail(413, "too large"), "context", None),
        (fail(404, "model `x` not found"), "missing", None),
        (fail(400, "The model `x` does not exist"), "missing", None),
        (fail(400, "temperature must be positive"), "refused", None),
        (fail(302, "", location="http://elsewhere/"), "refused", None),
        (Reply(status=502, body=b"<html><h1>Bad Gateway</h1></html>"), "overloaded", None),
        (Reply(status=418, body=b"\xff\xfe"), "refused", None),
        (Reply(status=500), "overloaded", None),
        (
            Reply(body=b"<html>hello</html>", headers=(("content-type", "text/html"),)),
            "malformed",
            None,
        ),
        (Reply(body=b'{"ok": true}'), "malformed", None),
        (Reply(body=b"[1, 2]"), "malformed", None),
        (Reply(raw=b": nothing\n\n"), "malformed", None),
        (Reply(body=b'{"error": {"message": "slow down", "code": 429}}'), "rate", None),
    ],
)
async def test_each_refusal_is_told_by_its_kind(
    scripted: ScriptedModel, reply: Reply, kind: str, retry_after: float | None
) -> None:
    scripted.script.append(reply)
    _, error = await _error(_model(scripted))
    assert (error.kind, error.retry_after) == (kind, retry_after)
    assert "<" not in error.message
    assert "\n" not in error.message


async def test_a_key_is_never_shown_even_when_the_provider_repeats_it(
    scripted: ScriptedModel,
) -> None:
    key = "sk-" + "q" * 20
    scripted.script.append(fail(401, f"Incorrect API key provided: {key}."))
    _, error = await _error(_model(scripted, key=key))
    assert key not in str(error)


@pytest.mark.parametrize("key", ["ключ", "a\nb", "a\x00"])
async def test_a_key_that_cannot_be_one_is_told(scripted: ScriptedModel, key: str) -> None:
    _, error = await _error(_model(scripted, key=key))
    assert error.kind == "auth"
    assert key not in str(error)


async def test_an_error_in_the_middle_of_a_stream_keeps_what_came(scripted: ScriptedModel) -> None:
    error = b'data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n'
    scripted.script.append(Reply(raw=_chunk({"content": "half "}) + error))
    text, failed = await _error(_model(scripted))
    assert (text, failed.kind) == ("half ", "overloaded")


async def test_a_dropped_line_gives_what_came_and_then_an_error(scripted: ScriptedModel) -> None:
    scripted.script.append(say("one two three four", chunk=4, drop_after=400))
    text, error = await _error(_model(scripted))
    assert text.startswith("one ")
    assert error.kind == "network"


async def test_a_stream_that_ends_early_but_politely_is_an_error_too(
    scripted: ScriptedModel,
) -> None:
    scripted.script.append(Reply(raw=_chunk({"content": "half"})))
    text, error = await _error(_model(scripted))
    assert (text, error.kind) == ("half", "network")


async def test_a_line_that_drops_after_the_end_harms_nothing(scripted: ScriptedModel) -> None:
    whole = b"".join(events(say("all of it")))
    end = whole.index(b"data: [DONE]")
    scripted.script.append(Reply(raw=whole, drop_after=end, cut=10))
    assert _text(await _all(_model(scripted))) == "all of it"


async def test_a_silent_stream_is_given_up(scripted: ScriptedModel) -> None:
    scripted.script.append(say("one two three four", chunk=4, stall_after=400))
    started = time.monotonic()
    text, error = await _error(_model(scripted, stall_s=0.2))
    assert text.startswith("one ")
    assert error.kind == "network"
    assert "0.2 seconds" in error.message
    assert time.monotonic() - started < 2


async def test_a_server_that_keeps_the_line_open_after_the_end_holds_nobody(
    scripted: ScriptedModel,
) -> None:
    whole = b"".join(events(say("all")))
    scripted.script.append(Reply(raw=whole + b" ", stall_after=len(whole)))
    started = time.monotonic()
    assert _text(await _all(_model(scripted))) == "all"
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1/v1", "nothing answers at 127.0.0.1:1"),
        ("ftp://127.0.0.1/v1", "is no address"),
        ("http://127.0.0.1:99999/v1", "is no address"),
        ("http://[::1", "is no address"),
        ("", "is no address"),
    ],
)
async def test_an_endpoint_out_of_reach_is_named(url: str, words: str) -> None:
    _, error = await _error(ChatCompletions("x", url))
    assert words in error.message


def test_a_host_that_does_not_exist_is_named() -> None:
    error = httpx2.ConnectError("failed")
    error.__cause__ = socket.gaierror(-2, "Name or service not known")
    endpoint = failures.Endpoint(url="http://gone.example:8080/v1", model="x")
    assert "no host named gone.example " in failures.from_exception(error, endpoint, 1).message


async def test_a_server_without_tls_behind_an_https_address_is_told() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        _, error = await _error(ChatCompletions("x", f"https://127.0.0.1:{port}/v1"))
    assert "no secure connection" in error.message
    assert error.kind == "network"


async def test_stopping_in_the_middle_ends_the_request_at_once(scripted: ScriptedModel) -> None:
    scripted.script.append(say("one two", chunk=4, gate="never", gate_at=2))
    model = _model(scripted)

    async def read() -> None:
        async with aclosing(model.stream(_request())) as deltas:  # type: ignore[type-var]
            async for _ in deltas:
                pass

    task = asyncio.ensure_future(read())
    await scripted.until(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    scripted.script.append("again")
    assert _text(await _all(model)) == "again"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("http://h/v1/", "http://h/v1"),
        ("https://h/api/v1/chat/completions", "https://h/api/v1"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
    ],
)
def test_addresses_are_taken_as_people_write_them(given: str, url: str) -> None:
    assert clean_url(given) == url


def test_model_lists_of_every_kind_of_server_are_read() -> None:
    rows = [
        {"id": "a", "context_length": 1},
        {"id": "b", "max_model_len": 2},
        {"id": "c", "meta": {"n_ctx_train": 3}},
        {"name": "d", "context_length": "many"},
        {"nothing": 1},
        None,
    ]
    found = read_models(json.dumps({"data": rows}).encode())
    assert [(one.name, one.window) for one in found] == [("a", 1), ("b", 2), ("c", 3), ("d", 0)]
    assert read_models(b"<html>") == read_models(b"3") == ()


def test_the_client_is_imported_at_the_first_request() -> None:
    code = (
        "import sys, hermes_tui.models.chat_completions as c; c.ChatCompletions('x', 'http://h');"
        "print([m for m in ('httpx2', 'anyio', 'email', 'json') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "[]\n"
