"""The frame around the panes: title, tabs, rules and hints, and which pane is where."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from textual import events
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from hermes_tui.intents import SessionInfo
from hermes_tui.ui import layout_memory
from hermes_tui.ui.agents_pane import AgentsPane
from hermes_tui.ui.column import Column
from hermes_tui.ui.layout import (
    CHAT_LEAST,
    PANES,
    RAIL_LEAST,
    SIDE_LEAST,
    Layout,
    Pane,
    Wanted,
    arrange,
    shape_of,
)
from hermes_tui.ui.line import Bar, Span, width_of
from hermes_tui.ui.memory_pane import MemoryPane
from hermes_tui.ui.rail import Rail, session_title
from hermes_tui.ui.rows import RowList
from hermes_tui.ui.skills_pane import SkillsPane
from hermes_tui.ui.text import clip, clip_left
from hermes_tui.ui.transcript import Transcript

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp

_HINTS = (
    ("help", "help"),
    ("palette", "commands"),
    ("rail", "sessions"),
    ("inspector", "inspector"),
    ("jump", "jump"),
    ("find", "find"),
    ("detach", "leave running"),
)
_STEP, _KEEP_S = 2, 0.5
_log = logging.getLogger(__name__)
_NARROW_WORDS = {"rail": "pane before", "inspector": "next pane", "detach": "leave"}


class Inspector(Column):
    """The column at the right, with the chat's divider."""

    edge = "left"


