"""An image file as bytes a terminal draws: scaled to whole cells, a strip for every line.

All of this waits for the disk and computes: it runs in a thread. Pillow does the reading; where
it is not installed only what kitty reads by itself (PNG) is drawn.
"""

from __future__ import annotations

import io
import re
import stat
from base64 import b64encode
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from hermes_tui.ui.attach_images import HEAD, ImageInfo, image_info
from hermes_tui.ui.pictures_terminal import MARKS, Way

if TYPE_CHECKING:
    from PIL.Image import Image

ROWS = 16
"""Lines a picture takes at most."""
CELL = (10, 20)
"""Pixels of a cell where the terminal did not tell; only their ratio shows then."""
_LARGEST = 50_000_000
_MOST_PIXELS = 60_000_000
_UNSCALED = 3_000_000
_COLOURS = 64
_CHUNK = 4096


class Picture(Struct, frozen=True):
    """What is sent for an image. data: kitty: the file in chunks; else one sequence a line."""

    columns: int
    rows: int
    info: ImageInfo
    data: tuple[str, ...]


class Frame(Struct, frozen=True):
    """Where it is drawn. cell: pixels of one; ground: the colour behind it, `#rrggbb`."""

    way: Way
    columns: int
    cell: tuple[int, int] = CELL
    ground: str = "#000000"


def about(path: Path) -> ImageInfo | None:
    """What an image file's first bytes say; None for anything else than an image."""
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > _LARGEST:
            return None
        with path.open("rb") as file:
            return image_info(file.read(HEAD))
    except (OSError, ValueError):
        return None


def load(path: Path, frame: Frame) -> Picture | None:
    """The file as a picture; None when it is no image that can be drawn here."""
    info = about(path)
    if info is None or not 0 < info.width * info.height <= _MOST_PIXELS:
        return None
    columns, rows = fitted((info.width, info.height), frame)
    try:
        data = _drawn(path, info, frame, (columns, rows))
    except (OSError, ValueError, SyntaxError):  # what Pillow says of broken files
        return None
    return Picture(columns, rows, info, data) if data else None


def fitted(size: tuple[int, int], frame: Frame) -> tuple[int, int]:
    """(columns, rows) for an image of a size in pixels: never larger than it is."""
    wide, high = size[0] / frame.cell[0], size[1] / frame.cell[1]
    most = min(frame.columns, len(MARKS))
    scale = min(1.0, most / wide, ROWS / high)
    return max(1, min(most, round(wide * scale))), max(1, min(ROWS, round(high * scale)))


def _drawn(path: Path, info: ImageInfo, frame: Frame, size: tuple[int, int]) -> tuple[str, ...]:
    try:
        from PIL import Image
    except ImportError:
        plain = frame.way == "kitty" and info.format == "PNG"
        return _chunks(path.read_bytes()) if plain and path.stat().st_size < _UNSCALED else ()
    width, height = size[0] * frame.cell[0], size[1] * frame.cell[1]
    with Image.open(path) as opened:
        opened.draft("RGB", (width, height))
        image = opened.convert("RGBA")
    image.thumbnail((width, height))
    ground = Image.new("RGBA", (width, height), frame.ground)
    ground.alpha_composite(image)
    whole = ground.convert("RGB")
    if frame.way == "kitty":
        return _chunks(_png(whole))
    lines = [(0, row * frame.cell[1], width, (row + 1) * frame.cell[1]) for row in range(size[1])]
    if frame.way == "sixel":
        flat = whole.quantize(_COLOURS)
        return tuple(sixel(flat.crop(line)) for line in lines)
    return tuple(_inline(_png(whole.crop(line)), size[0]) for line in lines)


def _png(image: Image) -> bytes:
    made = io.BytesIO()
    image.save(made, "PNG", compress_level=6)
    return made.getvalue()


def _chunks(data: bytes) -> tuple[str, ...]:
    text = b64encode(data).decode()
    return tuple(text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK))


def kitty(number: int, picture: Picture) -> list[str]:
    """The sequences that hand a picture to kitty under a number, to be placed by placeholders."""
    head = f"a=T,U=1,q=2,f=100,t=d,i={number},c={picture.columns},r={picture.rows},"
    last = len(picture.data) - 1
    return [
        f"\x1b_G{head if not at else ''}m={int(at < last)};{chunk}\x1b\\"
        for at, chunk in enumerate(picture.data)
    ]


def kitty_forgets(number: int) -> str:
    """The sequence after which kitty knows nothing of a picture."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def _inline(png: bytes, columns: int) -> str:
    text = b64encode(png).decode()
    head = f"inline=1;size={len(png)};width={columns};height=1;preserveAspectRatio=0"
    return f"\x1b]1337;File={head}:{text}\a"


def sixel(image: Image) -> str:
    """An image of at most 256 colours (mode P) as DEC sixel graphics."""
    width, height = image.size
    pixels, colours = image.tobytes(), image.getpalette() or []
    used = sorted(set(pixels))
    parts = [f'\x1bP0;1q"1;1;{width};{height}']
    for number in used:
        red, green, blue = (round(one * 100 / 255) for one in colours[3 * number : 3 * number + 3])
        parts.append(f"#{number};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        lines = [pixels[y * width : (y + 1) * width] for y in range(top, min(top + 6, height))]
        band = [f"#{one}{_band(lines, one)}" for one in sorted(set(b"".join(lines)))]
        parts.append("$".join(band) + "-")
    return "".join(parts).removesuffix("-") + "\x1b\\"


def _band(lines: list[bytes], colour: int) -> str:
    """One colour of six lines of pixels: a character a column, runs counted."""
    bits = 0
    for bit, line in enumerate(lines):
        bits |= int.from_bytes(line.translate(_only(colour, bit)))
    text = bits.to_bytes(len(lines[0])).translate(_SIXELS).decode().rstrip("?")
    return _RUN.sub(lambda run: f"!{len(run[0])}{run[1]}", text)


_SIXELS = bytes((one + 63) % 256 for one in range(256))
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)


@lru_cache(512)
def _only(colour: int, bit: int) -> bytes:
    return bytes(1 << bit if one == colour else 0 for one in range(256))
