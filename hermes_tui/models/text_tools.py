"""A model without native tools, made one with them: its format written in and read back out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from msgspec.structs import replace

from hermes_tui.events import ToolCall
from hermes_tui.models.base import CallDelta, Delta, Message, Model, Request
from hermes_tui.models.text_formats import Piece, TextFormat


class TextTools:
    """Wraps any model; everything but the way tools are written is that model's own."""

    repairs_calls = False

    def __init__(self, model: Model, written: TextFormat) -> None:
        self._model = model
        self._format = written

    @property
    def name(self) -> str:
        """As the provider calls the model."""
        return self._model.name

    @property
    def window(self) -> int:
        """Context size in tokens."""
        return self._model.window

    def __getattr__(self, name: str) -> Any:
        """What else the model has, such as whether it sees."""
        return getattr(self._model, name)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request with its tools as text and yield the reply with its calls as calls."""
        if not request.tools:
            async for delta in self._model.stream(request):
                yield delta
            return
        reader = self._format.reader()
        count = 0
        async for delta in self._model.stream(self._written(request)):
            piece = reader.feed(delta.text)
            if delta.finish:
                end = reader.finish()
                piece = Piece(
                    text=piece.text + end.text,
                    reasoning=piece.reasoning + end.reasoning,
                    calls=piece.calls + end.calls,
                )
            calls = tuple(_delta(count + n, call) for n, call in enumerate(piece.calls))
            count += len(calls)
            finish = "tool_calls" if delta.finish and count else delta.finish
            thought = delta.reasoning + piece.reasoning
            yield replace(
                delta, text=piece.text, reasoning=thought, calls=delta.calls + calls, finish=finish
            )
        end = reader.finish()
        if end.text or end.reasoning or end.calls:
            calls = tuple(_delta(count + n, call) for n, call in enumerate(end.calls))
            yield Delta(text=end.text, reasoning=end.reasoning, calls=calls)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def _written(self, request: Request) -> Request:
        system = f"{request.system}\n\n{self._format.preamble(request.tools)}"
        return replace(request, system=system, tools=(), messages=tuple(self._messages(request)))

    def _messages(self, request: Request) -> list[Message]:
        made: list[Message] = []
        calls: dict[str, ToolCall] = {}
        results: list[tuple[ToolCall, str]] = []
        for message in request.messages:
            if message.role == "tool":
                known = calls.get(message.call_id) or ToolCall(id=message.call_id, tool="")
                results.append((known, message.content))
                continue
            if results:
                made.append(self._format.results(results))
                results = []
            calls |= {call.id: call for call in message.calls}
            if message.role == "assistant":
                message = replace(message, content=self._format.said(message), calls=())
            made.append(message)
        if results:
            made.append(self._format.results(results))
        return made


def _delta(index: int, call: ToolCall) -> CallDelta:
    return CallDelta(index=index, id=call.id, tool=call.tool, arguments=call.arguments)
