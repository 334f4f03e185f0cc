"""What the first bytes of an image say of it: format and size in pixels.

Formats: PNG (ISO 15948), GIF89a, JPEG (ITU-T T.81 annex B), WebP (RFC 9649), BMP.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

HEAD = 1 << 18
"""As many bytes are enough, also for a JPEG with a thumbnail in its header."""
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset([0x01, *range(0xD0, 0xD9)])


class ImageInfo(NamedTuple):
    """A format name and the size in pixels; 0 by 0 where it is not known."""

    format: str
    width: int
    height: int


def image_info(head: bytes) -> ImageInfo | None:
    """What an image's first bytes say; None when they are of no image."""
    try:
        return _read(head)
    except struct.error:
        return None


def _read(head: bytes) -> ImageInfo | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return ImageInfo("PNG", *struct.unpack_from(">II", head, 16))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return ImageInfo("GIF", *struct.unpack_from("<HH", head, 6))
    if head.startswith(b"\xff\xd8\xff"):
        return _jpeg(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    if head.startswith(b"BM") and len(head) > 26:
        width, height = struct.unpack_from("<ii", head, 18)
        return ImageInfo("BMP", abs(width), abs(height))
    return None


def _jpeg(head: bytes) -> ImageInfo:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        kind = head[at + 1]
        if kind in _FRAMES:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return ImageInfo("JPEG", width, height)
        at += 1 if kind == 0xFF else 2
        if kind not in _ALONE and kind != 0xFF:
            at += max(2, struct.unpack_from(">H", head, at)[0])
    return ImageInfo("JPEG", 0, 0)


def _webp(head: bytes) -> ImageInfo:
    kind = head[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[a : a + 3], "little") + 1 for a in (24, 27))
        return ImageInfo("WebP", width, height)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", head, 21)
        return ImageInfo("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    width, height = struct.unpack_from("<HH", head, 26)
    return ImageInfo("WebP", width & 0x3FFF, height & 0x3FFF)
