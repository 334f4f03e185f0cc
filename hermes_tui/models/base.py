"""What the agent needs of any model: a request in, deltas out, errors of one kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

from msgspec import Struct

from hermes_tui.events import Picture, ToolCall, Usage


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a conversation, in the form of the chat-completions protocol.

    Field order is the order on the wire, so the same message is the same bytes for ever.
    pictures: sent as data to a model that sees, left out for others. reasoning: what the model
    thought before its calls; only endpoints that ask for it get it back. details: JSON for the
    model named alone (`keepsakes`); model: set where there are such, here or at a call.
    """

    role: str
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    pictures: tuple[Picture, ...] = ()
    reasoning: str = ""
    details: str = ""
    model: str = ""


class ToolSchema(Struct, frozen=True, kw_only=True):
    """A tool as the model sees it. `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class Request(Struct, frozen=True, kw_only=True):
    """One request. `system` goes first and never changes within a session."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int | None = None


class CallDelta(Struct, frozen=True, kw_only=True):
    """A piece of a tool call. index tells calls of one reply apart."""

    index: int
    id: str = ""
    tool: str = ""
    arguments: str = ""
    extra: str = ""


class Delta(Struct, frozen=True, kw_only=True):
    """What one read from the line brought: text, reasoning, pieces of calls, the end.

    note: something the person should know, such as that another model answers. details: pieces
    of what the provider hangs on its thoughts (`keepsakes`).
    """

    text: str = ""
    reasoning: str = ""
    details: tuple[dict[str, Any], ...] = ()
    calls: tuple[CallDelta, ...] = ()
    usage: Usage | None = None
    finish: str = ""
    note: str = ""


class Model(Protocol):
    """A model that can be asked. Implementations raise `ModelError`, nothing else.

    name: as the provider calls it; window: context size in tokens; repairs_calls: whether
    tool calls written as text are to be recognised in its replies.
    """

    @property
    def name(self) -> str:
        """As the provider calls it."""
        ...

    @property
    def window(self) -> int:
        """Context size in tokens."""
        ...

    repairs_calls: bool

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and yield what comes back, at most one delta a network read."""
        ...

    async def close(self) -> None:
        """Give up connections and child processes."""
        ...
