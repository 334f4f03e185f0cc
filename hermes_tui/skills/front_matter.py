"""The front matter of a SKILL.md: read by hand where it is plain, as YAML, else line by line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from msgspec import Struct

from hermes_tui.errors import ConfigError

Level = Literal["error", "warning", "advice"]

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"([A-Za-z][A-Za-z_-]*):[ \t]+(.*?)[ \t]*")
_INNER = re.compile(r"[ ]+([A-Za-z][\w.-]*):[ \t]+(.*?)[ \t]*")
_KEY = re.compile(r"^([A-Za-z][A-Za-z_-]*):", re.MULTILINE)
_QUOTED = re.compile(r"\"[^\"\\]*\"|'[^']*'")
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.-]*")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))


class Note(NamedTuple):
    """Something to remark on. rule: the field, or `front-matter`, `quotes`; line 0: the field's."""

    rule: str
    text: str
    level: Level = "error"
    line: int = 0


class Front(Struct, frozen=True, kw_only=True):
    """What a text begins with. missing: there is no front matter; lines: of each field;
    body_line: the first line of the body."""

    texts: dict[str, str] = {}
    metadata: dict[str, str] = {}
    body: str = ""
    body_line: int = 1
    lines: dict[str, int] = {}
    notes: tuple[Note, ...] = ()
    missing: bool = False


def read_front(text: str) -> Front:
    """Take a SKILL.md apart. Never fails; `notes` say what is wrong."""
    text = text.removeprefix("\ufeff")
    found = _FRONT.match(text)
    if found is None:
        why = "no front matter (`---`, name, description, `---`)"
        if text.startswith("---"):
            why = "the front matter has no end: put `---` on a line of its own below it"
        return Front(body=text, notes=(Note("front-matter", why, "error", 1),), missing=True)
    head = found[1]
    fields, notes = _fields(head)
    texts, more = _texts(fields)
    body = text[found.end() :]
    kept = body.lstrip("\r\n")
    return Front(
        texts=texts,
        metadata={str(k): flat(v) for k, v in _mapping(fields.get("metadata")).items()},
        body=kept,
        body_line=1 + text[: len(text) - len(kept)].count("\n"),
        lines={m[1]: head.count("\n", 0, m.start()) + 2 for m in _KEY.finditer(head)},
        notes=(*notes, *more),
    )


def is_plain(value: str) -> bool:
    """Whether any YAML reader takes the text as just this text."""
    if not value or not value[0].isalpha() or value.lower() in _WORDS:
        return False
    return ": " not in value and " #" not in value and not value.endswith(":")


def flat(value: Any) -> str:
    """Any value of YAML as text."""
    if isinstance(value, list):
        return " ".join(str(one) for one in cast("list[Any]", value))
    return "" if value is None else str(value)


def _fields(head: str) -> tuple[dict[str, Any], list[Note]]:
    lines = head.splitlines()
    plain = _plainly(lines)
    if plain is not None:
        return plain, []
    from hermes_tui.configuration import yaml_file

    try:
        return yaml_file.parse(head, Path("SKILL.md")), []
    except ConfigError:
        return _leniently(lines)


def _plainly(lines: list[str]) -> dict[str, Any] | None:
    """The fields when every line is `key: words`; None when it takes a reader of YAML."""
    fields: dict[str, Any] = {}
    inner: dict[str, Any] | None = None
    for line in lines:
        if not line.strip():
            continue
        if line.rstrip() == "metadata:" and "metadata" not in fields:
            inner = fields["metadata"] = {}
            continue
        nested = line.startswith(" ") and inner is not None
        found = (_INNER if nested else _LINE).fullmatch(line)
        into = inner if nested else fields
        value = None if found is None else _simple(found[2])
        if found is None or into is None or value is None or found[1] in into:
            return None
        if not nested:
            inner = None
        into[found[1]] = value
    return None if fields.get("metadata") == {} else fields


def _simple(value: str) -> str | None:
    """What a value says that needs no reader of YAML: bare words, simple quotes, versions."""
    if is_plain(value) or _VERSION.fullmatch(value):
        return value
    quoted = _QUOTED.fullmatch(value)
    return value[1:-1] if quoted else None


def _leniently(lines: list[str]) -> tuple[dict[str, Any], list[Note]]:
    """Every `name: rest of the line` taken as it stands; further lines belong to the one above."""
    fields: dict[str, Any] = {}
    notes: list[Note] = []
    last = ""
    for number, line in enumerate(lines, start=2):
        found = _LINE.fullmatch(line)
        if found and found[1] in FIELDS:
            last, value = found[1], _unquoted(found[2])
            if value == found[2] and not is_plain(value):
                text = f"put the value of {last} in quotes"
                notes.append(Note("quotes", text, "error", number))
            fields[last] = value
        elif found:
            last = found[1]
            fields[last] = _unquoted(found[2])
        elif last and line.strip():
            fields[last] = f"{fields[last]} {line.strip()}"
    broken = Note("front-matter", "the front matter is not valid YAML", "error", 1)
    return fields, notes or [broken]


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


def _texts(fields: dict[str, Any]) -> tuple[dict[str, str], list[Note]]:
    texts: dict[str, str] = {}
    notes: list[Note] = []
    for name, value in fields.items():
        if name == "metadata":
            notes += _about_metadata(value)
            continue
        if name not in FIELDS:
            text = f"{name}: not a field of the format; put it under metadata"
            notes.append(Note(str(name), text, "advice"))
        elif not isinstance(value, str):
            notes.append(Note(name, f"{name}: expected text", "warning"))
        texts[name] = flat(value)
    return texts, notes


def _about_metadata(value: Any) -> list[Note]:
    if not isinstance(value, dict):
        return [Note("metadata", "metadata: expected `key: value` lines", "warning")]
    odd = [str(k) for k, v in cast("dict[Any, Any]", value).items() if not isinstance(v, str)]
    return [
        Note("metadata", f"metadata: the value of {key} is not text; put it in quotes", "advice")
        for key in odd
    ]


def _mapping(value: Any) -> dict[Any, Any]:
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else {}
