"""What is shown and never stored."""

from __future__ import annotations

from hermes_tui.events.base import Transient


class TextDelta(Transient, frozen=True, kw_only=True):
    """More of the reply being streamed, at most 20 a second."""

    turn: int
    step: int
    text: str = ""
    reasoning: str = ""


class ToolOutput(Transient, frozen=True, kw_only=True):
    """More output of a running tool."""

    turn: int
    call_id: str
    text: str


class RunsAgain(Transient, frozen=True, kw_only=True):
    """A tool call that a person had run once more has begun; `RanAgain` tells how it ended.

    call_id: its own, under which its output comes; of: the call it repeats.
    """

    turn: int
    call_id: str
    of: str
    tool: str
    arguments: str = "{}"
    summary: str = ""


class Trouble(Transient, frozen=True, kw_only=True):
    """Something the log can't be told because it can't be written, such as a full disk."""

    text: str
    hint: str = ""


class SessionsChanged(Transient, frozen=True, kw_only=True):
    """The list of sessions changed (made, renamed, deleted, busy, idle); ask again to see it."""

    session: str = ""


class SandboxFound(Transient, frozen=True, kw_only=True):
    """What surrounds this session's commands is known: level 3, 2, or 1 for nothing."""

    level: int


class SettingsChanged(Transient, frozen=True, kw_only=True):
    """The settings changed; `ListSettings` has them as they are now."""


class SkillsChanged(Transient, frozen=True, kw_only=True):
    """Skills changed, on disk or otherwise; `ListSkills` has them as they are now."""


class JobsChanged(Transient, frozen=True, kw_only=True):
    """A job at a set time changed, ran or was missed; `ListJobs` has them as they are now."""

    job: str = ""


class GatewaysChanged(Transient, frozen=True, kw_only=True):
    """A gateway is connected, lost its line or stopped; `ListGateways` has how they are now."""

    name: str = ""


class ChatSaid(Transient, frozen=True, kw_only=True):
    """What the agent says in a chat that a terminal holds (`hermes chat --as`).

    edits: the message this one replaces; buttons: (label, value) to be pressed; file: a path.
    """

    target: str
    message: str
    text: str = ""
    edits: str = ""
    buttons: tuple[tuple[str, str], ...] = ()
    file: str = ""


class FetchProgress(Transient, frozen=True, kw_only=True):
    """A model file is being fetched: `done` of `total` bytes are there. ended: no more comes."""

    name: str
    done: int = 0
    total: int = 0
    ended: bool = False


class KeysChanged(Transient, frozen=True, kw_only=True):
    """A key of a provider was put to rest or is of use again: `ready` of its `keys` can be used.

    until: Unix time the next one is ready again, 0 when none rests for a known time.
    """

    whose: str
    ready: int
    keys: int
    until: float = 0.0


class CoreEnding(Transient, frozen=True, kw_only=True):
    """The core is about to end; the socket closes after this."""

    reason: str = ""


class CoreOutdated(Transient, frozen=True, kw_only=True):
    """The files on disk are of another version than the running core."""

    running: str
    installed: str