class MainScreen(Screen[None]):
    """The screen under all dialogs. Arranges itself just before Textual lays it out."""

    def __init__(self, frame: Callable[[], Frame]) -> None:
        super().__init__(id="main")
        self._frame = frame
        self._arranged = Size()

    def on_resize(self, event: events.Resize) -> None:
        """The terminal has another size. Laying it out tells the screen its size once more."""
        if event.size == self._arranged:
            event.prevent_default()
            return
        self._arranged = event.size

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay out the screen. After a resize once: what asked for a layout meanwhile, as each part
        does that is told its new size, has just been laid out and drawn.
        """
        if size is not None and self.query(Rail):
            self._frame().settle()
        super()._refresh_layout(size, scroll)
        if size is not None:
            self._repaint_required = False
            self._layout_required = False
            for part in self.query(Widget):
                part._layout_required = False

    def on_column_dragged(self, message: Column.Dragged) -> None:
        """A divider was moved with the mouse."""
        frame = self._frame()
        (frame.drag_rail if message.column.id == "rail" else frame.drag_inspector)(message.x)

    def on_rail_picked(self, message: Rail.Picked) -> None:
        """Something below the sessions of the rail is to be shown."""
        self._frame().show(message.key)

    def on_rail_folded(self, message: Rail.Folded) -> None:
        """A heading of the rail was folded or unfolded."""
        self._frame().keep_folded(message.folded)

    def on_unmount(self) -> None:
        """The screen is left."""
        self._frame().keep_now()


class Frame:
    """Arranges the screen's parts; everything it decides comes from `layout.arrange`."""

    def __init__(self, app: HermesApp, chat_width: int) -> None:
        self._app = app
        self._kept = self.remembered = layout_memory.load(app.home.ui_state)
        self.wanted = Wanted(
            chat_width=chat_width,
            pane=self.remembered.pane,
            rail=self.remembered.rail,
            inspector=self.remembered.inspector,
            zoomed=self.remembered.zoomed,
        )
        self.now = Layout(shape="medium")
        self._info = SessionInfo(id="")

    def settle(self, **changes: object) -> None:
        """Arrange everything for the size of the terminal and what is wanted."""
        columns, rows = self._app.size
        split = self.remembered.of(shape_of(columns))
        changes = {"rail_width": split.rail, "share": split.chat, **changes}
        self.wanted = replace(self.wanted, **changes)  # pyright: ignore[reportArgumentType]
        got = self.now = arrange(columns, rows, self.wanted)
        with self._app.batch_update():
            self._widths(got)
            self._panes(got, rows)
            self._app.main.query_one(Transcript).set_compact(got.shape == "narrow")
            self._bars(got, columns)
        self._remember()

    def say_session(self, info: SessionInfo) -> None:
        """Draw the title line for a session."""
        self._info = info
        self._draw_top()
        self._app.transcript.invite(self._invitation() if info.id else ())

    # --- what the person does ----------------------------------------------------------------

    def go(self, pane: Pane) -> None:
        """Show a pane and give it the keys."""
        side = {} if pane == "chat" else {"pane": pane, "inspector": True}
        self.settle(shown=pane, rail_over=False, **side)
        self.focus(pane)

    def show(self, key: str) -> None:
        """Show what a row of the rail stands for."""
        self.settle(rail_over=False)
        self._app.do(partial(self._app.commands.show, key))

    def keep_folded(self, folded: tuple[str, ...]) -> None:
        """Remember which headings of the rail are folded."""
        self.remembered = msgspec.structs.replace(self.remembered, folded=folded)
        self._remember()

    def focus(self, pane: Pane) -> None:
        """Give the keys to a pane that is shown."""
        if pane == "chat":
            self._app.main.query_one("#prompt").focus()
        elif pane == "memory":
            self._app.main.query_one(MemoryPane).focus_box()
        else:
            self._app.main.query_one(f"#{pane}-rows").focus()

    def step(self, by: int) -> None:
        """The next pane, or the one before, on a narrow screen."""
        self.go(PANES[(PANES.index(self.wanted.shown) + by) % len(PANES)])

    def toggle_rail(self) -> None:
        """Show or hide the sessions."""
        if self.now.shape == "narrow":
            self.step(-1)
        elif self.now.shape == "medium":
            self.settle(rail_over=not self.wanted.rail_over, zoomed=False)
            self._focus_rail(self.wanted.rail_over)
        else:
            hidden = self.now.rail == 0
            self.settle(rail=hidden, zoomed=False)
            self._focus_rail(hidden)

    def toggle_inspector(self) -> None:
        """Show or hide the inspector."""
        if self.now.shape == "narrow":
            self.step(1)
            return
        self.settle(inspector=not self.wanted.inspector or self.now.inspector == 0, zoomed=False)
        if not self.wanted.inspector and self.focused() != "chat":
            self.focus("chat")

    def zoom(self) -> None:
        """Give the focused pane all the room, or none too much again."""
        shown = self.focused() or "chat"
        self.settle(zoomed=not self.wanted.zoomed, shown=shown)

    def move_block(self, step: int) -> None:
        """Move the block cursor in the chat."""
        if self.now.chat == 0:
            self.go("chat")
        transcript = self._app.transcript
        transcript.focus()
        (transcript.cursor_up if step < 0 else transcript.cursor_down)()

    def divide(self, step: int) -> None:
        """Move the divider beside the pane that has the keys, a few columns at a time."""
        if self.on_rail and self.now.rail:
            self.drag_rail(self.now.rail - 1 + step * _STEP)
        elif self.now.chat and self.now.inspector:
            self.drag_inspector(self._app.size.width - self.now.inspector + step * _STEP)
        else:
            self._app.say("there is no divider to move")

    def drag_rail(self, x: int) -> None:
        """Have the rail end at a column of the screen."""
        self._split(rail=max(RAIL_LEAST, min(x + 1, self._app.size.width // 3)))

    def drag_inspector(self, x: int) -> None:
        """Have the inspector begin at a column of the screen."""
        beside = 0 if self.now.rail_over else self.now.rail
        room = self._app.size.width - beside
        chat = max(CHAT_LEAST, min(x - beside, room - SIDE_LEAST))
        self._split(chat=-(-1000 * chat // room))

    def _split(self, **widths: int) -> None:
        shape = self.now.shape
        split = msgspec.structs.replace(self.remembered.of(shape), **widths)
        self.remembered = self.remembered.with_split(shape, split)
        self.settle()

    def _remember(self) -> None:
        self.remembered = self.remembered.with_choices(self.wanted)
        if self.remembered != self._kept:
            self._app.do(self._keep_soon, "remember")

    async def _keep_soon(self) -> None:
        await asyncio.sleep(_KEEP_S)
        self._kept = self.remembered
        await asyncio.to_thread(layout_memory.save, self._app.home.ui_state, self._kept)

    def keep_now(self) -> None:
        """The screen is left: keep what was not kept yet."""
        if self.remembered != self._kept:
            self._kept = self.remembered
            try:
                layout_memory.save(self._app.home.ui_state, self._kept)
            except OSError as error:
                _log.warning("the panes' places can't be kept: %s", error)

    def focused(self) -> Pane | None:
        """The pane that has the keys."""
        node = self._app.focused
        ids = [one.id for one in node.ancestors_with_self] if node is not None else []
        return next((pane for pane in PANES if pane in ids), None)

    @property
    def on_rail(self) -> bool:
        """Whether the sessions rail has the keys."""
        node = self._app.focused
        return node is not None and node.id == "rail-rows"

    # --- inside ------------------------------------------------------------------------------

    def _focus_rail(self, shown: bool) -> None:
        if shown:
            self._app.main.query_one(Rail).ask_again()
            self._app.main.query_one("#rail-rows", RowList).focus()
        elif self.on_rail:
            self.focus("chat")

    def _widths(self, got: Layout) -> None:
        rail = self._app.main.query_one(Rail)
        rail.folded = self.remembered.folded
        rail.set_class(got.rail_over, "-over")
        for part, width in ((rail, got.rail), *self._columns(got)):
            part.display = width > 0
            if width:
                part.styles.width = width

    def _columns(self, got: Layout) -> Sequence[tuple[Vertical, int]]:
        chat = self._app.main.query_one("#chat", Vertical)
        inspector = self._app.main.query_one("#inspector", Vertical)
        inspector.set_class(got.chat > 0, "-ruled")
        return (chat, got.chat), (inspector, got.inspector)

    def _panes(self, got: Layout, rows: int) -> None:
        self._app.main.set_class(rows < 24, "-low")
        for pane in PANES[1:]:
            self._app.main.query_one(f"#{pane}").display = got.inspector > 0 and got.side == pane
        if got.inspector and got.side == "skills":
            self._app.main.query_one(SkillsPane).shown()
        if got.inspector and got.side == "agents":
            self._app.main.query_one(AgentsPane).ask_again()

    def _draw_top(self) -> None:
        top, width = self._bar("top"), self._app.size.width
        title = f"▸ {session_title(self._info)}"
        if self.now.tabs:
            tabs = list(self._tab_spans(PANES))
            room = max(0, width - width_of(tabs) - 3)
            top.show(tabs, (Span(clip(title, room), "strong"), Span(" ")))
            return
        where = clip_left(short_path(self._info.cwd), max(10, width // 3))
        left = [Span(" hermes ", "accent"), Span(title, "strong"), Span(f"   {where}", "muted")]
        top.show(
            left,
            (Span(self._key("palette"), "accent", _click("palette")), Span(" commands ", "muted")),
        )

    def _bars(self, got: Layout, columns: int) -> None:
        self._draw_top()
        self._bar("top").display = got.title or got.tabs
        self._bar("hints").display = got.hints
        for name, joint in (("rule-top", "┬"), ("rule-bottom", "┴")):
            rule = self._bar(name)
            rule.display = got.title or got.tabs
            rule.show((Span(rule_text(got, columns, joint), "faint"),))
        self._bar("rule-bottom").display = got.hints
        tabs = self._bar("tabs")
        tabs.display = got.shape != "narrow"
        zoom = "unzoom" if self.wanted.zoomed else "zoom"
        keys = (Span(self._key("zoom"), "accent", _click("zoom")), Span(f" {zoom} ", "muted"))
        tabs.show(list(self._tab_spans(PANES[1:])), keys)
        self._bar("hints").show(self._hint_spans(got))

    def _tab_spans(self, panes: Sequence[Pane]) -> Sequence[Span]:
        spans: list[Span] = []
        shown = self.wanted.shown if self.now.shape == "narrow" else self.now.side
        for pane in panes:
            here = pane == shown
            text = f"[{pane.title()}]" if here else f" {pane.title()} "
            number = PANES.index(pane) + 1
            style = "accent" if here else "muted"
            spans += [Span(" "), Span(text, style, _click(f"pane.{number}"))]
        return spans

    def _invitation(self) -> Sequence[str]:
        """What an empty chat says: where it is, and the keys to begin with."""
        told = (
            ("palette", "finds every command, session and setting"),
            ("rail", "shows your sessions"),
            ("help", "explains what has the keys"),
            ("detach", "leaves it running; `hermes` brings you back"),
        )
        lines = [(self._key(command), words) for command, words in told]
        where = short_path(self._info.cwd)
        head = f"A new session in {where}" if where else "A new session"
        return (head, "", *(f"{key:<8} {words}" for key, words in lines if key))

    def _hint_spans(self, got: Layout) -> Sequence[Span]:
        spans: list[Span] = []
        for command, word in _HINTS:
            key = self._key(command)
            said = _NARROW_WORDS.get(command, word) if got.shape == "narrow" else word
            if not key or (got.shape == "narrow" and command in ("find", "jump")):
                continue
            gap = " " if got.shape == "narrow" else "  "
            spans += [Span(f" {key} ", "accent", _click(command))]
            spans.append(Span(said + gap, "muted", _click(command)))
        return spans

    def _key(self, command: str) -> str:
        return self._app.keyboard.table.first(command)

    def _bar(self, name: str) -> Bar:
        return self._app.main.query_one(f"#{name}", Bar)


def _click(command: str) -> str:
    return f"app.command('{command}')"


def rule_text(got: Layout, columns: int, joint: str) -> str:
    """A thin rule across the screen, with a joint where a column ends."""
    marks = ["─"] * columns
    if got.rail and not got.rail_over:
        marks[got.rail - 1] = joint
    if got.chat and got.inspector:
        marks[columns - got.inspector] = joint
    return "".join(marks)


def short_path(path: str) -> str:
    """A folder with the home folder as `~`."""
    mine = os.path.expanduser("~")
    if mine not in ("", "/") and (path == mine or path.startswith(mine + "/")):
        return "~" + path[len(mine) :]
    return path
