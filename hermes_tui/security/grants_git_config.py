"""The settings of a repository that a command may change: which branch follows which.

`.git/config` can make git run any program, so it is held still in the sandbox. A command that
the policy has read and found to be git setting up a branch may write it; what it wrote is
compared afterwards, and anything else is taken back.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence

_HEADER = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_BRANCH_KEYS = frozenset(["remote", "merge", "rebase", "pushremote", "description"])
_SINGLE = frozenset(["-u", "-m", "-M", "-d", "-D", "-c", "-C", "-t"])
_LONG = ("--set-upstream-to", "--set-upstream", "--unset-upstream", "--track", "--move", "--delete")
_LIMIT = 1_000_000

Entries = Counter[tuple[str, str]]


def may_set_up_branch(argv: Sequence[str]) -> bool:
    """Whether a git command line, read word for word, writes branch settings and no others.

    Any option of git itself (`-c`, `--git-dir`, …) but `-C` makes it another matter.
    """
    words = list(argv)
    if not words or os.path.basename(words[0]) != "git":
        return False
    del words[0]
    while len(words) >= 2 and words[0] == "-C":
        del words[:2]
    if not words:
        return False
    verb, options = words[0], [one for one in words[1:] if one.startswith("-")]
    if verb in ("checkout", "switch"):
        return True
    if verb == "branch":
        return any(one in _SINGLE or one.startswith(_LONG) for one in options)
    if verb in ("push", "pull"):
        return "-u" in options or "--set-upstream" in options
    return False


def entries(text: str) -> Entries:
    """Every `section.subsection.key` with its value, as often as it stands there."""
    found: Entries = Counter()
    section = ""
    for raw in re.sub(r"\\\r?\n", "", text).split("\n"):  # git knows no other line ends
        line = raw.strip()
        header = _HEADER.match(line)
        if header is not None:
            name, below = header[1].lower(), header[2]
            section = name if below is None else f"{name}.{below}"
            line = line[header.end() :].strip()
        if line and line[0] not in "#;":
            key, _, value = line.partition("=")
            found[f"{section}.{key.strip().lower()}", value.strip()] += 1
    return found


def is_branch_setting(key: str) -> bool:
    """Whether a key only says what a branch follows or what a remote's branches are called."""
    section, _, rest = key.partition(".")
    last = rest.rpartition(".")[2]
    if section == "branch":
        return last in _BRANCH_KEYS
    return section == "remote" and last == "fetch"


def other_changes(before: str, after: str) -> tuple[str, ...]:
    """Keys that were set, changed or removed although they are no branch settings."""
    old, new = entries(before), entries(after)
    changed = {key for key, _ in (old - new) + (new - old)}
    return tuple(sorted(key for key in changed if not is_branch_setting(key)))


class Keeper:
    """Remembers a repository's settings, and takes back what a command should not have set."""

    def __init__(self, folders: Sequence[str]) -> None:
        paths = [os.path.join(folder, "config") for folder in folders]
        self._before = {path: text for path in paths if (text := _read(path)) is not None}

    def settle(self) -> tuple[str, ...]:
        """Put back the files with other changes; the keys that were refused."""
        refused: list[str] = []
        for path, before in self._before.items():
            after = _read(path)
            bad = other_changes(before, after) if after is not None else ("everything",)
            if bad:
                refused += bad
                _write(path, before)
        return tuple(refused)


def _read(path: str) -> str | None:
    """A file's text; None for what is no ordinary file, or too long for one of settings."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LIMIT)
    except OSError:
        return None
    return text if len(text) < _LIMIT else None


def _write(path: str, text: str) -> None:
    new = f"{path}.{os.urandom(4).hex()}"
    with open(new, "x", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.replace(new, path)
