"""Questions of the app itself: a sentence, a few lines, and one choice that is the safe one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.ui import part_keys
from hermes_tui.ui.line import Span
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, paint_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hermes_tui.intents import CoreInfo


class Choice(NamedTuple):
    """What can be chosen: the result, its words, and what it means."""

    result: str
    words: str
    note: str = ""


class ChoiceDialog(ModalScreen[str]):
    """Lines and choices. Enter takes the first one, escape gives an empty result."""

    BINDINGS = part_keys.bindings("dialog")

    def __init__(self, title: str, lines: Sequence[str], choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title, self._lines, self._choices = title, lines, choices

    def compose(self) -> ComposeResult:
        """What it is about, then the choices."""
        with Vertical(id="dialog"):
            yield TextView(id="dialog-text")
            yield RowList(id="dialog-rows")

    def on_mount(self) -> None:
        """The first choice is the default."""
        text = self.query_one(TextView)
        lines = [(Span(line, "muted"),) for line in self._lines]
        text.styles.height = len(lines) + 2
        text.can_focus = False
        text.show(paint_lines([(Span(self._title, "strong"),), *lines, ()]))
        rows = self.query_one(RowList)
        rows.styles.height = len(self._choices)
        rows.show(
            [
                TextRow(one.result, (Span(f" {one.words}  "), Span(one.note, "muted")))
                for one in self._choices
            ]
        )
        rows.focus()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.dismiss(message.key)

    def action_leave(self) -> None:
        """Decide nothing."""
        self.dismiss("")


def cut_off(info: CoreInfo) -> list[str]:
    """What would be cut off if the core ended now, a line each; empty for nothing."""
    lines = [f"working: {one_line(title)}" for title in info.working]
    lines += [f"waiting for you: {one_line(title)}" for title in info.waiting]
    lines += [f"background process: {one_line(command)}" for command in info.processes]
    others = info.faces  # the core counts every face but the one that asks
    if others > 0:
        lines.append(f"{others} other screen{'s' if others > 1 else ''} looking at it")
    return lines


def quit_dialog(lines: Sequence[str]) -> ChoiceDialog:
    """Quit although something would be cut off? The default leaves it running."""
    return ChoiceDialog(
        "Quitting would cut this off:",
        [f"  {line}" for line in lines[:12]],
        [
            Choice("detach", "Leave it running", "`hermes` brings it back"),
            Choice("quit", "End everything", "work is stopped"),
            Choice("stay", "Stay here"),
        ],
    )
