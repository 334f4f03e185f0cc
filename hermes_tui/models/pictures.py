"""Pictures in a conversation: kept as files that never change, sent as data when a model sees.

Formats: PNG (ISO 15948), GIF89a, JPEG (ITU-T T.81 annex B), WebP (RFC 9649), the four that
providers take.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from hermes_tui.events import Picture

LARGEST = 5_000_000
"""Bytes of one picture; some providers take no more."""
MOST_BYTES = 20_000_000
"""Bytes of all pictures of one request; the oldest are left out first."""

_HEAD = 1 << 18
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset([0x01, *range(0xD0, 0xD9)])
_MARK = re.compile(r"\[attached image (/[^\n]*?/attached/[^\n/]+?) \(")
_ENDS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}


class Look(Struct, frozen=True, kw_only=True):
    """What the first bytes of a picture say of it; 0 by 0 where the size is not said."""

    media: str
    width: int = 0
    height: int = 0

    @property
    def ending(self) -> str:
        """How the name of such a file ends."""
        return self.media.partition("/")[2]

    def __str__(self) -> str:
        """Format and size in pixels."""
        size = f", {self.width}×{self.height} pixels" if self.width else ""
        return f"{self.ending.upper()} image{size}"


def look_of(content: bytes) -> Look | None:
    """What a picture's bytes say; None when they are of none that a model takes."""
    head = content[:_HEAD]
    try:
        return _read(head)
    except struct.error:
        return None


def _read(head: bytes) -> Look | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = struct.unpack_from(">II", head, 16)
        return Look(media="image/png", width=width, height=height)
    if head.startswith((b"GIF87a", b"GIF89a")):
        width, height = struct.unpack_from("<HH", head, 6)
        return Look(media="image/gif", width=width, height=height)
    if head.startswith(b"\xff\xd8\xff"):
        return _jpeg(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    return None


def _jpeg(head: bytes) -> Look:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        kind = head[at + 1]
        if kind in _FRAMES:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return Look(media="image/jpeg", width=width, height=height)
        at += 1 if kind == 0xFF else 2
        if kind not in _ALONE and kind != 0xFF:
            at += max(2, struct.unpack_from(">H", head, at)[0])
    return Look(media="image/jpeg")


def _webp(head: bytes) -> Look:
    kind = head[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[a : a + 3], "little") + 1 for a in (24, 27))
    elif kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", head, 21)
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (one & 0x3FFF for one in struct.unpack_from("<HH", head, 26))
    return Look(media="image/webp", width=width, height=height)


def attached(text: str) -> tuple[Picture, ...]:
    """The pictures a prompt names as attached, in its order."""
    if "[attached image /" not in text:
        return ()
    found: list[Picture] = []
    for path in _MARK.findall(text):
        media = _ENDS.get(path.rpartition(".")[2].lower())
        if media:
            found.append(Picture(path=path, media=media))
    return tuple(dict.fromkeys(found))


def data_url(picture: Picture) -> str:
    """A picture as a `data:` URL; empty when it is gone, too large or no longer a picture.

    It reads the file: call it in a thread.
    """
    try:
        with Path(picture.path).open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError:
        return ""
    look = look_of(content)
    if look is None or len(content) > LARGEST:
        return ""
    return f"data:{look.media};base64,{base64.b64encode(content).decode()}"


def newest(urls: Iterable[str]) -> frozenset[int]:
    """The places of those that are sent: the last ones that fit together."""
    kept: set[int] = set()
    room = MOST_BYTES
    for place, url in reversed(list(enumerate(urls))):
        room -= len(url)
        if url and room >= 0:
            kept.add(place)
    return frozenset(kept)
