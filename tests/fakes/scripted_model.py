"""A model that says what a test wrote down, behind a real HTTP server on loopback.

    async with ScriptedModel(call("run_command", command="true"), say("done")) as model:
        ...                           # model.url is the base_url; model.requests what came in

The script is a list of replies, taken one a request, or one function from request to reply.
`ScriptedModel.in_thread(...)` is the same for tests that drive a command or a terminal.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

_ids = itertools.count(1)


@dataclass(frozen=True)
class Call:
    """A tool call in a reply. arguments: a dict, or the JSON text to send as it is."""

    tool: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""

    def wire(self) -> dict[str, Any]:
        """The call as the protocol writes it."""
        text = self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)
        function = {"name": self.tool, "arguments": text}
        return {"id": self.id or f"call_{next(_ids)}", "type": "function", "function": function}


@dataclass(frozen=True)
class Reply:
    """One answer of the model, with everything that may go wrong with it.

    chunk: characters per streamed event; events_per_write: events in one network write;
    first_s, delay_s: pauses before the first byte and between writes.
    gate: wait for `model.open(gate)` after `gate_at` events (0: before the first byte).
    raw: bytes sent in place of the stream, `cut` bytes a write.
    drop_after, stall_after: cut the line, or fall silent, after so many bytes of the body.
    status, body, headers: any other HTTP answer.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    chunk: int = 8
    events_per_write: int = 1
    first_s: float = 0.0
    delay_s: float = 0.0
    gate: str = ""
    gate_at: int = 0
    finish: str = ""
    usage: dict[str, Any] | None = None
    raw: bytes | None = None
    cut: int = 0
    drop_after: int | None = None
    stall_after: int | None = None
    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


def say(text: str, **more: Any) -> Reply:
    """A reply of plain text."""
    return Reply(text=text, **more)


def call(tool: str, **arguments: Any) -> Reply:
    """A reply that asks for one tool call."""
    return Reply(calls=(Call(tool, arguments),))


def calls(*many: Call, text: str = "", **more: Any) -> Reply:
    """A reply that asks for several tool calls at once, with a sentence before them if given."""
    return Reply(text=text, calls=many, **more)


def fail(status: int, message: str = "no", *, code: str = "", **headers: str) -> Reply:
    """An HTTP error in the usual JSON form; keyword arguments become headers (`_` is `-`)."""
    body = json.dumps({"error": {"message": message, "code": code or None}}).encode()
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status=status, body=body, headers=pairs)


@dataclass(frozen=True)
class Asked:
    """A request that came in: its bytes, what they say, and when."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> dict[str, Any]:
        """The body decoded."""
        return json.loads(self.body)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation as it was sent, the system message first."""
        return self.json["messages"]

    @property
    def tools(self) -> list[str]:
        """Names of the tools that were offered."""
        return [tool["function"]["name"] for tool in self.json.get("tools") or ()]


Line = Reply | str | Callable[[Asked], Reply | str]


