"""A session as a picture: the chat as it is drawn, as one SVG that needs nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from html import escape

from rich.segment import Segment
from rich.style import Style

from hermes_tui.events import Record
from hermes_tui.intents import SessionInfo
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.export import export_path, records, write_new
from hermes_tui.ui.blocks import Block, Sheet, gap
from hermes_tui.ui.feed_blocks import Builder, Inputs
from hermes_tui.ui.text import cells, one_line
from hermes_tui.ui.theme import Look, ThemeSpec, builtin

COLUMNS = 92
MOST = 5_000
"""Lines of a picture: more no viewer shows well; the newest are kept."""
_CELL = 8.4
_LINE = 18
_EDGE = 24


async def export_svg(client: CoreClient, info: SessionInfo, folder: str, file: str) -> str:
    """Write a session's chat as SVG; the path. Raises HermesError as `export_session` does."""
    told = await records(client, info)
    path = export_path(info, folder, file, ".svg")
    text = await asyncio.to_thread(to_svg, info, told)
    await asyncio.to_thread(write_new, path, text.encode())
    return str(path)


def to_svg(info: SessionInfo, told: Iterable[Record], theme: str = "hermes-night") -> str:
    """The chat of a session in a theme of ours."""
    spec = builtin(theme) or ThemeSpec(name=theme)
    sheet = Sheet(COLUMNS, Look(spec))
    lines = _lines(_blocks(told), sheet)
    if len(lines) > MOST:
        missing = f"… {len(lines) - MOST:,} lines before"
        lines = [[Segment(missing, sheet.look["muted"])], *lines[-MOST:]]
    return _document(one_line(info.title) or info.id, lines, spec)


def _blocks(told: Iterable[Record]) -> list[Block]:
    builder = Builder(Inputs())
    for record in told:
        builder.apply(record)
    lost = {id(block) for block in builder.gone}
    return [block for block in builder.fresh if id(block) not in lost]


def _lines(blocks: Sequence[Block], sheet: Sheet) -> list[list[Segment]]:
    made: list[list[Segment]] = []
    before: Block | None = None
    for block in blocks:
        made += [[] for _ in range(gap(before, block, sheet.compact))]
        for number, line in enumerate(block.lines(sheet)):
            made.append([*block.left(number, sheet).segments, *line.segments])
        before = block
    return made


def _document(title: str, lines: Sequence[Sequence[Segment]], spec: ThemeSpec) -> str:
    width = round(COLUMNS * _CELL + 2 * _EDGE)
    height = (len(lines) + 2) * _LINE + 2 * _EDGE
    ground = spec.colors.get("background", "#12141b")
    ink = spec.colors.get("foreground", "#d3d8e4")
    rows = "\n".join(_row(line, number + 2) for number, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">\n<title>{_plain(title)}</title>\n'
        f'<rect width="100%" height="100%" fill="{ground}"/>\n'
        f'<g font-family="ui-monospace, monospace" font-size="14" fill="{ink}" '
        f'xml:space="preserve">\n'
        f'<text x="{_EDGE}" y="{_EDGE + 12}" font-weight="bold">{_plain(title)}</text>\n'
        f"{rows}\n</g>\n</svg>\n"
    )


def _row(line: Sequence[Segment], number: int) -> str:
    parts: list[str] = []
    at = 0
    y = number * _LINE + _EDGE
    for text, style, _ in line:
        size = cells(text)
        x = _EDGE + at * _CELL
        style = style or Style.null()
        back, front = style.bgcolor, style.color
        if back is not None and back.triplet is not None:
            parts.append(
                f'<rect x="{x:.1f}" y="{y - 13}" width="{size * _CELL:.1f}" height="{_LINE}" '
                f'fill="{back.triplet.hex}"/>'
            )
        if text.strip():
            color = f' fill="{front.triplet.hex}"' if front and front.triplet else ""
            parts.append(
                f'<text x="{x:.1f}" y="{y}" textLength="{size * _CELL:.1f}"'
                f"{color}{_marks(style)}>{_plain(text)}</text>"
            )
        at += size
    return "".join(parts)


def _plain(text: str) -> str:
    """Text for XML, which has no place for some characters."""
    return escape(text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))


def _marks(style: Style) -> str:
    marks = ' font-weight="bold"' if style.bold else ""
    marks += ' font-style="italic"' if style.italic else ""
    lines = [
        name for name, on in (("underline", style.underline), ("line-through", style.strike)) if on
    ]
    return marks + (f' text-decoration="{" ".join(lines)}"' if lines else "")
