"""The sessions rail: every session with its state and age, kept up to date while it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.intents import ListSessions, SessionInfo
from hermes_tui.ui import figures
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.text import one_line

if TYPE_CHECKING:
    from textual.app import ComposeResult

_STATES = {
    "idle": ("✓", "muted"),
    "working": ("◐", "accent"),
    "waiting": ("⚠", "warn"),
}


def session_title(info: SessionInfo) -> str:
    """What a session is called on screen."""
    return one_line(info.title) or "new session"


def session_row(info: SessionInfo, current: str, now: float) -> TextRow:
    """One session as a line: here-mark, state, title, and the state's word or its age."""
    glyph, style = _STATES[info.state]
    here = info.id == current
    word = info.state if info.state != "idle" else figures.ago(info.updated, now)
    return TextRow(
        key=info.id,
        left=(
            Span("▸ " if here else "  ", "accent"),
            Span(glyph + " ", style),
            Span(session_title(info), "strong" if here else ""),
        ),
        right=(Span(word + " ", style if info.state != "idle" else "muted"),),
    )


class Rail(Vertical):
    """Sessions, newest first."""

    def __init__(self) -> None:
        super().__init__(id="rail")
        self.sessions: Sequence[SessionInfo] = ()
        self._again = False
        self._asking = False

    def compose(self) -> ComposeResult:
        """Heading and list."""
        yield Bar(id="rail-title")
        yield RowList(id="rail-rows")

    def on_mount(self) -> None:
        """Show the heading at once; the list comes with the first refresh."""
        title = self.query_one("#rail-title", Bar)
        title.show((Span(" Sessions", "strong"),), (Span("ctrl+n new ", "muted", "app.new"),))

    def ask_again(self) -> None:
        """The list changed: ask for it, once for many changes."""
        self._again = True
        if not self._asking:
            self._asking = True
            self.run_worker(self._refresh, group="rail")

    def draw_rows(self) -> None:
        """Draw the sessions known, with their age as of now."""
        face = face_of(self)
        now = face.now()
        rows: list[Row] = [session_row(info, face.session, now) for info in self.sessions]
        self.query_one("#rail-rows", RowList).show(rows)

    def neighbour(self, step: int) -> str:
        """The id of the session so many places below the current one; empty at the ends."""
        ids = [info.id for info in self.sessions]
        current = face_of(self).session
        at = ids.index(current) + step if current in ids else 0
        return ids[at] if 0 <= at < len(ids) else ""

    async def _refresh(self) -> None:
        face = face_of(self)
        try:
            while self._again:
                self._again = False
                self.sessions = (await face.ask(ListSessions())).sessions
                self.draw_rows()
        except HermesError as error:
            face.say(error.message, "warning")
        finally:
            self._asking = False
