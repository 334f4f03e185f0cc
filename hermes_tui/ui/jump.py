"""Jump mode: a letter on everything that can be gone to or clicked; the letter goes there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.style import Style
from textual import events
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.face import look_of
from hermes_tui.ui.line import style_of
from hermes_tui.ui.rows import RowList

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.geometry import Region
    from textual.screen import Screen

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
_DIM = Style(dim=True)


class Target(Struct, frozen=True):
    """A place on the screen, and what going there does: focus, choose a row, or click.

    click: the style of the clicked cell, which says what a click does there.
    """

    x: int
    y: int
    widget: Widget
    row: str = ""
    click: Style | None = None


def labels(count: int) -> list[str]:
    """So many labels of one or two letters, none of which begins another one."""
    letters = len(LETTERS)
    count = min(count, letters * letters)
    pairs = next(n for n in range(letters + 1) if letters - n + n * letters >= count)
    single = LETTERS[: letters - pairs]
    both = ("".join(one) for one in itertools.product(LETTERS[letters - pairs :], LETTERS))
    return [*single, *both][:count]


def targets(screen: Screen[Any]) -> list[Target]:
    """Everything on the screen that can be gone to: panes, then buttons and links, then rows."""
    seen = screen._compositor.visible_widgets
    panes: list[Target] = []
    rows: list[Target] = []
    for widget, (region, clip) in seen.items():
        shown = region.intersection(clip)
        if not shown.area:
            continue
        if isinstance(widget, RowList):
            rows += _rows(widget, shown)
        if widget.focusable:
            panes.append(Target(shown.x, shown.y, widget))
    strips = screen._compositor.render_strips()
    found = [*panes, *_clicks(screen, strips), *rows]
    places: dict[tuple[int, int], Target] = {}
    for one in found:
        places.setdefault((one.x, one.y), one)
    return list(places.values())


def _rows(widget: RowList, shown: Region) -> Iterator[Target]:
    for y in range(shown.height):
        at = y + widget.scroll_offset.y
        if at < len(widget.rows) and (key := widget.rows[at].key):
            yield Target(shown.x + 1, shown.y + y, widget, row=key)


def _clicks(screen: Screen[Any], strips: Sequence[Strip]) -> Iterator[Target]:
    """Where a click does something: the beginning of every run of cells with one action."""
    for y, line in enumerate(strips):
        x, before = 0, None
        for segment in line:
            meta: dict[str, Any] = segment.style.meta if segment.style else {}
            action: Any = meta.get("@click") or meta.get("act")
            if action and action != before and segment.text.strip():
                lead = len(segment.text) - len(segment.text.lstrip())
                widget = screen.get_widget_at(x, y)[0]
                yield Target(x + lead, y, widget, click=segment.style)
            before = action
            x += segment.cell_length


def go(target: Target) -> None:
    """Go there."""
    widget = target.widget
    if target.click is not None:
        place = widget.region.offset
        widget.post_message(_click(target, target.x - place.x, target.y - place.y))
    elif isinstance(widget, RowList) and target.row:
        widget.focus()
        widget.select(target.row)
        widget.action_choose()
    else:
        widget.focus()


def _click(target: Target, x: int, y: int) -> events.Click:
    return events.Click(
        widget=target.widget,
        x=x,
        y=y,
        delta_x=0,
        delta_y=0,
        button=1,
        shift=False,
        meta=False,
        ctrl=False,
        screen_x=target.x,
        screen_y=target.y,
        style=target.click,
    )


class JumpScreen(ModalScreen[Target | None]):
    """The screen as it stands, dimmed, with the letters on it."""

    AUTO_FOCUS = ""

    def __init__(self, below: Screen[Any]) -> None:
        super().__init__()
        found = targets(below)
        self._targets = dict(zip(labels(len(found)), found, strict=False))
        self._strips = below._compositor.render_strips()
        self._typed = ""

    def compose(self) -> ComposeResult:
        """One picture."""
        yield JumpView(self._strips, lambda: self._left())

    def _left(self) -> dict[str, Target]:
        """The targets whose label begins with what was typed, by the rest of the label."""
        start = len(self._typed)
        return {
            label[start:]: one
            for label, one in self._targets.items()
            if label.startswith(self._typed)
        }

    async def on_key(self, event: events.Key) -> None:
        """A letter narrows; anything else leaves."""
        event.stop()
        event.prevent_default()
        if event.key == "backspace" and self._typed:
            self._typed = ""
        elif event.character and event.character in LETTERS:
            self._typed += event.character
        else:
            self.dismiss(None)
            return
        left = self._left()
        if "" in left:
            self.dismiss(left[""])
        elif not left:
            self.dismiss(None)
        self.query_one(JumpView).refresh()

    def on_click(self) -> None:
        """A click leaves."""
        self.dismiss(None)

    def on_resize(self, event: events.Resize) -> None:
        """The places are no longer where they were."""
        if self._strips and event.size.height != len(self._strips):
            self.dismiss(None)


class JumpView(Widget):
    """Draws it."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "JumpView { width: 100%; height: 100%; }"

    def __init__(self, strips: Sequence[Strip], left: Callable[[], dict[str, Target]]) -> None:
        super().__init__()
        self._strips, self._left = strips, left

    def render_line(self, y: int) -> Strip:
        """One line of the screen below with the letters on it."""
        width = self.size.width
        if y >= len(self._strips):
            return Strip.blank(width, self.rich_style)
        strip = self._strips[y].apply_style(_DIM)
        chip = style_of(look_of(self), "chip")
        for label, one in sorted(self._left().items(), key=lambda pair: -pair[1].x):
            if one.y == y and one.x + len(label) <= width:
                strip = overlaid(strip, one.x, label, chip)
        return strip


def overlaid(strip: Strip, x: int, text: str, style: Style) -> Strip:
    """A strip with a text over it."""
    from rich.segment import Segment

    end = x + len(text)
    label = Strip([Segment(text, style)], len(text))
    return Strip.join([strip.crop(0, x), label, strip.crop(end, None)])
