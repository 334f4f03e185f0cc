"""What a face may ask of a core, each with the reply it gets. As small and typed as the events."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, TypeVar, cast

from msgspec import Struct

from hermes_tui.events import (
    ApprovalAsked,
    InputReceived,
    QuestionAsked,
    Record,
    TodoItem,
    Verdict,
)

R = TypeVar("R")


class Standing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a face stands: its folder, a whitelist of its environment, its terminal."""

    cwd: str = ""
    env: dict[str, str] = {}
    columns: int = 0
    rows: int = 0


class Intent(Struct, Generic[R], frozen=True, kw_only=True, omit_defaults=True):
    """Base of all intents. `op` is its name on the wire, `reply` the class of the answer."""

    op: ClassVar[str] = "intent"
    reply: ClassVar[Any] = None


class Done(Struct, frozen=True, kw_only=True):
    """It is done; nothing more to say."""


# --- sessions ------------------------------------------------------------------------------


class SessionInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session in a list. state: `idle`, `working` or `waiting` (for a person)."""

    id: str
    title: str = ""
    cwd: str = ""
    model: str = ""
    mode: str = "ask"
    created: float = 0.0
    updated: float = 0.0
    messages: int = 0
    last: int = 0
    state: Literal["idle", "working", "waiting"] = "idle"


class SessionView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All a face needs to draw a session it has just opened.

    records: the newest events, oldest first, with numbers up to `info.last`; `more` says that
    older ones exist (`History`). waiting: inputs not yet taken. partial: text of the reply
    being streamed right now.
    """

    info: SessionInfo
    records: tuple[Record, ...] = ()
    more: bool = False
    waiting: tuple[InputReceived, ...] = ()
    approvals: tuple[ApprovalAsked, ...] = ()
    questions: tuple[QuestionAsked, ...] = ()
    todo: tuple[TodoItem, ...] = ()
    partial: str = ""


class OpenSession(Intent[SessionView], frozen=True, kw_only=True):
    """Open a session and get its events from now on.

    which: an id, a title, `last` (the folder's newest), `new`, or `last-or-new`.
    after: send only events numbered above this, None for the newest `tail`.
    """

    reply: ClassVar[Any] = SessionView
    which: str = "last-or-new"
    standing: Standing = Standing()
    mode: str = ""
    model: str = ""
    title: str = ""
    after: int | None = None
    tail: int = 400
    face: str = "ui"


class CloseSession(Intent[Done], frozen=True, kw_only=True):
    """Stop sending this session's events to this face; the session itself goes on."""

    reply: ClassVar[Any] = Done
    session: str


class Page(Struct, frozen=True, kw_only=True):
    """A run of older events, oldest first."""

    records: tuple[Record, ...] = ()
    more: bool = False


class History(Intent[Page], frozen=True, kw_only=True):
    """Events numbered below `before`, the newest `limit` of them."""

    reply: ClassVar[Any] = Page
    session: str
    before: int
    limit: int = 1000


class SessionList(Struct, frozen=True, kw_only=True):
    """Sessions, newest first."""

    sessions: tuple[SessionInfo, ...] = ()


class ListSessions(Intent[SessionList], frozen=True, kw_only=True):
    """The sessions, newest first; `query` filters by title or folder."""

    reply: ClassVar[Any] = SessionList
    query: str = ""
    limit: int = 200


class ChangeSession(Intent[SessionInfo], frozen=True, kw_only=True):
    """Give a session another title, model or mode; empty means unchanged."""

    reply: ClassVar[Any] = SessionInfo
    session: str
    title: str = ""
    model: str = ""
    mode: str = ""


class DeleteSession(Intent[Done], frozen=True, kw_only=True):
    """Delete a session with all its events."""

    reply: ClassVar[Any] = Done
    session: str


class Imported(Struct, frozen=True, kw_only=True):
    """How many sessions and messages came in, and how many were there already."""

    sessions: int = 0
    messages: int = 0
    known: int = 0


