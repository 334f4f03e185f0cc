"""Folders of skills checked: rules of the format, files that are missing, hostile words."""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

from hermes_tui.skills import scan
from hermes_tui.skills.front_matter import Level
from hermes_tui.skills.library import read_text
from hermes_tui.skills.skill import FILE, lint

_LINK = re.compile(r"\]\((?!\w+:|#|/)([^)\s#?]+)[^)\n]*\)")
_NAMED = re.compile(r"(?<![\w/.~$-])((?:scripts|references|assets)/[\w./-]*\w)")


class FileFinding(Struct, frozen=True, kw_only=True):
    """What is wrong at one line of one file."""

    path: str
    line: int
    level: Level
    rule: str
    text: str


def skill_folders(path: Path) -> list[Path]:
    """The SKILL.md files that a path means: itself, or all below it."""
    if path.is_file():
        return [path]
    if (path / FILE).exists() or (path / FILE).is_symlink():
        return [path / FILE]
    found: list[Path] = []
    for base, folders, names in os.walk(path):
        folders[:] = sorted(one for one in folders if one not in (".git", "node_modules"))
        if FILE in names:
            found.append(Path(base, FILE))
    return found


def lint_folder(file: Path) -> list[FileFinding]:
    """All that is wrong with the skill of a SKILL.md, by line."""
    path = str(file)
    text, problems = read_text(file)
    found = [_finding(path, 1, "error", "file", one) for one in problems]
    if not text and problems:
        return found
    folder = file.absolute().parent
    found += [
        FileFinding(path=path, line=one.line, level=one.level, rule=one.rule, text=one.text)
        for one in lint(text, folder.name)
    ]
    if file.name != FILE:
        found.append(_finding(path, 1, "error", "file", f"the file must be called {FILE}"))
    found += _missing(text, folder, path)
    found += [
        _finding(path, one.line, _LEVELS[one.weight], "safety", f"{one.what}: {one.text}")
        for one in scan.threats({FILE: text})
    ]
    return sorted(found, key=lambda one: (one.line, one.rule))


_LEVELS: dict[scan.Weight, Level] = {"block": "warning", "ask": "advice", "note": "advice"}


def _missing(text: str, folder: Path, path: str) -> list[FileFinding]:
    """Files of the skill that its text names and that are not there."""
    found: list[FileFinding] = []
    seen: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        for name in [*_LINK.findall(line), *_NAMED.findall(line)]:
            if name in seen or "*" in name or "<" in name or Path(name).stem.isupper():
                continue
            seen.add(name)
            if not (folder / name).exists():
                why = f"{name} is named here and is not there"
                found.append(_finding(path, number, "warning", "files", why))
    return found


def _finding(path: str, line: int, level: Level, rule: str, text: str) -> FileFinding:
    return FileFinding(path=path, line=line, level=level, rule=rule, text=text)
