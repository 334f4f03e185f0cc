"""Pictures in the chat: drawn where the terminal can, named and linked everywhere else.

A block names image files; the gallery gives it their lines. A file is read once for a block, in
a thread; the block is drawn anew when its picture is there.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import Struct
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui.frame_pictures import Drawn, placeholders
from hermes_tui.ui.notify import write
from hermes_tui.ui.pictures_terminal import MARKS, Way, through_tmux
from hermes_tui.ui.text import clip, one_line
from hermes_tui.ui.text_lines import Line

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.blocks import Block, Sheet
    from hermes_tui.ui.pictures_encode import Frame, Picture

MOST = 100
"""Pictures of one session that are drawn; what comes after them is linked."""
_MARGIN = 2
Key = tuple[int, str, int]


class _Held(Struct):
    """A picture of a block: its number once it is there, what it is."""

    number: int = 0
    picture: Picture | None = None
    words: str = ""


class Gallery:
    """Gives blocks the lines of the images they name. way: how they are drawn.

    folder: where relative paths begin; tell: has a block drawn anew.
    """

    def __init__(
        self, app: HermesApp, way: Way, frame: Callable[[int], Frame], tell: Callable[[Block], None]
    ) -> None:
        self.way: Way = way
        self._app = app
        self._frame = frame
        self._tell = tell
        self._held: dict[Key, _Held] = {}
        self._next = 0x010000 + int.from_bytes(os.urandom(2)) * 0x7F

    def lines(self, block: Block, path: str, sheet: Sheet) -> list[Line]:
        """An image's name, and the picture itself as soon as it is there."""
        columns = min(len(MARKS), max(1, sheet.width - _MARGIN))
        key = (id(block), path, columns)
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = _Held(words=path.rsplit("/", 1)[-1])
            self._app.do(partial(self._bring, block, path, key))
        click = sheet.look["link"] + Style.from_meta({"act": ("picture", path)})
        name = clip(f"▣ {one_line(held.words)}", sheet.width)
        return [*self._rows(held), Line([Segment(name, click)])]

    def _rows(self, held: _Held) -> list[Line]:
        if held.picture is None or not held.number:
            return []
        style = Style(color=Color.parse(f"#{held.number:06x}"))
        picture = held.picture
        rows = range(picture.rows)
        return [Line([Segment(placeholders(row, picture.columns), style)]) for row in rows]

    async def _bring(self, block: Block, path: str, key: Key) -> None:
        from hermes_tui.ui import figures, pictures_encode

        place = located(path, self._app.shown.info.cwd)
        held = self._held.get(key)
        if held is None:  # the session is another one by now
            return
        info = await asyncio.to_thread(pictures_encode.about, place)
        if info is None:
            return
        size = f"{info.width}×{info.height}" if info.width and info.height else info.format
        bytes_of = figures.size(await asyncio.to_thread(_size, place))
        held.words = f"{place.name} · {size} · {bytes_of}"
        drawn = sum(one.number > 0 for one in self._held.values())
        if self.way and drawn < MOST:
            frame = self._frame(key[2])
            held.picture = await asyncio.to_thread(pictures_encode.load, place, frame)
        if held.picture is not None and self._held.get(key) is held:
            self._hand_over(held, held.picture)
        self._tell(block)

    def _hand_over(self, held: _Held, picture: Picture) -> None:
        from hermes_tui.ui import pictures_encode

        held.number, self._next = self._next, self._next + 1
        if self.way == "kitty":
            self._write(*pictures_encode.kitty(held.number, picture))
        else:
            number = held.number
            ink = f"38;2;{number >> 16};{number >> 8 & 255};{number & 255}"
            self._app.drawn_pictures[ink] = Drawn(picture.columns, picture.data)

    def clear(self) -> None:
        """Forget all pictures, here and in the terminal."""
        from hermes_tui.ui import pictures_encode

        if self.way == "kitty":
            numbers = [one.number for one in self._held.values() if one.number]
            self._write(*(pictures_encode.kitty_forgets(one) for one in numbers))
        self._held.clear()
        self._app.drawn_pictures.clear()

    def _write(self, *sequences: str) -> None:
        inside = bool(os.environ.get("TMUX"))
        text = "".join(through_tmux(one) if inside else one for one in sequences)
        if text:
            write(self._app)(text)


def _size(path: Path) -> int:
    return path.stat().st_size


def located(path: str, folder: str) -> Path:
    """The file that a text names: `~`, `file://` and relative paths as people mean them."""
    if path.startswith("file://"):
        path = unquote(path.removeprefix("file://").removeprefix("localhost"))
    return Path(folder or "/", os.path.expanduser(path))
