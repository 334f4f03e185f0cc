"""What was worked out of a large library's files, kept between two starts of the program.

A file in the home, which no tool may write. Each entry counts only while its SKILL.md has the same
size and time of change, and all of them only for the code that made them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from hermes_tui.home import Home
from hermes_tui.skills.folders import Found
from hermes_tui.skills.library import Library
from hermes_tui.skills.skill import Skill

WORTH_IT = 100
"""Skills from which on reading the file is quicker than reading theirs."""
_FORMAT = 1


class Entry(Struct, frozen=True, array_like=True):
    """One skill without its body, the state of its file and overlay, the weights of its words."""

    skill: Skill
    file: tuple[int, int, int]
    overlay: tuple[int, ...]
    weights: dict[str, float]


class _File(Struct, frozen=True, array_like=True):
    code: str
    accepted: tuple[str, ...]
    entries: tuple[Entry, ...]


def recall(library: Library) -> list[Entry]:
    """Give a library that has read nothing what was kept of it; the entries that still hold."""
    try:
        file = msgspec.msgpack.decode(_path(library.home).read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError):
        return []
    if file.code != _code():
        return []
    known = {
        entry.skill.name: (
            (Found(entry.skill.origin, Path(entry.skill.path), entry.file), entry.overlay),
            entry.skill,
        )
        for entry in file.entries
    }
    holding = library.trust(known, frozenset(file.accepted))
    return [entry for entry in file.entries if entry.skill.name in holding]


def keep(library: Library, weights: Mapping[str, Mapping[str, float]]) -> None:
    """Keep what is known of a library, unless it is small; a full disk changes nothing."""
    path = _path(library.home)
    entries = [
        Entry(skill, found.stamp, overlay, dict(weights[name]))
        for name, ((found, overlay), skill) in library.known().items()
        if name in weights
    ]
    if len(entries) < WORTH_IT:
        path.unlink(missing_ok=True)
        return
    file = _File(_code(), tuple(sorted(library.accepted)), tuple(entries))
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.touch(0o600)
        fresh.write_bytes(msgspec.msgpack.encode(file))
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)


def _path(home: Home) -> Path:
    return home.path / "skills.index"


def _code() -> str:
    """Another one whenever the code that reads skills is another one."""
    times: list[int] = []
    for name in ("kept", "library", "routing", "scan", "skill", "words", "words_alike"):
        try:
            times.append(os.stat(Path(__file__).with_name(f"{name}.py")).st_mtime_ns)
        except OSError:
            times.append(0)
    return f"{_FORMAT}:{times}"
