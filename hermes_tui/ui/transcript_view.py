"""Blocks as lines, however many there are: measured when seen, scrolled, drawn.

Heights are estimated until a block is seen and exact after that. What keeps its place is the
first line on the screen (`_top`), never a number of lines from the start, so nothing jumps when
a height turns out to be another one. At the end it follows the end.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.blocks import Block, Gallery, ReplyBlock, Sheet
from hermes_tui.ui.layout import shape_of
from hermes_tui.ui.text import clip
from hermes_tui.ui.theme import Look, ThemeSpec
from hermes_tui.ui.transcript_column import Column, Spot
from hermes_tui.ui.transcript_paint import Canvas, Over, overlay

if TYPE_CHECKING:
    from textual.timer import Timer

FRAME_S = 0.05
"""Changes of blocks are drawn at most this often."""
CALM_FRAME_S = 0.25
"""The same where bytes are dear."""
SHARE = 4
"""A redraw that took so long waits that many times as long for the next: the loop stays free."""
SLICE_S = 0.008
"""How long one idle slice may measure."""
PAUSE_S = 0.04
_INVITED = 6
"""Lines that a chat must have more than to show what an empty one invites to."""
LEAP = 4
"""Lines that a growing reply moves up at once where each move is drawn line by line."""
REACH = 60
"""Blocks above and below the screen that are measured in idle slices."""


_FIELDS: Any = Widget


class BlockView(ScrollView, can_focus=True):
    """Draws blocks. `new_below` counts those that came while the reader was above.

    cursor: the block that keys act on; pattern: what is marked wherever it stands; stamps: show
    when each block began; calm: draw seldom and turn pages instead of moving every line, for
    terminals behind a slow line.
    """

    ALLOW_SELECT = True
    new_below: var[int] = var(0, init=False)

    def __init__(
        self,
        look: Look | None = None,
        *,
        chat_width: int = 100,
        times: bool = True,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        look = look or Look(ThemeSpec(name="plain", ansi=True))
        self.column = Column(Sheet(80, look, times=times))
        self.following = True
        self.cursor: Block | None = None
        self.chat_width = chat_width
        self._compact: bool | None = None
        self._margin = 1
        self._top = Spot(0, 0)
        self._dirty: dict[int, Block] = {}
        self._timer: Timer | None = None
        self._idle: Timer | None = None
        self._next = 0.0
        self._thumb = (0, 0, False)
        self._canvas = Canvas(self.column)
        self._over = Over()
        self.pattern: re.Pattern[str] | None = None
        self.stamps = False
        self.calm = False
        self._paged = False
        self._invitation: Sequence[str] = ()

    # --- blocks -----------------------------------------------------------------------------

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks, oldest first."""
        return self.column.blocks

    def append(self, *blocks: Block) -> None:
        """Add blocks at the end."""
        for block in blocks:
            self.column.append(block)
        if not self.following:
            self.new_below += len(blocks)
        self._soon()

    def prepend(self, blocks: Sequence[Block]) -> None:
        """Put older blocks before all others; what is on the screen stays there."""
        self.replace_head(0, blocks)

    def replace_head(self, count: int, blocks: Sequence[Block]) -> None:
        """Put older blocks in the place of the first `count`; the screen stays where it is."""
        top = max(0, self._top.at - count)
        line = self._top.line if self._top.at >= count else 0
        self.column.replace_head(count, blocks)
        self._top = Spot(top + len(blocks), line)
        self._soon()

    def take_out(self, block: Block) -> None:
        """Take one block out."""
        index = self.column.index(block)
        if index >= 0:
            self.column.remove(index)
            self._top = Spot(self._top.at - (self._top.at > index), self._top.line)
            self._soon()

    def update(self, block: Block) -> None:
        """A block has changed; it is drawn with the next frame, at most 20 a second."""
        block.changed()
        self._dirty[id(block)] = block
        self._soon()

    def clear(self) -> None:
        """Take all blocks out and follow the end again."""
        self.column.clear()
        if self.column.sheet.gallery is not None:
            self.column.sheet.gallery.clear()
        self._dirty.clear()
        self._top, self.following, self.cursor = Spot(0, 0), True, None
        self.new_below = 0
        self.pattern = None
        self._soon()

    def set_look(self, look: Look) -> None:
        """Draw everything in another theme."""
        self._resheet(self.column.sheet._replace(look=look))

    def set_gallery(self, gallery: Gallery) -> None:
        """Draw the images that blocks name as this one does."""
        self._resheet(self.column.sheet._replace(gallery=gallery))

    def invite(self, lines: Sequence[str]) -> None:
        """What to read while there is nothing else; a heading and lines."""
        if lines != self._invitation:
            self._invitation = lines
            self.refresh()

    def set_compact(self, compact: bool | None) -> None:
        """Draw without head lines and margins, or with them; None: as the terminal's width asks."""
        self._compact = compact
        self._resheet(self.column.sheet)

    # --- frames -----------------------------------------------------------------------------

    def _soon(self) -> None:
        if self._timer is None and self.is_attached and self.size.width:
            wait = self._next - time.monotonic()
            self._timer = self.set_timer(max(0.001, wait), self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        started = time.thread_time()
        for block in self._dirty.values():
            self.column.touch(block)
        self._dirty.clear()
        self._settle()
        spent = time.thread_time() - started
        frame = CALM_FRAME_S if self.calm else FRAME_S
        self._next = time.monotonic() + max(frame, SHARE * spent)

    def flush(self) -> None:
        """Draw what has changed now instead of with the next frame."""
        if self.size.width:
            self._flush()

    def _settle(self) -> None:
        """Measure what is on the screen and put it where it belongs."""
        column, height = self.column, self._rows
        if not height or not self.size.width:
            return
        if not self.following:
            top = Spot(min(self._top.at, max(0, len(column) - 1)), self._top.line)
            self._top = column.move(top, 0)
            column.fill(self._top, height)
            self.following = column.top(self._top) >= column.total - height
        if self.following:
            column.fill_end(height)
            self._top = self._page_top() or column.spot(column.total - height)
            self.new_below = 0
        self._paged = self.following
        self._place(column.top(self._top))
        self._measure_later()

    def _page_top(self) -> Spot | None:
        """On a calm screen the page stays until it is full, then the next one begins.

        Where the terminal can't scroll a column, a reply that is being written moves some lines
        at once: each move draws the whole column. None where every line moves: where the chat has
        the whole width the terminal scrolls by itself, which is cheap.
        """
        column, rows = self.column, self._rows
        whole = self.region.width >= self.app.size.width
        leaps = getattr(cast("object", self.app), "draws_columns", False) and self._is_writing
        if not (self.calm or leaps) or whole or not self._paged or column.total <= rows:
            return None
        top = column.top(self._top)
        if top < column.total <= top + rows:
            return self._top
        if not self.calm:
            near = top < column.total <= top + rows + LEAP
            return column.spot(column.total - rows + LEAP - 1) if near else None
        if not top < column.total <= top + rows + rows // 2:  # much at once, such as a session
            return None
        return column.spot(max(0, column.total - 2))

    @property
    def _is_writing(self) -> bool:
        last = self.blocks[-1] if self.blocks else None
        return isinstance(last, ReplyBlock) and last.open

    def _place(self, y: int) -> None:
        """Scroll there and tell the scrollbar, without a layout of the whole screen."""
        size = Size(self.size.width, self.column.total)
        if size != self.virtual_size:
            self.set_reactive(_FIELDS.virtual_size, size)
        if y != self.scroll_y:
            self.set_reactive(_FIELDS.scroll_y, float(y))
        self.set_reactive(_FIELDS.scroll_target_y, float(y))
        if self.show_vertical_scrollbar:
            self._tell_scrollbar(size.height, y)
        self.refresh()

    def _tell_scrollbar(self, total: int, y: int) -> None:
        """Only when it would look different: drawing it costs as much as the text."""
        rows = self._rows
        if self.calm and self.following:  # a bar that says "the end" costs bytes with each line
            total, y = rows, 0
        shown = rows * rows * 8 // max(1, total), rows * y * 8 // max(1, total), y == total - rows
        if shown != self._thumb:
            self._thumb = shown
            bar = self.vertical_scrollbar
            bar.window_virtual_size, bar.window_size, bar.position = total, rows, y

    @property
    def _rows(self) -> int:
        return self.scrollable_content_region.height

    @property
    def _columns(self) -> int:
        return self.scrollable_content_region.width

    def _measure_later(self) -> None:
        if self._idle is None:
            self._idle = self.set_timer(PAUSE_S, self._measure_slice)

    def _measure_slice(self) -> None:
        self._idle = None
        if self._timer is not None:
            return
        until = time.thread_time() + SLICE_S
        changed = False
        for index in self.column.unmeasured(self._top.at, REACH):
            self.column.measure(index)
            changed = True
            if time.thread_time() > until:
                break
        if changed:
            self._settle()

    # --- size -------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Wrap to the new width; the first line on the screen stays the first."""
        self._resheet(self.column.sheet)

    def _resheet(self, sheet: Sheet) -> None:
        width = self._columns
        if not self.size.width:
            self.column.resize(sheet)
            return
        narrow = shape_of(self.app.size.width) == "narrow"
        compact = narrow if self._compact is None else self._compact
        self._margin = 0 if compact or width < 40 else 2 if width >= 100 else 1
        room = max(1, width - self._margin - (1 if self._margin else 0))
        new = sheet._replace(width=min(self.chat_width, room), compact=compact)
        if new == self.column.sheet:
            self._settle()
            return
        source = -1 if self.following else self.column.source_at(self._top)
        rewrapped = new.width != self.column.sheet.width
        self.column.resize(new)
        if source >= 0:
            self._top = self.column.spot_of(self._top.at, source)
        elif rewrapped:
            self._top = Spot(self._top.at, min(self._top.line, 1))
        self._paged = False
        if rewrapped and self.text_selection is not None:
            self.screen.clear_selection()
        self._settle()

    # --- scrolling --------------------------------------------------------------------------

    def _scroll_to(self, x: float | None = None, y: float | None = None, **_: Any) -> bool:
        """Every way to scroll ends here; nothing slides, so that a key is done when it is seen."""
        del x
        return y is not None and self.go(round(y))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody set the position past `_scroll_to`: take it as a wish."""
        if round(old_value) != round(new_value):
            self.set_reactive(_FIELDS.scroll_y, old_value)
            self.go(round(new_value))

    def go(self, y: int) -> bool:
        """Scroll so that line `y` of the whole is the first on the screen.

        What is measured on the way may show that the line is elsewhere; the step is kept. The
        last line there was stays the end, also when more has come that is not drawn yet.
        """
        to_end = y >= self.max_scroll_y
        self.flush()
        now, end = round(self.scroll_y), max(0, self.column.total - self._rows)
        y = end if to_end else min(max(0, y), end)
        if y == now:
            return False
        if y == end:
            self.following = True
        else:
            self.following = False
            near = abs(y - now) <= 3 * self._rows
            self._top = self.column.move(self._top, y - now) if near else self.column.spot(y)
        self._settle()
        return True

    def to_end(self) -> None:
        """Go to the end and follow it."""
        self.following = True
        self._settle()

    def show_block(self, block: Block, source: int = 0, share: float = 0.0) -> None:
        """Scroll to a part of a block, so that it stands at that share of the screen's height."""
        self.flush()
        index = self.column.index(block)
        if index < 0:
            return
        spot = self.column.spot_of(index, source) if source else Spot(index, 0)
        self.following = False
        self._top = self.column.move(spot, -round(share * self._rows))
        self._settle()

    # --- drawing ----------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw a part of the screen, past Textual's cache, which forgets all when it scrolls."""
        self._over = self._what_lies_over()
        first, width = round(self.scroll_y), self.region.width
        strips = [
            self._canvas.strip(first + y, self._margin, width, self._over) for y in crop.line_range
        ]
        if self._invitation and not self.blocks and self._rows > _INVITED:
            self._draw_invitation(strips, crop)
        last = self._rows - 1
        if self.new_below and last in crop.line_range:
            look = self.column.sheet.look
            text = f" ↓ {self.new_below:,} new "
            row = last - crop.y
            strips[row] = overlay(strips[row], text, look["chip"], self._columns)
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _draw_invitation(self, strips: list[Strip], crop: Region) -> None:
        look, width = self.column.sheet.look, self.region.width
        for y, line in enumerate(self._invitation, 1):
            if y in crop.line_range:
                style = self.rich_style + look["strong" if y == 1 else "muted"]
                text = clip(" " * (self._margin + 2) + line, self._columns)
                strip = Strip([Segment(text, style)]).adjust_cell_length(width, self.rich_style)
                strips[y - crop.y] = strip

    def render_line(self, y: int) -> Strip:
        """One line with offsets, for the mouse to find the text under it."""
        line = round(self.scroll_y) + y
        strip = self._canvas.strip(line, self._margin, self.size.width, self._over)
        return strip.apply_offsets(0, self._canvas.offset(line))

    def _what_lies_over(self) -> Over:
        return Over(
            self.cursor,
            self.text_selection,
            self.pattern,
            self.rich_style,
            tuple(self.get_line_filters()),
            self.background_colors[1],
            self.stamps,
        )

    def watch_new_below(self) -> None:
        """Draw the chip, or take it away."""
        self.refresh()
