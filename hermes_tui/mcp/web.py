"""A server behind an address: streamable HTTP through the gate for URLs, with a login."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from hermes_tui.home import Home
from hermes_tui.mcp import servers
from hermes_tui.mcp.servers import Server
from hermes_tui.security.url_transport import checked_client, rules_for

if TYPE_CHECKING:
    from hermes_tui.mcp.login import Person


class Web:
    """One connection to a server behind an address. person: who can log in, if anybody can."""

    said = ""

    def __init__(self, name: str, server: Server, home: Home, person: Person | None = None) -> None:
        self.lost = asyncio.Event()
        self._name = name
        self._server = server
        self._home = home
        self._person = person

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Give what comes in and where to put what goes out."""
        from mcp.client.streamable_http import streamable_http_client

        headers = servers.filled(self._server.headers, self._home, self._name)
        auth: Any = None
        if self._server.auth == "oauth":
            from hermes_tui.mcp.login import provider

            auth = provider(self._name, self._server, self._home, self._person)
        rules = rules_for(self._server.url)
        async with (
            checked_client(rules, headers, auth) as client,
            streamable_http_client(self._server.url, http_client=client) as streams,
        ):
            yield streams
