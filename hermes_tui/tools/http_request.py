"""`http_request`: one request to a web service, as it is, and its answer."""

from __future__ import annotations

import json
from typing import Any, Literal, cast

import msgspec

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.security.taint import host_of
from hermes_tui.security.urls import Fetched, Limits, Request
from hermes_tui.tools.base import Context, ToolResult, tool
from hermes_tui.tools.output import fit
from hermes_tui.tools.plain_text import is_binary
from hermes_tui.tools.web import web_of

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_READS = ("GET", "HEAD", "OPTIONS")
_OURS = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade")
)
"""Headers of the connection, which is not the model's."""
_TOLD = ("content-type", "location", "retry-after", "etag", "last-modified", "link")
_SHOWN_BODY = 4_000
_NO_HEADERS: dict[str, str] = {}
_NO_VALUE: dict[str, Any] = {}


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    url, method = arguments["url"].strip(), arguments["method"]
    request = _request(arguments)
    reads = method in _READS and not request.body
    return Action(
        tool="http_request",
        kind="fetch" if reads else "send",
        title=f"{method} {url[:120]}",
        detail=_as_text(request),
        sends=(url,),
        undo="" if reads else "what was sent can't be taken back",
        rule=f"http_request {host_of(url)}",
    )


@tool(
    describe=_describe,
    words="api rest call endpoint webhook curl post put patch delete json graphql headers send "
    "status code service request upload form 接口 调用",
)
async def http_request(
    url: str,
    *,
    method: Method = "GET",
    headers: dict[str, str] = _NO_HEADERS,
    body: str = "",
    json: dict[str, Any] = _NO_VALUE,
    ctx: Context,
) -> ToolResult:
    """Send one HTTP request to a web service and return status, headers and body.

    To read a page use web_extract.
    url: the full address.
    headers: names and values.
    body: text to send.
    json: an object to send as JSON instead of body.
    """
    request = _request(
        {"url": url, "method": method, "headers": headers, "body": body, "json": json}
    )
    web = web_of(ctx)
    answer = await web.fetch(request, ctx, Limits(size=5_000_000, seconds=web.config.timeout_s))
    return await _result(request, answer, ctx)


def _request(arguments: dict[str, Any]) -> Request:
    """The request as it will be sent. Raises ToolError when it can't be one."""
    body, value = arguments["body"], arguments["json"]
    if body and value:
        raise ToolError("give body or json, not both")
    headers = {name.strip().lower(): text for name, text in arguments["headers"].items()}
    _check(headers)
    if value:
        headers.setdefault("content-type", "application/json")
        body = msgspec.json.encode(value)
    elif body:
        headers.setdefault("content-type", "text/plain; charset=utf-8")
        body = body.encode(errors="replace")
    return Request(
        url=arguments["url"].strip(),
        method=arguments["method"],
        headers=headers,
        body=body or b"",
    )


def _check(headers: dict[str, str]) -> None:
    for name, value in headers.items():
        if name in _OURS:
            raise ToolError(f"the header {name} is set by the connection itself")
        plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
        if not plain or not (value.isascii() and value.isprintable()):
            raise ToolError(f"{name!r} with {value[:80]!r} can't be a header")


def _as_text(request: Request) -> str:
    """The request as a person should see it before it is sent."""
    lines = [f"{request.method} {request.url}"]
    lines += [f"{name}: {value}" for name, value in request.headers.items()]
    body = request.body.decode("utf-8", "replace")
    if len(body) > _SHOWN_BODY:
        import hashlib

        digest = hashlib.sha256(request.body).hexdigest()
        more = f"\n[… {len(body) - _SHOWN_BODY:,} more characters, SHA-256 of all: {digest}]"
        body = body[:_SHOWN_BODY] + more
    return "\n".join([*lines, "", body] if body else lines)


async def _result(request: Request, answer: Fetched, ctx: Context) -> ToolResult:
    told = [f"{name}: {answer.headers[name]}" for name in _TOLD if name in answer.headers]
    moved = [f"url: {answer.url}"] if answer.redirects else []
    text = "\n".join([f"status: {answer.status}", *moved, *told, "", _body(answer)])
    details = {
        "url": answer.url,
        "method": request.method,
        "status": answer.status,
        "bytes": len(answer.body),
    }
    made = await fit(text, ctx, details)
    return ToolResult(
        for_model=made.for_model,
        details=details,
        failed=answer.status >= 400,
        output_path=made.output_path,
        output_bytes=made.output_bytes,
        untrusted=host_of(answer.url),
    )


def _body(answer: Fetched) -> str:
    body = answer.body
    if not body:
        return "[no body]"
    if is_binary(body):
        return f"[binary body, {len(body):,} bytes, starting {body[:16].hex(' ')}]"
    text = body.decode("utf-8", "replace")
    if "json" in answer.headers.get("content-type", "") and not answer.truncated:
        text = _laid_out(text)
    return text + (f"\n[cut after {len(body):,} bytes]" if answer.truncated else "")


def _laid_out(text: str) -> str:
    """JSON in lines, so that its parts can be read and searched."""
    try:
        value = cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return text
    return json.dumps(value, indent=1, ensure_ascii=False)
