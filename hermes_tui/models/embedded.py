"""The embedded model: a small GGUF in a child process that comes when needed and goes when idle."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from hermes_tui.backends import process
from hermes_tui.errors import ModelError
from hermes_tui.events import Usage
from hermes_tui.models.base import CallDelta, Delta, Request
from hermes_tui.models.chat_completions import ChatCompletions

WINDOW = 8192
IDLE_S = 600.0
LOAD_S = 180.0
STALL_S = 300.0
LONGEST_ANSWER = 768
_KEPT_ENV = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH")
_SAMPLING: dict[str, Any] = {
    "temperature": 0,
    "repeat_penalty": 1.05,
    "frequency_penalty": 0.2,
    "cache_prompt": True,
}
"""Without a penalty a half-billion model may write newlines until its limit (seen)."""


class Embedded:
    """The model in one GGUF file, answered by llama.cpp in a child process.

    The child starts with the first request and ends after `idle_s` seconds without one, when
    this model is closed, and when this process dies in whatever way. only_talks: it is never
    offered a tool.
    """

    repairs_calls = False
    small = True

    def __init__(
        self,
        file: Path,
        *,
        window: int = 0,
        stall_s: float = STALL_S,
        idle_s: float = IDLE_S,
        only_talks: bool = False,
    ) -> None:
        self.name = file.stem
        self.window = window or WINDOW
        self._file = file
        self._stall_s = max(stall_s, STALL_S)
        self._idle_s = idle_s
        self._only_talks = only_talks
        self._starting = asyncio.Lock()
        self._process: process.Process | None = None
        self._client: ChatCompletions | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        running = self._process is not None and self._process.running
        return self._process.pid if self._process and running else None

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Answer: talk comes as it is made, a call comes whole and fits its tool's schema."""
        if request.max_tokens is None:
            request = msgspec.structs.replace(request, max_tokens=LONGEST_ANSWER)
        client = await self._ready()
        await self._tell(b"busy\n")
        try:
            plain = self._only_talks or not request.tools
            answer = self._plain if plain else self._constrained
            async for delta in answer(client, request):
                yield delta
        finally:
            await self._tell(b"idle\n")

    async def close(self) -> None:
        """End the child."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()
        if self._process is not None:
            child, self._process = self._process, None
            await child.kill(grace=0.5)
            child.close()

    # --- answers ---------------------------------------------------------------------------

    def _plain(self, client: ChatCompletions, request: Request) -> AsyncIterator[Delta]:
        return client.ask(msgspec.structs.replace(request, tools=()), _SAMPLING)

    async def _constrained(self, client: ChatCompletions, request: Request) -> AsyncIterator[Delta]:
        from hermes_tui.models import constrained

        shaped = constrained.shape(request)
        used = Usage()
        # The second round is only for a call that was just answered: then it may only talk.
        for tools in (request.tools, ()):
            reader = constrained.AnswerReader()
            extra = {**_SAMPLING, "response_format": constrained.response_format(tools)}
            finish = ""
            async for delta in client.ask(shaped, extra):
                used = _sum(used, delta.usage)
                finish = delta.finish or finish
                if said := reader.feed(delta.text):
                    yield Delta(text=said)
            text, call = reader.end()
            if call is not None and constrained.repeats(request, call):
                continue
            calls = ()
            if call is not None:
                calls = (CallDelta(index=0, tool=call.tool, arguments=call.arguments),)
                finish = "tool_calls"
            yield Delta(text=text, calls=calls, usage=used, finish=finish or "stop")
            return

    # --- the child -------------------------------------------------------------------------

    async def _ready(self) -> ChatCompletions:
        async with self._starting:
            if self._client is None or self._process is None or not self._process.running:
                await self.close()
                self._client = await self._start()
            return self._client

    async def _start(self) -> ChatCompletions:
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelError(
                "the embedded model needs the package xllamacpp",
                "install it with: pip install 'hermes-tui[local]'",
                "missing",
            )
        from hermes_tui.models.embedded_child import Start

        key = secrets.token_hex(16)
        start = Start(
            file=str(self._file),
            key=key,
            threads=max(1, _cores() - 1),
            context=self.window,
            idle_s=self._idle_s,
        )
        child = await process.start(
            [sys.executable, "-m", "hermes_tui.models.embedded_child"],
            cwd=str(self._file.parent),
            env=_environment(),
            stdin=process.PIPE,
        )
        try:
            await child.write(msgspec.json.encode(start) + b"\n")
            port = await self._port(child)
            self._process = child
        finally:
            if self._process is not child:
                await child.kill(grace=0.1)
                child.close()
        return ChatCompletions(
            self.name,
            f"http://127.0.0.1:{port}/v1",
            key=key,
            window=self.window,
            stall_s=self._stall_s,
        )

    async def _port(self, child: process.Process) -> int:
        from hermes_tui.models.embedded_child import READY

        output = b""
        try:
            async with asyncio.timeout(LOAD_S):
                while b"\n" not in output.partition(READY)[2] and (data := await child.read()):
                    output = (output + data)[-20_000:]
        except TimeoutError:
            output = b"it took too long"
        if port := output.partition(READY)[2]:
            return int(port.split(b"\n")[0])
        lines = output.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise ModelError(
            f"the embedded model could not be loaded from {self._file}: {lines[-1][:200]}",
            "fetch it again with `hermes setup --local`, or name another with model.file",
            "missing",
        )

    async def _tell(self, line: bytes) -> None:
        with suppress(BrokenPipeError):
            if self._process is not None and self._process.running:
                await self._process.write(line)


def _cores() -> int:
    """Cores this process may use. A thread on each of them would leave none for the rest."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 2


def _sum(used: Usage, more: Usage | None) -> Usage:
    if more is None:
        return used
    return Usage(
        prompt=used.prompt + more.prompt,
        cached=used.cached + more.cached,
        completion=used.completion + more.completion,
    )


def _environment() -> dict[str, str]:
    env = {name: os.environ[name] for name in _KEPT_ENV if name in os.environ}
    root = str(Path(__file__).parents[2])
    env["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [env.get("PYTHONPATH")])])
    return env
