"""What events are made of: their base, the record around them, what several of them carry."""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec import Struct

Status = Literal["ok", "error", "denied", "interrupted", "stopped"]
How = Literal["send", "steer", "queue"]
Outcome = Literal["done", "stopped", "failed", "limit"]
Verdict = Literal["once", "session", "always", "deny", "expired"]


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all events; `kind` is the class name in snake case."""

    version: ClassVar[int] = 1
    kind: ClassVar[str] = "event"


class Transient(Event, frozen=True, kw_only=True):
    """An event that is shown but never stored."""


class ToolCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call the model asked for; `arguments` is the JSON text exactly as it was sent.

    extra: what the provider hung on it, as JSON (`models.keepsakes`).
    """

    id: str
    tool: str
    arguments: str = "{}"
    extra: str = ""


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Token counts of one or more model calls; cost in US dollars, None where no price is known."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    cost: float | None = None


class TodoItem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the agent's to-do list."""

    text: str
    state: Literal["open", "doing", "done"] = "open"


class Picture(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A picture beside a text: a file whose bytes never change, and its media type."""

    path: str
    media: str


class Record:
    """An event with its place: session, number (0 for transient ones), Unix time in seconds.

    A plain class and no Struct, so that the codec writes kind and version beside the event.
    """

    __slots__ = ("event", "n", "session", "ts")

    def __init__(self, *, session: str, n: int, ts: float, event: Event) -> None:
        self.session = session
        self.n = n
        self.ts = ts
        self.event = event

    def __eq__(self, other: object) -> bool:
        """Equal when session, number, time and event are."""
        return isinstance(other, Record) and self._key() == other._key()

    def __hash__(self) -> int:
        """By session and number."""
        return hash((self.session, self.n))

    def __repr__(self) -> str:
        """Short, for logs and failing tests."""
        return f"Record({self.session}#{self.n} {self.event!r})"

    def _key(self) -> tuple[str, int, float, Event]:
        return self.session, self.n, self.ts, self.event
