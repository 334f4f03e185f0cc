"""The session itself: begun, changed, imported into."""

from __future__ import annotations

from typing import Literal

from hermes_tui.events.base import Event


class SessionStarted(Event, frozen=True, kw_only=True):
    """A session came into being. origin: the face that made it, or `import`.

    person: who talks, empty for the owner of this home; chat: id of a chat elsewhere; group:
    others read along. What was said in a session is found for nobody else.
    """

    title: str = ""
    cwd: str = ""
    model: str = ""
    mode: str = "ask"
    origin: str = ""
    person: str = ""
    chat: str = ""
    group: bool = False
    effort: str = ""


class SessionChanged(Event, frozen=True, kw_only=True):
    """Title, model, mode, folder or effort changed; None means unchanged.

    effort: how hard the model is to think, empty: as `model.effort` says.
    """

    title: str | None = None
    model: str | None = None
    mode: str | None = None
    cwd: str | None = None
    effort: str | None = None


class MessageImported(Event, frozen=True, kw_only=True):
    """A message of a conversation that was held elsewhere, kept under its own id."""

    message_id: str
    role: str
    text: str


class Notice(Event, frozen=True, kw_only=True):
    """A sentence for the person, from the core itself."""

    text: str
    hint: str = ""
    level: Literal["info", "warning", "error"] = "info"
