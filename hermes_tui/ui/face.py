"""What every part of the screen may use of the app around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from hermes_tui.intents import Intent
    from hermes_tui.ui.theme import Look

R = TypeVar("R")


class Face(Protocol):
    """The app, as its parts see it."""

    look: Look

    @property
    def session(self) -> str:
        """The id of the session shown."""
        ...

    async def ask(self, intent: Intent[R]) -> R:
        """Ask the core; raises HermesError."""
        ...

    def now(self) -> float:
        """Unix time in seconds."""
        ...

    def say(self, text: str, level: str = "info") -> None:
        """Show a short sentence for a moment."""
        ...


def face_of(node: DOMNode) -> Face:
    """The app a widget or screen lives in."""
    return cast("Face", node.app)


def look_of(node: DOMNode) -> Look:
    """The look of the app a widget or screen lives in."""
    return face_of(node).look
