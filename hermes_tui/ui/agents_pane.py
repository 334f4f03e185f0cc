"""The agents pane: what runs on its own, now the background processes of all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.intents import ListProcesses, ProcessInfo, ReadProcess, StopProcess
from hermes_tui.ui import figures, part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, ViewerScreen, paint_lines, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult

_NONE = (" nothing runs in the background", " what the agent leaves running is listed here")


def state_of(one: ProcessInfo) -> tuple[str, str, str]:
    """A process's state as glyph, style and word."""
    if one.state == "running":
        return "◐", "accent", "running"
    if one.state == "exited":
        code = one.exit_code or 0
        return ("✔", "ok", "done") if code == 0 else ("✘", "error", f"exit {code}")
    return "■", "warn", one.state


def process_row(one: ProcessInfo, now: float) -> TextRow:
    """One process: state, command, and for how long."""
    glyph, style, word = state_of(one)
    took = figures.seconds(max((one.ended or now) - one.started, 0.0))
    return TextRow(
        key=one.id,
        left=(Span(f" {glyph} ", style), Span(one_line(one.command))),
        right=(Span(f"{word} ", style), Span(f"{took} ", "muted")),
    )


class AgentsPane(Vertical):
    """Count, list, output of the one under the cursor."""

    BINDINGS = part_keys.bindings("agents")

    def __init__(self) -> None:
        super().__init__(id="agents")
        self.processes: Sequence[ProcessInfo] = ()
        self._again = self._asking = False

    def compose(self) -> ComposeResult:
        """Count, list, output, keys."""
        yield Bar(id="agents-count")
        yield RowList(id="agents-rows")
        yield TextView(id="agents-text")
        yield Bar(id="agents-keys")

    def on_mount(self) -> None:
        """Empty until the pane is shown."""
        self.query_one("#agents-text").display = False
        self.draw_keys()
        self._draw()

    def draw_keys(self) -> None:
        """Show the keys as they are now."""
        self.query_one("#agents-keys", Bar).show_keys(part_keys.hint_pairs(self, "agents"))

    def ask_again(self) -> None:
        """The list may have changed: ask for it, once for many changes."""
        self._again = True
        if not self._asking:
            self._asking = True
            self.run_worker(self._refresh, group="agents")

    def heard(self) -> None:
        """Something changed in the core: look again if anybody sees it."""
        if self.display:
            self.ask_again()

    def show(self, processes: Sequence[ProcessInfo]) -> None:
        """Show these."""
        self.processes = processes
        if self.display:
            self._draw()
            self._read_soon(self.query_one(RowList).key)

    # --- inside ------------------------------------------------------------------------------

    async def _refresh(self) -> None:
        face = face_of(self)
        try:
            while self._again:
                self._again = False
                self.show((await face.ask(ListProcesses())).processes)
        except HermesError as error:
            face.say(error.message, "warning")
        finally:
            self._asking = False

    def _draw(self) -> None:
        now = face_of(self).now()
        rows: list[Row] = [process_row(one, now) for one in self.processes]
        if not rows:
            rows = [TextRow(left=(Span(line, "muted"),)) for line in _NONE]
        running = sum(one.state == "running" for one in self.processes)
        words = f" {running} running, {len(self.processes) - running} ended"
        count = self.query_one("#agents-count", Bar)
        count.show((Span(words if self.processes else "", "muted"),))
        self.query_one("#agents-keys", Bar).display = bool(self.processes)
        self.query_one(RowList).show(rows)

    def _here(self) -> ProcessInfo | None:
        key = self.query_one(RowList).key
        return next((one for one in self.processes if one.id == key), None)

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._read_soon(message.key)

    def _read_soon(self, key: str) -> None:
        self.run_worker(partial(self._read, key), group="process", exclusive=True)

    async def _read(self, key: str) -> None:
        view = self.query_one(TextView)
        one = self._here()
        view.display = one is not None
        if one is None or one.id != key:
            return
        text = await self._output(key)
        if text is not None and self._here() == one:
            view.show(paint_text(text or "it has written nothing yet"), text)
            view.scroll_end(animate=False)

    async def _output(self, key: str) -> str | None:
        try:
            return (await face_of(self).ask(ReadProcess(process_id=key))).text
        except HermesError as error:
            self.query_one(TextView).show(paint_lines([(Span(error.message, "error"),)]))
            return None

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.query_one(TextView).focus()

    async def action_whole(self) -> None:
        """The output over the full screen."""
        one = self._here()
        if one is not None and (text := await self._output(one.id)) is not None:
            page = ViewerScreen(one_line(one.command), paint_text(text), text)
            await self.app.push_screen(page)

    async def action_end(self) -> None:
        """End the process under the cursor."""
        one = self._here()
        if one is None or one.state != "running":
            return
        try:
            await face_of(self).ask(StopProcess(process_id=one.id))
        except HermesError as error:
            face_of(self).say(error.message, "warning")
        self.ask_again()

    def action_session(self) -> None:
        """Open the session it belongs to."""
        if (one := self._here()) is not None:
            self.post_message(Rail.Opened(one.session))
