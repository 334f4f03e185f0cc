"""The first run: at most three screens from a fresh home to a conversation. Escape skips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.errors import HermesError
from hermes_tui.intents import FindModels
from hermes_tui.setup_text import TASKS
from hermes_tui.ui import part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span, hints
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.setup_choose import ChooseStep
from hermes_tui.ui.setup_try import TryStep

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hermes_tui.events import FetchProgress

_TITLES = ("Who shall answer?", "Does it answer?", "It answers. What first?")


class FirstRunScreen(ModalScreen[str | None]):
    """Choose, try, begin. The result is a task to send, empty for none, None when skipped."""

    AUTO_FOCUS = ""
    BINDINGS = part_keys.bindings("setup")

    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def compose(self) -> ComposeResult:
        """All three; one is shown."""
        with Vertical(id="setup"):
            yield Bar(id="setup-title")
            yield ChooseStep()
            yield TryStep()
            yield RowList(id="setup-tasks")
            yield Bar(id="setup-keys")

    def on_mount(self) -> None:
        """Begin with looking for what there is."""
        tasks = [TextRow(str(at), (Span(f" {text}"),)) for at, text in enumerate(TASKS)]
        own = TextRow("own", (Span(" something of my own …", "muted"),))
        self.query_one("#setup-tasks", RowList).show([*tasks, TextRow(), own], "0")
        self.go(0)
        self.action_look()

    def go(self, step: int) -> None:
        """Show one of the three."""
        self.step = step
        choose, task = self.query_one(ChooseStep), self.query_one("#setup-tasks")
        choose.display, task.display = step == 0, step == 2
        self.query_one(TryStep).display = step == 1
        title = (Span(" Set up ", "accent"), Span(f" {_TITLES[step]}", "strong"))
        self.query_one("#setup-title", Bar).show(title, (Span(f"{step + 1} of 3 ", "muted"),))
        self._draw_keys()
        if step == 0:
            choose.focus_list()
        elif step == 2:
            task.focus()

    @on(ChooseStep.Turned)
    def _draw_keys(self) -> None:
        back = part_keys.key_of(self, "setup.back")
        if self.step == 0 and self.query_one(ChooseStep).in_form:
            keys = [("↵", "next field, then try it"), (back, "back to the list")]
        else:
            again = part_keys.key_of(self, "setup.again")
            more = [(again, "look again")] if self.step == 0 and again else []
            away = ("skip", "back", "begin")[self.step]
            keys = [("↑↓", "choose"), ("↵", "take"), *more, (back, away)]
        self.query_one("#setup-keys", Bar).show(hints(*keys))

    def heard(self, progress: FetchProgress) -> None:
        """So far the fetch has come."""
        self.query_one(TryStep).heard(progress)

    def action_look(self) -> None:
        """Look for what could answer."""
        if self.step == 0:
            self.query_one(ChooseStep).looking()
            self.run_worker(self._look(), group="look", exclusive=True)

    async def _look(self) -> None:
        try:
            found = await face_of(self).ask(FindModels())
        except HermesError as error:
            self.query_one(ChooseStep).show((), error.message)
        else:
            self.query_one(ChooseStep).show(found.choices)

    def action_back(self) -> None:
        """One step back; on the first and the last one, leave."""
        choose = self.query_one(ChooseStep)
        if self.step == 1:
            self.query_one(TryStep).leave()
            self.go(0)
        elif self.step == 0 and choose.in_form:
            choose.close_form()
        else:
            self.dismiss("" if self.step else None)

    @on(ChooseStep.Chosen)
    def _chosen(self, message: ChooseStep.Chosen) -> None:
        message.stop()
        self.go(1)
        self.query_one(TryStep).begin(message.choice)

    @on(TryStep.Back)
    def _back(self, message: TryStep.Back) -> None:
        message.stop()
        self.go(0)
        self.action_look()

    @on(TryStep.Kept)
    def _kept(self, message: TryStep.Kept) -> None:
        message.stop()
        self.query_one(ChooseStep).close_form()
        self.go(2)

    @on(RowList.Chosen, "#setup-tasks")
    def _task(self, message: RowList.Chosen) -> None:
        message.stop()
        self.dismiss(TASKS[int(message.key)] if message.key.isdigit() else "")
