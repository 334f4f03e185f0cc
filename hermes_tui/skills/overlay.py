"""A person's changes to bundled and installed skills, kept apart so that updates still arrive.

Two files a skill: the changed text, and the text it was made from. An update is merged with both.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.skills.folders import overlay_folder
from hermes_tui.skills.merge import Merged, merge
from hermes_tui.skills.skill import FILE, NAME
from hermes_tui.skills.tree import write_text

_BASE = "BASE.md"


def read(home: Home, name: str, upstream: str) -> Merged | None:
    """The text of an overlaid skill, merged with its upstream; None when there is no overlay."""
    folder = _folder(home, name)
    try:
        ours = (folder / FILE).read_text("utf-8")
        base = (folder / _BASE).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return merge(base, ours, upstream)


def write(home: Home, name: str, upstream: str, text: str) -> None:
    """Keep a person's text for a skill whose own text is `upstream`; the same text ends it."""
    folder = _folder(home, name)
    if text == upstream:
        shutil.rmtree(folder, ignore_errors=True)
        return
    write_text(folder / _BASE, upstream)
    write_text(folder / FILE, text)


def stamp(home: Home, name: str) -> tuple[int, ...]:
    """What changes with the overlay of a skill; empty while there is none."""
    try:
        seen = (overlay_folder(home) / name / FILE).stat()
    except OSError:
        return ()
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


def _folder(home: Home, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise HermesError(f"{name!r} is no name of a skill", "names are of a-z, 0-9 and hyphens")
    return overlay_folder(home) / name
