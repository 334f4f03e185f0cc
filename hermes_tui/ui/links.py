"""Where links lead: which are safe to hand on, and what opens them on this machine."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

LONGEST = 2_000
_SCHEMES = ("http", "https", "mailto")
_HOST = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[a-zA-Z]{2,})(?:[/:?#].*)?", re.DOTALL)


def target(url: str) -> str:
    """The address if it is of a kind that a terminal or browser may be given, else nothing."""
    plain = url.isprintable() and " " not in url and len(url) <= LONGEST
    if not plain or ":" not in url:
        return ""
    return url if url.split(":", 1)[0].lower() in _SCHEMES else ""


def host(url: str) -> str:
    """The host an address leads to, as it would be looked up; empty for none."""
    from urllib.parse import urlsplit

    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def disguised(text: str, url: str) -> str:
    """The real host of a link whose text names another one; empty for an honest link."""
    named = _HOST.fullmatch(text.strip())
    real = host(url)
    if named is None or not real:
        return ""
    said = named[1].lower()
    same = said == real or real.endswith("." + said) or said == f"www.{real}"
    return "" if same else real


def opener(env: Mapping[str, str]) -> Sequence[str]:
    """The program that opens an address on the desktop this terminal is on; none over ssh."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return ()
    if sys.platform == "darwin":
        return ("open",)
    if env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"):
        from shutil import which

        found = which("xdg-open", path=env.get("PATH"))
        return (found,) if found else ()
    return ()


async def open_link(url: str, env: Mapping[str, str]) -> bool:
    """Have the desktop open an address; False when it can't."""
    words = opener(env)
    if not words or not target(url):
        return False
    try:
        await asyncio.to_thread(_open, [*words, url], env)
    except OSError:
        return False
    return True


async def open_image(path: str, env: Mapping[str, str]) -> bool:
    """Have the desktop show an image file; False when it can't, or when it is none."""
    from hermes_tui.ui.pictures_encode import about

    words = opener(env)
    if not words or await asyncio.to_thread(about, Path(path)) is None:
        return False
    try:
        await asyncio.to_thread(_open, [*words, path], env)
    except OSError:
        return False
    return True


def _open(argv: Sequence[str], env: Mapping[str, str]) -> None:
    from hermes_tui.backends import process

    process.spawn_detached(argv, cwd="/", env=env, log=os.devnull)
