"""Tool calls as text, for models that are served without native tools: one interface.

A format says how tools, calls and results are written, and reads calls back out of a stream.
Outside packages add formats through the entry point group `hermes_tui.tool_formats`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from hermes_tui.errors import ModelError
from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, ToolSchema

GROUP = "hermes_tui.tool_formats"


class Piece(Struct, frozen=True, kw_only=True):
    """What is certain by now: text for the person, thinking, whole calls."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()


class Reader(Protocol):
    """Reads one reply. The pieces together are the same however the stream was cut."""

    def feed(self, piece: str) -> Piece:
        """Take more of the stream."""
        ...

    def finish(self) -> Piece:
        """The stream has ended, perhaps in mid-call: what can be read of it is."""
        ...


class TextFormat(Protocol):
    """How tools, calls and results are written for one family of models."""

    name: str

    def preamble(self, tools: Sequence[ToolSchema]) -> str:
        """What goes after the system text, so that the model knows the tools and the form."""
        ...

    def said(self, message: Message) -> str:
        """A reply with its calls, as the model would have written it."""
        ...

    def results(self, results: Sequence[tuple[ToolCall, str]]) -> Message:
        """The results of one reply's calls, as one message."""
        ...

    def reader(self) -> Reader:
        """A reader for one reply."""
        ...


class Block(Struct, frozen=True, kw_only=True):
    """A marked stretch of a reply. close: empty when it runs to the end of the reply.

    kind: `call`, `think`, or `drop` for marks that mean nothing to a person.
    """

    open: str
    close: str = ""
    kind: str = "call"


class BlockReader:
    """Splits a stream into text, thinking and calls by marks.

    calls: reads the body of a call; None when it is none, and then it stays text as it was.
    """

    def __init__(
        self, blocks: Sequence[Block], calls: Callable[[str], tuple[ToolCall, ...] | None]
    ) -> None:
        self._blocks = blocks
        self._calls = calls
        self._held = ""
        self._inside: Block | None = None
        self._text_begun = False

    def feed(self, piece: str) -> Piece:
        """Take more of the stream."""
        self._held += piece
        made: list[Piece] = []
        while (one := self._next()) is not None:
            made.append(one)
        return _joined(made)

    def finish(self) -> Piece:
        """What is left at the end of the stream."""
        made: list[Piece] = []
        while (one := self._next()) is not None:
            made.append(one)
        rest, self._held = self._held, ""
        if self._inside is None:
            made.append(self._as_text(rest))
        else:
            made.append(self._body(self._inside, rest, closed=not self._inside.close))
        self._inside = None
        return _joined(made)

    def _next(self) -> Piece | None:
        """One certain step further; None when more of the stream is needed."""
        return self._outside() if self._inside is None else self._within(self._inside)

    def _outside(self) -> Piece | None:
        found = [(at, one) for one in self._blocks if (at := self._held.find(one.open)) >= 0]
        if found:
            at, block = min(found, key=lambda pair: (pair[0], -len(pair[1].open)))
            text, self._held = self._held[:at], self._held[at + len(block.open) :]
            if block.kind == "drop":
                return self._as_text(text)
            self._inside = block
            return self._as_text(text)
        keep = max((_begun(self._held, one.open) for one in self._blocks), default=0)
        if len(self._held) == keep:
            return None
        text, self._held = (
            self._held[: len(self._held) - keep],
            self._held[len(self._held) - keep :],
        )
        return self._as_text(text)

    def _within(self, block: Block) -> Piece | None:
        if not block.close:
            return None
        at = self._held.find(block.close)
        if at < 0:
            return None
        body, self._held = self._held[:at], self._held[at + len(block.close) :]
        self._inside = None
        return self._body(block, body, closed=True)

    def _body(self, block: Block, body: str, closed: bool) -> Piece:
        if block.kind == "think":
            return Piece(reasoning=body)
        calls = self._calls(body)
        if calls is not None:
            return Piece(calls=calls)
        return self._as_text(block.open + body + (block.close if closed else ""))

    def _as_text(self, text: str) -> Piece:
        """Text without the blank lines that stand before the first word of a reply."""
        if not self._text_begun:
            text = text.lstrip()
            self._text_begun = bool(text)
        return Piece(text=text)


def _begun(text: str, mark: str) -> int:
    """Length of the longest end of a text that a mark begins with."""
    sizes = range(min(len(text), len(mark) - 1), 0, -1)
    return next((size for size in sizes if text.endswith(mark[:size])), 0)


def _joined(pieces: Sequence[Piece]) -> Piece:
    return Piece(
        text="".join(one.text for one in pieces),
        reasoning="".join(one.reasoning for one in pieces),
        calls=tuple(call for one in pieces for call in one.calls),
    )


def new_call(name: str, arguments: Any) -> ToolCall | None:
    """A call with an id of its own; None when the arguments are no object."""
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments or "{}")
        except msgspec.MsgspecError:
            return None
    if not name or not isinstance(arguments, dict):
        return None
    text = msgspec.json.encode(arguments).decode()
    return ToolCall(id=f"call_{os.urandom(6).hex()}", tool=name, arguments=text)


def as_json(value: Any) -> str:
    """Compact JSON, the same for the same value."""
    return msgspec.json.encode(value).decode()


def functions(tools: Sequence[ToolSchema]) -> list[dict[str, Any]]:
    """Tools in the form of the chat-completions protocol."""
    return [{"type": "function", "function": msgspec.to_builtins(tool)} for tool in tools]


NAMES = ("hermes", "qwen", "mistral", "llama3")


def format_named(name: str) -> TextFormat:
    """A format by name, ours or one that a package brings. Raises ModelError."""
    from hermes_tui.models import family_formats, hermes_format

    ours: dict[str, Callable[[], TextFormat]] = {
        "hermes": hermes_format.Hermes,
        "qwen": family_formats.Qwen,
        "mistral": family_formats.Mistral,
        "llama3": family_formats.Llama3,
    }
    if name in ours:
        return ours[name]()
    from importlib.metadata import entry_points

    for one in entry_points(group=GROUP, name=name):
        return one.load()()
    raise ModelError(
        f"there is no tool format {name!r}", f"model.tool_format: {', '.join(NAMES)}", "missing"
    )
