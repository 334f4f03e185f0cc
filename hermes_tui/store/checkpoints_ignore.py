"""What a folder's .gitignore files name, and folders that programs can make anew at any time."""

from __future__ import annotations

import re

MADE_ANEW = frozenset(
    [
        "node_modules",
        "bower_components",
        ".venv",
        "__pycache__",
        "__pypackages__",
        ".tox",
        ".nox",
        ".eggs",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        ".cache",
        ".ccache",
        ".gradle",
        ".terraform",
        ".next",
        ".nuxt",
        ".svelte-kit",
        ".parcel-cache",
        ".turbo",
        ".hg",
        ".svn",
        ".jj",
    ]
)
"""Folders that are left out wherever they lie: packages, caches, stores of other systems."""

MARKS = frozenset(["CACHEDIR.TAG", "pyvenv.cfg", "conda-meta"])
"""A folder that holds one of these is a cache (bford.info/cachedir) or an environment."""


class Ignored:
    """The patterns in force in a folder: its own .gitignore and those above it.

    base: the folder, relative to the root, "" for the root itself.
    """

    def __init__(self, base: str, text: str, outer: Ignored | None) -> None:
        self._base = base
        self._outer = outer
        self._rules = [rule for line in text.splitlines() if (rule := _rule(line)) is not None]

    def covers(self, path: str, is_folder: bool) -> bool:
        """Whether a path relative to the root is ignored by a pattern of its own.

        The last pattern that matches decides, the nearest file first.
        """
        below = path[len(self._base) + 1 :] if self._base else path
        for pattern, folders_only, negated in reversed(self._rules):
            if (is_folder or not folders_only) and pattern.fullmatch(below):
                return not negated
        return self._outer.covers(path, is_folder) if self._outer else False


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """(pattern, only folders, negated) of one line; None for a comment or nothing."""
    line = re.sub(r"(?<!\\) +$", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[negated:]
    folders_only = line.endswith("/")
    line = line.rstrip("/") if folders_only else line
    if not line.strip("/"):
        return None
    anchored = "/" in line
    text = _translated(line.removeprefix("/"))
    prefix = "" if anchored else "(?:.*/)?"
    try:
        return re.compile(prefix + text, re.DOTALL), folders_only, negated
    except re.error:
        return None


_PIECE = re.compile(
    r"(?P<any>^\*\*/|/\*\*/)|(?P<rest>/\*\*$)|(?P<star>\*+)|(?P<one>\?)"
    r"|(?P<set>\[[!^]?\]?(?:\\.|[^\]\\])*\])|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)


def _translated(pattern: str) -> str:
    """A pattern of gitignore(5) as a regular expression."""
    return "".join(_piece(found) for found in _PIECE.finditer(pattern))


def _piece(found: re.Match[str]) -> str:
    text = found.group()
    match found.lastgroup:
        case "any":
            return "(?:.*/)?" if not text.startswith("/") else "/(?:.*/)?"
        case "rest":
            return "/.+"
        case "star":
            return "[^/]*"
        case "one":
            return "[^/]"
        case "set":
            inner = re.sub(r"([\[&~|])", r"\\\1", text[1:-1])
            inner = "^" + inner[1:] if inner[:1] in ("!", "^") else inner
            return f"(?!/)[{inner}]"
        case "escaped":
            return re.escape(found.group("escaped"))
        case _:
            return re.escape(text)
