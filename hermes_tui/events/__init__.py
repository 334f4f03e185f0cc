"""Everything that happens, as small frozen records: the only thing a face ever sees of an agent.

Stored events carry a number per session and are in the log before any face sees them.
Transient ones (`Transient` subclasses) have number 0 and are never stored.
"""

from __future__ import annotations

import re

from hermes_tui.events.base import (
    Event,
    How,
    Outcome,
    Picture,
    Record,
    Status,
    TodoItem,
    ToolCall,
    Transient,
    Usage,
    Verdict,
)
from hermes_tui.events.calls import meant
from hermes_tui.events.context import Compacted, ResultsMasked
from hermes_tui.events.memory import MemoryChanged, MemoryUsed, Recalled
from hermes_tui.events.session import MessageImported, Notice, SessionChanged, SessionStarted
from hermes_tui.events.shown import (
    ChatSaid,
    CoreEnding,
    CoreOutdated,
    FetchProgress,
    GatewaysChanged,
    JobsChanged,
    KeysChanged,
    RunsAgain,
    SandboxFound,
    SessionsChanged,
    SettingsChanged,
    SkillsChanged,
    TextDelta,
    ToolOutput,
    Trouble,
)
from hermes_tui.events.subagents import (
    AsideAnswered,
    Delegated,
    SubagentEnded,
    SubagentStarted,
)
from hermes_tui.events.turn import (
    ApprovalAnswered,
    ApprovalAsked,
    Claim,
    ClaimsChecked,
    ModelAsked,
    ModelFailed,
    ProcessEnded,
    ProcessStarted,
    QuestionAnswered,
    QuestionAsked,
    RanAgain,
    ReplyReceived,
    TodoChanged,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Unknown,
)
from hermes_tui.events.typed import (
    FilesRestored,
    InputEdited,
    InputMoved,
    InputReceived,
    InputTaken,
    InputWithdrawn,
    Rewound,
    ShellRan,
)

__all__ = [
    "KINDS",
    "ApprovalAnswered",
    "ApprovalAsked",
    "AsideAnswered",
    "ChatSaid",
    "Claim",
    "ClaimsChecked",
    "Compacted",
    "CoreEnding",
    "CoreOutdated",
    "Delegated",
    "Event",
    "FetchProgress",
    "FilesRestored",
    "GatewaysChanged",
    "How",
    "InputEdited",
    "InputMoved",
    "InputReceived",
    "InputTaken",
    "InputWithdrawn",
    "JobsChanged",
    "KeysChanged",
    "MemoryChanged",
    "MemoryUsed",
    "MessageImported",
    "ModelAsked",
    "ModelFailed",
    "Notice",
    "Outcome",
    "Picture",
    "ProcessEnded",
    "ProcessStarted",
    "QuestionAnswered",
    "QuestionAsked",
    "RanAgain",
    "Recalled",
    "Record",
    "ReplyReceived",
    "ResultsMasked",
    "Rewound",
    "RunsAgain",
    "SandboxFound",
    "SessionChanged",
    "SessionStarted",
    "SessionsChanged",
    "SettingsChanged",
    "ShellRan",
    "SkillsChanged",
    "Status",
    "SubagentEnded",
    "SubagentStarted",
    "TextDelta",
    "TodoChanged",
    "TodoItem",
    "ToolCall",
    "ToolEnded",
    "ToolOutput",
    "ToolStarted",
    "Transient",
    "Trouble",
    "TurnEnded",
    "TurnStarted",
    "Unknown",
    "Usage",
    "Verdict",
    "meant",
]


def _name(cls: type[Event]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


def _all(base: type[Event]) -> list[type[Event]]:
    return [one for cls in base.__subclasses__() for one in (cls, *_all(cls))]


KINDS: dict[str, type[Event]] = {}
for _cls in _all(Event):
    _cls.kind = _name(_cls)
    KINDS[_cls.kind] = _cls
