"""The files of a skill beside its SKILL.md: kept with each version of it, and brought back.

Kept are `scripts/`, `references/`, `assets/` and the `checks`; what a script writes anywhere else
in the folder is no version of the skill. Contents are kept once each.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw

from hermes_tui.skills import checks
from hermes_tui.skills.tree import TreeError, inner_path, read_tree

FOLDERS = ("scripts", "references", "assets")
_SEEN = ""
"""Path of the row which says that a version's files were looked at, also when there were none."""
Files = dict[str, bytes]


def read(folder: Path) -> Files | None:
    """The files beside a SKILL.md that are kept; None when they can't be, for links or size."""
    if not any((folder / name).exists() for name in (*FOLDERS, checks.FILE)):
        return {}
    try:
        files = read_tree(folder).files
    except TreeError:
        return None
    return {name: data for name, data in files.items() if _kept(name)}


def put_back(folder: Path, files: Mapping[str, bytes], known: Mapping[str, str]) -> None:
    """Make a folder hold these files. known: what is kept of its present ones, by path; of those,
    the ones that are not wanted go, and nothing else does."""
    for name in known:
        if name not in files:
            (folder / inner_path(name)).unlink(missing_ok=True)
    for name, data in files.items():
        path = folder / inner_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_bytes(data)
        fresh.chmod(0o755 if data.startswith(b"#!") else 0o644)
        fresh.replace(path)


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """sha256 of each file by its path."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The paths that are new, gone or different."""
    names = before.keys() | after.keys()
    return sorted(name for name in names if before.get(name) != after.get(name))


# --- rows ----------------------------------------------------------------------------------------


def keep(c: apsw.Connection, name: str, n: int, files: Mapping[str, bytes]) -> None:
    """Keep the files of a version."""
    rows = [(name, n, _SEEN, "")]
    for path, digest in digests(files).items():
        packed = zlib.compress(files[path], 6)
        c.execute("INSERT OR IGNORE INTO skill_content VALUES (?, ?)", (digest, packed))
        rows.append((name, n, path, digest))
    c.executemany("INSERT OR REPLACE INTO skill_version_file VALUES (?, ?, ?, ?)", rows)


def copy(c: apsw.Connection, name: str, n: int, to: int) -> None:
    """A version has the files of another one."""
    c.execute(
        "INSERT OR REPLACE INTO skill_version_file SELECT name, ?, path, digest"
        " FROM skill_version_file WHERE name = ? AND n = ?",
        (to, name, n),
    )


def kept(c: apsw.Connection, name: str, n: int) -> dict[str, str] | None:
    """Digests of the files of a version by path; None when nobody looked at them."""
    rows: Any = c.execute(
        "SELECT path, digest FROM skill_version_file WHERE name = ? AND n = ?", (name, n)
    )
    found = dict(rows)
    return found if found.pop(_SEEN, None) is not None else None


def contents(c: apsw.Connection, name: str, n: int) -> Files | None:
    """The files of a version; None when nobody looked at them."""
    if kept(c, name, n) is None:
        return None
    rows: Any = c.execute(
        "SELECT path, data FROM skill_version_file JOIN skill_content USING (digest)"
        " WHERE name = ? AND n = ?",
        (name, n),
    )
    return {path: zlib.decompress(data) for path, data in rows}


def _kept(name: str) -> bool:
    top, slash, _ = name.partition("/")
    return name == checks.FILE or bool(slash and top in FOLDERS)
