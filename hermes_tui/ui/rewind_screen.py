"""The turns to go back to before, what that does to files, and how much of it is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual import on
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.errors import HermesError
from hermes_tui.rewind_text import files, will
from hermes_tui.ui import part_keys
from hermes_tui.ui.blocks import UserBlock, clock
from hermes_tui.ui.dialogs import Choice, ChoiceDialog
from hermes_tui.ui.line import Bar, Span, hints
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, paint_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hermes_tui.intents import BackView

Look = Callable[[int], Awaitable["BackView"]]
_STEADY_S = 0.12
_STYLES = {"+": "diff.add", "-": "diff.del", "~": "warn"}


class Picked(NamedTuple):
    """What was chosen for a turn; seen: what was shown of its files, None when nothing was yet."""

    what: Literal["chat", "files", "both", "fork"]
    turn: int
    seen: BackView | None = None


class RewindScreen(ModalScreen[Picked | None]):
    """The turns, newest first; below, what came back into the prompt and what files would do.

    look: asks what going back to before a turn would do to files.
    """

    DEFAULT_CSS = """
    RewindScreen #rewind { width: 90%; max-width: 100; height: auto; max-height: 90%;
                           background: $surface; padding: 1 1 0 1; }
    RewindScreen #rewind-rows { height: auto; max-height: 9; background: $surface; }
    RewindScreen #rewind-text { height: 10; margin: 1 0; background: $surface; padding: 0 1; }
    RewindScreen.-low #rewind-rows { max-height: 4; }
    RewindScreen.-low #rewind-text { height: 5; margin: 0; }
    RewindScreen Bar { background: $surface; }
    """
    BINDINGS = part_keys.bindings("rewind")

    def __init__(self, turns: Sequence[UserBlock], look: Look) -> None:
        super().__init__()
        self._turns = list(reversed(turns))
        self._look = look
        self._views: dict[int, BackView] = {}

    def compose(self) -> ComposeResult:
        """Title, turns, the text and the files of the one under the cursor, keys."""
        with Vertical(id="rewind"):
            yield Bar(id="rewind-title")
            yield RowList(id="rewind-rows")
            yield TextView(id="rewind-text")
            yield Bar(id="rewind-keys")

    def on_mount(self) -> None:
        """Fill in."""
        self.set_class(self.app.size.height < 24, "-low")
        self.query_one("#rewind-title", Bar).show((Span(" Go back to before …", "strong"),))
        both = "chat and files" if self.app.size.width >= 80 else "both"
        whole = part_keys.key_of(self, "list.open")
        keys = hints((whole, both), *part_keys.hint_pairs(self, "rewind"))
        self.query_one("#rewind-keys", Bar).show(keys)
        rows = self.query_one(RowList)
        rows.show([self._row(at, block) for at, block in enumerate(self._turns)])
        self.query_one(TextView).can_focus = False
        rows.focus()
        self._preview()

    def _row(self, at: int, block: UserBlock) -> TextRow:
        later = f"and {at} later" if at else "the last"
        left = (Span(f" {clock(block.ts)}  ", "muted"), Span(one_line(block.source[:400])))
        return TextRow(key=str(block.turn), left=left, right=(Span(f" {later} ", "muted"),))

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._preview()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.action_take("both")

    # --- what it would do --------------------------------------------------------------------

    @property
    def _turn(self) -> int:
        return int(self.query_one(RowList).key or 0)

    def _preview(self) -> None:
        self._show()
        if self._turn and self._turn not in self._views:
            self.run_worker(self._ask(self._turn), group="look", exclusive=True)

    async def _ask(self, turn: int) -> None:
        if self._views:
            await asyncio.sleep(_STEADY_S)  # the cursor may only be passing
        try:
            self._views[turn] = await self._look(turn)
        except HermesError as error:
            self.app.notify(str(error), severity="error", markup=False)
        self._show()

    def _show(self) -> None:
        block = next((one for one in self._turns if one.turn == self._turn), None)
        text = block.source if block is not None else ""
        said = [(Span(line, "muted"),) for line in text.splitlines()[:3]]
        shown = [*said, (), *view_spans(self._views.get(self._turn))]
        self.query_one(TextView).show(paint_lines(shown), text)

    # --- leaving -----------------------------------------------------------------------------

    def action_take(self, what: Literal["chat", "files", "both", "fork"]) -> None:
        """Leave with a choice for the turn under the cursor."""
        if turn := self._turn:
            self.dismiss(Picked(what, turn, self._views.get(turn)))

    def action_leave(self) -> None:
        """Stay."""
        self.dismiss(None)


def view_spans(view: BackView | None, most: int = 200) -> list[Sequence[Span]]:
    """What going back would do to files, as lines."""
    if view is None:
        return [(Span("looking at the files …", "muted"),)]
    if view.problem:
        return [(Span(f"files stay as they are: {view.problem}", "muted"),)]
    if not view.count:
        return [(Span("the files are as they were then", "muted"),)]
    lines: list[Sequence[Span]] = [(Span(summary(view), "strong"),)]
    lines += [_change_line(*will(one)) for one in view.changes[:most]]
    if view.count > most:
        lines.append((Span(f"  … and {view.count - most:,} more", "muted"),))
    if view.left:
        left = f"{len(view.left)} left out of the checkpoint, and never touched:"
        lines += [(Span(left, "muted"),), *((Span(f"    {one}", "muted"),) for one in view.left)]
    return lines


def summary(view: BackView) -> str:
    """How much would change, in one line."""
    text = f"{files(view.count)} would change back"
    if view.yours:
        text += f", {view.yours} changed by you or others"
    return text


def _change_line(sign: str, path: str, words: str) -> Sequence[Span]:
    return (Span(f"  {sign} ", _STYLES[sign]), Span(f"{path}  "), Span(words, "muted"))


def confirm(view: BackView, title: str) -> ChoiceDialog:
    """Show what would change, and ask. The results are `agent`, `all`, `stay` and empty."""
    shown = sorted(view.changes, key=lambda one: not one.yours) if view.yours else view.changes
    lines = [f"  {sign} {path}  {words}" for sign, path, words in map(will, shown[:10])]
    if view.count > len(lines):
        lines.append(f"  … and {view.count - len(lines):,} more")
    stay = Choice("stay", "Leave everything as it is")
    if not view.yours:
        return ChoiceDialog(title, lines, [Choice("agent", "Take back", "/undo undoes it"), stay])
    mine = "those by you or others stay"
    agents = Choice("agent", "Take back the agent's changes", mine)
    if view.yours == view.count:
        return ChoiceDialog(title, lines, [stay, Choice("all", "Take back all of them")])
    return ChoiceDialog(title, lines, [agents, Choice("all", "Take back all of them"), stay])