class ScriptedModel:
    """The server. Nothing it does depends on time but the pauses a reply asks for.

    name, window: what `GET /models` says. key: the API key it insists on. refuses: body fields
    that make it answer 400, as old endpoints do. also: further paths and their JSON. A request
    beyond the script's end gets 400.
    """

    paths: tuple[str, ...] = ("/chat/completions",)

    def __init__(
        self,
        *script: Line,
        name: str = "scripted",
        window: int = 100_000,
        key: str = "",
        refuses: frozenset[str] = frozenset(),
        also: dict[str, Any] | None = None,
    ) -> None:
        self.script: list[Line] = list(script)
        self.answer: Callable[[Asked], Reply | str] | None = None
        self.name, self.window, self.key, self.refuses = name, window, key, refuses
        self.also = also or {}
        self.requests: list[Asked] = []
        self.others: list[Asked] = []
        self.live = self.peak_live = self.connections = 0
        self.url = ""
        self._gates: dict[str, asyncio.Event] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.Task[None]] = set()

    # --- life ------------------------------------------------------------------------------

    async def __aenter__(self) -> ScriptedModel:
        self._loop = asyncio.get_running_loop()
        self._server = await asyncio.start_server(self._line, "127.0.0.1", 0, limit=1 << 26)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._lines:
            task.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)
        await self._server.wait_closed()

    @classmethod
    @contextmanager
    def in_thread(cls, *script: Line, **settings: Any) -> Iterator[ScriptedModel]:
        """Serve from a thread of its own, for tests that have no event loop."""
        model = cls(*script, **settings)
        ready, over = threading.Event(), asyncio.Event()

        async def serve() -> None:
            async with model:
                ready.set()
                await over.wait()

        thread = threading.Thread(target=asyncio.run, args=(serve(),), name="scripted model")
        thread.start()
        assert ready.wait(10)
        try:
            yield model
        finally:
            assert model._loop is not None
            model._loop.call_soon_threadsafe(over.set)
            thread.join(10)

    def open(self, gate: str) -> None:
        """Let replies that wait at this gate go on. Callable from any thread."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._gate(gate).set)

    async def until(self, count: int, timeout_s: float = 5.0) -> Asked:
        """Wait until so many chat requests have come in; the last of them."""
        deadline = time.monotonic() + timeout_s
        while len(self.requests) < count:
            assert time.monotonic() < deadline, f"{len(self.requests)} of {count} requests came"
            await asyncio.sleep(0.002)
        return self.requests[count - 1]

    @property
    def last(self) -> Asked:
        """The newest chat request."""
        return self.requests[-1]

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    # --- one connection --------------------------------------------------------------------

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._lines.add(task)
        self.connections += 1
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._serve(await _read_request(reader), writer):
                    pass
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._lines.discard(task)
            writer.close()

    async def _serve(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection may be used again."""
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            self.others.append(asked)
            return await self._send(fail(401, "Incorrect API key provided"), False, writer)
        if asked.method == "GET" and asked.path == "/v1/models":
            self.others.append(asked)
            return await self._send(Reply(status=200, body=self._models()), False, writer)
        if asked.path in self.also:
            body = json.dumps(self.also[asked.path]).encode()
            return await self._send(Reply(body=body), False, writer)
        if not asked.path.endswith(self.paths):
            self.others.append(asked)
            return await self._send(fail(404, "no such path"), False, writer)
        self.requests.append(asked)
        self.live += 1
        self.peak_live = max(self.peak_live, self.live)
        try:
            return await self._send(self._next(asked), bool(asked.json.get("stream")), writer)
        finally:
            self.live -= 1

    def _models(self) -> bytes:
        one = {"id": self.name, "object": "model", "context_length": self.window}
        return json.dumps({"object": "list", "data": [one]}).encode()

    def _next(self, asked: Asked) -> Reply:
        if refused := sorted(self.refuses & asked.json.keys()):
            return fail(400, f"Unrecognized request argument supplied: {refused[0]}")
        if self.answer is None and not self.script:
            return fail(400, "the script has no more replies")
        line = self.answer or self.script.pop(0)
        if not isinstance(line, Reply | str):
            line = line(asked)
        return say(line) if isinstance(line, str) else line

    async def _send(self, reply: Reply, stream: bool, writer: asyncio.StreamWriter) -> bool:
        if reply.gate and not reply.gate_at:
            await self._gate(reply.gate).wait()
        if reply.first_s:
            await asyncio.sleep(reply.first_s)
        plain = reply.body or reply.status != 200 or not (stream or reply.raw is not None)
        if plain:
            body = reply.body if reply.body or reply.status != 200 else whole(reply)
            writer.write(_head(reply, f"content-length: {len(body)}") + body)
            await writer.drain()
            return True
        writer.write(_head(reply, "transfer-encoding: chunked", "text/event-stream"))
        sent = 0
        async for piece in self._pieces(reply):
            for limit in (reply.drop_after, reply.stall_after):
                if limit is not None and sent + len(piece) > limit:
                    return await self._break(reply, piece[: limit - sent], writer)
            writer.write(_chunk(piece))
            await writer.drain()
            sent += len(piece)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _break(self, reply: Reply, piece: bytes, writer: asyncio.StreamWriter) -> bool:
        if piece:
            writer.write(_chunk(piece))
        await writer.drain()
        if reply.stall_after is not None:
            await asyncio.Event().wait()
        return False

    async def _pieces(self, reply: Reply) -> AsyncIterator[bytes]:
        if reply.raw is not None:
            step = reply.cut or len(reply.raw) or 1
            for at in range(0, len(reply.raw), step):
                yield reply.raw[at : at + step]
            return
        waiting: list[bytes] = []
        for number, event in enumerate(events(reply)):
            if reply.gate and reply.gate_at == number and number:
                yield b"".join(waiting)
                waiting.clear()
                await self._gate(reply.gate).wait()
            waiting.append(event)
            if len(waiting) < reply.events_per_write:
                continue
            yield b"".join(waiting)
            waiting.clear()
            if reply.delay_s:
                await asyncio.sleep(reply.delay_s)
        yield b"".join(waiting)


# --- the protocol ----------------------------------------------------------------------------


def whole(reply: Reply) -> bytes:
    """The reply as one JSON body, for a request that did not ask for a stream."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [one.wire() for one in reply.calls]
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return json.dumps({"id": "1", "choices": [choice], "usage": _usage(reply)}).encode()


def events(reply: Reply) -> Iterator[bytes]:
    """The reply as server-sent events, the end mark included."""
    yield _event({"role": "assistant", "content": ""})
    for piece in _cut(reply.reasoning, reply.chunk):
        yield _event({"reasoning_content": piece})
    for piece in _cut(reply.text, reply.chunk):
        yield _event({"content": piece})
    for index, one in enumerate(reply.calls):
        start = one.wire()
        text = start["function"]["arguments"]
        opened = {**start["function"], "arguments": ""}
        yield _event({"tool_calls": [{**start, "index": index, "function": opened}]})
        for piece in _cut(text, max(reply.chunk, 64)):
            yield _event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _event({}, _finish(reply))
    yield _data({"id": "1", "choices": [], "usage": _usage(reply)})
    yield b"data: [DONE]\n\n"


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _usage(reply: Reply) -> dict[str, Any]:
    made = len(reply.text) // 4 + 12 * len(reply.calls) + 1
    return reply.usage or {"prompt_tokens": 100, "completion_tokens": made}


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({"id": "1", "object": "chat.completion.chunk", "choices": [choice]})


def _data(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""


def _head(reply: Reply, length: str, kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {reply.status} {'OK' if reply.status == 200 else 'No'}", length]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    if not any(name.lower() == "content-type" for name, _ in reply.headers):
        lines.append(f"content-type: {kind}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *rest = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(":", 1) for line in rest if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(method, path.split("?")[0], headers, body, time.monotonic())
