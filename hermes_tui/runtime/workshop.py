"""What a turn needs: the model in use, the tools, the frozen prefix of the session's prompt."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec.structs import replace

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.agent.prompt import build_prefix
from hermes_tui.agent.prompt_files import read_all
from hermes_tui.config import EFFORTS, Config, ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.events import KeysChanged, Transient
from hermes_tui.home import Home
from hermes_tui.models.base import Model
from hermes_tui.models.metered import Metered, Scope
from hermes_tui.runtime.session import Session
from hermes_tui.store.log import Log

if TYPE_CHECKING:
    from hermes_tui.config import Effort
    from hermes_tui.models.fallback import Rule, Standing
    from hermes_tui.models.pools import Pools
    from hermes_tui.models.prices import Price
    from hermes_tui.runtime.outside import Outside
    from hermes_tui.runtime.spending import Spending
    from hermes_tui.tools.base import Tool
    from hermes_tui.tools.registry import ToolSet

SMALL_WINDOW = 8192
JOB_ENV = "HERMES_TUI_JOB"
"""In the environment of a session that is a run of a job: the job's id."""
Remembered = Callable[[Session, bool], Awaitable[tuple[tuple[str, str], ...]]]
"""(part, text) of what a session's frozen prompt says from memory; the flag: a lean prompt."""
_ANY = Scope()
_NEW = Scope(session="-", job="-")
"""Of what has used nothing: only a cap of nothing stops it."""
_Which = tuple[ModelConfig, str, tuple[int, int]]
"""Settings, name, and the state of the stored keys: a new key makes a new client."""
Skilled = Callable[[Session], Awaitable[str]]
"""What it says of skills."""


class Workshop:
    """Makes agents; keeps models alive between turns.

    spend: the gate of all model calls; announce: tells every face that a provider's key was put
    to rest or is of use again.
    """

    def __init__(
        self, home: Home, log: Log, remembered: Remembered, skilled: Skilled, outside: Outside
    ) -> None:
        self._home = home
        self._log = log
        self._outside = outside
        self._remembered = remembered
        self._skilled = skilled
        self._models: dict[_Which, Model] = {}
        self._places: dict[_Which, tuple[str, Price | None]] = {}
        self._pools: Pools | None = None
        self._chains: dict[tuple[ModelConfig, str], Standing] = {}
        self.spend: Spending | None = None
        self.announce: Callable[[Transient], None] | None = None

    async def agent_for(self, session: Session, config: Config) -> Agent:
        """The agent that answers a session's next turn; raises ModelError when none can."""
        from hermes_tui.tools.registry import build

        named = session.conversation.model
        wanted = with_effort(config.model, session.conversation.effort)
        model = self.model(wanted, session.env, named, scope_of(session))
        lean = is_lean(config, model)
        session.takes_notes = not lean  # a very small model takes the date for its task
        outer = () if lean else await self._outside.tools(session)
        tools = build(config.tools, "lean" if lean else "full", outer, session.only)
        return Agent(
            model=model,
            tools=tools,
            prefix=await self._prefix(session, tools, lean, outer),
            max_rounds=config.agent.max_rounds,
            attempts=config.model.attempts,
            parallel=config.agent.parallel,
            output_chars=config.tools.output_chars,
            summariser=self._summariser(config, session),
        )

    def model(
        self, config: ModelConfig, env: Mapping[str, str], name: str = "", scope: Scope = _ANY
    ) -> Model:
        """The configured model or another by name (`[PROVIDER:]MODEL`), and those it falls back on.

        Every call passes the gate, on account of `scope`. Raises ModelError when there is none.
        """
        if not config.fallback:
            return self._metered(config, env, name, scope)
        from hermes_tui.models.fallback import Fallback, Standing, rule

        made = [self._metered(config, env, name, scope)]
        rules: list[Rule] = []
        for one in map(rule, config.fallback):
            with suppress(ModelError):  # without a key for it, the chain goes on without it
                made.append(self._metered(config, env, one.name, scope))
                rules.append(one)
        standing = self._chains.setdefault((config, name), Standing())
        return Fallback(made, rules, standing)

    def _summariser(self, config: Config, session: Session) -> Model | None:
        """The model that shortens conversations; one that can't be had must not stop a turn."""
        try:
            return self.aux("summaries", config, session)
        except ModelError:
            return None

    def aux(
        self, task: str, config: Config, session: Session | None = None, job: str = ""
    ) -> Model:
        """The model for a task of its own: a setting of `models.*`, else the session's model.

        Raises ModelError when none can be had.
        """
        wanted = str(getattr(config.models, task, "")) or (
            session.conversation.model if session is not None else ""
        )
        env = session.env if session is not None else {}
        scope = scope_of(session, task) if session is not None else Scope(job=job, task=task)
        return self.model(config.model, env, wanted, scope)

    def _metered(
        self, config: ModelConfig, env: Mapping[str, str], name: str, scope: Scope
    ) -> Model:
        from hermes_tui.models.choose import make_model, place_and_price
        from hermes_tui.models.pools import Pools

        key = (config, name, self._home.secrets_mark())
        if key not in self._models:
            everything = {**os.environ, **env}
            self._pools = self._pools or Pools(self._home)
            self._pools.changed = self._tell_keys
            self._models[key] = make_model(config, self._home, everything, name, self._pools)
            self._places[key] = place_and_price(config, self._home, everything, name)
        if self.spend is None:
            return self._models[key]
        return Metered(self._models[key], self.spend, scope, *self._places[key])

    def _tell_keys(self) -> None:
        for whose, ready, keys, until in self.key_states():
            if self.announce is not None:
                self.announce(KeysChanged(whose=whose, ready=ready, keys=keys, until=until))

    def key_states(self) -> list[tuple[str, int, int, float]]:
        """(whose, ready keys, all keys, when the next is ready) of each pool in use."""
        pools = {getattr(model, "pool", None) for model in self._models.values()}
        return sorted((one.whose, *one.state()) for one in pools if one is not None)

    async def learn_windows(self) -> None:
        """Ask endpoints how large the windows in use really are; once each, after a turn."""
        if self.spend is not None and not await self.spend.may(_NEW):
            return
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


def scope_of(session: Session, task: str = "chat") -> Scope:
    """On whose account a session's calls are: its own, and that of the job it is a run of."""
    return Scope(session=session.account, job=session.env.get(JOB_ENV, ""), task=task)


def with_effort(config: ModelConfig, effort: str) -> ModelConfig:
    """The settings with a session's own effort, if it has one."""
    return replace(config, effort=cast("Effort", effort)) if effort in EFFORTS else config


def is_lean(config: Config, model: Model) -> bool:
    """Whether a model does better with a short prompt and few tools."""
    if config.agent.profile != "auto":
        return config.agent.profile == "lean"
    return bool(getattr(model, "small", False)) or model.window <= SMALL_WINDOW