class ImportedMessage(Struct, frozen=True, kw_only=True):
    """One message of an import, time in Unix seconds."""

    id: str
    role: str
    text: str
    ts: float


class ImportSession(Intent[Imported], frozen=True, kw_only=True):
    """Bring in a conversation held elsewhere; ids are kept, known messages are left alone."""

    reply: ClassVar[Any] = Imported
    id: str
    title: str = ""
    started_at: float = 0.0
    messages: tuple[ImportedMessage, ...] = ()


# --- talking -------------------------------------------------------------------------------


class Sent(Struct, frozen=True, kw_only=True):
    """The input is stored. state: `started` a turn, or waits as `steer` or `queue`."""

    input_id: str
    state: Literal["started", "steer", "queue"]
    n: int = 0


class Send(Intent[Sent], frozen=True, kw_only=True):
    """Say something. how: `auto` starts a turn or steers the running one.

    input_id: chosen by the face; the same id twice is stored once.
    """

    reply: ClassVar[Any] = Sent
    session: str
    text: str
    how: Literal["auto", "steer", "queue"] = "auto"
    input_id: str = ""
    standing: Standing = Standing()
    attended: bool = True
    face: str = "ui"


class Withdrawn(Struct, frozen=True, kw_only=True):
    """The text that was taken back; empty with taken=True when the model already has it."""

    text: str = ""
    taken: bool = False


class Withdraw(Intent[Withdrawn], frozen=True, kw_only=True):
    """Take a waiting input back before it reaches the model."""

    reply: ClassVar[Any] = Withdrawn
    session: str
    input_id: str


class Stopped(Struct, frozen=True, kw_only=True):
    """The turn is over. texts: waiting inputs, given back to the face."""

    was_running: bool = False
    texts: tuple[str, ...] = ()


class Stop(Intent[Stopped], frozen=True, kw_only=True):
    """Stop the running turn; foreground tools are killed, background processes go on."""

    reply: ClassVar[Any] = Stopped
    session: str


class Answered(Struct, frozen=True, kw_only=True):
    """accepted=False: somebody else was first, `by` says which face."""

    accepted: bool
    by: str = ""


class AnswerApproval(Intent[Answered], frozen=True, kw_only=True):
    """Answer a pending approval. arguments: JSON in place of the call's own, when edited."""

    reply: ClassVar[Any] = Answered
    session: str
    ask_id: str
    verdict: Verdict
    rule: str = ""
    reason: str = ""
    arguments: str = ""
    face: str = "ui"


class AnswerQuestion(Intent[Answered], frozen=True, kw_only=True):
    """Answer a pending question."""

    reply: ClassVar[Any] = Answered
    session: str
    ask_id: str
    text: str
    face: str = "ui"


# --- looking things up ---------------------------------------------------------------------


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


class Text(Struct, frozen=True, kw_only=True):
    """A text, as Markdown."""

    text: str = ""


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


class Lines(Struct, frozen=True, kw_only=True):
    """Lines of text."""

    lines: tuple[str, ...] = ()


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


# --- the core itself -----------------------------------------------------------------------


class CoreInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A living core: pid, version, since when, and what would be cut off if it ended."""

    pid: int
    version: str
    started: float
    home: str
    faces: int = 0
    sessions: int = 0
    working: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    headless: bool = False
    outdated: str = ""
    model: str = ""


class GetStatus(Intent[CoreInfo], frozen=True, kw_only=True):
    """How the core is."""

    reply: ClassVar[Any] = CoreInfo


class EndCore(Intent[Done], frozen=True, kw_only=True):
    """End the core. drain: wait for running turns up to this many seconds first."""

    reply: ClassVar[Any] = Done
    reason: str = "asked to"
    drain: float = 0.0


class SetConfig(Intent[Done], frozen=True, kw_only=True):
    """Write one setting to the configuration file and apply it; key "": read the file again."""

    reply: ClassVar[Any] = Done
    key: str
    value: str


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
