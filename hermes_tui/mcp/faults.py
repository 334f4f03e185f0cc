"""What can go wrong with a server, and what to say of it: a sentence, never nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from hermes_tui.errors import HermesError, ToolError

_CUT = ("connection closed", "session terminated", "closedresource", "brokenresource")


def need_sdk() -> None:
    """Raise ToolError when the SDK is not installed."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise ToolError("servers need a package more", "install it: pip install 'hermes-tui[mcp]'")


@cache
def kinds() -> tuple[type[Exception], ...]:
    """What a server, its transport and the SDK between are known to raise."""
    import anyio
    import httpx2
    from mcp import MCPError
    from mcp.client.auth.exceptions import OAuthFlowError

    return (
        *(HermesError, OSError, ValueError, RuntimeError, ExceptionGroup),
        *(MCPError, OAuthFlowError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL),
        *(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream),
    )


def said(error: BaseException) -> str:
    """What went wrong, in the words of the innermost cause that has any."""
    parts = list(_leaves(error))
    texts = [text for one in parts if (text := " ".join(str(one).split()))]
    if texts:
        return texts[0][:600]
    bare = parts[0] if parts else error
    return "no answer in time" if isinstance(bare, TimeoutError) else type(bare).__name__


def is_cut(error: BaseException) -> bool:
    """Whether a failure says that the connection is gone."""
    text = f"{said(error)} {type(error).__name__}".lower()
    return any(word in text for word in _CUT)


def never_arrived(error: BaseException) -> bool:
    """Whether the server says that it did not take the request: it no longer knows the session."""
    return "session terminated" in said(error).lower()


def is_an_answer(error: BaseException) -> bool:
    """Whether a failure was sent by the server itself, so that it lives."""
    from mcp import MCPError

    return isinstance(error, MCPError) and not is_cut(error) and error.code != _TIMED_OUT


_TIMED_OUT = -32001


def _leaves(error: BaseException) -> Iterator[BaseException]:
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    if inner:
        for one in inner:
            yield from _leaves(one)
    else:
        yield error
