"""Looking things up: search, skills, outputs, history, models."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Intent, Lines, Text


class Hit(Struct, frozen=True, kw_only=True):
    """One message found. message: the id it was imported under, or `SESSION:NUMBER`."""

    session: str
    message: str
    ts: float
    score: float
    text: str
    title: str = ""
    role: str = ""
    n: int = 0


class Hits(Struct, frozen=True, kw_only=True):
    """Messages found, best first."""

    hits: tuple[Hit, ...] = ()


class Search(Intent[Hits], frozen=True, kw_only=True):
    """Search all messages of all sessions. Any text is a query."""

    reply: ClassVar[Any] = Hits
    query: str
    limit: int = 20


class Found(Struct, frozen=True, kw_only=True):
    """Numbers of the events that match, newest first; `more`: there are others further back."""

    numbers: tuple[int, ...] = ()
    more: bool = False


class FindInSession(Intent[Found], frozen=True, kw_only=True):
    """Find a text in one session's messages and outputs below event `before`.

    query: as typed; regex: take it as a regular expression where it is one.
    """

    reply: ClassVar[Any] = Found
    session: str
    query: str
    before: int
    regex: bool = True
    limit: int = 1000


class SkillInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One skill in a list. origin: `bundled` or `user`; problems: what its file does wrong."""

    name: str
    description: str = ""
    origin: str = "bundled"
    path: str = ""
    problems: tuple[str, ...] = ()


class SkillList(Struct, frozen=True, kw_only=True):
    """Skills by name."""

    skills: tuple[SkillInfo, ...] = ()


class ListSkills(Intent[SkillList], frozen=True, kw_only=True):
    """All skills, bundled and the person's own."""

    reply: ClassVar[Any] = SkillList


class ReadSkill(Intent[Text], frozen=True, kw_only=True):
    """The SKILL.md of one skill."""

    reply: ClassVar[Any] = Text
    name: str


class ReadOutput(Intent[Text], frozen=True, kw_only=True):
    """The whole stored output of a tool call, or the part from `offset` of `limit` bytes."""

    reply: ClassVar[Any] = Text
    session: str
    call_id: str
    offset: int = 0
    limit: int = 1_000_000


class CompletePath(Intent[Lines], frozen=True, kw_only=True):
    """Files of the session's folder that match what was typed after `@`, best first.

    Ignored files are left out where git knows them. Folders end with a slash.
    """

    reply: ClassVar[Any] = Lines
    session: str
    typed: str
    limit: int = 50


class PromptHistory(Intent[Lines], frozen=True, kw_only=True):
    """What was typed before in any session, newest first."""

    reply: ClassVar[Any] = Lines
    limit: int = 500


class ModelList(Struct, frozen=True, kw_only=True):
    """Names a session can switch to; `current` is the default of new sessions."""

    models: tuple[str, ...] = ()
    current: str = ""
    problem: str = ""


class ListModels(Intent[ModelList], frozen=True, kw_only=True):
    """The models the configured endpoint offers."""

    reply: ClassVar[Any] = ModelList


class RunCommand(Intent[Text], frozen=True, kw_only=True):
    """Run a command of the table that the core answers with text, such as `context` or `usage`."""

    reply: ClassVar[Any] = Text
    session: str
    command: str
    args: str = ""
