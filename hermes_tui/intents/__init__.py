"""What a face may ask of a core, each with the reply it gets. As small and typed as the events."""

from __future__ import annotations

from typing import Any, cast

from hermes_tui.intents.base import (
    Done,
    Intent,
    Lines,
    Standing,
    Text,
)
from hermes_tui.intents.core import (
    CoreInfo,
    EndCore,
    GetStatus,
    SetConfig,
)
from hermes_tui.intents.look import (
    CompletePath,
    FindInSession,
    Found,
    Hit,
    Hits,
    ListModels,
    ListSkills,
    ModelList,
    PromptHistory,
    ReadOutput,
    ReadSkill,
    RunCommand,
    Search,
    SkillInfo,
    SkillList,
)
from hermes_tui.intents.processes import (
    ListProcesses,
    ProcessInfo,
    ProcessList,
    ReadProcess,
    StopProcess,
)
from hermes_tui.intents.sessions import (
    ChangeSession,
    CloseSession,
    DeleteSession,
    ForkSession,
    History,
    Imported,
    ImportedMessage,
    ImportSession,
    ListSessions,
    OpenSession,
    Page,
    SessionInfo,
    SessionList,
    SessionView,
)
from hermes_tui.intents.setup import (
    ChosenModel,
    FetchModel,
from hermes_tui.intents.rewind import (
    BackView,
    CheckpointInfo,
    CheckpointList,
    FileChange,
    ListCheckpoints,
    LookBack,
    RestoreFiles,
    Rewind,
    WentBack,
)
    FindModels,
    KeepModel,
    ListSettings,
    ModelChoice,
    ModelChoices,
    ModelProof,
    SettingInfo,
    SettingList,
    StopFetch,
    TryModel,
)
from hermes_tui.intents.talk import (
    AnswerApproval,
    Answered,
    AnswerQuestion,
    EditInput,
    MoveInput,
    RunAgain,
    RunShell,
    Send,
    Sent,
    Stop,
    Stopped,
    StopShell,
    Withdraw,
    Withdrawn,
)
from hermes_tui.intents.tools import CallTool, ToolCalled

__all__ = [
    "INTENTS",
    "AnswerApproval",
    "AnswerQuestion",
    "Answered",
    "CallTool",
    "ChangeSession",
    "ChosenModel",
    "CloseSession",
    "CompletePath",
    "CoreInfo",
    "DeleteSession",
    "Done",
    "EditInput",
    "EndCore",
    "FetchModel",
    "FindInSession",
    "FindModels",
    "ForkSession",
    "Found",
    "GetStatus",
    "History",
    "Hit",
    "Hits",
    "ImportSession",
    "AskMemory",
    "BackView",
    "Imported",
    "ImportedMessage",
    "CheckpointInfo",
    "CheckpointList",
    "Intent",
    "KeepModel",
    "Lines",
    "ListModels",
    "ListProcesses",
    "ListSessions",
    "ListSettings",
    "ListSkills",
    "ModelChoice",
    "ModelChoices",
    "ModelList",
    "ModelProof",
    "MoveInput",
    "OpenSession",
    "Page",
    "ProcessInfo",
    "FileChange",
    "ProcessList",
    "PromptHistory",
    "ReadOutput",
    "ReadProcess",
    "ReadSkill",
    "Rewind",
    "RunAgain",
    "RunCommand",
    "RunShell",
    "Search",
    "Send",
    "Sent",
    "SessionInfo",
    "SessionList",
    "SessionView",
    "SetConfig",
    "ListCheckpoints",
    "ListFacts",
    "SettingInfo",
    "SettingList",
    "SkillInfo",
    "SkillList",
    "Standing",
    "LookBack",
    "MergeFacts",
    "Stop",
    "StopFetch",
    "StopProcess",
    "StopShell",
    "Stopped",
    "Text",
    "ToolCalled",
    "TryModel",
    "Withdraw",
    "Withdrawn",
]


    "RestoreFiles",
def _name(cls: type[Any]) -> str:
    text = cls.__name__
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(text))


INTENTS: dict[str, type[Intent[Any]]] = {}


def _register() -> None:
    made = cast("list[type[Intent[Any]]]", Intent.__subclasses__())
    for cls in made:
        cls.op = _name(cls)
        INTENTS[cls.op] = cls


_register()
    "UndoMemory",
    "WentBack",
