"""The one place that opens network connections for tools.

Each URL, and each one it redirects to, is checked first (`check_url`); then the connection goes to
the very address that was checked, with the host's name in the request and in the certificate's
check. Proxies of the environment are not used: they would look the name up anew.
"""

from __future__ import annotations

import asyncio
import socket
import zlib
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from hermes_tui.errors import ToolError
from hermes_tui.security.secrets import Redactor, guard_outgoing
from hermes_tui.security.url_gate import (
    MOST_REDIRECTS,
    Resolve,
    UrlRules,
    Verdict,
    check_chain,
    check_url,
    next_url,
)

if TYPE_CHECKING:
    import ssl

    import httpx2

__all__ = [
    "Fetched",
    "Limits",
    "Request",
    "UrlRefusedError",
    "UrlRules",
    "Verdict",
    "check_chain",
    "check_url",
    "fetch",
    "system_resolve",
]

_SAFE_HEADERS = frozenset(("accept", "accept-language", "user-agent", "range"))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_UNZIP = {"": 0, "identity": 0, "gzip": 31, "x-gzip": 31, "deflate": 47}


class UrlRefusedError(ToolError):
    """A URL that must not be opened; `verdict` says why."""

    def __init__(self, url: str, verdict: Verdict) -> None:
        super().__init__(f"{url[:200]} was not opened: {verdict.reason}")
        self.verdict = verdict


class Request(Struct, frozen=True, kw_only=True):
    """What to ask of a server. After a redirect to another host only harmless headers are sent.

    keys: headers with a secret that is meant for this very host; headers, URL and body are
    refused when they hold one.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes = b""
    keys: Mapping[str, str] = {}


class Limits(Struct, frozen=True, kw_only=True):
    """size: bytes of an answer that are kept, unpacked. seconds: for everything together."""

    size: int = 10_000_000
    seconds: float = 30.0


class Fetched(Struct, frozen=True, kw_only=True):
    """An answer. url: where it came from in the end; truncated: whether there was more of it."""

    url: str
    address: str
    status: int
    headers: dict[str, str]
    body: bytes
    truncated: bool
    redirects: int


Ask = Callable[[Verdict], Awaitable[bool]]


def system_resolve(host: str) -> list[str]:
    """The addresses of a name as this machine knows them; raises OSError. It blocks."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


async def fetch(
    request: Request,
    rules: UrlRules | None = None,
    ask: Ask | None = None,
    limits: Limits | None = None,
    resolve: Resolve = system_resolve,
) -> Fetched:
    """Get an answer from the web, redirects followed and checked.

    ask: asked for verdicts that need a person; without it they are refused. Raises
    UrlRefusedError, and ToolError when no answer comes.
    """
    limits = limits or Limits()
    await _refuse_secrets(request, rules or UrlRules(), ask)
    try:
        async with asyncio.timeout(limits.seconds):
            return await _follow(
                request, limits.size, lambda url: _checked(url, rules, ask, resolve)
            )
    except TimeoutError as error:
        raise ToolError(f"{request.url[:200]} gave no answer in {limits.seconds:g} s") from error


async def _refuse_secrets(request: Request, rules: UrlRules, ask: Ask | None) -> None:
    """Raise UrlRefusedError when body or headers hold a secret; the URL is checked by itself."""
    sent = [*request.headers.values(), request.body.decode("utf-8", "replace")]
    text = "\n".join(one for one in sent if one)
    redactor = rules.redactor or Redactor()
    problem = await asyncio.to_thread(guard_outgoing, text, redactor) if text else None
    if problem is None:
        return
    decision = "ask" if problem.kind == "shape" else "deny"
    verdict = Verdict(decision=decision, reason=problem.reason)
    if decision == "deny" or ask is None or not await ask(verdict):
        raise UrlRefusedError(request.url, verdict)


async def _follow(
    request: Request, size: int, check: Callable[[str], Awaitable[Verdict]]
) -> Fetched:
    for count in range(MOST_REDIRECTS + 1):
        answer = await _once(request, await check(request.url), size, count)
        if isinstance(answer, Fetched):
            return answer
        request = answer
    raise ToolError(f"{request.url[:200]} redirects more than {MOST_REDIRECTS} times")


async def _checked(url: str, rules: UrlRules | None, ask: Ask | None, resolve: Resolve) -> Verdict:
    verdict = await asyncio.to_thread(check_url, url, resolve, rules)
    if verdict.decision == "ask" and ask is not None and await ask(verdict):
        return verdict
    if verdict.decision != "allow":
        raise UrlRefusedError(url, verdict)
    return verdict


async def _once(request: Request, verdict: Verdict, size: int, count: int) -> Fetched | Request:
    """One request to the checked address: the answer, or the request it redirects to."""
    import httpx2

    pinned = httpx2.URL(verdict.url).copy_with(host=verdict.address)
    headers = {"user-agent": "hermes-tui", **request.headers, **request.keys}
    headers |= {"host": _host_header(verdict), "accept-encoding": "gzip", "connection": "close"}
    client = httpx2.AsyncClient(
        verify=_tls(), trust_env=False, follow_redirects=False, timeout=httpx2.Timeout(None)
    )
    try:
        async with (
            client,
            client.stream(
                request.method,
                pinned,
                headers=headers,
                content=request.body or None,
                extensions={"sni_hostname": verdict.host},
            ) as response,
        ):
            location = response.headers.get("location")
            if response.status_code in _REDIRECTS and location:
                return _redirected(request, verdict, response.status_code, location)
            body, truncated = await _body(response, size)
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, zlib.error) as error:
        raise ToolError(f"{verdict.host} can't be read: {error or type(error).__name__}") from error
    return Fetched(
        url=verdict.url,
        address=verdict.address,
        status=response.status_code,
        headers=dict(response.headers),
        body=body,
        truncated=truncated,
        redirects=count,
    )


def _host_header(verdict: Verdict) -> str:
    """The host as the URL names it, with its port when it is not the usual one."""
    return verdict.url.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]


@cache
def _tls() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def _redirected(request: Request, verdict: Verdict, status: int, location: str) -> Request:
    url = next_url(verdict.url, location)
    keeps = status in (307, 308) or request.method in ("GET", "HEAD")
    same = _origin(url) == _origin(verdict.url)
    headers = {n: v for n, v in request.headers.items() if same or n.lower() in _SAFE_HEADERS}
    if keeps and (same or not request.body):
        keys: Mapping[str, str] = request.keys if same else {}
        return structs.replace(request, url=url, headers=headers, keys=keys)
    if keeps:
        raise ToolError(f"{verdict.host} wants what was sent to it sent on to {url[:200]}")
    headers = {n: v for n, v in headers.items() if not n.lower().startswith("content-")}
    return Request(url=url, headers=headers)


def _origin(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}".lower()


async def _body(response: httpx2.Response, size: int) -> tuple[bytes, bool]:
    """The unpacked body up to `size` bytes, and whether there was more: no bomb gets larger."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in _UNZIP:
        raise ToolError(f"the answer is packed in a way that was not asked for ({packing})")
    unzip = zlib.decompressobj(_UNZIP[packing]) if _UNZIP[packing] else None
    body = bytearray()
    async for chunk in response.aiter_raw():
        if unzip is None:
            body += chunk
        else:
            body += unzip.decompress(chunk, size + 1 - len(body))
        if len(body) > size:
            return bytes(body[:size]), True
    return bytes(body), False
