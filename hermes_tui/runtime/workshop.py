"""What a turn needs: the model in use, the tools, the frozen prefix of the session's prompt."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.agent.prompt import build_prefix
from hermes_tui.agent.prompt_files import read_all
from hermes_tui.config import Config, ModelConfig
from hermes_tui.home import Home
from hermes_tui.models.base import Model
from hermes_tui.runtime.session import Session
from hermes_tui.store.log import Log

if TYPE_CHECKING:
    from hermes_tui.runtime.outside import Outside
    from hermes_tui.tools.base import Tool
    from hermes_tui.tools.registry import ToolSet

SMALL_WINDOW = 8192
Remembered = Callable[[Session, bool], Awaitable[tuple[tuple[str, str], ...]]]
"""(part, text) of what a session's frozen prompt says from memory; the flag: a lean prompt."""
Skilled = Callable[[Session], Awaitable[str]]
"""What it says of skills."""


class Workshop:
    """Makes agents; keeps models alive between turns."""

    def __init__(
        self, home: Home, log: Log, remembered: Remembered, skilled: Skilled, outside: Outside
    ) -> None:
        self._home = home
        self._log = log
        self._outside = outside
        self._remembered = remembered
        self._skilled = skilled
        self._models: dict[tuple[ModelConfig, str, int], Model] = {}

    async def agent_for(self, session: Session, config: Config) -> Agent:
        """The agent that answers a session's next turn; raises ModelError when none can."""
        from hermes_tui.tools.registry import build

        model = self.model(config.model, session.env, session.conversation.model)
        lean = is_lean(config, model)
        session.takes_notes = not lean  # a very small model takes the date for its task
        outer = () if lean else await self._outside.tools(session)
        tools = build(config.tools, "lean" if lean else "full", outer)
        return Agent(
            model=model,
            tools=tools,
            prefix=await self._prefix(session, tools, lean, outer),
            max_rounds=config.agent.max_rounds,
            attempts=config.model.attempts,
            parallel=config.agent.parallel,
            output_chars=config.tools.output_chars,
            price_in=config.model.price_in,
            price_out=config.model.price_out,
        )

    def model(self, config: ModelConfig, env: Mapping[str, str], name: str = "") -> Model:
        """The configured model, or another one of the same endpoint by name."""
        from hermes_tui.models.choose import make_model

        key = (config, name, self._keys_changed())
        if key not in self._models:
            self._models[key] = make_model(config, self._home, {**os.environ, **env}, name)
        return self._models[key]

    def _keys_changed(self) -> int:
        """When the stored keys changed last, so that a new key makes a new client."""
        try:
            return self._home.secrets.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    async def learn_windows(self) -> None:
        """Ask endpoints how large the windows in use really are; once each, after a turn."""
        for model in list(self._models.values()):
            learn = getattr(model, "learn_window", None)
            if learn is not None:
                await learn()

    async def close(self) -> None:
        """Close the models."""
        for model in self._models.values():
            await model.close()
        self._models.clear()

    async def _prefix(
        self, session: Session, tools: ToolSet, lean: bool, outer: tuple[Tool, ...]
    ) -> Prefix:
        if session.prefix is not None:
            return session.prefix
        stored = await self._log.prefix(session.key)
        if stored:
            session.prefix = msgspec.json.decode(stored, type=Prefix)
            return session.prefix
        remembered = await self._remembered(session, lean)
        remembered = (*remembered, *self._outside.about(outer))
        skills = "" if lean else await self._skilled(session)
        person = session.env.get("HOME", "")
        files = await asyncio.to_thread(read_all, self._home.path, session.cwd, person)
        session.prefix = build_prefix(tools.shown, skills, session.cwd, lean, remembered, files)
        data = msgspec.json.encode(session.prefix)
        await self._log.set_prefix(session.key, hashlib.sha256(data).hexdigest(), data.decode())
        return session.prefix


def is_lean(config: Config, model: Model) -> bool:
    """Whether a model does better with a short prompt and few tools."""
    if config.agent.profile != "auto":
        return config.agent.profile == "lean"
    return bool(getattr(model, "small", False)) or model.window <= SMALL_WINDOW
