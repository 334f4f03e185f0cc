"""`keys.yaml` in the home: a person's own keys, command by command and part by part.

    session.new: [ctrl+n, ctrl+x n]
    zoom: alt+z
    rail: []          # no key at all
    trace.again: f5   # a key of a pane, list or dialog

What can't be used is told with its line; everything else counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from hermes_tui import commands
from hermes_tui.ui import part_keys
from hermes_tui.ui.keys import LEADER, NEVER, YIELDING

_SPELLINGS = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "del": "delete",
    "ins": "insert",
    "meta": "alt",
    "option": "alt",
    "control": "ctrl",
    "?": "question_mark",
    "/": "slash",
    ".": "full_stop",
    ",": "comma",
    "←": "left",
    "→": "right",
    "↑": "up",
    "↓": "down",
}
_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super)\+)*(?:[a-z0-9]|[a-z_]{2,}|f[0-9]{1,2})")
_PART_KEY = re.compile(rf"[A-Z]|{_KEY.pattern}")
_TYPED = re.compile(r"(?:shift\+)?(?:[a-z0-9]|space|enter|tab|backspace|[a-z]+_[a-z_]+)")


class OwnKeys(Struct, frozen=True):
    """What the file says: keys by command id, and what is wrong with it, `line: what`."""

    keys: dict[str, tuple[str, ...]] = {}
    problems: tuple[str, ...] = ()


def read_keys(path: Path) -> OwnKeys:
    """Read the file; one that does not exist says nothing. Slow for one that does (YAML)."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return OwnKeys()
    except (OSError, UnicodeDecodeError) as error:
        return OwnKeys(problems=(f"{path.name}: {error}",))
    return parse_keys(text, path.name)


def parse_keys(text: str, name: str = "keys.yaml") -> OwnKeys:
    """The same for a text."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        raw: Any = YAML(typ="rt", pure=True).load(text)
    except MarkedYAMLError as error:
        mark = cast("Any", getattr(error, "problem_mark", None))
        return OwnKeys(problems=(f"{name}:{int(mark.line) + 1 if mark else 1}: {error.problem}",))
    except (YAMLError, ValueError) as error:
        return OwnKeys(problems=(f"{name}:1: {error}",))
    if raw is None:
        return OwnKeys()
    if not isinstance(raw, Mapping):
        return OwnKeys(problems=(f"{name}:1: keys are lines such as `zoom: alt+z`",))
    return _Reader(name, cast("Mapping[Any, Any]", raw)).read()


def spelled(key: str) -> str:
    """A key as the program calls it: `Ctrl-PgUp` is `ctrl+pageup`, `ctrl+x n` stays a chord."""
    return " ".join(_one(part) for part in key.split())


def _one(key: str) -> str:
    parts = re.split(r"[+-](?=.)", key.strip())
    parts = [_SPELLINGS.get(part.lower(), part.lower()) for part in parts]
    order = ("super", "ctrl", "alt", "shift")
    modifiers = [one for one in order if one in parts[:-1]]
    return "+".join([*modifiers, parts[-1]])


class _Reader:
    def __init__(self, name: str, raw: Mapping[Any, Any]) -> None:
        self.name, self.raw = name, raw
        self.problems: list[str] = []
        self.used: dict[str, str] = {}

    def read(self) -> OwnKeys:
        own: dict[str, tuple[str, ...]] = {}
        for given, value in self.raw.items():
            if str(given) in part_keys.BY_ID:
                own[str(given)] = tuple(self.part_keys(given, value))
                continue
            command = commands.BY_ID.get(str(given))
            if command is None or "ui" not in command.surfaces:
                self.wrong(given, f"there is no command {given!r}; near it: {_nearest(str(given))}")
                continue
            own[command.id] = tuple(self.keys(command.id, given, value))
        self.conflicts(own)
        for given, what in part_keys.clashes(own):
            self.wrong(given, what)
        return OwnKeys(own, tuple(self.problems))

    def keys(self, command_id: str, given: Any, value: Any) -> Iterator[str]:
        listed = cast("list[Any]", value if isinstance(value, list) else [value])
        for one in [] if value in (None, "") else listed:
            key = spelled(str(one))
            if " " in key:
                key = f"{commands.BY_ID[LEADER].keys[0]} {key.partition(' ')[2]}"
            if reason := _unfit(key, command_id):
                self.wrong(given, f"{one}: {reason}")
            elif key in self.used:
                self.wrong(given, f"{one} is taken by {self.used[key]} above")
            else:
                self.used[key] = command_id
                yield key

    def part_keys(self, given: Any, value: Any) -> Iterator[str]:
        """The keys of a part of the screen, where a letter alone is a key like any other."""
        listed = cast("list[Any]", value if isinstance(value, list) else [value])
        for one in [] if value in (None, "") else listed:
            key = _of_part(str(one).strip())
            if " " in key or not _PART_KEY.fullmatch(key):
                self.wrong(given, f"{one}: no such key; keys here are like x, ctrl+k, f5")
            elif key in NEVER:
                self.wrong(given, f"{one}: terminals send that as another key")
            elif taker := _taken_first(key):
                self.wrong(given, f"{one} is the key of {taker}, which comes first everywhere")
            else:
                yield key

    def conflicts(self, own: Mapping[str, tuple[str, ...]]) -> None:
        """Say whose default key was taken: nobody should have to find that out."""
        for command in commands.COMMANDS:
            for key in command.keys:
                taker = self.used.get(key)
                if command.id not in own and taker is not None:
                    left = [one for one in command.keys if one not in self.used]
                    rest = f"it still has {', '.join(left)}" if left else "it has no key now"
                    self.wrong(taker, f"{key} was the key of {command.id}; {rest}")

    def wrong(self, given: Any, what: str) -> None:
        places: dict[Any, list[int]] = getattr(getattr(self.raw, "lc", None), "data", None) or {}
        line = places[given][0] + 1 if given in places else 1
        self.problems.append(f"{self.name}:{line}: {what}")


def _of_part(key: str) -> str:
    """As `spelled`, but a capital letter alone stays one: it is another key there."""
    return key if len(key) == 1 and key.isalpha() else spelled(key)


def _taken_first(key: str) -> str:
    """The command whose key it is before any part of the screen sees it; empty for none."""
    return next(
        (one.id for one in commands.COMMANDS if key in one.keys and one.id not in YIELDING), ""
    )


def _unfit(key: str, command_id: str) -> str:
    """Why a key can't be bound, empty when it can."""
    head, _, tail = key.partition(" ")
    if " " in tail or not all(_KEY.fullmatch(part) for part in key.split(" ")):
        return "no such key; keys are like ctrl+k, alt+1, f5, or ctrl+x k after the leader"
    if any(part in NEVER for part in (head, tail)):
        return "terminals send that as tab, enter, escape or backspace"
    if not tail and _TYPED.fullmatch(head):
        return "that would be lost for typing; put ctrl or alt before it"
    if tail and command_id == LEADER:
        return "the leader is one key"
    return ""


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    known = [one.id for one in commands.COMMANDS if "ui" in one.surfaces] + [*part_keys.BY_ID]
    return ", ".join(get_close_matches(name, known, 3, 0.0))
