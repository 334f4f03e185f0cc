"""One line of the screen made of styled spans: left part, right part, cut to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.face import look_of
from hermes_tui.ui.text import cells, clip

if TYPE_CHECKING:
    from textual.geometry import Size

    from hermes_tui.ui.theme import Look


class Span(NamedTuple):
    """Text with the name of a style of the `Look`, and the action a click on it runs."""

    text: str
    style: str = ""
    click: str = ""


def draw(
    left: Iterable[Span], right: Iterable[Span], width: int, look: Look, base: Style | None = None
) -> Strip:
    """A strip of exactly `width` cells; the left part gives way to the right one."""
    base = base or Style.null()
    tail = fit(right, width)
    used = sum(cells(span.text) for span in tail)
    head = fit(left, width - used - (1 if used else 0))
    gap = width - used - sum(cells(span.text) for span in head)
    segments = [_segment(span, look, base) for span in head]
    if gap > 0:
        segments.append(Segment(" " * gap, base))
    segments += [_segment(span, look, base) for span in tail]
    return Strip(segments, max(width, 0))


def style_of(look: Look, name: str) -> Style:
    """A style by name: one of the theme's, or one of the lists' own made of them."""
    if name == "cursor.idle":
        idle = look["cursor"]
        return idle if idle.bgcolor is not None else Style(underline=True)
    return look[_OWN.get(name, name)]


_OWN = {
    "bar.model": "accent",
    "bar.tool": "ok",
    "bar.wait": "warn",
    "cursor": "selection",
    "code": "text",
}


def fit(spans: Iterable[Span], width: int) -> list[Span]:
    """The spans that fit into `width` cells, the last one cut with an ellipsis."""
    kept: list[Span] = []
    room = width
    for span in spans:
        if room <= 0:
            break
        text = clip(span.text, room)
        kept.append(span._replace(text=text))
        room -= cells(text)
        if text != span.text:
            break
    return kept


def hints(*pairs: tuple[str, str]) -> list[Span]:
    """Keys and what they do, side by side."""
    spans: list[Span] = []
    for key, word in pairs:
        spans += [Span(f"{'   ' if spans else ' '}{key}", "accent"), Span(f" {word}", "muted")]
    return spans


def hints_within(pairs: Sequence[tuple[str, str]], width: int, rest: str = "f1") -> list[Span]:
    """As many whole hints as fit; where some do not, the key that tells of all of them.

    rest: that key, empty for none.
    """
    spans = hints(*pairs)
    if width_of(spans) <= width:
        return spans
    more = [(rest, "more")] if rest else []
    for count in range(len(pairs) - 1, -1, -1):
        spans = hints(*pairs[:count], *more)
        if width_of(spans) <= width:
            return spans
    return []


def width_of(spans: Iterable[Span]) -> int:
    """The cells that spans take side by side."""
    return sum(cells(span.text) for span in spans)


def _segment(span: Span, look: Look, base: Style) -> Segment:
    style = base + style_of(look, span.style) if span.style else base
    if span.click:
        style += Style.from_meta({"@click": span.click})
    return Segment(span.text, style)


class Bar(Widget):
    """A line of its own, such as the status line. Nothing in it can be focused."""

    DEFAULT_CSS = "Bar { height: 1; }"
    ALLOW_SELECT = False
    left: Sequence[Span] = ()
    right: Sequence[Span] = ()
    keys: Sequence[tuple[str, str]] = ()

    def show_keys(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Show keys and what they do: whole ones, as many as fit."""
        self.keys = pairs
        self.refresh()

    def show(self, left: Sequence[Span], right: Sequence[Span] = ()) -> None:
        """Show these spans; draws nothing when they are the ones shown."""
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line itself; further lines of a taller bar stay empty."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        left = hints_within(self.keys, self.size.width) if self.keys else self.left
        return draw(left, self.right, self.size.width, look_of(self), self.rich_style)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line."""
        return 1
