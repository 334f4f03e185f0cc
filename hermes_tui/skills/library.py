"""All skills there are: the bundled ones and the person's own, which win over the same name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from hermes_tui.bundled import bundled
from hermes_tui.errors import NotFoundError
from hermes_tui.home import Home
from hermes_tui.skills.skill import FILE, Skill, parse

_LIMIT = 1_000_000


class Library:
    """The skills of a home. Reads the folders anew at each call, so it is never stale."""

    def __init__(self, home: Home) -> None:
        self._folders: tuple[tuple[Literal["bundled", "user"], Path], ...] = (
            ("bundled", bundled("skills")),
            ("user", home.skills),
        )

    def all(self) -> tuple[Skill, ...]:
        """Every skill by name, broken ones with their `problems`."""
        found: dict[str, Skill] = {}
        for origin, folder in self._folders:
            for file in sorted(folder.glob(f"*/{FILE}")):
                skill = load(file, origin)
                found[skill.name] = skill
        return tuple(found[name] for name in sorted(found))

    def find(self, name: str) -> Skill:
        """One skill. Raises NotFoundError naming the nearest."""
        skills = {skill.name: skill for skill in self.all()}
        if name in skills:
            return skills[name]
        from difflib import get_close_matches

        near = get_close_matches(name, skills, n=1, cutoff=0.0)
        hint = f"did you mean {near[0]}? " if near else ""
        raise NotFoundError(f"there is no skill {name!r}", hint + "`hermes skills list` shows all")

    def read(self, name: str) -> str:
        """The SKILL.md of a skill, as it is on disk. Raises NotFoundError."""
        return _text(Path(self.find(name).path))[0]


def load(file: Path, origin: Literal["bundled", "user"]) -> Skill:
    """The skill of one SKILL.md; what can't be read becomes one of its problems."""
    text, problems = _text(file)
    skill = parse(text, file.parent.name)
    return msgspec.structs.replace(
        skill, origin=origin, path=str(file), problems=(*problems, *skill.problems)
    )


def _text(file: Path) -> tuple[str, tuple[str, ...]]:
    try:
        with file.open("rb") as opened:
            data = opened.read(_LIMIT + 1)
    except OSError as error:
        return "", (f"it can't be read: {error.strerror}",)
    if len(data) > _LIMIT:
        return "", (f"it is over {_LIMIT:,} bytes long",)
    try:
        return data.decode(), ()
    except UnicodeDecodeError as error:
        return data.decode(errors="replace"), (f"byte {error.start} is not UTF-8",)
