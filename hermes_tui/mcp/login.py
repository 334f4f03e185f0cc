"""Logging in to a server: OAuth with PKCE by the SDK, its tokens among the home's secrets.

Tokens are merged, never dropped: an answer without a refresh token leaves the old one, and no
failure deletes anything; only `hermes mcp logout` does. What the SDK forgets with its process
(when a token ends, where to refresh it) is kept too, so that a new core refreshes instead of
asking the person again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.client.auth.oauth2 import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from msgspec import Struct
from pydantic import AnyUrl

from hermes_tui.home import Home
from hermes_tui.mcp.servers import Server
from hermes_tui.security.vault import Vault

if TYPE_CHECKING:
    import httpx2

DEFAULT_REDIRECT = "http://127.0.0.1:18423/callback"
_PARTS = ("access", "refresh", "login")


class _Kept(Struct, kw_only=True, omit_defaults=True):
    """What is known beside the two tokens. expires: Unix time, 0 when the server does not say."""

    expires: float = 0.0
    scope: str = ""
    client: dict[str, Any] = {}
    endpoints: dict[str, Any] = {}
    resource: dict[str, Any] = {}


class Tokens:
    """The tokens of one server in the vault; what the SDK calls a token storage."""

    def __init__(self, name: str, home: Home) -> None:
        self._name = name
        self._vault = Vault(home)

    def has(self) -> bool:
        """Whether somebody has logged in."""
        return self._get("access") is not None

    def forget(self) -> bool:
        """Log out: delete everything; whether there was anything."""
        return sum(self._vault.remove(self._key(part)) for part in _PARTS) > 0

    @property
    def kept(self) -> _Kept:
        """What is known beside the tokens."""
        try:
            return msgspec.json.decode(self._get("login") or "{}", type=_Kept)
        except msgspec.MsgspecError:
            return _Kept()

    def keep(self, **fields: Any) -> None:
        """Change some of it, the rest untouched."""
        kept = msgspec.structs.replace(self.kept, **fields)
        self._vault.put(self._key("login"), msgspec.json.encode(kept).decode())

    async def get_tokens(self) -> OAuthToken | None:
        """The stored tokens."""
        return await asyncio.to_thread(self._tokens)

    def _tokens(self) -> OAuthToken | None:
        access = self._get("access")
        if access is None:
            return None
        scope = self.kept.scope or None
        return OAuthToken(access_token=access, refresh_token=self._get("refresh"), scope=scope)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store new tokens; an old refresh token stays when there is no new one."""
        await asyncio.to_thread(self._set_tokens, tokens)

    def _set_tokens(self, tokens: OAuthToken) -> None:
        self._vault.put(self._key("access"), tokens.access_token)
        if tokens.refresh_token:
            self._vault.put(self._key("refresh"), tokens.refresh_token)
        expires = time.time() + tokens.expires_in if tokens.expires_in else 0.0
        self.keep(expires=expires, scope=tokens.scope or self.kept.scope)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """How this program is registered there."""
        kept = await asyncio.to_thread(lambda: self.kept)
        return OAuthClientInformationFull.model_validate(kept.client) if kept.client else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store how it is registered."""
        made = client_info.model_dump(mode="json", exclude_none=True)
        await asyncio.to_thread(lambda: self.keep(client=made))

    def _get(self, part: str) -> str | None:
        return self._vault.get(self._key(part))

    def _key(self, part: str) -> str:
        return f"mcp.{self._name}.{part}"


class Person(Struct, frozen=True):
    """How a person logs in: where the browser comes back to, showing an address, its answer."""

    redirect: str
    show: Callable[[str], Awaitable[None]]
    answer: Callable[[], Awaitable[AuthorizationCodeResult]]


class Login(OAuthClientProvider):
    """The SDK's provider, with a memory that outlives the process and a refresh before a login."""

    def __init__(self, server: Server, tokens: Tokens, person: Person) -> None:
        self.tokens = tokens
        super().__init__(
            server.url,
            OAuthClientMetadata(
                client_name="Hermes TUI",
                redirect_uris=[AnyUrl(person.redirect)],
                grant_types=["authorization_code", "refresh_token"],
                response_types=["code"],
                token_endpoint_auth_method="none",
                scope=server.scope or None,
            ),
            tokens,
            person.show,
            person.answer,
        )

    async def _initialize(self) -> None:
        await super()._initialize()
        kept = await asyncio.to_thread(lambda: self.tokens.kept)
        self.context.token_expiry_time = kept.expires or None
        if kept.endpoints:
            self.context.oauth_metadata = OAuthMetadata.model_validate(kept.endpoints)
        if kept.resource:
            resource = ProtectedResourceMetadata.model_validate(kept.resource)
            self.context.protected_resource_metadata = resource

    async def _handle_token_response(self, response: httpx2.Response) -> None:
        await super()._handle_token_response(response)
        endpoints = _dumped(self.context.oauth_metadata)
        resource = _dumped(self.context.protected_resource_metadata)
        await asyncio.to_thread(lambda: self.tokens.keep(endpoints=endpoints, resource=resource))

    async def _auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """The SDK's flow; but a token that is refused is refreshed before a person is asked."""
        flow = super()._auth_flow(request)
        may_refresh = True
        try:
            outgoing = await anext(flow)
            while True:
                response = yield outgoing
                refused = outgoing is request and response.status_code == 401
                if refused and may_refresh and self.context.can_refresh_token():
                    may_refresh = False
                    refreshed = yield await self._refresh_token()
                    again = await self._handle_refresh_response(refreshed)
                    response = (yield self._with_token(request)) if again else response
                outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return
        finally:
            await flow.aclose()

    def _with_token(self, request: httpx2.Request) -> httpx2.Request:
        self._add_auth_header(request)
        return request


def provider(name: str, server: Server, home: Home, person: Person | None = None) -> Login:
    """Uses the tokens there are, refreshed when need be; without a person it asks nobody."""

    async def refuse(address: str = "") -> Any:
        raise OAuthFlowError(f"a login is needed: run `hermes mcp login {name}`")

    nobody = Person(DEFAULT_REDIRECT, refuse, refuse)
    return Login(server, Tokens(name, home), person or nobody)


def _dumped(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_none=True) if model is not None else {}
