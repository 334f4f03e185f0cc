"""What is remembered: statements with their sources; look, add, change, forget, take back, ask."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.intents.base import Intent, Text

Kind = Literal[
    "fact", "about", "preference", "instruction", "pattern", "expertise", "relation", "project"
]
"""`fact` is of the world; the others are of the person and make up the user card."""
Scope = Literal["person", "folder", "chat", "everyone"]
"""`person`: wherever this person talks alone; `folder`: work in one project folder; `chat`: one
chat; `everyone`: all persons and chats."""
State = Literal["candidate", "current", "replaced", "disputed", "retired"]
Who = Literal["user", "agent", "tool", "import", "provider"]
"""`user` said it; `agent` concluded it; `tool`: it stood in what a tool returned."""
CARD: tuple[Kind, ...] = (
    "about",
    "instruction",
    "preference",
    "pattern",
    "expertise",
    "relation",
    "project",
)
KINDS: tuple[Kind, ...] = ("fact", *CARD)


class Source(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a statement came from. message: `SESSION:NUMBER`; ts: Unix seconds."""

    who: Who
    session: str = ""
    message: str = ""
    ts: float = 0.0
    title: str = ""


class Fact(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One statement. id: `m` and a number.

    topic: what it gives the one value of, if it does; place: folder or chat of its scope;
    person: whose, empty for the owner of this home; taint: `untrusted` when it stood in what
    came from outside; reason: why it is in this state; other: id of the statement that replaced
    it or that it contradicts; used: Unix time of its last use, uses: how often.
    """

    id: str
    text: str
    kind: Kind = "fact"
    topic: str = ""
    scope: Scope = "person"
    place: str = ""
    person: str = ""
    state: State = "current"
    taint: str = ""
    reason: str = ""
    pinned: bool = False
    other: str = ""
    made: float = 0.0
    changed: float = 0.0
    used: float = 0.0
    uses: int = 0
    sources: tuple[Source, ...] = ()


class FactList(Struct, frozen=True, kw_only=True):
    """Statements, best or newest first. kept: all that count; told: in this session's prompt."""

    facts: tuple[Fact, ...] = ()
    kept: int = 0
    told: int = 0


class ListFacts(Intent[FactList], frozen=True, kw_only=True):
    """Statements, all or those that fit a query. card: those of the user card alone.

    session: whose prompt `told` counts; everything: the replaced and retired ones too.
    """

    reply: ClassVar[Any] = FactList
    query: str = ""
    session: str = ""
    card: bool = False
    everything: bool = False
    limit: int = 500


class FactUse(Struct, frozen=True, kw_only=True):
    """When a statement was put before a model, and why."""

    session: str
    turn: int
    ts: float
    why: str
    title: str = ""


class FactChange(Struct, frozen=True, kw_only=True):
    """One change of a statement. batch: what `UndoMemory` takes; state: the one it led to."""

    batch: int
    op: str
    who: str
    ts: float
    before: str = ""
    after: str = ""
    state: str = ""
    undone: bool = False


class FactStory(Struct, frozen=True, kw_only=True):
    """All there is about one statement: itself, what it was, where it was used, what is like it."""

    fact: Fact
    changes: tuple[FactChange, ...] = ()
    uses: tuple[FactUse, ...] = ()
    alike: tuple[Fact, ...] = ()


class ShowFact(Intent[FactStory], frozen=True, kw_only=True):
    """Everything about one statement, by its id or its text."""

    reply: ClassVar[Any] = FactStory
    which: str


class Written(Struct, frozen=True, kw_only=True):
    """What a write did, in a sentence. batch: what takes it back; facts: as they are now."""

    text: str
    batch: int = 0
    facts: tuple[Fact, ...] = ()


class AddFact(Intent[Written], frozen=True, kw_only=True):
    """Remember a statement. kind empty: as it reads; session: where it is said, if anywhere.

    place: the folder or chat of the scope, empty for the session's own.
    """

    reply: ClassVar[Any] = Written
    text: str
    kind: str = ""
    scope: str = ""
    place: str = ""
    session: str = ""


class EditFact(Intent[Written], frozen=True, kw_only=True):
    """Change a statement; the old wording stays to be looked at and taken back to.

    Empty and None mean unchanged. force: also when nearly all of a long text would go.
    state: `current` confirms a candidate or settles a dispute in its favour.
    """

    reply: ClassVar[Any] = Written
    which: str
    text: str = ""
    kind: str = ""
    scope: str = ""
    place: str = ""
    pinned: bool | None = None
    state: Literal["", "current", "retired"] = ""
    force: bool = False


class MergeFacts(Intent[Written], frozen=True, kw_only=True):
    """Make one statement of two: `keep` stays, with `text` if given, in place of the other."""

    reply: ClassVar[Any] = Written
    keep: str
    other: str
    text: str = ""


class ForgetFact(Intent[Written], frozen=True, kw_only=True):
    """Forget a statement, by its id or its text. erase: every byte of it, with no way back."""

    reply: ClassVar[Any] = Written
    which: str
    erase: bool = False


class UndoMemory(Intent[Written], frozen=True, kw_only=True):
    """Take back the last write that is not taken back yet, or the one of `batch`."""

    reply: ClassVar[Any] = Written
    batch: int = 0


class AskMemory(Intent[Text], frozen=True, kw_only=True):
    """What is known of the person about a question: an answer with its sources, or not known."""

    reply: ClassVar[Any] = Text
    question: str
    session: str = ""


class ExportMemory(Intent[Text], frozen=True, kw_only=True):
    """Everything that counts as the text of a file.

    what: `memory` and `user` are entries parted by `§` lines; `jsonl` is all with all fields.
    """

    reply: ClassVar[Any] = Text
    what: Literal["memory", "user", "jsonl"] = "jsonl"


class ImportMemory(Intent[Written], frozen=True, kw_only=True):
    """Take in the text of such a file. what: as in `ExportMemory`.

    replace: what is not in it is forgotten; refused when that is most of it, unless `force`.
    """

    reply: ClassVar[Any] = Written
    text: str
    what: Literal["memory", "user", "jsonl"]
    replace: bool = False
    force: bool = False
