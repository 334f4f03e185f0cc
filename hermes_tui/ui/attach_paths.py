"""Whether a pasted text names files: what a terminal types when files are dropped on it."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

_MOST_CHARACTERS, _MOST_LINES = 4_000, 20
_BEGINNINGS = ("/", "~/", "file://")


def looks_like_paths(text: str) -> bool:
    """Whether it is worth looking on the disk for what a text names."""
    return bool(readings(text))


def readings(text: str) -> list[list[str]]:
    """The ways a text can be read as absolute paths, likeliest first; none for other text.

    Quotes, escaped blanks and `file://` addresses are understood, one or several on a line; a
    line with bare blanks may also be one path.
    """
    if len(text) > _MOST_CHARACTERS:
        return []
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines or len(lines) > _MOST_LINES:
        return []
    whole = [path for line in lines if (path := _path(line))]
    split = [path for line in lines for path in _split(line)]
    found: list[list[str]] = []
    if split and "" not in split:
        found.append(split)
    if len(whole) == len(lines) and whole not in found:
        found.append(whole)
    return found


def _split(line: str) -> list[str]:
    import shlex

    try:
        words = shlex.split(line)
    except ValueError:
        return [""]
    return [_path(word) for word in words]


def _path(word: str) -> str:
    """An absolute path, or nothing."""
    if not word.startswith(_BEGINNINGS) or "\0" in word:
        return ""
    if not word.startswith("file://"):
        return word
    try:
        parts = urlsplit(word)
    except ValueError:
        return ""
    here = parts.netloc in ("", "localhost")
    path = unquote(parts.path)
    return path if here and path.startswith("/") and "\0" not in path else ""
