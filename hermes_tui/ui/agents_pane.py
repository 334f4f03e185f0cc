"""The agents pane: what runs on its own, subagents and background processes of all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.actions import SkipAction
from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    AgentInfo,
    Done,
    Intent,
    ListAgents,
    ListProcesses,
    ProcessInfo,
    ReadAgent,
    ReadProcess,
    SteerAgent,
    StopAgent,
    StopProcess,
)
from hermes_tui.ui import part_keys
from hermes_tui.ui.agents_rows import AGENT, rows_of
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.rail_around import PROCESS
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, ViewerScreen, paint_lines, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult

_AT_WORK = ("running", "waiting")
_LOOK_S = 1.0
"""How often what works is looked at while the pane is shown, seconds."""
_NONE = (" nothing runs in the background", " what the agent leaves running is listed here")


class AgentsPane(Vertical):
    """Count, list, output of the one under the cursor."""

    BINDINGS = part_keys.bindings("agents")

    def __init__(self) -> None:
        super().__init__(id="agents")
        self.processes: Sequence[ProcessInfo] = ()
        self.agents: Sequence[AgentInfo] = ()
        self._steered = ""
        self._wanted: str | None = None
        self._again = self._asking = False

    def compose(self) -> ComposeResult:
        """Count, list, output, keys."""
        yield Bar(id="agents-count")
        yield RowList(id="agents-rows")
        yield SearchBox("what to tell it", id="agents-field")
        yield TextView(id="agents-text")
        yield Bar(id="agents-keys")

    def on_mount(self) -> None:
        """Empty until the pane is shown."""
        self.query_one("#agents-text").display = False
        self.query_one("#agents-field", SearchBox).mark = "❯ "
        self.query_one("#agents-field").display = False
        self.set_interval(_LOOK_S, self._look)
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

    def select(self, key: str) -> None:
        """Put the cursor on one, as soon as the list is there; key: as in the rail."""
        self._wanted = key.removeprefix(PROCESS)
        self.ask_again()

    def heard(self) -> None:
        """Something changed in the core: look again if anybody sees it."""
        if self.display:
            self.ask_again()

    def _look(self) -> None:
        """What works has gone on meanwhile."""
        if self.display and any(one.state in _AT_WORK for one in self.agents):
            self.ask_again()

    def show(self, processes: Sequence[ProcessInfo], agents: Sequence[AgentInfo] = ()) -> None:
        """Show these."""
        self.processes, self.agents = processes, agents
        if self.display:
            self._draw()
            self._read_soon(self.query_one(RowList).key)

    # --- inside ------------------------------------------------------------------------------

    async def _refresh(self) -> None:
        face = face_of(self)
        try:
            while self._again:
                self._again = False
                processes = (await face.ask(ListProcesses())).processes
                self.show(processes, (await face.ask(ListAgents())).agents)
        except HermesError as error:
            face.say(error.message, "warning")
        finally:
            self._asking = False

    def _draw(self) -> None:
        now = face_of(self).now()
        rows = rows_of(self.agents, self.processes, now)
        every = (*self.agents, *self.processes)
        running = sum(one.state in _AT_WORK for one in every)
        words = f" {running} running, {len(every) - running} ended" if every else ""
        self.query_one("#agents-count", Bar).show((Span(words, "muted"),))
        self.query_one("#agents-keys", Bar).display = bool(every)
        none = [TextRow(left=(Span(line, "muted"),)) for line in _NONE]
        self.query_one(RowList).show(rows or none, self._wanted)
        self._wanted = self._wanted if not every else None

    def _here(self) -> ProcessInfo | AgentInfo | None:
        key = self.query_one(RowList).key
        if key.startswith(AGENT):
            return next((one for one in self.agents if AGENT + one.id == key), None)
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
        if one is None or one.id != key.removeprefix(AGENT):
            return
        text = await self._output(one)
        if text is not None and self._here() == one:
            view.show(paint_text(text or "it has written nothing yet"), text)
            view.scroll_end(animate=False)

    async def _output(self, one: ProcessInfo | AgentInfo) -> str | None:
        try:
            if isinstance(one, AgentInfo):
                return (await face_of(self).ask(ReadAgent(agent=one.id))).text
            return (await face_of(self).ask(ReadProcess(process_id=one.id))).text
        except HermesError as error:
            self.query_one(TextView).show(paint_lines([(Span(error.message, "error"),)]))
            return None

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        one = self._here()
        if isinstance(one, AgentInfo):
            self.post_message(Rail.Opened(one.session))
        else:
            self.query_one(TextView).focus()

    async def action_whole(self) -> None:
        """The output over the full screen."""
        one = self._here()
        if one is not None and (text := await self._output(one)) is not None:
            title = one.goal if isinstance(one, AgentInfo) else one.command
            page = ViewerScreen(one_line(title), paint_text(text), text)
            await self.app.push_screen(page)

    async def action_end(self) -> None:
        """End what is under the cursor."""
        one = self._here()
        if one is None or one.state not in _AT_WORK:
            return
        if isinstance(one, AgentInfo):
            await self._ask(StopAgent(agent=one.id))
        else:
            await self._ask(StopProcess(process_id=one.id))

    async def _ask(self, intent: Intent[Done]) -> None:
        try:
            await face_of(self).ask(intent)
        except HermesError as error:
            face_of(self).say(error.message, "warning")
        self.ask_again()

    def action_steer(self) -> None:
        """Tell the subagent under the cursor something more."""
        one = self._here()
        if not isinstance(one, AgentInfo) or one.state not in _AT_WORK:
            return
        self._steered = one.id
        field = self.query_one("#agents-field", SearchBox)
        field.text = ""
        field.display = True
        field.focus()

    @on(SearchBox.Done, "#agents-field")
    async def _told(self, message: SearchBox.Done) -> None:
        message.stop()
        text = message.text.strip()
        self.action_leave()
        if text:
            await self._ask(SteerAgent(agent=self._steered, text=text))

    def action_leave(self) -> None:
        """Leave the field, with nothing told."""
        field = self.query_one("#agents-field", SearchBox)
        if not field.display:
            raise SkipAction
        field.display = False
        self.query_one(RowList).focus()

    def action_session(self) -> None:
        """Open the session it was begun in."""
        if (one := self._here()) is not None:
            begun = one.parent if isinstance(one, AgentInfo) else one.session
            self.post_message(Rail.Opened(begun))
