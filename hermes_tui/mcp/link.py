"""One server's connection: made when it is first needed, watched, made anew when it is lost.

A lost connection is never mended: the next one has a client, a process and a session of its own.
A call that was under way when it was lost fails with a word about that and is not repeated, as
nobody knows how far it came; the next call waits until the server is back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from hermes_tui import __version__
from hermes_tui.backoff import Backoff
from hermes_tui.errors import ToolError
from hermes_tui.mcp import faults
from hermes_tui.mcp.accepted import Definition, Offer, definition, is_name
from hermes_tui.mcp.asking import Asking
from hermes_tui.mcp.servers import Server

if TYPE_CHECKING:
    import mcp

_HOLDS_S = 30.0
_PING_S = 10.0
_NEVER_S = 86_400.0 * 365
_BACK_S = 5.0
"""How long after a connection was lost the server is taken to be on its way back."""
_CLOSE_S = 3.0
_PAGES = 100
_MOST_TOOLS = 1000


class Line(Protocol):
    """A way to a server, good for one connection. `lost` is set when it is known to be cut."""

    lost: asyncio.Event

    @property
    def said(self) -> str:
        """What the other end said last that may explain a failure."""
        ...

    def streams(self) -> Any:
        """The streams that the SDK wants, as a context manager."""
        ...


class Times(Struct, frozen=True, kw_only=True):
    """Seconds: to connect, for one call, between two looks whether it still answers, unused
    until it is let go.
    """

    connect: float = 60.0
    call: float = 120.0
    look: float = 120.0
    idle: float = 900.0


class Link:
    """The connection of one server. state: `idle`, `connecting`, `ready`, `waiting` or `closed`."""

    def __init__(
        self,
        name: str,
        server: Server,
        line: Callable[[], Line],
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        times: Times | None = None,
    ) -> None:
        self.name = name
        self.server = server
        self.state = "idle"
        self.problem = ""
        self.offer = Offer()
        self.offered: Callable[[Offer], None] = _ignore
        self.asking = Asking(name, server)
        self._line = line
        self._spawn = spawn
        self._times = times or Times()
        self._client: mcp.Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()
        self._lost = asyncio.Event()
        self._hurry = asyncio.Event()
        self._relist = asyncio.Event()
        self._busy = 0
        self._used = 0.0
        self._lost_at = -_BACK_S

    # --- for callers ---------------------------------------------------------------------

    async def ready(self) -> mcp.Client:
        """The connected client, made or waited for. Raises ToolError with the reason."""
        if self.state == "closed":
            raise ToolError(f"the server {self.name} is switched off")
        faults.need_sdk()
        self._used = time.monotonic()
        self._hurry.set()
        try:
            async with asyncio.timeout(self._times.connect), self._changed:
                return await self._connection()
        except TimeoutError:
            why = self.problem or f"no answer in {self._times.connect:g} s"
            raise ToolError(f"the server {self.name} can't be reached: {why}") from None

    async def _connection(self) -> mcp.Client:
        """The client, once there is one; given up when a try from now on has failed.

        One that was there a moment ago may be starting again: it is tried a little longer.
        """
        failures = 0
        while self._client is None or self._lost.is_set():
            if self._task is None or self._task.done():
                self.state = "connecting"
                self._task = self._spawn(self._live())
            failures += self.state == "waiting"
            gone = time.monotonic() - self._lost_at > _BACK_S
            if (failures > 1 and gone) or self.state == "closed":
                raise ToolError(f"the server {self.name} can't be reached: {self.problem}")
            await self._changed.wait()
        return self._client

    async def call(
        self, tool: str, arguments: dict[str, Any], progress: Callable[[str], None]
    ) -> Any:
        """Call a tool of it; a `CallToolResult`. Raises ToolError, its message never empty.

        What it asks for meanwhile does not count as its time.
        """
        show = progress

        async def shown(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g}" + (f" of {total:g}" if total else "")
            show(f"{message or 'progress'}: {share}\n")

        limit = self.server.timeout_s or self._times.call
        return await self.do(
            lambda client: self._in_time(
                client.call_tool(
                    tool, arguments, read_timeout_seconds=_NEVER_S, progress_callback=shown
                ),
                limit,
            ),
            f"{self.name}.{tool}",
        )

    async def _in_time(self, work: Coroutine[Any, Any, Any], limit: float) -> Any:
        task = asyncio.ensure_future(work)
        credited, left = self.asking.waited(), limit
        try:
            while left > 0.01:
                await asyncio.wait([task], timeout=left)
                if task.done():
                    return task.result()
                waited = self.asking.waited()
                credited, left = waited, waited - credited
            raise TimeoutError(f"timed out after {limit:g} s")
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def do(self, work: Callable[[mcp.Client], Coroutine[Any, Any, Any]], what: str) -> Any:
        """Do something with the client. Raises ToolError, its message never empty."""
        for last in (False, True):
            client = await self.ready()
            self._busy += 1
            try:
                return await work(client)
            except faults.kinds() as error:
                await self._look_after(client, error)
                if faults.never_arrived(error) and not last:
                    continue
                raise ToolError(self._sentence(what, error)) from error
            finally:
                self._busy -= 1
                self._used = time.monotonic()
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Let go of it for good; a program of it has ended when this returns."""
        self.state = "closed"
        while self._task is not None and not self._task.done():
            self._task.cancel()  # the cancel scopes of the SDK may take one for their own
            await asyncio.wait([self._task], timeout=_CLOSE_S)

    def _sentence(self, what: str, error: BaseException) -> str:
        if self._lost.is_set():
            why = self.problem or faults.said(error)
            return f"the server {self.name} was lost while {what} ran, effect unknown: {why}"
        return f"{what}: {faults.said(error)}"

    async def _look_after(self, client: mcp.Client, error: BaseException) -> None:
        """After a failure, find out whether the connection itself is gone."""
        if client is not self._client or self._lost.is_set():
            return
        if faults.is_cut(error) or not await self._answers(client):
            self.problem = self.problem or faults.said(error)
            self._lost.set()

    # --- the life of the connection ------------------------------------------------------

    async def _live(self) -> None:
        """Connect, watch, connect again; until it is closed or nobody has used it for long."""
        backoff = Backoff()
        while self.state != "closed":
            began = time.monotonic()
            try:
                if await self._once():
                    break
            except Exception as error:  # noqa: BLE001 - a link outlives what one connection died of
                self.problem = self.problem or faults.said(error)
            held = time.monotonic() - began
            if held > _HOLDS_S:
                backoff.worked()
            if self.state == "closed":
                break
            await self._become("waiting", None)
            self._hurry.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(backoff.again()):
                    await self._hurry.wait()
        await self._become("idle", None)

    async def _once(self) -> bool:
        """One connection from its start to its end; whether it ended because nobody used it."""
        await self._become("connecting", None)
        line = self._line()
        self._lost = asyncio.Event()
        self.problem = ""
        try:
            async with AsyncExitStack() as stack:
                client = await self._connected(stack, line)
                self.offered(self.offer)
                await self._become("ready", client)
                return await self._watch(client, line)
        finally:
            if self._client is not None:
                self._lost_at = time.monotonic()
            self._client = None
            if line.said and not self.problem:
                self.problem = line.said.splitlines()[-1][:300]
            self._lost.set()

    async def _connected(self, stack: AsyncExitStack, line: Line) -> mcp.Client:
        try:
            async with asyncio.timeout(self._times.connect):
                client = await stack.enter_async_context(self._new_client(line))
                self.offer = await self._offered(client)
        except TimeoutError as error:
            raise ToolError(f"it did not connect in {self._times.connect:g} s") from error
        return client

    def _new_client(self, line: Line) -> mcp.Client:
        import mcp

        return mcp.Client(
            line.streams(),
            client_info=mcp.types.Implementation(name="hermes-tui", version=__version__),
            sampling_callback=self.asking.sampling if self.server.sampling == "ask" else None,
            elicitation_callback=self.asking.elicitation,
            message_handler=self._heard,
            read_timeout_seconds=self._times.call,
            cache=None,
        )

    async def _watch(self, client: mcp.Client, line: Line) -> bool:
        """Wait for the end of a connection; whether it ended because nobody used it."""
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(self._listen(client))
            try:
                return await self._watching(client, line)
            finally:
                listening.cancel()

    async def _watching(self, client: mcp.Client, line: Line) -> bool:
        while not (self._lost.is_set() or line.lost.is_set()):
            waits = (line.lost, self._lost, self._relist)
            if not await _any(waits, min(self._times.look, self._times.idle)):
                if not self._busy and time.monotonic() - self._used >= self._times.idle:
                    return True
                if not await self._answers(client):
                    self.problem = "it no longer answers"
                    break
            elif self._relist.is_set():
                self._relist.clear()
                async with asyncio.timeout(_PING_S):
                    self.offer = await self._offered(client)
                self.offered(self.offer)
        return False

    async def _listen(self, client: mcp.Client) -> None:
        """Hear of changed lists from servers of the newer protocol, where they are asked for."""
        from mcp.client.subscriptions import ListenNotSupportedError

        with suppress(ListenNotSupportedError, *faults.kinds()):
            async with client.listen(tools_list_changed=True) as events:
                self._relist.set()  # what changed before it listened is not told again
                async for _ in events:
                    self._relist.set()

    async def _heard(self, message: Any) -> None:
        import mcp_types

        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._relist.set()

    async def _answers(self, client: mcp.Client) -> bool:
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        try:
            async with asyncio.timeout(_PING_S):
                if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                    await client.list_tools()
                else:
                    await client.session.send_ping()
        except faults.kinds() as error:
            return faults.is_an_answer(error)
        return True

    async def _offered(self, client: mcp.Client) -> Offer:
        """All that the server offers."""
        capabilities = client.server_capabilities
        tools: list[Definition] = []
        cursor: str | None = None
        for _ in range(_PAGES if capabilities.tools is not None else 0):
            page = await client.list_tools(cursor=cursor)
            tools += [_definition(one) for one in page.tools if is_name(one.name)]
            cursor = page.next_cursor
            if cursor is None or len(tools) >= _MOST_TOOLS:
                break
        return Offer(
            launch=self.server.digest,
            tools=tuple(tools[:_MOST_TOOLS]),
            resources=capabilities.resources is not None,
            prompts=capabilities.prompts is not None,
        )

    async def _become(self, state: str, client: mcp.Client | None) -> None:
        async with self._changed:
            if self.state != "closed":
                self.state = state
            self._client = client
            self._changed.notify_all()


def _definition(one: Any) -> Definition:
    hints = one.annotations
    reads = bool(hints and hints.read_only_hint)
    return definition(one.name, one.description or one.title or "", one.input_schema, reads)


async def _any(events: tuple[asyncio.Event, ...], limit: float) -> bool:
    """Whether one of some events comes within so many seconds."""
    if any(one.is_set() for one in events):
        return True
    async with asyncio.TaskGroup() as group:
        waits = [group.create_task(one.wait()) for one in events]
        done, rest = await asyncio.wait(waits, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        for one in rest:
            one.cancel()
    return bool(done)


def _ignore(offer: Offer) -> None:
    """Nobody wants to know."""
