"""The trace pane: the waterfall of every turn, newest first, and details of the chosen step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.ui import figures, part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.text import one_line
from hermes_tui.ui.trace_filter import Wanted, parse, steps_of
from hermes_tui.ui.trace_model import Step, TraceModel, Turn
from hermes_tui.ui.trace_rows import (
    StepRow,
    TurnRow,
    step_details,
    step_key,
    step_source,
    turn_details,
    turn_key,
)
from hermes_tui.ui.viewer import TextView, ViewerScreen, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult

_FOLD = "taken:"
"""What the keys of lines begin with that stand for turns taken back."""
_PART = 64_000
"""Bytes of a long output that the details show; `o` shows the rest."""
_WHOLE = 1_000_000
"""Bytes that the viewer shows; of what is longer it names the file."""


class TracePane(Vertical):
    """Waterfall above, details below."""

    BINDINGS = part_keys.bindings("trace")

    def __init__(self) -> None:
        super().__init__(id="trace")
        self.model = TraceModel()
        self._unfolded: set[int] = set()
        self._shut: set[int] = set()
        self._shown_folds: set[str] = set()
        self._outputs: dict[str, str] = {}
        self._marked: list[str] = []
        self._wanted = Wanted()
        self._due = False

    def compose(self) -> ComposeResult:
        """Filter, list, details, keys."""
        yield SearchBox("tool:run status:failed any words", id="trace-box")
        yield RowList(id="trace-rows")
        yield TextView(id="trace-detail")
        yield Bar(id="trace-keys")

    def on_mount(self) -> None:
        """Nothing is chosen yet."""
        self._detail.display = self._box.display = False
        self.query_one("#trace-keys", Bar).display = False
        self.draw_keys()
        self.draw_rows()

    def draw_keys(self) -> None:
        """Show the keys as they are now."""
        self.query_one("#trace-keys", Bar).show_keys(part_keys.hint_pairs(self, "trace"))

    # --- what to show ------------------------------------------------------------------------

    def show(self, model: TraceModel) -> None:
        """Show another session's trace."""
        self.model = model
        self._unfolded.clear()
        self._shut.clear()
        self._shown_folds.clear()
        self._outputs.clear()
        self._marked.clear()
        self.close()
        self.draw_rows()

    def changed(self) -> None:
        """The model changed: draw soon, once for many changes."""
        if not self._due:
            self._due = True
            self.set_timer(0.05, self.draw_rows)

    def tick(self) -> None:
        """Time passes: only bars and seconds change."""
        if self.is_seen():
            self._rows.refresh()

    def is_seen(self) -> bool:
        """Whether the pane can be seen."""
        return self.display and self.size.width > 0

    def draw_rows(self) -> None:
        """Build the list anew; rows draw themselves only when seen."""
        self._due = False
        clock = face_of(self).now
        rows: list[Row] = []
        newest = max((one.number for one in self.model.turns if not one.taken), default=0)
        fold = ""
        for turn in reversed(self.model.turns):
            steps = steps_of(turn, self._wanted)
            if self._wanted and not steps:
                continue
            fold = self._taken_back(turn, fold, rows)
            if fold and fold not in self._shown_folds:
                continue
            is_open = bool(self._wanted) or turn.number in self._unfolded
            is_open = is_open or (turn.number == newest and turn.number not in self._shut)
            rows.append(TurnRow(turn, is_open, clock))
            if is_open:
                rows += [self._step_row(turn, step, clock) for step in steps]
        if not rows:
            none = "no step is like that" if self._wanted else "nothing has run in this session yet"
            rows = [TextRow(left=(Span(f"  {none}", "muted"),))]
        self._rows.show(rows)
        self.query_one("#trace-keys", Bar).display = bool(self.model.turns)
        if self._detail.display:
            self._draw_detail(self._rows.key, keep=True)

    def _taken_back(self, turn: Turn, fold: str, rows: list[Row]) -> str:
        """The fold a turn is in, empty for none; the first of a fold has its line put in."""
        if not turn.taken or self._wanted:
            return ""
        if not fold:
            fold = f"{_FOLD}{turn.number}"
            taken = len(list(takewhile(lambda one: one.taken, self._up_to(turn))))
            mark = "▾" if fold in self._shown_folds else "▸"
            words = f" {mark} taken back · {taken} turn{'' if taken == 1 else 's'}"
            rows.append(TextRow(fold, (Span(words, "muted"),)))
        return fold

    def _up_to(self, turn: Turn) -> list[Turn]:
        return [one for one in reversed(self.model.turns) if one.number <= turn.number]

    def _step_row(self, turn: Turn, step: Step, clock: Callable[[], float]) -> StepRow:
        return StepRow(turn, step, clock, step_key(turn, step) in self._marked)

    # --- keys --------------------------------------------------------------------------------

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """Open or close a turn; open a step's details."""
        message.stop()
        if message.key.startswith(_FOLD):
            self._shown_folds ^= {message.key}
            self.draw_rows()
            return
        found = self._find(message.key)
        if isinstance(found, Turn):
            self._toggle(found)
        self._detail.display = True
        self._draw_detail(message.key)

    def on_row_list_moved(self, message: RowList.Moved) -> None:
        """The details follow the cursor."""
        message.stop()
        if self._detail.display:
            self._draw_detail(message.key)

    def action_close(self) -> None:
        """Close the details; with none open, escape belongs to the app."""
        if self._box.display:
            self._box.text = ""
            self._box.display = False
            self._wanted = Wanted()
            self.draw_rows()
            self._rows.focus()
        elif self._detail.display:
            self.close()
            self._rows.focus()
        else:
            from textual.actions import SkipAction

            raise SkipAction

    def close(self) -> None:
        """Close the details."""
        if self.is_mounted:
            self._detail.display = False

    def action_copy(self) -> None:
        """Copy the reply, or the tool's output."""
        if isinstance(step := self._find(self._rows.key), Step):
            self.app.copy_to_clipboard(step_source(step, self._outputs.get(step.key, "")))
            face_of(self).say("copied")

    def action_whole(self) -> None:
        """The whole output of a tool over the full screen."""
        if isinstance(step := self._find(self._rows.key), Step) and step.ended is not None:
            self.run_worker(partial(self._open_whole, step), group="output", exclusive=True)

    def action_filter(self) -> None:
        """Show only some steps."""
        self._box.display = True
        self._box.focus()

    @on(SearchBox.Changed)
    def _filtered(self, message: SearchBox.Changed) -> None:
        message.stop()
        self._wanted = parse(self._box.text)
        self.draw_rows()

    @on(SearchBox.Done)
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        self._rows.focus()

    def action_again(self) -> None:
        """Run a tool call again; on one that runs again, stop it."""
        if isinstance(step := self._find(self._rows.key), Step):
            self._do(partial(self._again, step), "again")

    def action_export(self) -> None:
        """Write the turn under the cursor to a file."""
        turn = self._turn_of(self._rows.key)
        if turn is not None:
            self._do(partial(self._export, turn), "export")

    def action_mark(self) -> None:
        """Mark a call to be compared, or no more; the last two count."""
        step = self._find(self._rows.key)
        if not isinstance(step, Step) or step.ended is None:
            face_of(self).say("only a call that has ended can be compared")
            return
        key = self._rows.key
        marked = [one for one in self._marked if one != key]
        self._marked = marked if key in self._marked else [*marked, key][-2:]
        self.draw_rows()

    def action_compare(self) -> None:
        """What differs between the outputs of two calls: the marked ones, or a call and what
        it repeats."""
        steps = [step for key in self._marked if isinstance(step := self._find(key), Step)]
        here = self._find(self._rows.key)
        if len(steps) < 2 and isinstance(here, Step) and here not in steps:
            steps.append(here)
        if len(steps) == 1 and steps[0].again_of:
            steps = [*self._original(steps[0]), *steps]
        if len(steps) < 2:
            face_of(self).say("mark two calls with space, then compare them with =")
            return
        old, new = sorted(steps, key=lambda step: step.start)
        self._do(partial(self._compare, old, new), "compare")

    async def open_output(self, call_id: str) -> None:
        """The whole output of a call over the full screen."""
        for turn in reversed(self.model.turns):
            if (step := turn.steps.get(f"t{call_id}")) is not None:
                await self._open_whole(step)
                return

    # --- inside ------------------------------------------------------------------------------

    @property
    def _box(self) -> SearchBox:
        return self.query_one("#trace-box", SearchBox)

    @property
    def _rows(self) -> RowList:
        return self.query_one("#trace-rows", RowList)

    @property
    def _detail(self) -> TextView:
        return self.query_one("#trace-detail", TextView)

    def _toggle(self, turn: Turn) -> None:
        row = next(r for r in self._rows.rows if r.key == turn_key(turn.number))
        was_open = isinstance(row, TurnRow) and row.open
        (self._unfolded.discard if was_open else self._unfolded.add)(turn.number)
        (self._shut.add if was_open else self._shut.discard)(turn.number)
        self.draw_rows()

    def _find(self, key: str) -> Turn | Step | None:
        for turn in self.model.turns:
            if key == turn_key(turn.number):
                return turn
            if key.startswith(f"step:{turn.number}:"):
                return next((s for s in turn.steps.values() if step_key(turn, s) == key), None)
        return None

    def _draw_detail(self, key: str, keep: bool = False) -> None:
        found = self._find(key)
        now = face_of(self).now()
        top = self._detail.scroll_offset.y if keep else 0
        if isinstance(found, Turn):
            self._detail.show(turn_details(found, now))
        elif isinstance(found, Step):
            whole = self._outputs.get(found.key, "")
            around = (Span("folder  ", "muted"), Span(one_line(self.model.cwd), ""))
            around = around if self.model.cwd else ()
            self._detail.show(step_details(found, now, whole, around), step_source(found, whole))
            ended = found.ended
            if ended and not whole and ended.output_bytes > len(ended.for_model):
                self.run_worker(partial(self._load, found), group="output", exclusive=True)
        if top:
            self._detail.scroll_to(y=top, animate=False)

    async def _load(self, step: Step) -> None:
        text = await self._read(step, _PART)
        if text and step is self._find(self._rows.key):
            self._outputs[step.key] = text
            self._draw_detail(self._rows.key, keep=True)

    async def _open_whole(self, step: Step) -> None:
        text, ended = "", step.ended
        if ended is not None and ended.output_bytes:
            text = await self._read(step, _WHOLE)
        shown = text = text or step_source(step)
        if ended is not None and ended.output_bytes > _WHOLE:
            rest = figures.size(ended.output_bytes - _WHOLE)
            shown += f"\n\n… {rest} more in {ended.output_path}"
        title = f"{step.name}  {one_line(step.summary)}"
        await self.app.push_screen(ViewerScreen(title, paint_text(shown), text))

    async def _read(self, step: Step, limit: int) -> str:
        from hermes_tui.ui import trace_calls

        face = face_of(self)
        try:
            return await trace_calls.read_output(face, step, limit)
        except HermesError as error:
            face.say(error.message, "warning")
            return ""

    def _do(self, work: Callable[[], Awaitable[None]], group: str) -> None:
        async def told() -> None:
            try:
                await work()
            except HermesError as error:
                face_of(self).say(str(error), "warning")

        self.run_worker(told, group=group, exclusive=True)

    def _original(self, step: Step) -> list[Step]:
        found = (turn.steps.get(f"t{step.again_of}") for turn in self.model.turns)
        return [one for one in found if one is not None]

    def _turn_of(self, key: str) -> Turn | None:
        number = key.split(":")[1] if ":" in key else ""
        return next((turn for turn in self.model.turns if str(turn.number) == number), None)

    async def _again(self, step: Step) -> None:
        from hermes_tui.ui import trace_calls

        face = face_of(self)
        if self.model.again is not None:
            await trace_calls.stop_again(face)
            return
        await trace_calls.run_again(face, step)

    async def _export(self, turn: Turn) -> None:
        from hermes_tui.ui import trace_calls

        face = face_of(self)
        path = await trace_calls.export(turn, face.session, self.model.cwd)
        face.say(f"turn {turn.number} is in {path}")

    async def _compare(self, old: Step, new: Step) -> None:
        from hermes_tui.ui import trace_calls
        from hermes_tui.ui.diff_screen import DiffScreen

        diff = await trace_calls.compare(face_of(self), old, new)
        if not diff:
            face_of(self).say("the outputs are the same")
            return
        title = f"{new.name}  {one_line(old.summary)} → {one_line(new.summary)}"
        await self.app.push_screen(DiffScreen(title, diff))
