"""A diff over the whole screen: one column or two, hunk by hunk, each folded when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from rich.segment import Segment
from textual.screen import ModalScreen
from textual.strip import Strip

from hermes_tui.ui import diff_model, part_keys
from hermes_tui.ui.diff_draw import SPLIT_FROM, DiffLines, Page
from hermes_tui.ui.face import face_of, look_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.text import one_line, safe
from hermes_tui.ui.viewer import Painter, TextView, paint_lines

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from hermes_tui.ui.theme import Look


class Strips(Sequence[Strip]):
    """Lines of a diff as strips, drawn when they are looked at."""

    def __init__(self, lines: DiffLines) -> None:
        self.lines = lines

    def __len__(self) -> int:
        """How many lines."""
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> list[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | list[Strip]:
        """The line drawn, or some of them."""
        if isinstance(index, slice):
            return [line.strip for line in self.lines[index]]
        return self.lines[index].strip


def paint_diff(text: str, headers: bool = True, split: bool | None = None) -> Painter:
    """Draw a unified diff, side by side where that fits. headers: name the files."""
    files = diff_model.parse(safe(text))

    def paint(width: int, look: Look) -> Strips:
        two = width >= SPLIT_FROM if split is None else split
        return Strips(DiffLines(files, Page(width, look, two, headers)))

    return paint


class DiffView(TextView):
    """One diff. split: side by side; None as the width asks."""

    BINDINGS = part_keys.bindings("diff")

    def __init__(self, text: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.text = text
        self.files = diff_model.parse(safe(text))
        self.split: bool | None = None
        self.folded: set[int] = set()
        self._lines: DiffLines | None = None
        self._hunk = 0

    def on_mount(self) -> None:
        """Show it."""
        self.show(self._draw, self.text)

    @property
    def is_split(self) -> bool:
        """Whether old and new stand side by side."""
        return self.size.width >= SPLIT_FROM if self.split is None else self.split

    def _draw(self, width: int, look: Look) -> Strips:
        self._lines = DiffLines(self.files, Page(width, look, self.is_split), set(self.folded))
        return Strips(self._lines)

    def _again(self) -> None:
        """Draw anew, with the hunk that was looked at where the eye is."""
        hunk, below = self.current, self.scroll_offset.y
        if self._lines is not None and hunk >= 0:
            below = min(self._lines.start_of(hunk) - below, self.size.height - 1)
        self.show(self._draw, self.text)
        if self._lines is not None and hunk >= 0:
            top = self._lines.start_of(hunk) - max(0, below)
            self.scroll_to(y=max(0, top), animate=False)

    @property
    def current(self) -> int:
        """The hunk that keys act on: the one last gone to, else the one at the top; -1: none."""
        if self._lines is None or not self._lines.hunks:
            return -1
        top = self.scroll_offset.y
        if top <= self._lines.start_of(self._hunk) < top + self.size.height:
            return self._hunk
        return max(0, self._lines.hunk_at(top))

    def render_line(self, y: int) -> Strip:
        """One visible line; the header of the hunk that keys act on is marked."""
        strip = super().render_line(y)
        hunk = self.current
        if self._lines is None or hunk < 0:
            return strip
        marked = self._lines.start_of(hunk) == y + self.scroll_offset.y
        if not marked:
            return strip
        tone = look_of(self)["accent"]
        return Strip(
            [Segment(one.text, one.style + tone if one.style else tone) for one in strip],
            strip.cell_length,
        )

    def action_split(self) -> None:
        """Side by side, or one below the other."""
        self.split = not self.is_split
        self._again()

    def action_hunk(self, step: int) -> None:
        """To the next hunk, or the one before."""
        if self._lines is None or self.current < 0:
            return
        self._hunk = min(max(0, self.current + step), len(self._lines.hunks) - 1)
        self.scroll_to(y=self._lines.start_of(self._hunk), animate=False)
        self.refresh()

    def action_fold(self) -> None:
        """Fold or unfold the hunk that is marked."""
        self.fold(max(0, self.current))

    def fold(self, hunk: int) -> None:
        """Fold or unfold a hunk."""
        self._hunk = hunk
        self.folded ^= {hunk}
        self._again()

    def action_fold_all(self) -> None:
        """Fold all hunks, or unfold them when they all are."""
        count = len(self._lines.hunks) if self._lines else 0
        self.folded = set() if len(self.folded) == count else set(range(count))
        self._again()

    def on_click(self, event: events.Click) -> None:
        """A click on a hunk's header folds it."""
        if self._lines is None or self.text_selection is not None:
            return
        place = event.get_content_offset(self)
        at = (place.y if place else -1) + self.scroll_offset.y
        hunk = self._lines.hunk_at(at)
        if hunk >= 0 and self._lines.start_of(hunk) == at:
            event.stop()
            self.fold(hunk)


class DiffScreen(ModalScreen[None]):
    """A diff over the whole screen; escape or q goes back, c copies it."""

    DEFAULT_CSS = """
    DiffScreen { background: $background; }
    #diff-about { height: auto; max-height: 40%; padding: 0 2; border-top: solid $border; }
    #diff-text { height: 1fr; padding: 0 2; border-top: solid $border; }
    """
    BINDINGS = part_keys.bindings("page")

    def __init__(self, title: str, text: str, about: Sequence[Sequence[Span]] = ()) -> None:
        super().__init__()
        self._title, self._text, self._about = title, text, about

    def compose(self) -> ComposeResult:
        """Title, diff, keys."""
        yield Bar(id="diff-title")
        if self._about:
            yield TextView(id="diff-about")
        yield DiffView(self._text, id="diff-text")
        yield Bar(id="diff-keys")

    def on_mount(self) -> None:
        """Fill in."""
        view = self.query_one(DiffView)
        hunks = [hunk for one in view.files for hunk in one.hunks]
        come, go = sum(h.added for h in hunks), sum(h.removed for h in hunks)
        many = f"{len(hunks):,} hunk{'' if len(hunks) == 1 else 's'}"
        right = (Span(f"+{come:,} ", "diff.add"), Span(f"-{go:,} ", "diff.del"))
        title = (Span(f" {one_line(self._title)}", "strong"), Span(f"   {many}", "muted"))
        self.query_one("#diff-title", Bar).show(title, right)
        back, copy = part_keys.hint_pairs(self, "page")
        keys = [back, *part_keys.hint_pairs(self, "diff"), copy]
        self.query_one("#diff-keys", Bar).show_keys(keys)
        if self._about:
            about = self.query_one("#diff-about", TextView)
            about.styles.height = len(self._about) + 1
            about.show(paint_lines(self._about))
        view.focus()

    def action_copy_all(self) -> None:
        """The whole diff to the clipboard."""
        self.app.copy_to_clipboard(self._text)
        face_of(self).say("copied")
