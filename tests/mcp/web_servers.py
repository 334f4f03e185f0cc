"""Servers over loopback, in a thread of this process: streamable HTTP, with a login if wanted."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl


class Grants:
    """An authorization server that lets everybody in at once.

    rotates: whether a refresh gives a new refresh token; short: seconds a token counts.
    """

    def __init__(self, rotates: bool = True, short: int = 3600) -> None:
        self.rotates = rotates
        self.lasts = short
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.logins = 0
        self.refreshes = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(self, client: Any, params: Any) -> str:
        self.logins += 1
        code = secrets.token_urlsafe(24)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=True,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client: Any, authorization_code: str) -> Any:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client: Any, authorization_code: Any) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._tokens(client.client_id, new_refresh=True)

    def _tokens(self, client_id: str, new_refresh: bool) -> OAuthToken:
        token, again = secrets.token_urlsafe(24), None
        self.access[token] = AccessToken(
            token=token, client_id=client_id, scopes=[], expires_at=int(time.time()) + self.lasts
        )
        if new_refresh:
            again = secrets.token_urlsafe(24)
            self.refresh[again] = RefreshToken(token=again, client_id=client_id, scopes=[])
        return OAuthToken(access_token=token, expires_in=self.lasts, refresh_token=again)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> Any:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: Any, refresh_token: Any, scopes: list[str]
    ) -> OAuthToken:
        if refresh_token.token not in self.refresh:
            raise TokenError("invalid_grant")
        self.refreshes += 1
        return self._tokens(client.client_id, new_refresh=self.rotates)

    async def load_access_token(self, token: str) -> AccessToken | None:
        known = self.access.get(token)
        return known if known and (known.expires_at or 0) > time.time() else None

    async def verify_token(self, token: str) -> AccessToken | None:
        return await self.load_access_token(token)

    async def revoke_token(self, token: Any) -> None:
        self.access.pop(token.token, None)


class WebServer:
    """A server with one tool. Start and stop it as often as you like, on the same port."""

    def __init__(self, grants: Grants | None = None) -> None:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.grants = grants
        self.calls: list[dict[str, str]] = []
        self._thread: threading.Thread | None = None
        self._running: uvicorn.Server | None = None

    def __enter__(self) -> WebServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        config = uvicorn.Config(self._app(), host="127.0.0.1", port=self.port, log_level="error")
        config.timeout_graceful_shutdown = 0
        self._running = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._running.run, daemon=True)
        self._thread.start()
        until = time.monotonic() + 8
        while not self._running.started and time.monotonic() < until:
            time.sleep(0.005)

    def stop(self) -> None:
        if self._running is not None and self._thread is not None:
            self._running.should_exit = self._running.force_exit = True
            self._thread.join(8)
            self._running = None

    def _app(self) -> Any:
        made = Server("web", on_list_tools=self._list, on_call_tool=self._call)
        if self.grants is None:
            return made.streamable_http_app()
        base = f"http://127.0.0.1:{self.port}"
        auth = AuthSettings(
            issuer_url=AnyHttpUrl(base),
            resource_server_url=AnyHttpUrl(self.url),
            client_registration_options=ClientRegistrationOptions(enabled=True),
            validate_token_resource=False,
        )
        return made.streamable_http_app(
            auth=auth, token_verifier=self.grants, auth_server_provider=self.grants
        )

    async def _list(self, ctx: Any, params: Any) -> types.ListToolsResult:
        schema = {"type": "object", "properties": {}}
        one = types.Tool(name="hello", description="Says hello.", input_schema=schema)
        return types.ListToolsResult(tools=[one])

    async def _call(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        self.calls.append(dict(ctx.request.headers) if ctx.request is not None else {})
        return types.CallToolResult(content=[types.TextContent(type="text", text="hello")])
