"""What is on the system's clipboard: an image, files, or text, read by the tool the desktop has."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from hermes_tui.backends import process
from hermes_tui.ui.attach_files import LARGEST

LIMIT_S = 3.0
_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")
_TEXTS = ("text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING")


class Clip(NamedTuple):
    """One thing from the clipboard. kind says how to read the bytes; paths are one a line."""

    kind: Literal["image", "paths", "text", "nothing"]
    data: bytes = b""


class Tool(NamedTuple):
    """How a desktop's clipboard is asked: for the types there are, and for one of them."""

    types: Sequence[str]
    get: Sequence[str]


def find_tool(env: Mapping[str, str]) -> Tool | None:
    """The tool for the desktop this terminal is on; None where there is none."""
    import shutil

    def there(name: str) -> bool:
        return shutil.which(name, path=env.get("PATH")) is not None

    if env.get("WAYLAND_DISPLAY") and there("wl-paste"):
        return Tool(("wl-paste", "--list-types"), ("wl-paste", "--no-newline", "--type"))
    if env.get("DISPLAY") and there("xclip"):
        ask = ("xclip", "-selection", "clipboard", "-o", "-t")
        return Tool((*ask, "TARGETS"), ask)
    if sys.platform == "darwin" and there("pngpaste"):
        return Tool((), ("pngpaste", "-"))
    return None


async def read_clipboard(env: Mapping[str, str]) -> Clip:
    """What is on the clipboard, the richest form first; `nothing` when it can't be read."""
    tool = find_tool(env)
    if tool is None:
        return Clip("nothing")
    try:
        async with asyncio.timeout(LIMIT_S):
            return await _read(tool, env)
    except (TimeoutError, OSError):
        return Clip("nothing")


async def _read(tool: Tool, env: Mapping[str, str]) -> Clip:
    if not tool.types:
        data = await _run(tool.get, env)
        return Clip("image", data) if data else Clip("nothing")
    offered = (await _run(tool.types, env)).decode(errors="replace").split()
    if image := next((one for one in _IMAGES if one in offered), ""):
        return Clip("image", await _run((*tool.get, image), env))
    if "text/uri-list" in offered:
        return Clip("paths", await _run((*tool.get, "text/uri-list"), env))
    if text := next((one for one in _TEXTS if one in offered), ""):
        return Clip("text", await _run((*tool.get, text), env))
    return Clip("nothing")


async def _run(argv: Sequence[str], env: Mapping[str, str]) -> bytes:
    child = await process.start(argv, cwd="/", env=env)
    parts: list[bytes] = []
    size = 0
    try:
        while (chunk := await child.read()) and size <= LARGEST:
            parts.append(chunk)
            size += len(chunk)
        code = await child.wait() if size <= LARGEST else 1
    finally:
        await child.kill()
        child.close()
    return b"".join(parts) if code == 0 else b""
