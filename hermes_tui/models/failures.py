"""What went wrong with a model request, as one sentence a person understands and what to do.

Loaded when something fails, not before.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from typing import Any, cast

import httpx2
import msgspec
from msgspec import Struct

from hermes_tui.errors import ModelError

_LONGEST_WAIT_S = 24 * 3600.0
_BILLING = (
    r"insufficient.{0,12}(quota|credit|balance|funds)|billing|payment required|out of credits"
)
_CONTEXT = (
    r"context.{0,20}(length|window|size|limit)|maximum context|too many (input )?tokens"
    r"|(prompt|input|request) (is )?too (long|large)|reduce the length|exceed.{0,40}tokens"
)
_MISSING = (
    r"model.{0,80}(not found|n.t exist|not exist|unknown|not available|no longer)|no such model"
    r"|(invalid|unknown) model|not a valid model|no endpoints found|model_not_found"
)
_AUTH = r"(invalid|incorrect|missing|expired|no).{0,20}(api.?key|credential)|api.?key not valid"
_FLAGGED = r"moderation|flagged|content.?policy|safety|usage polic"
_UNIT = r"(\d+(?:\.\d+)?) ?(milli|ms|h|m|s)[a-z]*"
_WAIT = r"(?:again|retry|reset|retrydelay\W*)[^.\d]{0,30}?((?:" + _UNIT + r"(?:,| |and)*)+)"
_UNITS = {"milli": 0.001, "ms": 0.001, "h": 3600.0, "m": 60.0, "s": 1.0}
_FIELD = (
    rb'"(resets?_in_seconds|retry_after|resets?_at|x-ratelimit-reset)"\s*:\s*"?(\d+(?:\.\d+)?)"?'
)
_EPOCH = 1e9
"""A number of seconds as large as this is a time, not a wait; a thousand times it, milliseconds."""
_TYPES = (
    ("rate", 429),
    ("overload", 529),
    ("quota", 429),
    ("auth", 401),
    ("permission", 403),
    ("not_found", 404),
    ("invalid", 400),
)


class Endpoint(Struct, frozen=True, kw_only=True):
    """Whom a sentence is about. secret: the key, kept out of anything that is shown."""

    url: str
    model: str
    secret: str = ""

    @property
    def host(self) -> str:
        """Host and port."""
        return self.url.split("://", 1)[-1].split("/", 1)[0]


def from_answer(
    status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint
) -> ModelError:
    """The error for an HTTP answer that is no reply."""
    said, code = _said(body)
    said = said.replace(endpoint.secret, "•••") if endpoint.secret else said
    kind = _kind(status, f"{code} {said}")
    wait = _wait(headers, said, body) if status == 429 or kind == "overloaded" else None
    if kind == "billing" and wait is not None:
        kind = "rate"  # a quota a minute, not an empty purse
    message, hint = _sentence(kind, status, endpoint)
    return ModelError(f"{message}: {said}" if said else message, hint, kind, wait)


def from_stream(error: Any, endpoint: Endpoint) -> ModelError:
    """The error for an `error` object that came in the middle of a stream."""
    body = msgspec.json.encode({"error": error})
    _, code = _said(body)
    status = int(code) if code.isdigit() and len(code) == 3 else 0
    if not status:
        words = code.lower()
        status = next((number for word, number in _TYPES if word in words), 500)
    return from_answer(status, {}, body, endpoint)


def from_exception(error: Exception, endpoint: Endpoint, stall_s: float) -> ModelError:
    """The error for a request that httpx2 could not finish."""
    host = endpoint.host
    causes = tuple(_causes(error))
    if isinstance(error, httpx2.ReadTimeout | TimeoutError):
        text = f"{host} sent nothing for {stall_s:g} seconds"
        return ModelError(text, "model.stall_s sets how long to wait", "network")
    if isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return ModelError(f"{host} did not answer in time", _REACH, "network")
    if any(isinstance(one, socket.gaierror) for one in causes):
        hint = "check model.base_url and the network connection"
        return ModelError(f"no host named {host.partition(':')[0]} was found", hint, "network")
    if any(isinstance(one, ssl.SSLError) for one in causes):
        hint = "check the address (http or https?) and the certificate of the server"
        reason = next(str(one) for one in causes if isinstance(one, ssl.SSLError))
        return ModelError(f"no secure connection to {host}: {reason}", hint, "network")
    if isinstance(error, httpx2.ConnectError):
        return ModelError(f"nothing answers at {host}", _REACH, "network")
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return no_address(endpoint)
    return ModelError(f"the line to {host} dropped ({error})", _AGAIN, "network")


def no_address(endpoint: Endpoint) -> ModelError:
    """The error for a base address that is none."""
    hint = "set model.base_url to something like http://127.0.0.1:11434/v1"
    return ModelError(f"{endpoint.url or 'an empty text'} is no address", hint, "missing")


def malformed(what: str, endpoint: Endpoint) -> ModelError:
    """The error for a good status with something that is no reply."""
    hint = "check that model.base_url is a chat-completions endpoint (it often ends in /v1)"
    return ModelError(f"{endpoint.host} answered with {what}", hint, "malformed")


def cut_off(endpoint: Endpoint) -> ModelError:
    """The error for a stream that ended before the reply did."""
    return ModelError(f"the line to {endpoint.host} dropped in the middle", _AGAIN, "network")


_REACH = "check that the model server runs and that model.base_url is right"
_AGAIN = "try again; if it keeps happening, check the network and the model server"


def _kind(status: int, text: str) -> str:
    def says(pattern: str) -> bool:
        return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None

    if status == 402 or (status in (400, 403, 429) and says(_BILLING)):
        return "billing"
    if status == 429:
        return "rate"
    if status == 413 or (status in (400, 422, 500) and says(_CONTEXT)):
        return "context"
    if status == 404 or (status == 400 and says(_MISSING)):
        return "missing"
    if status in (401, 403) or (status == 400 and says(_AUTH)):
        return "refused" if status == 403 and says(_FLAGGED) else "auth"
    if status in (408, 409, 425) or (status >= 500 and status != 501):
        return "overloaded"
    return "refused"


def _sentence(kind: str, status: int, endpoint: Endpoint) -> tuple[str, str]:
    host = endpoint.host
    model = f"the model {endpoint.model}" if endpoint.model else "the model"
    return {
        "auth": (f"{host} does not accept the API key", "set the right key with `hermes setup`"),
        "billing": (f"{host} wants to be paid", "add credit there, or choose another model"),
        "rate": (f"{host} is getting requests too fast", "wait a little, or choose another model"),
        "context": (
            f"the conversation is too long for {model}",
            "start a new session, or choose a model with a larger window",
        ),
        "missing": (
            f"{host} has no such model as {endpoint.model or 'that'} (HTTP {status})",
            "see the names it offers with `hermes model list`, and check model.base_url",
        ),
        "overloaded": (f"{host} is in trouble (HTTP {status})", "try again in a while"),
    }.get(
        kind,
        (
            f"{host} refused the request (HTTP {status})",
            "what it says above tells why; another model may take it",
        ),
    )


# --- reading answers ---------------------------------------------------------------------------


def _said(body: bytes) -> tuple[str, str]:
    """(message, code or type) an error body holds; nothing of a web page."""
    try:
        value: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body[:2000].decode("utf-8", "replace")
        return ("", "") if "<" in text[:200] else (_short(text), "")
    if isinstance(value, list) and value:
        value = cast("list[Any]", value)[0]
    code = ""
    for key in ("error", "detail"):
        if isinstance(value, dict) and (inner := cast("dict[str, Any]", value).get(key)):
            value = inner
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        code = str(fields.get("code") or fields.get("type") or "")
        details = fields.get("details")
        value = fields.get("message") or fields.get("msg") or ""
        if details and "retryDelay" in str(details):
            found = re.search(r"retryDelay\W+([\d.]+m?s)", str(details))
            value = f"{value} (retry in {found[1]})" if found else value
    return (_short(value) if isinstance(value, str) else ""), code


def _short(text: str, limit: int = 400) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _wait(headers: Mapping[str, str], said: str, body: bytes) -> float | None:
    """Seconds the provider asks to wait, from its headers, its words or fields of its answer."""
    milliseconds, after = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    seconds: float | None = None
    if _number(milliseconds) is not None:
        seconds = float(milliseconds) / 1000
    elif after:
        seconds = _number(after)
        seconds = _until(after) if seconds is None else seconds
    elif found := re.search(_WAIT, said, re.IGNORECASE):
        parts = re.findall(_UNIT, found[1], re.IGNORECASE)
        seconds = sum(float(count) * _UNITS[unit.lower()] for count, unit in parts)
    elif found := re.search(_FIELD, body.lower()):
        seconds = _from_now(float(found[2]))
    elif _number(headers.get("x-ratelimit-reset", "")) is not None:
        seconds = _from_now(float(headers["x-ratelimit-reset"]))
    return None if seconds is None else min(max(seconds, 0.0), _LONGEST_WAIT_S)


def _from_now(value: float) -> float:
    """A wait in seconds as it is; the time until a moment, in seconds or milliseconds of Unix."""
    if value < _EPOCH:
        return value
    return (value / 1000 if value > _EPOCH * 1000 else value) - time.time()


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _until(date: str) -> float | None:
    """Seconds until an HTTP date."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while error is not None and seen < 10:
        yield error
        if isinstance(error, BaseExceptionGroup):
            group = cast("BaseExceptionGroup[BaseException]", error)
            yield from group.exceptions
        error, seen = error.__cause__ or error.__context__, seen + 1
