"""What the agent left running in the background: list, read, end."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Done, Intent, Text


class ProcessInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One background process. state: `running`, `exited`, `killed`, or the signal that ended it.

    started, ended: Unix time in seconds, ended 0 while it runs.
    """

    id: str
    session: str
    command: str
    state: str
    started: float
    ended: float = 0.0
    exit_code: int | None = None
    pid: int = 0


class ProcessList(Struct, frozen=True, kw_only=True):
    """Those that run first, then the ended ones, the newest first."""

    processes: tuple[ProcessInfo, ...] = ()


class ListProcesses(Intent[ProcessList], frozen=True, kw_only=True):
    """The background processes of all sessions."""

    reply: ClassVar[Any] = ProcessList


class ReadProcess(Intent[Text], frozen=True, kw_only=True):
    """The last `limit` bytes that a background process wrote."""

    reply: ClassVar[Any] = Text
    process_id: str
    limit: int = 100_000


class StopProcess(Intent[Done], frozen=True, kw_only=True):
    """End a background process and its children."""

    reply: ClassVar[Any] = Done
    process_id: str
