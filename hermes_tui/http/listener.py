"""The core's HTTP listener: paths, who may call them, how many at once.

Gateways add paths for webhooks, whose calls carry signatures of their own; the API's paths want
the key. Nothing of aiohttp is imported before `start`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.config.http import HttpConfig
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.gateways.base import Answer, Call, Handler
from hermes_tui.http import access
from hermes_tui.http.base import HttpError, Kind, Reply, Serve, Visit

if TYPE_CHECKING:
    from hermes_tui.http.server import Server

_log = logging.getLogger(__name__)
HOOKS_AT_ONCE = 64
"""Calls of webhooks that are worked on at one time; others are told to come again."""


class Route(Struct, frozen=True, kw_only=True):
    """A path. parts: its words, those in braces standing for any word."""

    method: str
    path: str
    kind: Kind
    serve: Serve

    def match(self, path: str) -> dict[str, str] | None:
        """What the words in braces stand for; None when it is another path."""
        mine, theirs = self.path.split("/"), path.split("/")
        if len(mine) != len(theirs):
            return None
        found: dict[str, str] = {}
        for one, other in zip(mine, theirs, strict=True):
            if one.startswith("{") and other:
                found[one.strip("{}")] = other
            elif one != other:
                return None
        return found


class HttpListener:
    """See `gateways.base.Listener`.

    key: what callers of the API have to show, as it is now. resting: whether nothing new is begun.
    """

    def __init__(
        self,
        config: HttpConfig,
        key: Callable[[], Awaitable[str]],
        resting: Callable[[], bool] = bool,
    ) -> None:
        self.config = config
        self._resting = resting
        self._key = key
        self._routes: dict[tuple[str, str], Route] = {}
        self._under_way: dict[str, set[asyncio.Task[Answer]]] = {}
        self._busy: dict[Kind, int] = {"hook": 0, "api": 0, "open": 0}
        self._strangers = access.Strangers()
        self._server: Server | None = None

    # --- life ----------------------------------------------------------------------------

    @property
    def port(self) -> int:
        """The port that is listened on; 0 while none is."""
        return self._server.port if self._server is not None else 0

    async def start(self) -> None:
        """Listen. Raises HermesError when that would not be safe, or the port is taken."""
        access.check(self.config, await self._key())
        try:
            from hermes_tui.http.server import Server
        except ModuleNotFoundError as error:
            raise HermesError(
                "the HTTP port needs the package aiohttp", "pip install 'hermes-tui[http]'"
            ) from error
        server = Server(self.config, self._serve)
        await server.start()
        self._server = server

    async def close(self) -> None:
        """Listen no more; calls under way are cut off."""
        if self._server is not None:
            await self._server.close()
            self._server = None
        for path in list(self._under_way):
            self.remove(path)

    # --- paths ---------------------------------------------------------------------------

    def add(self, method: str, path: str, handler: Handler) -> None:
        """Have calls of a path answered. They carry signatures of their own."""

        async def serve(call: Call, _: dict[str, str]) -> Reply:
            return await self._handled(path, handler, call)

        self._put(Route(method=method.upper(), path=path, kind="hook", serve=serve))

    def remove(self, path: str) -> None:
        """Answer calls of a path no more; those under way are dropped, to come again."""
        self._routes = {key: one for key, one in self._routes.items() if one.path != path}
        for task in self._under_way.pop(path, set()):
            task.cancel()

    def serve(self, method: str, path: str, serve: Serve, *, kind: Kind = "api") -> None:
        """Have calls of one of our own paths answered; `{name}` in it stands for any word."""
        self._put(Route(method=method.upper(), path=path, kind=kind, serve=serve))

    def _put(self, route: Route) -> None:
        self._routes[route.method, route.path] = route

    async def _handled(self, path: str, handler: Handler, call: Call) -> Answer:
        """What a gateway says. It is heard to the end, even if its caller has hung up."""
        task = asyncio.ensure_future(handler(call))
        under_way = self._under_way.setdefault(path, set())
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        await asyncio.wait([task])
        if task.cancelled():
            raise HttpError(503, "nobody listens here right now")
        return task.result()

    # --- calls ---------------------------------------------------------------------------

    async def _serve(self, visit: Visit) -> None:
        """Answer one call."""
        head = visit.head
        try:
            route, parts = self._route(head)
            await self._admit(head, route)
            if self._busy[route.kind] >= self._room(route.kind):
                raise HttpError(503, "too many calls at once", kind="server_error")
        except HttpError as error:
            await visit.reply(error.answer({"retry-after": "1"} if error.status == 503 else None))
            return
        self._busy[route.kind] += 1
        try:
            await visit.reply(await self._answer(visit, route, parts))
        finally:
            self._busy[route.kind] -= 1

    async def _answer(self, visit: Visit, route: Route, parts: dict[str, str]) -> Reply:
        try:
            call = replace(visit.head, body=await visit.body())
            return await route.serve(call, parts)
        except HttpError as error:
            return error.answer()
        except NotFoundError as error:
            return HttpError(404, str(error), code="not_found").answer()
        except HermesError as error:
            return HttpError(500, str(error), kind="server_error", again=False).answer()
        except Exception:  # noqa: BLE001 - a broken call ends no other, and is told in the log
            _log.exception("http: %s %s failed", route.method, route.path)
            text = "internal error; `hermes daemon logs` has the whole story"
            return HttpError(500, text, kind="server_error", again=False).answer()

    def _room(self, kind: Kind) -> int:
        return self.config.parallel if kind == "api" else HOOKS_AT_ONCE

    def _route(self, head: Call) -> tuple[Route, dict[str, str]]:
        other = False
        for route in self._routes.values():
            parts = route.match(head.path)
            if parts is not None and route.method == head.method:
                return route, parts
            other = other or parts is not None
        if other:
            raise HttpError(405, f"{head.path} takes no {head.method}")
        self._strangers.note(head.remote, "no such path")
        raise HttpError(404, "there is no such path", code="not_found")

    async def _admit(self, head: Call, route: Route) -> None:
        """Raise HttpError for who may not call. What rests is said to those who may."""
        if route.kind == "api" and not access.shows(head.headers, await self._key()):
            self._strangers.note(head.remote, f"no or another key for {route.path}")
            raise HttpError(401, "this needs the key of the agent", code="invalid_api_key")
        if self._resting():
            raise HttpError(503, "the agent is ending", kind="server_error")
