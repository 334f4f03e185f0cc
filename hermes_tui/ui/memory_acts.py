"""What can be done with a statement in the memory pane: edit, pin, merge, forget, take back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.actions import SkipAction
from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    EditFact,
    Fact,
    ForgetFact,
    Intent,
    MergeFacts,
    ShowFact,
    UndoMemory,
    Written,
)
from hermes_tui.ui import memory_rows, part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.keys import key_words
from hermes_tui.ui.line import Bar
from hermes_tui.ui.rows import RowList
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.viewer import ViewerScreen


class FactActs(Vertical):
    """The keys of statements. merging: the one to be merged with another; said: the last write."""

    BINDINGS = part_keys.bindings("memory")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.merging = ""
        self.said = ""
        self._edited = ""

    if TYPE_CHECKING:  # what the pane has

        def fact(self) -> Fact | None:
            """The statement under the cursor."""
            ...

        def ask_again(self) -> None:
            """What is remembered changed."""
            ...

        def preview(self) -> None:
            """Show the one under the cursor, and what can be done with it."""
            ...

        def draw_count(self) -> None:
            """Say what was found, or what is being done."""
            ...

    def key_of(self, name: str) -> str:
        """The key of an action as it is now, in words; empty for none."""
        keys = part_keys.keys_of(part_keys.BY_ID[name], part_keys.own_of(self))
        return key_words(keys[:1])

    def hide_field(self) -> None:
        """No statement is being edited."""
        field = self.query_one("#memory-field", SearchBox)
        field.mark, field.display = "✎ ", False
        self._edited = ""

    def action_edit(self) -> None:
        """Edit the statement in place."""
        if (fact := self.fact()) is None:
            return
        self._edited = fact.id
        field = self.query_one("#memory-field", SearchBox)
        field.text, field.display = fact.text, True
        field.focus()
        leave = self.key_of("memory.leave")
        self.query_one("#memory-keys", Bar).show_keys([("↵", "keep"), (leave, "leave as it was")])
        self.query_one("#memory-more", Bar).show(())

    @on(SearchBox.Done, "#memory-field")
    def _field_done(self, message: SearchBox.Done) -> None:
        message.stop()
        if self._edited and message.text.strip():
            self._write(EditFact(which=self._edited, text=message.text))
        self._close_field()

    def action_leave(self) -> None:
        """Close the field, or drop a merge that was begun; else the pane is left."""
        if self._edited:
            self._close_field()
        elif self.merging:
            self.merging = ""
            self.draw_count()
        else:
            raise SkipAction

    def _close_field(self) -> None:
        self.hide_field()
        self.query_one(RowList).focus()
        self.preview()

    def action_forget(self) -> None:
        """Forget the statement; u brings it back."""
        if (fact := self.fact()) is not None:
            self._write(ForgetFact(which=fact.id))

    def action_undo(self) -> None:
        """Take the last change of the memory back."""
        self._write(UndoMemory())

    def action_pin(self) -> None:
        """Keep the statement in every prompt, or let it go."""
        if (fact := self.fact()) is not None:
            self._write(EditFact(which=fact.id, pinned=not fact.pinned))

    def action_confirm(self) -> None:
        """Let a candidate count, or settle a dispute for this statement."""
        fact = self.fact()
        if fact is not None and fact.state in ("candidate", "disputed"):
            self._write(EditFact(which=fact.id, state="current"))

    def action_merge(self) -> None:
        """Begin to merge this statement with another one; at the other one, do it."""
        if (fact := self.fact()) is None:
            return
        if not self.merging or self.merging == fact.id:
            self.merging = "" if self.merging else fact.id
            self.draw_count()
            return
        keep, self.merging = self.merging, ""
        self._write(MergeFacts(keep=keep, other=fact.id))

    async def action_why(self) -> None:
        """Everything about the statement over the whole screen."""
        if (fact := self.fact()) is None:
            return
        story = await face_of(self).ask(ShowFact(which=fact.id))
        paint = memory_rows.fact_in_full(story, face_of(self).now())
        await self.app.push_screen(ViewerScreen(f"why {fact.id} is known", paint, fact.text))

    def _write(self, intent: Intent[Written]) -> None:
        self.run_worker(partial(self._do, intent), group="write")

    async def _do(self, intent: Intent[Written]) -> None:
        try:
            written = await face_of(self).ask(intent)
        except HermesError as error:
            face_of(self).say(f"{error.message} {error.hint}".strip(), "warning")
            return
        forgot = isinstance(intent, ForgetFact)
        self.said = f"forgot {intent.which} · u brings it back" if forgot else written.text
        self.ask_again()
