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
    """Messages found, best first.

    note: what to know about how they were found; waiting: sessions that are not searched yet,
    because they are still being indexed. summary: what the messages say, with links to them
    ("" when none was asked for or it could not be made; then `note` says so).
    """

    hits: tuple[Hit, ...] = ()
    note: str = ""
    waiting: int = 0
    summary: str = ""


class Search(Intent[Hits], frozen=True, kw_only=True):
    """Search all messages of all sessions. Any text is a query.

    budget: bytes of text in the answer, 0 for any. session: the one the question comes from, of
    which `in:here` speaks. summary: also say in a few dated sentences what was found.
    """

    reply: ClassVar[Any] = Hits
    query: str
    limit: int = 20
    budget: int = 0
    session: str = ""
    summary: bool = False


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
    """One skill in a list. origin: `bundled`, `user`, `hub`, `learned`, `shared` or `project`;
    problems: what its file does wrong.

    state: of a learned skill; held: why it is kept out of prompts; on: whether it is used;
    worked, judged: of its uses; proposal: number of the edit that waits, 0 for none; overlaid:
    the person's changes lie over it.
    """

    name: str
    description: str = ""
    origin: str = "bundled"
    path: str = ""
    problems: tuple[str, ...] = ()
    version: int = 0
    uses: int = 0
    worked: int = 0
    judged: int = 0
    last_used: float = 0.0
    state: str = ""
    held: str = ""
    on: bool = True
    proposal: int = 0
    overlaid: bool = False


class SkillList(Struct, frozen=True, kw_only=True):
    """Skills by name."""

    skills: tuple[SkillInfo, ...] = ()


class ListSkills(Intent[SkillList], frozen=True, kw_only=True):
    """All skills; with `cwd` those of the project around that folder, too."""

    reply: ClassVar[Any] = SkillList
    cwd: str = ""


class ReadSkill(Intent[Text], frozen=True, kw_only=True):
    """The SKILL.md of one skill."""

    reply: ClassVar[Any] = Text
    name: str
    cwd: str = ""


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
