"""Where the programs of a search path really live: version managers, virtual environments.

A folder of the search path mostly holds links or small scripts that start a program somewhere
else. A sandboxed command needs that place too, and nothing else of the person's home.
"""

from __future__ import annotations

import os
from contextlib import suppress

from hermes_tui.security.grants import is_within

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/nix/store", "/gnu/store")
# Managers whose small scripts look all around in the manager's own folder.
_MANAGERS = {
    ".pyenv": ".pyenv",
    ".rbenv": ".rbenv",
    ".nodenv": ".nodenv",
    ".goenv": ".goenv",
    ".jenv": ".jenv",
    ".asdf": ".asdf",
    ".nvm": ".nvm",
    ".fnm": ".fnm",
    ".volta": ".volta",
    ".sdkman": ".sdkman",
    ".local/share/mise": ".local/share/mise",
    ".local/share/fnm": ".local/share/fnm",
    ".local/share/uv": ".local/share/uv",
    ".rustup": ".rustup",
    ".cargo/bin": ".rustup",
}
_LINKS = 2_000


def tool_roots(path: str, home: str) -> tuple[str, ...]:
    """Folders to show read-only, so that what is on a search path runs. Real, absolute, sorted.

    Never the home itself, nor a folder that contains it.
    """
    stamp = tuple(_changed(folder) for folder in path.split(":"))
    known = _known.get((path, home))
    if known is None or known[0] != stamp:
        _known.clear()
        known = (stamp, _tool_roots(path, home))
        _known[(path, home)] = known
    return known[1]


_known: dict[tuple[str, str], tuple[tuple[int, ...], tuple[str, ...]]] = {}


def interpreter_roots(program: str, prefix: str) -> tuple[str, ...]:
    """What a Python outside the system needs: its real program and its library."""
    found = {os.path.dirname(os.path.realpath(program)), os.path.realpath(prefix)}
    return tuple(sorted(one for one in found if not _is_system(one)))


def _tool_roots(path: str, home: str) -> tuple[str, ...]:
    found: set[str] = set()
    for folder in path.split(":"):
        if folder.startswith("/") and os.path.isdir(folder):
            _add(folder, os.path.realpath(home), found)
    roots = [one for one in sorted(found) if not _is_system(one)]
    return tuple(one for one in roots if not any(one != b and is_within(one, b) for b in roots))


def _add(folder: str, home: str, found: set[str]) -> None:
    """Take in one folder of programs, as it is named and as it really is."""
    real = os.path.realpath(folder)
    for place in {os.path.normpath(folder), real}:
        if place in found or _is_system(place) or is_within(home, place):
            continue
        found.add(place)
        found.update(one for one in _around(place, home) if not is_within(home, one))
        for target in _targets(place):
            _add_target(target, home, found)


def _add_target(program: str, home: str, found: set[str]) -> None:
    folder = os.path.dirname(program)
    if not any(is_within(folder, one) for one in found) and not _is_system(folder):
        _add(folder, home, found)


def _around(folder: str, home: str) -> list[str]:
    """The installation a folder of programs belongs to, and what that one is based on."""
    roots = [
        os.path.join(home, root)
        for inside, root in _MANAGERS.items()
        if is_within(folder, os.path.join(home, inside))
    ]
    prefix = os.path.dirname(folder)
    if os.path.isfile(os.path.join(prefix, "pyvenv.cfg")):
        return [*roots, prefix, *_base_of(prefix, home)]
    conda = os.path.dirname(os.path.dirname(prefix))
    if os.path.isdir(os.path.join(conda, "conda-meta")):
        roots.append(conda)
    if _is_installation(folder, prefix, home):
        roots.append(prefix)
    return roots


def _is_installation(folder: str, prefix: str, home: str) -> bool:
    """Whether a `bin` stands in an installation of its own, not in a folder of all sorts."""
    shared = (home, os.path.join(home, ".local"), os.path.join(home, ".cargo"), "/", "/opt")
    if os.path.basename(folder) not in ("bin", "sbin") or prefix in shared:
        return False
    beside = ("lib", "libexec", "share", "conda-meta", "Cellar", "include")
    return any(os.path.isdir(os.path.join(prefix, one)) for one in beside)


def _base_of(venv: str, home: str) -> list[str]:
    """The Python a virtual environment was made from."""
    found: set[str] = set()
    with suppress(OSError), open(os.path.join(venv, "pyvenv.cfg"), encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition("=")
            if key.strip() == "home" and value.strip().startswith("/"):
                _add(value.strip(), home, found)
    return sorted(found)


def _targets(folder: str) -> list[str]:
    """Where the links in a folder of programs lead to."""
    found: set[str] = set()
    with suppress(OSError), os.scandir(folder) as entries:
        for count, entry in enumerate(entries):
            if count >= _LINKS:
                break
            if entry.is_symlink():
                found.add(os.path.realpath(entry.path))
    return sorted(one for one in found if os.path.isfile(one))


def _is_system(path: str) -> bool:
    return any(is_within(path, one) for one in SYSTEM)


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
