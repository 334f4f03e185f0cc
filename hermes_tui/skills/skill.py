"""A skill: SKILL.md, read leniently with diagnostics and written strictly, by one format.

The format is that of agentskills.io: YAML front matter between `---` lines (`name` and
`description`, optionally `license`, `compatibility`, `metadata`, `allowed-tools`), then
instructions in Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.skills.front_matter import FIELDS, Front, Level, Note, is_plain, read_front

FILE = "SKILL.md"
NAME_LIMIT, DESCRIPTION_LIMIT, COMPATIBILITY_LIMIT, BODY_LINES = 64, 1024, 500, 500

Origin = Literal["bundled", "user", "hub", "learned", "shared", "project"]
"""Where a skill comes from: with the program, the person, an install that was accepted, the
agent; `.agents` or `.claude` folders of the person and of the project, which nobody vouches for."""
TRUSTED: frozenset[str] = frozenset(("bundled", "user", "hub", "learned"))

NAME = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)\Z)[a-z0-9]+(-[a-z0-9]+)*")
HIDDEN = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0b-\x1f]"
    "|[\U000e0000-\U000e007f]"
)


class Finding(Struct, frozen=True, kw_only=True):
    """What a SKILL.md does against the rules. line: from 1; rule: a short name of the rule.

    level: `error` breaks the format, `warning` is read but not as meant, `advice` could be better.
    """

    line: int
    level: Level
    rule: str
    text: str


class Skill(Struct, frozen=True, kw_only=True):
    """One skill. problems: what its file does against the rules, empty for a good one.

    path: its SKILL.md; overlaid: the person's changes lie over it; held: why it is kept out of
    prompts, empty when it is not; digest: of the text as it is read.
    """

    name: str
    description: str = ""
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = {}
    allowed_tools: str = ""
    body: str = ""
    origin: Origin = "user"
    path: str = ""
    problems: tuple[str, ...] = ()
    overlaid: bool = False
    held: str = ""
    digest: str = ""

    @property
    def trusted(self) -> bool:
        """Whether the person, or this program, vouches for it."""
        return self.origin in TRUSTED

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return Path(self.path).parent


def parse(text: str, folder: str) -> Skill:
    """The skill of a SKILL.md in a folder of that name. Never fails; says what is wrong."""
    skill, front = _read(text, folder)
    found = _findings(skill, front, folder)
    problems = tuple(_sentence(one) for one in found if one.level != "advice")
    return msgspec.structs.replace(skill, name=skill.name or folder, problems=problems)


def lint(text: str, folder: str) -> tuple[Finding, ...]:
    """All that a SKILL.md in a folder of that name does against the rules, by line."""
    skill, front = _read(text, folder)
    return tuple(sorted(_findings(skill, front, folder), key=lambda one: one.line))


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
    """The rules of the format that a skill breaks, each a sentence."""
    return tuple(note.text for note in _rules(skill, folder) if note.level == "error")


def checked(text: str, folder: str) -> Skill:
    """The skill of a text that is about to be written. Raises HermesError when it breaks a rule."""
    wrong = [one for one in lint(text, folder) if one.level == "error"]
    if wrong:
        first = wrong[0]
        raise HermesError(
            f"the skill {folder!r} can't be written: line {first.line}: {first.text}",
            "; ".join(f"line {one.line}: {one.text}" for one in wrong),
        )
    return parse(text, folder)


def repaired(text: str, folder: str) -> str:
    """The same skill with its front matter as the format wants it; other fields go to metadata.

    Raises HermesError when that takes more than quotes and order: a missing description, say.
    """
    skill, front = _read(text, folder)
    others = {key: value for key, value in front.texts.items() if key not in FIELDS}
    named = msgspec.structs.replace(
        skill,
        name=folder,
        description=skill.description.strip(),
        metadata={**others, **skill.metadata},
    )
    return render(named)


def _read(text: str, folder: str) -> tuple[Skill, Front]:
    front = read_front(text)
    fields = front.texts
    if front.missing:
        return Skill(name=folder, body=front.body), front
    return (
        Skill(
            name=fields.get("name", ""),
            description=fields.get("description", ""),
            license=fields.get("license", ""),
            compatibility=fields.get("compatibility", ""),
            allowed_tools=fields.get("allowed-tools", ""),
            metadata=front.metadata,
            body=front.body,
        ),
        front,
    )


def _findings(skill: Skill, front: Front, folder: str) -> list[Finding]:
    notes = list(front.notes)
    if not front.missing:
        notes += _rules(skill, folder)
    found = list[Finding]()
    for note in notes:
        line = note.line or front.lines.get(note.rule.partition(".")[0], 1)
        line = front.body_line if note.rule == "body" and not note.line else line
        found.append(Finding(line=line, level=note.level, rule=note.rule, text=note.text))
    return found


def _sentence(one: Finding) -> str:
    return f"line {one.line}: {one.text}" if one.rule in ("front-matter", "quotes") else one.text


def _rules(skill: Skill, folder: str) -> list[Note]:
    name, found = skill.name, list[Note]()
    if len(name) > NAME_LIMIT or not NAME.fullmatch(name):
        text = f"name {name!r}: use 1 to {NAME_LIMIT} of a-z and 0-9, with single hyphens between"
        found.append(Note("name", text))
    elif name != folder:
        found.append(Note("name", f"name {name!r} differs from its folder {folder!r}"))
    if not skill.description.strip():
        found.append(Note("description", "description: say what the skill does and when to use it"))
    found += _too_long("description", skill.description, DESCRIPTION_LIMIT)
    found += _too_long("compatibility", skill.compatibility, COMPATIBILITY_LIMIT)
    if HIDDEN.search(skill.description):
        text = "description: it has invisible or control characters"
        found.append(Note("description", text))
    if not skill.body.strip():
        found.append(Note("body", "body: there are no instructions", "advice"))
    if skill.body.count("\n") > BODY_LINES:
        text = f"body: over {BODY_LINES} lines; move details into files beside it"
        found.append(Note("body", text, "advice"))
    return found


def _too_long(what: str, text: str, limit: int) -> list[Note]:
    if len(text) <= limit:
        return []
    return [Note(what, f"{what}: {len(text):,} characters (limit {limit:,})")]


def _scalar(text: str) -> str:
    if is_plain(text) and text.isprintable() and text == text.strip():
        return text
    quoted = msgspec.json.encode(text).decode()
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
