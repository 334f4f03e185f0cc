"""A client for protocols that keep a connection: each request through the same gate as `urls`.

For servers that a person named by hand. The address of each request is checked and connected to
as it was checked, redirects are not followed, and the environment's proxies are not used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hermes_tui.errors import ToolError
from hermes_tui.security.url_gate import Resolve, UrlRules, Verdict, check_url
from hermes_tui.security.url_hosts import target_of
from hermes_tui.security.urls import system_resolve

if TYPE_CHECKING:
    import httpx2

_CONNECT_S = 30.0
_READ_S = 300.0


def rules_for(url: str) -> UrlRules:
    """Rules by which this very host and port may be reached, wherever it is: it was named."""
    target = target_of(url)
    return UrlRules(local=frozenset((f"{target.host}:{target.port}",)))


def checked_client(
    rules: UrlRules,
    headers: Mapping[str, str] | None = None,
    auth: Any = None,
    resolve: Resolve = system_resolve,
) -> httpx2.AsyncClient:
    """An `httpx2.AsyncClient` all of whose requests pass the gate. Close it after use."""
    import httpx2

    from hermes_tui.security.urls import _tls

    inner = httpx2.AsyncHTTPTransport(verify=_tls(), retries=0, trust_env=False)

    class Checked(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            verdict = await asyncio.to_thread(check_url, str(request.url), resolve, rules)
            if verdict.decision != "allow":
                raise ToolError(f"{request.url.host} was not reached: {verdict.reason}")
            *first, last = await asyncio.to_thread(_addresses, verdict, resolve, rules)
            for address in first:
                with suppress(httpx2.ConnectError):
                    return await inner.handle_async_request(_pinned(request, verdict, address))
            return await inner.handle_async_request(_pinned(request, verdict, last))

        async def aclose(self) -> None:
            await inner.aclose()

    return httpx2.AsyncClient(
        transport=Checked(),
        headers=dict(headers or {}),
        auth=auth,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(_CONNECT_S, read=_READ_S),
    )


def _addresses(verdict: Verdict, resolve: Resolve, rules: UrlRules) -> list[str]:
    """The checked address; of a host that was named by hand its other ones, too.

    `localhost` is two addresses on most machines, and servers often listen on one.
    """
    if f"{verdict.host}:{verdict.port}" not in rules.local:
        return [verdict.address]
    return list(dict.fromkeys([verdict.address, *_looked_up(verdict.host, resolve)]))


def _looked_up(host: str, resolve: Resolve) -> list[str]:
    try:
        return [answer.partition("%")[0] for answer in resolve(host)]
    except OSError:
        return []


def _pinned(request: httpx2.Request, verdict: Verdict, address: str) -> httpx2.Request:
    """The same request to the address that was checked; host header and certificate are the name's.

    A request of its own, because the answer belongs to the one that was asked for: redirects and
    cookies are judged by its URL.
    """
    import httpx2

    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": verdict.host},
    )
