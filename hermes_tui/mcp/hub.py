"""All servers of a core: their tools as they were accepted, their connections when needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from hermes_tui.config import McpConfig
from hermes_tui.home import Home
from hermes_tui.mcp import accepted, servers
from hermes_tui.mcp.accepted import Definition, Offer
from hermes_tui.mcp.asking import Said, Wanted
from hermes_tui.mcp.child import Child, environment
from hermes_tui.mcp.contained import Contained, MayReach, Tell, never, silent
from hermes_tui.mcp.link import Line, Link, Times
from hermes_tui.mcp.servers import Server
from hermes_tui.mcp.tools import PROMPTS, RESOURCES, McpTool, ResourceTool


class Host(Protocol):
    """What the hub needs of the core."""

    home: Home

    @property
    def config(self) -> McpConfig:
        """The settings as they are now."""
        ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine for as long as the core lives."""
        ...

    async def complete(self, wanted: Wanted) -> Said:
        """Have the session's model answer."""
        ...


class Told(Struct, frozen=True):
    """A sentence for the person, and what to do."""

    text: str
    hint: str = ""


class Status(Struct, frozen=True, kw_only=True):
    """How one server is. state: `new`, `changed`, `off`, or that of its link."""

    name: str
    line: str
    state: str
    tools: int = 0
    problem: str = ""


class Hub:
    """Offers accepted tools at once; a server is started or reached with the first call."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._links: dict[str, Link] = {}
        self._tools: tuple[McpTool, ...] = ()
        self._servers = servers.Servers()
        self._accepted: dict[str, Offer] = {}
        self._read: tuple[object, ...] = ()
        self._told: list[Told] = []
        self._said: set[str] = set()
        self._closing: list[Link] = []

    async def tools(self) -> tuple[McpTool, ...]:
        """The tools of all accepted servers, by the files as they are now."""
        if not self._host.config.enabled:
            return ()
        now = (_mark(servers.file_of(self._host.home)), _mark(accepted.file_of(self._host.home)))
        if now != self._read:
            await asyncio.to_thread(self._look)
            self._read = now
            self._build()
            await self._close_old()
        return self._tools

    def news(self) -> list[Told]:
        """What a person should know and has not been told yet."""
        told, self._told = self._told, []
        return told

    def status(self) -> list[Status]:
        """All servers as they stand."""
        return [self._status(name, one) for name, one in self._servers.servers.items()]

    async def close(self) -> None:
        """Let go of all servers; their programs have ended when this returns."""
        links = [*self._links.values(), *self._closing]
        self._links, self._closing = {}, []
        await asyncio.gather(*(one.close() for one in links))

    # --- reading the files ---------------------------------------------------------------

    def _look(self) -> None:
        self._servers = servers.read(self._host.home)
        self._accepted = accepted.read(self._host.home)

    def _build(self) -> None:
        for problem in self._servers.problems:
            self._tell(problem, "`hermes mcp list` shows the servers")
        tools: list[McpTool] = []
        wanted: dict[str, Link] = {}
        for name, one in self._servers.servers.items():
            offer = self._accepted.get(name)
            if one.disabled:
                continue
            if offer is None or offer.launch != one.digest:
                what = "is new" if offer is None else "was changed in mcp.json"
                self._tell(f"the server {name} {what} and not accepted, so it is not used",
                           f"`hermes mcp accept {name}` shows what it is")  # fmt: skip
                continue
            old = self._links.get(name)
            link = old if old is not None and old.server == one else self._link(name, one)
            wanted[name] = link
            tools += self._tools_of(link, offer)
        self._closing += [one for name, one in self._links.items() if wanted.get(name) is not one]
        self._links = wanted
        self._tools = tuple(tools)

    def _link(self, name: str, one: Server) -> Link:
        config = self._host.config
        times = Times(
            connect=config.connect_s, call=config.call_s, look=config.look_s, idle=config.idle_s
        )

        async def may_reach(host: str) -> bool:
            return await link.asking.may_reach(host)

        def tell(text: str) -> None:
            self._tell(text, "`hermes doctor` says what the sandbox needs")

        line = line_to(name, one, self._host.home, may_reach, tell)
        link = Link(name, one, line, self._host.spawn, times)
        link.asking.complete = self._host.complete
        link.offered = lambda offer: self._offered(name, offer)
        return link

    def _tools_of(self, link: Link, offer: Offer) -> list[McpTool]:
        accept = self._accepts(link.name)
        made = [McpTool(link, one, accept) for one in offer.tools if link.server.has(one.name)]
        extra = (*(RESOURCES if offer.resources else ()), *(PROMPTS if offer.prompts else ()))
        taken = {one.name for one in offer.tools}
        made += [
            ResourceTool(link, one, accept)
            for one in extra
            if one.name not in taken and link.server.has(one.name)
        ]
        return made

    def _accepts(self, name: str) -> Callable[[Definition], None]:
        def accept(definition: Definition) -> None:
            accepted.put_tool(self._host.home, name, definition)

        return accept

    def _offered(self, name: str, offer: Offer) -> None:
        """A server said what it offers: tell what is not as it was accepted."""
        differs = accepted.difference(offer, self._accepted.get(name, Offer()))
        hint = f"`hermes mcp accept {name}` shows what it is"
        if differs.new:
            listed = ", ".join(differs.new[:10])
            self._tell(f"the server {name} has new tools, not used yet: {listed}", hint)
        if differs.changed:
            listed = ", ".join(differs.changed[:10])
            self._tell(f"the server {name} changed tools, you are asked first: {listed}", hint)
        if differs.gone:
            self._tell(f"the server {name} no longer has {', '.join(differs.gone[:10])}", hint)

    def _tell(self, text: str, hint: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._told.append(Told(text, hint))

    async def _close_old(self) -> None:
        old, self._closing = self._closing, []
        await asyncio.gather(*(one.close() for one in old))

    def _status(self, name: str, one: Server) -> Status:
        offer, link = self._accepted.get(name), self._links.get(name)
        state = "off" if one.disabled else "new" if offer is None else "changed"
        return Status(
            name=name,
            line=one.line,
            state=link.state if link is not None else state,
            tools=sum(tool.origin == name for tool in self._tools),
            problem=link.problem if link is not None else "",
        )


def line_to(
    name: str, one: Server, home: Home, may_reach: MayReach = never, tell: Tell = silent
) -> Callable[[], Line]:
    """What makes a way to a server, a new one each time. Its secrets are read each time."""

    def line() -> Line:
        if one.url:
            from hermes_tui.mcp.web import Web

            return Web(name, one, home)
        env = environment(servers.filled(one.env, home, name))
        argv = [one.command, *one.args]
        if one.sandbox == "off":
            return Child(argv, one.cwd, env)
        return Child(argv, one.cwd, env, Contained(name, one, home, may_reach, tell))

    return line


def _mark(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return (0, 0)
    return stat.st_mtime_ns, stat.st_size
