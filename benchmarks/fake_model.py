"""A model server for benchmarks that does what the prompt says, the same way every time.

Stand-alone: standard library only, loopback only. The newest user message with a script in
double brackets decides, for instance

    [[rounds=6 parallel=2 tool=run_command tokens=200 chunk=1 args={"command":"echo %d"}]]

    rounds, parallel, tool, args   so many rounds of so many calls first; %d is the call's number
    tokens, chunk, prose, text     then so many words (en, zh, md, or this text), so many an event
    delay_ms, first_ms             pauses between events and before the first
    say=1                          a sentence before each round of calls
    plain=1                        also follow it when the request offers no tools

An answer depends on the request alone, so a client that was killed and resumed goes on in the
same script. A request without tools and without plain=1 is some side job and gets two words.
The first line printed holds the address. --log takes a JSON line a request, --dump its bytes.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TextIO

EVENTS_PER_WRITE = 64
_ENGLISH = (
    "the core keeps a log of every event and a face shows what the log says so nothing that "
    "was typed is lost when a screen closes or a line drops in the middle of an answer"
)
_CHINESE = "我们 今天 把 所有 事件 写进 日志 然后 再 显示 给 用户 看 这样 什么 都 不会 丢失"
ENGLISH, CHINESE = _ENGLISH.split(), _CHINESE.split()
SIDE_JOB = ["side ", "job"]


@dataclass(frozen=True)
class Script:
    """What a prompt asks of the server."""

    rounds: int = 0
    parallel: int = 1
    tool: str = "run_command"
    args: str = '{"command":"true"}'
    tokens: int = 20
    chunk: int = 1
    prose: str = "en"
    text: str = ""
    delay_ms: float = 0.0
    first_ms: float = 0.0
    say: int = 0
    plain: int = 0

    @classmethod
    def read(cls, prompt: str) -> Script | None:
        """The script in a prompt, None when there is none."""
        starts = [found.end() for found in re.finditer(r"\[\[(?=\w+=)", prompt)]
        if not starts:
            return None
        inside = prompt[starts[-1] :]
        script = cls()
        if args := re.search(r"\bargs=(?=\{)", inside):
            _, size = json.JSONDecoder().raw_decode(inside[args.end() :])
            script = replace(script, args=inside[args.end() : args.end() + size])
            inside = inside[: args.start()] + inside[args.end() + size :]
        kinds = {one.name: type(getattr(script, one.name)) for one in fields(cls)}
        pairs = re.findall(r"(\w+)=([^\s\]]+)", inside.split("]]")[0])
        return replace(script, **{name: kinds[name](value) for name, value in pairs})

    def words(self) -> list[str]:
        """The final answer, a word an item."""
        if self.text:
            return [f"{word} " for word in self.text.split("_")]
        return [self._word(number) for number in range(self.tokens)]

    def _word(self, number: int) -> str:
        if self.prose == "zh":
            return CHINESE[number * 5 % len(CHINESE)] + ("。\n" if number % 15 == 14 else "")
        word = ENGLISH[(number * 5 + number // 31) % len(ENGLISH)]
        if self.prose == "md" and number % 110 == 0:
            return f"\n\n## Section {number // 110}\n\n**{word}** "
        if self.prose == "md" and number % 110 == 55:
            return "\n\n```python\nfor n in range(3):\n    print(n)\n```\n\n- "
        return word + (".\n" if number % 75 == 74 else ". " if number % 15 == 14 else " ")


@dataclass(frozen=True)
class Answer:
    """One answer: text in pieces, then calls."""

    script: Script
    pieces: list[str]
    calls: list[dict[str, Any]]
    done: int

    @property
    def finish(self) -> str:
        """Why it ends."""
        return "tool_calls" if self.calls else "stop"

    def usage(self, size: int) -> dict[str, int]:
        """Token counts, roughly, for a request of `size` bytes."""
        made = max(1, len(self.pieces) + 12 * len(self.calls))
        return {"prompt_tokens": size // 4, "completion_tokens": made}


def decide(body: dict[str, Any]) -> Answer:
    """The answer to a request."""
    messages = body.get("messages") or []
    script, place = Script(), -1
    for number, message in enumerate(messages):
        found = Script.read(_text(message)) if message.get("role") == "user" else None
        if found is not None:
            script, place = found, number
    done = sum(bool(message.get("tool_calls")) for message in messages[place + 1 :])
    offered = {tool["function"]["name"] for tool in body.get("tools") or []}
    if not offered and not script.plain:
        return Answer(script, SIDE_JOB, [], done)
    if done >= script.rounds or script.tool not in offered:
        return Answer(script, script.words(), [], done)
    said = replace(script, tokens=6, text="").words() if script.say else []
    return Answer(script, said, [_call(script, done, n) for n in range(script.parallel)], done)


def _call(script: Script, done: int, place: int) -> dict[str, Any]:
    arguments = script.args.replace("%d", str(done * script.parallel + place))
    tag = hashlib.sha256(script.args.encode()).hexdigest()[:6]
    function = {"name": script.tool, "arguments": arguments}
    return {"id": f"call_{tag}_{done}_{place}", "type": "function", "function": function}


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def events(answer: Answer, size: int) -> Iterator[bytes]:
    """The answer as HTTP chunks of one server-sent event each."""
    yield _chunk(delta={"role": "assistant", "content": ""})
    step = max(1, answer.script.chunk)
    for at in range(0, len(answer.pieces), step):
        yield _chunk(delta={"content": "".join(answer.pieces[at : at + step])})
    for index, call in enumerate(answer.calls):
        opened = {**call["function"], "arguments": ""}
        yield _chunk(delta={"tool_calls": [{**call, "index": index, "function": opened}]})
        rest = {"arguments": call["function"]["arguments"]}
        yield _chunk(delta={"tool_calls": [{"index": index, "function": rest}]})
    yield _chunk(delta={}, finish=answer.finish)
    yield _framed(json.dumps({"id": "bench", "choices": [], "usage": answer.usage(size)}).encode())
    yield _framed(b"[DONE]") + b"0\r\n\r\n"


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    value = {"id": "bench", "object": "chat.completion.chunk", "created": 1, "choices": [choice]}
    return _framed(json.dumps(value, ensure_ascii=False).encode())


def _framed(data: bytes) -> bytes:
    return b"%x\r\ndata: %s\n\n\r\n" % (len(data) + 8, data)


class Server:
    """Answers requests, keeps count, writes the log."""

    def __init__(self, name: str, window: int, log: TextIO | None, dump: Path | None) -> None:
        self.name, self.window = name, window
        self.log, self.dump = log, dump
        self.count = self.live = 0

    async def line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                found = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
                raw = await reader.readexactly(int(found[1]) if found else 0)
                await self.serve(head.split(" ", 2)[1], raw, writer)
                await writer.drain()
        writer.close()

    async def serve(self, path: str, raw: bytes, writer: asyncio.StreamWriter) -> None:
        """One request."""
        if path.split("?")[0].endswith("/chat/completions"):
            await self.chat(raw, writer)
        elif path.rstrip("/").endswith("/models"):
            model = {"id": self.name, "object": "model", "context_length": self.window}
            self.note({"kind": "models", "t0": time.time()})
            _whole(writer, {"object": "list", "data": [model]})
        else:
            self.note({"kind": "other", "t0": time.time(), "path": path})
            _whole(writer, {"error": {"message": "nothing here"}}, "404 Not Found")

    async def chat(self, raw: bytes, writer: asyncio.StreamWriter) -> None:
        """One chat request."""
        self.count += 1
        self.live += 1
        row: dict[str, Any] = {"kind": "chat", "seq": self.count, "t0": time.time()}
        if self.dump is not None:
            (self.dump / f"{self.count:06d}.json").write_bytes(raw)
        body = json.loads(raw)
        answer = decide(body)
        row |= {"bytes": len(raw), "messages": len(body["messages"]), "live": self.live}
        row |= {"tools": len(body.get("tools") or []), "done": answer.done}
        row |= {"calls": len(answer.calls), "words": len(answer.pieces)}
        await asyncio.sleep(answer.script.first_ms / 1000)
        row["first"] = time.time()
        try:
            if body.get("stream"):
                await self.stream(answer, len(raw), writer)
            else:
                _whole(writer, _completion(answer, len(raw)))
        finally:
            self.live -= 1
            self.note({**row, "t1": time.time()})

    async def stream(self, answer: Answer, size: int, writer: asyncio.StreamWriter) -> None:
        """The answer, event by event; many to a write unless there are pauses between them."""
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        waiting: list[bytes] = []
        for event in events(answer, size):
            waiting.append(event)
            if answer.script.delay_ms or len(waiting) == EVENTS_PER_WRITE:
                writer.write(b"".join(waiting))
                waiting.clear()
                await writer.drain()
            if answer.script.delay_ms:
                await asyncio.sleep(answer.script.delay_ms / 1000)
        writer.write(b"".join(waiting))

    def note(self, row: dict[str, Any]) -> None:
        """A line in the log."""
        if self.log is not None:
            self.log.write(json.dumps(row) + "\n")
            self.log.flush()


def _completion(answer: Answer, size: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "".join(answer.pieces) or None}
    if answer.calls:
        message["tool_calls"] = answer.calls
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    return {"id": "bench", "choices": [choice], "usage": answer.usage(size)}


def _whole(writer: asyncio.StreamWriter, value: Any, status: str = "200 OK") -> None:
    data = json.dumps(value, ensure_ascii=False).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}"
    writer.write(f"{head}\r\n\r\n".encode() + data)


async def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--model", default="bench-model")
    parser.add_argument("--window", type=int, default=1_000_000)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--dump", type=Path)
    given = parser.parse_args()
    log = given.log.open("a") if given.log else None
    serving = Server(given.model, given.window, log, given.dump)
    server = await asyncio.start_server(serving.line, "127.0.0.1", given.port, limit=1 << 26)
    print(f"serving at http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
