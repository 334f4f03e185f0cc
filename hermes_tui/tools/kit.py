"""What the tools of one session share: the way to the web, the eyes, the files they have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hermes_tui.tools.file_memory import FileMemory

if TYPE_CHECKING:
    from hermes_tui.models.pictures import Picture
    from hermes_tui.tools.web import Web


class Eyes(Protocol):
    """A model that looks at pictures."""

    async def look(self, question: str, picture: Picture) -> str:
        """Its answer about a picture. Raises ToolError when no model here can see."""
        ...


class Kit:
    """One a session. web or eyes are None where there are none."""

    def __init__(self, web: Web | None = None, eyes: Eyes | None = None) -> None:
        self.web = web
        self.eyes = eyes
        self.files = FileMemory()
