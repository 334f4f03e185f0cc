"""The sockets of the listener: aiohttp's server with our limits; nothing else knows aiohttp."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from hermes_tui.config.http import HttpConfig
from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Call
from hermes_tui.http.base import HttpError, Reply, Stream, Visit

_log = logging.getLogger(__name__)
BODY_S = 60.0
WRITE_S = 60.0
"""Seconds in which a caller has to take a piece of what it is sent."""
MORE_LINES = 64
"""Connections beyond the calls that are answered at once; more are not taken."""
_CLOSING_S = 1.0
_PIECE = 1 << 16


class Server:
    """Listens, and has every call served."""

    def __init__(self, config: HttpConfig, serve: Callable[[Visit], Awaitable[None]]) -> None:
        self._config = config
        self._serve = serve
        self._runner: web.ServerRunner | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises HermesError when the address can't be had."""
        server = _Lines(
            self._handle,
            most=self._config.parallel + MORE_LINES,
            handler_cancellation=True,
            access_log=None,
            logger=_log,
            keepalive_timeout=self._config.patience_s,
            lingering_time=1.0,
            auto_decompress=False,
        )
        runner = web.ServerRunner(server, shutdown_timeout=_CLOSING_S)
        await runner.setup()
        host, port = self._config.host.strip("[]"), self._config.port
        try:
            await web.TCPSite(runner, host, port, backlog=256).start()
        except OSError as error:
            await runner.cleanup()
            why = "is taken" if error.errno == errno.EADDRINUSE else f"can't be had: {error}"
            raise HermesError(
                f"port {port} on {host} {why}", "`hermes config set http.port N` takes another"
            ) from error
        self._runner = runner
        self.port = int(runner.addresses[0][1])
        _log.info("http: listening on %s port %s", host, self.port)

    async def close(self) -> None:
        """Let go of the port and of every connection."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        visit = _Visit(request, self._config)
        await self._serve(visit)
        assert visit.response is not None
        return visit.response


class _Lines(web.Server):
    """No more than so many connections."""

    def __init__(
        self,
        handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
        *,
        most: int,
        **settings: object,
    ) -> None:
        super().__init__(handler, **settings)  # pyright: ignore[reportArgumentType]
        self._most = most

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """A caller; one too many is let go at once."""
        super().connection_made(handler, transport)
        if len(self.connections) > self._most:
            transport.abort()


class _Visit:
    """One call (`http.base.Visit`)."""

    def __init__(self, request: web.BaseRequest, config: HttpConfig) -> None:
        self._request = request
        self._config = config
        self.response: web.StreamResponse | None = None
        self.head = Call(
            method=request.method,
            path=request.path,
            headers={name.lower(): value for name, value in request.headers.items()},
            query=dict(request.query),
            body=b"",
            remote=request.remote or "",
        )

    async def body(self) -> bytes:
        """The body, within its limits."""
        try:
            async with asyncio.timeout(BODY_S):
                return await self._read(self._config.most_bytes)
        except TimeoutError:
            error = HttpError(408, f"the body did not come within {BODY_S:g} s")
        except web.RequestPayloadError:
            error = HttpError(400, "the body did not come as it was announced")
        except HttpError as large:
            error = large
        self._hang_up()
        raise error

    async def _read(self, most: int) -> bytes:
        large = HttpError(413, f"the body has more than {most:,} bytes")
        if (self._request.content_length or 0) > most:
            raise large
        if self.head.headers.get("expect", "").lower() == "100-continue":
            await self._request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._request.writer.output_size = 0
        pieces: list[bytes] = []
        size = 0
        async for piece in self._request.content.iter_chunked(_PIECE):
            size += len(piece)
            if size > most:
                raise large
            pieces.append(piece)
        return b"".join(pieces)

    def _hang_up(self) -> None:
        """Read nothing more of what this caller sends."""
        self._request.protocol.keep_alive(False)

    async def reply(self, reply: Reply) -> None:
        """Send the answer."""
        headers = {"server": "hermes", "cache-control": "no-store", **reply.headers}
        if not isinstance(reply, Stream):
            self.response = web.Response(status=reply.status, body=reply.body, headers=headers)
            return
        response = self.response = web.StreamResponse(status=reply.status, headers=headers)
        async with aclosing(reply.pieces) as pieces:
            await response.prepare(self._request)
            async for piece in pieces:
                async with asyncio.timeout(WRITE_S):
                    await response.write(piece)
            await response.write_eof()
