"""The server behind `hermes web`: textual-serve, on the loopback address and behind a gate."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import signal
import socket
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

from hermes_tui.errors import HermesError

ADDRESS = "127.0.0.1"
_HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws://{host}; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


class Gate:
    """Lets in who came by a link that was printed here. A link opens once and leaves a cookie.

    Host and origin are checked, so that no other page in the same browser gets through, and
    no name that somebody has pointed at this machine.
    """

    def __init__(self, port: int, show: Callable[[str], None]) -> None:
        self._host = f"{ADDRESS}:{port}"
        self._cookie = f"hermes_web_{port}"
        self._passes: set[str] = set()
        self._token = ""
        self._show = show

    def invite(self) -> None:
        """Print a link that opens once."""
        self._token = secrets.token_urlsafe(24)
        self._show(f"http://{self._host}/open/{self._token}")

    def middleware(self) -> Middleware:
        """For every request."""

        @web.middleware
        async def gate(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._check_place(request)
            if request.path.startswith("/open/"):
                return self._open(request)
            given = request.cookies.get(self._cookie, "")
            if not any(hmac.compare_digest(given, one) for one in self._passes):
                raise web.HTTPForbidden(text="Open the link that `hermes web` printed.\n")
            return await handler(request)

        return gate

    async def add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Nothing of the page may be framed, kept, or fetched from elsewhere."""
        response.headers.update(_HEADERS)
        response.headers["Content-Security-Policy"] = _POLICY.format(host=self._host)

    def _check_place(self, request: web.Request) -> None:
        origin = request.headers.get("Origin")
        socket_wanted = request.headers.get("Upgrade", "").lower() == "websocket"
        if request.host != self._host:
            raise web.HTTPForbidden(text="not this host\n")
        if origin != f"http://{self._host}" and (origin is not None or socket_wanted):
            raise web.HTTPForbidden(text="not from this page\n")

    def _open(self, request: web.Request) -> web.StreamResponse:
        token = request.path.removeprefix("/open/")
        if not self._token or not hmac.compare_digest(token.encode(), self._token.encode()):
            raise web.HTTPForbidden(text="This link was used. `hermes web` printed a new one.\n")
        fresh = secrets.token_urlsafe(32)
        self._passes.add(fresh)
        self.invite()
        answer = web.HTTPFound("/")
        answer.set_cookie(self._cookie, fresh, httponly=True, samesite="Strict", path="/")
        raise answer


class WebServer(Server):
    """textual-serve with the gate before everything it serves."""

    def __init__(self, command: str, port: int, gate: Gate) -> None:
        super().__init__(command, host=ADDRESS, port=port, title="hermes")
        self._gate = gate

    async def application(self) -> web.Application:
        """The application, gate included."""
        made = await self._make_app()
        made.middlewares.append(self._gate.middleware())
        made.on_response_prepare.append(self._gate.add_headers)
        return made

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing; the link says it all."""


async def run(command: str, port: int, show: Callable[[str], None]) -> None:
    """Serve until a signal comes. show: gets each link that opens. Raises HermesError."""
    listening = _listen(port)
    gate = Gate(listening.getsockname()[1], show)
    server = WebServer(command, listening.getsockname()[1], gate)
    runner = web.AppRunner(await server.application(), access_log=None)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    gate.invite()
    over = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(one, over.set)
    await over.wait()
    await runner.cleanup()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
    except OSError as error:
        listening.close()
        raise HermesError(f"port {port} can't be used: {error.strerror}", "try another") from error
    listening.listen(16)
    listening.setblocking(False)
    return listening
