"""A skill: SKILL.md, read leniently with diagnostics and written strictly, by one format.

The format is that of agentskills.io: YAML front matter between `---` lines (`name` and
`description`, optionally `license`, `compatibility`, `metadata`, `allowed-tools`), then
instructions in Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from hermes_tui.errors import ConfigError, HermesError

FILE = "SKILL.md"
NAME_LIMIT, DESCRIPTION_LIMIT, COMPATIBILITY_LIMIT, BODY_LINES = 64, 1024, 500, 500

_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"([A-Za-z][A-Za-z_-]*):[ \t]+(.*?)[ \t]*")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HIDDEN = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0b-\x1f]"
)


class Skill(Struct, frozen=True, kw_only=True):
    """One skill. problems: what its file does against the rules, empty for a good one."""

    name: str
    description: str = ""
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = {}
    allowed_tools: str = ""
    body: str = ""
    origin: Literal["bundled", "user"] = "user"
    path: str = ""
    problems: tuple[str, ...] = ()


def parse(text: str, folder: str) -> Skill:
    """The skill of a SKILL.md in a folder of that name. Never fails; says what is wrong."""
    text = text.removeprefix("\ufeff")
    found = _FRONT.match(text)
    if found is None:
        why = "line 1: no front matter (`---`, name, description, `---`)"
        return Skill(name=folder, body=text, problems=(why,))
    fields, notes = _front_matter(found[1])
    texts, more = _texts(fields)
    metadata = {str(k): _flat(v) for k, v in _mapping(fields.get("metadata")).items()}
    skill = Skill(
        name=texts.get("name", ""),
        description=texts.get("description", ""),
        license=texts.get("license", ""),
        compatibility=texts.get("compatibility", ""),
        allowed_tools=texts.get("allowed-tools", ""),
        metadata=metadata,
        body=text[found.end() :].lstrip("\r\n"),
    )
    problems = (*notes, *more, *check(skill, folder))
    return msgspec.structs.replace(skill, name=skill.name or folder, problems=problems)


def render(skill: Skill) -> str:
    """The SKILL.md of a skill; `parse` gives the same skill again.

    Raises HermesError when the skill breaks a rule: what is written is always valid.
    """
    wrong = check(skill, skill.name)
    if wrong:
        raise HermesError(
            f"the skill {skill.name!r} can't be written: {wrong[0]}", "; ".join(wrong)
        )
    lines = ["---", f"name: {_scalar(skill.name)}", f"description: {_scalar(skill.description)}"]
    optional = (
        ("license", skill.license),
        ("compatibility", skill.compatibility),
        ("allowed-tools", skill.allowed_tools),
    )
    lines += [f"{name}: {_scalar(value)}" for name, value in optional if value]
    if skill.metadata:
        lines.append("metadata:")
        lines += [f"  {_scalar(key)}: {_scalar(v)}" for key, v in skill.metadata.items()]
    return "\n".join([*lines, "---", "", skill.body.lstrip("\r\n")])


def check(skill: Skill, folder: str) -> tuple[str, ...]:
    """What a skill does against the rules, each a sentence."""
    name, found = skill.name, list[str]()
    if len(name) > NAME_LIMIT or not _NAME.fullmatch(name):
        found.append(
            f"name {name!r}: use 1 to {NAME_LIMIT} of a-z and 0-9, with single hyphens between"
        )
    elif name != folder:
        found.append(f"name {name!r} differs from its folder {folder!r}")
    if not skill.description.strip():
        found.append("description: say what the skill does and when to use it")
    found += _too_long("description", skill.description, DESCRIPTION_LIMIT)
    found += _too_long("compatibility", skill.compatibility, COMPATIBILITY_LIMIT)
    if skill.body.count("\n") > BODY_LINES:
        found.append(f"body: over {BODY_LINES} lines; move details into files beside it")
    if _HIDDEN.search(skill.description):
        found.append("description: it has invisible or control characters")
    return tuple(found)


def _too_long(what: str, text: str, limit: int) -> list[str]:
    return [f"{what}: {len(text):,} characters (limit {limit:,})"] if len(text) > limit else []


def _front_matter(text: str) -> tuple[dict[str, Any], list[str]]:
    """(fields, diagnostics): plain lines without a YAML reader, else YAML, else leniently."""
    lines = text.splitlines()
    simple = [_LINE.fullmatch(line) for line in lines if line.strip()]
    if all(one is not None and _is_plain(one[2]) for one in simple):
        pairs = [(one[1], one[2]) for one in simple if one]
        if len(dict(pairs)) == len(pairs):
            return dict(pairs), []
    from hermes_tui.configuration import yaml_file

    try:
        return yaml_file.parse(text, Path(FILE)), []
    except ConfigError:
        return _leniently(lines)


def _leniently(lines: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Every `name: rest of the line` taken as it stands; further lines belong to the one above."""
    fields: dict[str, Any] = {}
    notes: list[str] = []
    last = ""
    for number, line in enumerate(lines, start=2):
        found = _LINE.fullmatch(line)
        if found and found[1] in _FIELDS:
            last, value = found[1], _unquoted(found[2])
            if value == found[2] and not _is_plain(value):
                notes.append(f"line {number}: put the value of {last} in quotes")
            fields[last] = value
        elif last and line.strip():
            fields[last] = f"{fields[last]} {line.strip()}"
    return fields, notes or ["the front matter is not valid YAML"]


def _is_plain(value: str) -> bool:
    """Whether any YAML reader takes the text as just this text."""
    if not value or not value[0].isalpha() or value.lower() in _WORDS:
        return False
    return ": " not in value and " #" not in value and not value.endswith(":")


_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


def _texts(fields: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    texts: dict[str, str] = {}
    notes: list[str] = []
    for name, value in fields.items():
        if name == "metadata":
            notes += [] if isinstance(value, dict) else ["metadata: expected `key: value` lines"]
            continue
        if name in _FIELDS and not isinstance(value, str):
            notes.append(f"{name}: expected text")
        texts[name] = _flat(value)
    return texts, notes


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(str(one) for one in cast("list[Any]", value))
    return "" if value is None else str(value)


def _mapping(value: Any) -> dict[Any, Any]:
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else {}


def _scalar(text: str) -> str:
    if _is_plain(text) and text.isprintable() and text == text.strip():
        return text
    quoted = msgspec.json.encode(text).decode()
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
