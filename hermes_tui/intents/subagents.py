"""Work in sessions of its own: list it, steer it, stop it, begin it; a question beside."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Done, Intent, Text


class AgentInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One subagent, or what a person began with `/bg`.

    state: `running`, `waiting` (for a person), `done`, `failed`, `stopped`, `timeout`, `limit`;
    session: its own; parent: the one it was begun in; depth: levels above it; started, ended:
    Unix seconds, ended 0 while it runs; text: its report, or what there was of it.
    """

    id: str
    session: str
    parent: str
    goal: str
    state: str
    aim: str = "delegate"
    depth: int = 1
    started: float = 0.0
    ended: float = 0.0
    tokens: int = 0
    steps: int = 0
    text: str = ""
    why: str = ""


class AgentList(Struct, frozen=True, kw_only=True):
    """Those that run first, then the ended ones, the newest first."""

    agents: tuple[AgentInfo, ...] = ()


class ListAgents(Intent[AgentList], frozen=True, kw_only=True):
    """The subagents of all sessions, or of one."""

    reply: ClassVar[Any] = AgentList
    session: str = ""
    limit: int = 100


class ReadAgent(Intent[Text], frozen=True, kw_only=True):
    """What one has said and done so far: the last `limit` characters of it."""

    reply: ClassVar[Any] = Text
    agent: str
    limit: int = 20_000


class StopAgent(Intent[Done], frozen=True, kw_only=True):
    """Stop one; what it has by then is its report."""

    reply: ClassVar[Any] = Done
    agent: str


class SteerAgent(Intent[Done], frozen=True, kw_only=True):
    """Tell one that works something more."""

    reply: ClassVar[Any] = Done
    agent: str
    text: str


class BeginAgent(Intent[AgentInfo], frozen=True, kw_only=True):
    """Have a text worked on in a session of its own, beside this one."""

    reply: ClassVar[Any] = AgentInfo
    session: str
    text: str


class AskAside(Intent[Done], frozen=True, kw_only=True):
    """Ask about the conversation without adding to it; `AsideAnswered` has the answer."""

    reply: ClassVar[Any] = Done
    session: str
    text: str
