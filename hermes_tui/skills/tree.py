"""The files of one skill on disk: read within limits, never through a link, under one digest."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import unicodedata
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.skills.skill import FILE

MOST_FILES, MOST_BYTES, LARGEST = 200, 5_000_000, 2_000_000
_LEFT_OUT = frozenset((".git", "__pycache__", ".DS_Store", "node_modules", ".venv"))


class TreeError(HermesError):
    """A folder can't be taken as a skill: too large, links, or names that lead out of it."""


class Tree(Struct, frozen=True):
    """The files of a skill by their path below its folder, with `/` between the parts."""

    files: dict[str, bytes]

    @property
    def digest(self) -> str:
        """sha256 over all names and contents: another file or byte gives another one."""
        hashed = hashlib.sha256()
        for name in sorted(self.files):
            data = self.files[name]
            hashed.update(f"{len(name.encode())}:{name}{len(data)}:".encode())
            hashed.update(data)
        return "sha256:" + hashed.hexdigest()

    @property
    def size(self) -> int:
        """All bytes together."""
        return sum(len(data) for data in self.files.values())

    def texts(self) -> dict[str, str]:
        """Those of the files that are text."""
        found: dict[str, str] = {}
        for name, data in self.files.items():
            if b"\0" in data[:8000]:
                continue
            try:
                found[name] = data.decode("utf-8")
            except UnicodeDecodeError:
                continue
        return found

    @property
    def binaries(self) -> tuple[str, ...]:
        """Those that are not."""
        texts = self.texts()
        return tuple(sorted(name for name in self.files if name not in texts))


def read_tree(folder: Path) -> Tree:
    """The files below a folder. Raises TreeError for links, other odd things and too much."""
    files: dict[str, bytes] = {}
    size = 0
    for base, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(one for one in folders if one not in _LEFT_OUT)
        for name in [*folders, *sorted(names)]:
            path = Path(base, name)
            if name in _LEFT_OUT or _is_folder(path):
                continue
            inner = path.relative_to(folder).as_posix()
            data = _data(path, inner)
            size += len(data)
            files[inner] = data
            check_limits(len(files), size)
    if FILE not in files:
        raise TreeError(f"{folder} holds no {FILE}", "name a folder with a SKILL.md in it")
    return Tree(files)


def check_limits(count: int, size: int) -> None:
    """Raises TreeError when a skill has too many files or bytes."""
    if count > MOST_FILES:
        raise TreeError(f"a skill has at most {MOST_FILES} files", "leave out what it doesn't need")
    if size > MOST_BYTES:
        raise TreeError(f"a skill has at most {MOST_BYTES:,} bytes", "large data belongs elsewhere")


def inner_path(name: str) -> str:
    """A file's path below a skill's folder, made plain. Raises TreeError when it leads out."""
    plain = name.replace("\\", "/")
    path = PurePosixPath(plain)
    bad = path.is_absolute() or ".." in path.parts or ":" in plain or not path.parts
    if bad or any(ord(c) < 32 for c in name):
        raise TreeError(f"the path {name!r} leads out of the skill", "nothing was written")
    if any(unicodedata.category(c) == "Cf" for c in name):
        raise TreeError(f"the path {name!r} holds signs that nobody sees", "nothing was written")
    return path.as_posix()


def write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder hold exactly these files; the old ones are gone only when all are written."""
    new = folder.with_name(f".{folder.name}.new")
    old = folder.with_name(f".{folder.name}.old")
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    new.mkdir(parents=True)
    for name, data in files.items():
        path = new / inner_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if data.startswith(b"#!"):
            path.chmod(0o755)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Replace one file in one step, so that nobody reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, "utf-8", newline="")
    fresh.replace(path)


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


def _data(path: Path, inner: str) -> bytes:
    mode = path.lstat().st_mode
    if not stat.S_ISREG(mode):
        raise TreeError(
            f"{inner} is a link or a special file", "a skill is made of plain files only"
        )
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise TreeError(f"{inner} can't be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise TreeError(f"{inner} is over {LARGEST:,} bytes long", "large data belongs elsewhere")
    inner_path(inner)
    return data
