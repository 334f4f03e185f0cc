"""What is outside: tools of other packages, servers that were accepted, chats to send to."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from hermes_tui.config import McpConfig
from hermes_tui.errors import HermesError
from hermes_tui.events import Notice
from hermes_tui.runtime.session import Session
from hermes_tui.tools.base import Tool

if TYPE_CHECKING:
    from hermes_tui.http.listener import HttpListener
    from hermes_tui.mcp.asking import Said, Wanted
    from hermes_tui.mcp.hub import Hub
    from hermes_tui.runtime.api.api import Api
    from hermes_tui.runtime.chats.chats import Chats
    from hermes_tui.runtime.core import Core
    from hermes_tui.tools.plugins import Plugins

_NAMES_SHOWN = 30
_GATEWAYS = ("telegram", "discord", "slack", "whatsapp", "signal", "webhook")


class Outside:
    """What the packages and servers of this core bring. `home`, `spawn`, `config`: for the hub."""

    def __init__(self, core: Core) -> None:
        self.home = core.home
        self._core = core
        self._plugins: Plugins | None = None
        self._hub: Hub | None = None
        self._listener: HttpListener | None = None
        self._api: Api | None = None
        self._untold: tuple[tuple[str, str], ...] = ()

    async def tools(self, session: Session) -> tuple[Tool, ...]:
        """All of their tools. What a person should know of them is told in this session."""
        every = await self.every()
        told = list(self._untold)
        told += [(one.text, one.hint) for one in (self._hub.news() if self._hub else ())]
        self._untold = ()
        for text, hint in told:
            await session.add(Notice(text=text, hint=hint, level="warning"))
        return every

    async def every(self) -> tuple[Tool, ...]:
        """All of their tools; what there is to tell is told in the next session that asks."""
        if self._plugins is None:
            from hermes_tui.tools import plugins
            from hermes_tui.tools.registry import build

            ours = build(self._core.config.tools)
            self._plugins = await asyncio.to_thread(plugins.load, tuple(ours))
            advice = "update the package, or uninstall it"
            self._untold += tuple((problem, advice) for problem in self._plugins.problems)
        servers = await self.hub.tools() if self.hub is not None else ()
        return (*self._plugins.tools, *servers)

    def about(self, tools: tuple[Tool, ...]) -> tuple[tuple[str, str], ...]:
        """(part, text) for the prompt: where tools come from that it does not list."""
        names = list(dict.fromkeys(one.origin for one in tools))[:_NAMES_SHOWN]
        text = f"find_tools also reaches the tools of: {', '.join(names)}."
        return (("tool sets", text),) if names else ()

    @property
    def hub(self) -> Hub | None:
        """The servers; None while there are none."""
        if self._hub is None and (self.home.path / "mcp.json").exists():
            from hermes_tui.mcp.hub import Hub

            self._hub = Hub(self)
        return self._hub

    @property
    def outbox(self) -> Chats | None:
        """The chats; None while no gateway is enabled and no terminal holds one."""
        config = self._core.config
        on = (getattr(config, name).enabled for name in _GATEWAYS)
        return self.chats if self._core.outbox is not None or any(on) else None

    @property
    def chats(self) -> Chats:
        """The chats; made at first use."""
        if self._core.outbox is None:
            from hermes_tui.runtime.chats.chats import Chats

            self._core.outbox = Chats(self._core)
        return self._core.outbox

    @property
    def listener(self) -> HttpListener | None:
        """The HTTP listener for gateways with webhooks; None without a port."""
        if self._listener is None and self._core.config.http.port:
            from hermes_tui.runtime.api.listening import listener_of

            self._listener = listener_of(self._core)
        return self._listener

    async def start(self) -> None:
        """Connect the gateways and send what waits for chats, in a core that stays."""
        if self.outbox is not None:
            await self.outbox.start()
        if (listener := self.listener) is not None:
            from hermes_tui.runtime.api.listening import api_of, start

            self._api = api_of(self._core, listener)
            self._untold += await start(listener, self._api)

    async def close(self) -> None:
        """End the servers' programs, and stop sending."""
        if self._api is not None:
            await self._api.close()
        if self._listener is not None:
            await self._listener.close()
        if self._core.outbox is not None:
            await self._core.outbox.close()
        if self._hub is not None:
            await self._hub.close()

    # --- for the hub ---------------------------------------------------------------------

    @property
    def config(self) -> McpConfig:
        """The settings as they are now."""
        return self._core.config.mcp

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine for as long as the core lives."""
        return self._core.spawn(work)

    async def complete(self, wanted: Wanted) -> Said:
        """Have the model of a session answer, with nothing of the session in it."""
        from hermes_tui.mcp.asking import Said
        from hermes_tui.models.base import Message, Request
        from hermes_tui.runtime.workshop import scope_of

        session = await self._core.session(wanted.session)
        config, named = self._core.config.model, session.conversation.model
        model = self._core.workshop.model(config, session.env, named, scope_of(session, "mcp"))
        messages = tuple(Message(role=role, content=text) for role, text in wanted.messages)
        request = Request(system=wanted.system, messages=messages, max_tokens=wanted.max_tokens)
        text = [delta.text async for delta in model.stream(request)]
        if not any(text):
            raise HermesError("the model said nothing")
        clean = session.redactor.redact("".join(text), "outgoing-message").text
        return Said(text=clean, model=model.name)
