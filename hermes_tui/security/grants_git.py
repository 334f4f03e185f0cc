"""What git needs of places outside the workspace, and of the person's own settings."""

from __future__ import annotations

import os
from functools import lru_cache

from msgspec import Struct

from hermes_tui.security.grants import is_within

_LIMIT = 200_000
# Settings that change what git says and records, but can't make it run or fetch anything.
_HARMLESS = {
    "user": {"name", "email", "useconfigonly"},
    "author": {"name", "email"},
    "committer": {"name", "email"},
    "init": {"defaultbranch"},
    "core": {"autocrlf", "eol", "safecrlf", "quotepath", "abbrev", "ignorecase", "whitespace"},
    "pull": {"rebase", "ff"},
    "push": {"default", "autosetupremote", "followtags"},
    "fetch": {"prune", "prunetags"},
    "merge": {"conflictstyle", "ff", "log"},
    "rebase": {"autosquash", "autostash", "updaterefs"},
    "diff": {"algorithm", "renames", "colormoved", "mnemonicprefix", "noprefix"},
    "branch": {"sort", "autosetuprebase", "autosetupmerge"},
    "tag": {"sort"},
    "log": {"date", "abbrevcommit", "decorate"},
    "status": {"short", "branch", "showuntrackedfiles"},
    "commit": {"verbose", "cleanup"},
    "rerere": {"enabled", "autoupdate"},
    "column": {"ui"},
    "help": {"autocorrect"},
}


class Repository(Struct, frozen=True, kw_only=True):
    """A repository that reaches outside the workspace. git: its folder; read: its work tree,
    when the workspace is only a part of it.
    """

    git: str
    read: str = ""


def repository(workspace: str, home: str) -> Repository | None:
    """The repository of a workspace when its data lies outside; None when it does not.

    The folder that a `.git` file names counts only if that folder names the file in turn:
    the file may have been written by anybody who works in the workspace.
    """
    marker = os.path.join(workspace, ".git")
    if os.path.isdir(marker):
        return None
    if os.path.isfile(marker):
        common = _linked(marker)
        return Repository(git=common) if common else None
    folder = os.path.dirname(workspace)
    while folder != "/" and not is_within(home, folder):
        if os.path.isfile(os.path.join(folder, ".git", "HEAD")):
            return Repository(git=os.path.join(folder, ".git"), read=folder)
        folder = os.path.dirname(folder)
    return None


def _linked(marker: str) -> str:
    """The main folder behind the `.git` file of a linked work tree, or nothing."""
    line = _line(marker)
    if not line.startswith("gitdir:"):
        return ""
    own = os.path.realpath(os.path.join(os.path.dirname(marker), line[7:].strip()))
    back = _line(os.path.join(own, "gitdir"))
    if not back or os.path.realpath(os.path.join(own, back)) != os.path.realpath(marker):
        return ""
    common = os.path.realpath(os.path.join(own, _line(os.path.join(own, "commondir")) or "."))
    is_git = os.path.isfile(os.path.join(common, "HEAD"))
    return common if is_git and is_within(own, common) else ""


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""


def modules(git: str) -> list[str]:
    """The folders of submodules in a repository's folder."""
    found: list[str] = []
    top = os.path.join(git, "modules")
    for folder, folders, files in os.walk(top):
        if "HEAD" in files and "config" in files:
            found.append(folder)
            folders[:] = [one for one in folders if one == "modules"]
        if len(found) >= 50:
            break
    return found


def harmless_settings(home: str) -> bytes:
    """The part of the person's git settings that a sandboxed git may go by."""
    paths = (os.path.join(home, ".gitconfig"), os.path.join(home, ".config/git/config"))
    made = b""
    for path in reversed(paths):
        try:
            changed = os.stat(path).st_mtime_ns
        except OSError:
            continue
        made += _filtered(path, changed)
    return made


@lru_cache(maxsize=8)
def _filtered(path: str, changed: int) -> bytes:
    del changed  # part of the key only: a changed file is read again
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(_LIMIT)
    except OSError:
        return b""
    section = ""
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            section = line.strip("[]").strip().lower()
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals and key.lower() in _HARMLESS.get(section, ()) and not value.endswith("\\"):
            lines.append(f"[{section}]\n\t{key} = {value}")
    return ("\n".join(lines) + "\n").encode() if lines else b""
