"""Where skills lie: each place with the origin that everything in it has.

The origin goes by the place and by nothing a file says, so that no skill can call itself bundled.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes_tui.bundled import bundled
from hermes_tui.home import Home
from hermes_tui.skills.skill import FILE, NAME, Origin

_TOOLS = (".agents", ".claude")
_DEEPEST = 12


class Place(NamedTuple):
    """A folder of skills."""

    origin: Origin
    folder: Path


class Found(NamedTuple):
    """One SKILL.md and what is known of it without reading: its size and when it changed."""

    origin: Origin
    file: Path
    stamp: tuple[int, int, int]


def learned_folder(home: Home) -> Path:
    """Where what the agent learned lies."""
    return home.skills / ".learned"


def hub_folder(home: Home) -> Path:
    """Where installed skills lie once the person has accepted them."""
    return home.skills / ".hub"


def waiting_folder(home: Home) -> Path:
    """Where what was fetched waits for the person to accept it; nothing reads it from there."""
    return home.skills / ".waiting"


def overlay_folder(home: Home) -> Path:
    """Where the person's changes to bundled and installed skills lie."""
    return home.skills / ".overlay"


def home_places(home: Home) -> tuple[Place, ...]:
    """The places that somebody vouches for; what is found later wins over the same name."""
    return (
        Place("bundled", bundled("skills")),
        Place("hub", hub_folder(home)),
        Place("learned", learned_folder(home)),
        Place("user", home.skills),
    )


def shared_places(person: str) -> tuple[Place, ...]:
    """What other agents' programs keep in the person's own home folder."""
    if not person:
        return ()
    return tuple(Place("shared", Path(person) / tool / "skills") for tool in reversed(_TOOLS))


def project_places(cwd: str, person: str = "") -> tuple[Place, ...]:
    """What the project around a folder brings along, the nearest last; never the home folder's."""
    if not cwd:
        return ()
    here = Path(os.path.abspath(cwd))
    stop = {Path(os.path.abspath(person)) if person else here.root, Path(here.anchor)}
    inside = list[Path]()
    for folder in (here, *here.parents)[:_DEEPEST]:
        if folder in stop:
            break
        inside.append(folder)
        if (folder / ".git").exists():
            break
    if not inside or not (inside[-1] / ".git").exists():
        inside = inside[:1]
    return tuple(
        Place("project", folder / tool / "skills")
        for folder in reversed(inside)
        for tool in reversed(_TOOLS)
    )


def look(places: tuple[Place, ...]) -> dict[str, Found]:
    """The SKILL.md of every skill by name of its folder. Links out of a place are not followed."""
    found: dict[str, Found] = {}
    for place in places:
        for file, stamp in _files(place.folder):
            found[file.parent.name] = Found(place.origin, file, stamp)
    return found


def _files(folder: Path, deep: bool = True) -> Iterator[tuple[Path, tuple[int, int, int]]]:
    """SKILL.md files one folder down, or two where folders group them."""
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in entries:
        if entry.name.startswith(".") or not entry.is_dir(follow_symlinks=False):
            continue
        file = Path(entry.path, FILE)
        try:
            seen = file.lstat()
        except OSError:
            if deep and NAME.fullmatch(entry.name):
                yield from _files(Path(entry.path), deep=False)
            continue
        yield file, (seen.st_mtime_ns, seen.st_size, seen.st_ino)
