"""The rail: every session by group, kept in order, and below them what runs, comes and is new."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.actions import SkipAction
from textual.message import Message

from hermes_tui.errors import HermesError
from hermes_tui.events import Event
from hermes_tui.intents import ChangeSession, ListSessions, SessionInfo
from hermes_tui.ui import part_keys
from hermes_tui.ui.column import Column
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rail_around import BELOW, FOLD, Around, around_rows
from hermes_tui.ui.rail_asking import PARTS, Part, anew, parts_of
from hermes_tui.ui.rail_rows import grouped, rail_rows, session_title
from hermes_tui.ui.rows import RowList
from hermes_tui.ui.search_box import SearchBox

if TYPE_CHECKING:
    from textual.app import ComposeResult

__all__ = ["Rail", "session_title"]


class Rail(Column):
    """Sessions by group, other things below. query: narrows it; archived: all of them.

    folded: headings below the sessions of which only the number is shown.
    """

    BINDINGS = part_keys.bindings("rail")

    class Opened(Message):
        """Show this session."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    class Listed(Message):
        """How all sessions are now."""

        def __init__(self, sessions: Sequence[SessionInfo]) -> None:
            super().__init__()
            self.sessions = sessions

    class Picked(Message):
        """Enter or a click on something below the sessions; key: of its row."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Folded(Message):
        """Which headings are folded now."""

        def __init__(self, folded: tuple[str, ...]) -> None:
            super().__init__()
            self.folded = folded

    def __init__(self) -> None:
        super().__init__(id="rail")
        self.sessions: Sequence[SessionInfo] = ()
        self.around = Around()
        self.folded: tuple[str, ...] = ()
        self.query_text = ""
        self.archived = False
        self._again = False
        self._parts: set[Part] = {*PARTS}
        self._asking = False
        self._renaming = ""

    def compose(self) -> ComposeResult:
        """Heading, box, list, and the field a session is renamed in."""
        yield Bar(id="rail-title")
        yield SearchBox("title or folder", id="rail-box")
        yield RowList(id="rail-rows")
        yield SearchBox("title", id="rail-field")

    def on_mount(self) -> None:
        """Show the heading at once; the list comes with the first refresh."""
        title = self.query_one("#rail-title", Bar)
        title.show(
            (Span(" Sessions", "strong"),),
            (Span("ctrl+n new ", "muted", "app.command('session.new')"),),
        )
        self.query_one("#rail-field", SearchBox).mark = "❯ "
        for name in ("#rail-box", "#rail-field"):
            self.query_one(name).display = False

    # --- what is shown -----------------------------------------------------------------------

    def heard(self, event: Event) -> None:
        """Something happened in the core: what it may have changed is asked for anew."""
        if parts := parts_of(event):
            self._parts |= parts
            self.ask_again()

    def ask_again(self) -> None:
        """The sessions changed: ask for them, once for many changes."""
        self._again = True
        if not self._asking:
            self._asking = True
            self.run_worker(self._refresh, group="rail")

    def draw_rows(self) -> None:
        """Draw the sessions known, with their age as of now."""
        face = face_of(self)
        groups = grouped(self.sessions, face.now(), self.query_text, self.archived)
        rows = rail_rows(groups, face.session, face.now())
        rows += around_rows(self.around, self.folded, face.now())
        self.query_one("#rail-rows", RowList).show(rows)

    def neighbour(self, step: int) -> str:
        """The id of the session so many places below the current one; empty at the ends."""
        face = face_of(self)
        groups = grouped(self.sessions, face.now(), "", self.archived)
        ids = [info.id for found in groups.values() for info in found]
        at = ids.index(face.session) + step if face.session in ids else 0
        return ids[at] if 0 <= at < len(ids) else ""

    async def _refresh(self) -> None:
        face = face_of(self)
        try:
            while self._again:
                self._again = False
                self.sessions = (await face.ask(ListSessions())).sessions
                self.post_message(self.Listed(self.sessions))
                self.draw_rows()
                parts: list[Part] = [one for one in PARTS if one in self._parts or one == PARTS[0]]
                self._parts.clear()
                for part in parts:
                    self.around = await anew(face, self.around, part)
                self.draw_rows()
        except HermesError as error:
            face.say(error.message, "warning")
        finally:
            self._asking = False

    # --- narrowing ---------------------------------------------------------------------------

    def action_search(self) -> None:
        """Narrow the list by typing."""
        box = self.query_one("#rail-box", SearchBox)
        box.display = True
        box.focus()

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        text = self.query_one("#rail-box", SearchBox).text
        if text != self.query_text:
            self.query_text = text
            self.draw_rows()

    @on(SearchBox.Done, "#rail-box")
    def _found(self, message: SearchBox.Done) -> None:
        message.stop()
        self.query_one("#rail-rows", RowList).focus()

    def action_close(self) -> None:
        """Close the field or the box; else the rail is left."""
        rows = self.query_one("#rail-rows", RowList)
        if self._renaming:
            self._end_renaming()
        elif self.query_text or self.query_one("#rail-box").display:
            box = self.query_one("#rail-box", SearchBox)
            box.text = self.query_text = ""
            box.display = False
            self.draw_rows()
            rows.focus()
        else:
            raise SkipAction

    def action_archived(self) -> None:
        """Show the archived sessions too, or hide them again."""
        self.archived = not self.archived
        self.draw_rows()

    # --- keeping order -----------------------------------------------------------------------

    def here(self) -> SessionInfo | None:
        """The session under the cursor."""
        return self._known(self.query_one("#rail-rows", RowList).key)

    def action_pin(self) -> None:
        """Pin the session under the cursor, or let it go."""
        if (info := self.here()) is not None:
            self.pin(info.id)

    def action_archive(self) -> None:
        """Put the session under the cursor out of the way, or back."""
        if (info := self.here()) is not None:
            self.archive(info.id)

    def pin(self, session: str) -> None:
        """Pin a session, or let it go."""
        info = self._known(session)
        if info is not None:
            self._change("let go" if info.pinned else "pinned", session, pinned=not info.pinned)

    def archive(self, session: str) -> None:
        """Archive a session, or take it back."""
        info = self._known(session)
        if info is not None:
            words = "back in the list" if info.archived else "archived · A shows it"
            self._change(words, session, archived=not info.archived)

    def action_rename(self) -> None:
        """Rename the session under the cursor, in its place."""
        rows = self.query_one("#rail-rows", RowList)
        info = self.here()
        if info is None:
            return
        self._renaming = info.id
        field = self.query_one("#rail-field", SearchBox)
        field.text = info.title
        field.display = True
        y = rows.cursor - rows.scroll_offset.y + rows.region.y - self.region.y
        field.styles.offset = (0, y)
        field.focus()

    @on(SearchBox.Done, "#rail-field")
    def _renamed(self, message: SearchBox.Done) -> None:
        message.stop()
        session, title = self._renaming, message.text.strip()
        self._end_renaming()
        if session and title:
            self._change("renamed", session, title=title)

    def _end_renaming(self) -> None:
        self._renaming = ""
        self.query_one("#rail-field").display = False
        self.query_one("#rail-rows", RowList).focus()

    def _known(self, session: str) -> SessionInfo | None:
        return next((one for one in self.sessions if one.id == session), None)

    def _change(self, words: str, session: str, **what: Any) -> None:
        self.run_worker(partial(self._ask, ChangeSession(session=session, **what), words))

    async def _ask(self, intent: ChangeSession, words: str) -> None:
        face = face_of(self)
        try:
            await face.ask(intent)
        except HermesError as error:
            face.say(error.message, "warning")
            return
        face.say(words)
        self.ask_again()

    @on(RowList.Chosen, "#rail-rows")
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        if message.key.startswith(FOLD):
            self._fold(message.key.removeprefix(FOLD))
        elif message.key.startswith(BELOW):
            self.post_message(self.Picked(message.key))
        else:
            self.post_message(self.Opened(message.key))

    def action_fold(self) -> None:
        """Fold or unfold the heading under the cursor, or the one above it."""
        rows = self.query_one("#rail-rows", RowList)
        above = [row.key for row in rows.rows[: rows.cursor + 1] if row.key.startswith(FOLD)]
        if above:
            self._fold(above[-1].removeprefix(FOLD))
            rows.select(above[-1])

    def _fold(self, name: str) -> None:
        rest = tuple(one for one in self.folded if one != name)
        self.folded = rest if name in self.folded else (*self.folded, name)
        self.draw_rows()
        self.post_message(self.Folded(self.folded))
