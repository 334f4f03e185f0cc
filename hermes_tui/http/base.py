"""What a call can be answered with, and what a path of our own is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

from hermes_tui.gateways.base import Answer, Call

JSON = "application/json"


class Stream(Struct, frozen=True, kw_only=True):
    """An answer that comes in pieces; the generator is closed when the caller has gone."""

    pieces: AsyncGenerator[bytes, None]
    status: int = 200
    headers: dict[str, str] = {}


Reply = Answer | Stream
Serve = Callable[[Call, dict[str, str]], Awaitable[Reply]]
"""A path of ours: the call, and the parts of the path that stand in braces."""


class HttpError(Exception):
    """A call that can't be answered as wanted, in the form of OpenAI's errors.

    kind: such as `invalid_request_error`. code: a word for programs. param: the field that is
    wrong. again: whether the caller may send the same once more.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        again: bool = True,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.code = code
        self.param = param
        self.again = again

    @property
    def body(self) -> dict[str, Any]:
        """The error as JSON has it."""
        error = {
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        }
        return {"error": error}

    def answer(self, headers: dict[str, str] | None = None) -> Answer:
        """The error as an answer."""
        more = {} if self.again else {"x-should-retry": "false"}
        return as_json(self.body, self.status, {**more, **(headers or {})})


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """A value as an answer."""
    return Answer(
        status=status,
        body=msgspec.json.encode(value),
        headers={"content-type": JSON, **(headers or {})},
    )


class Visit(Protocol):
    """One call as the server has it: its head, its body when that is wanted, the way back."""

    @property
    def head(self) -> Call:
        """Everything but the body."""
        ...

    async def body(self) -> bytes:
        """The body as it was sent. Raises HttpError when it is too large or too slow."""
        ...

    async def reply(self, reply: Reply) -> None:
        """Send the answer; done when all of it was sent."""
        ...


Kind = Literal["hook", "api", "open"]
"""Who may call: whoever signs, whoever shows the key, everybody."""
