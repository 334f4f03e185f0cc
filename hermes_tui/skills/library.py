"""All skills of some places: read once, read again when a file changes, overlays laid over them.

Of same names the last place's wins. What is kept in memory is everything but the bodies.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from hermes_tui.errors import NotFoundError
from hermes_tui.home import Home
from hermes_tui.skills import overlay, scan
from hermes_tui.skills.folders import Found, Place, home_places, look
from hermes_tui.skills.skill import Origin, Skill, parse

LIMIT = 1_000_000

Stamp = tuple[Found, tuple[int, ...]]
"""The state of a SKILL.md and of what lies over it."""


class Changes(Struct, frozen=True):
    """What a look at the files brought: skills that are new or different, whole, and names gone."""

    put: tuple[Skill, ...] = ()
    gone: tuple[str, ...] = ()


class Library:
    """The skills of a home, or of other places. `refresh` looks at the files, as do all others.

    accepted: digests of texts the person has let in although something in them is held.
    """

    def __init__(
        self,
        home: Home,
        places: tuple[Place, ...] | None = None,
        accepted: frozenset[str] = frozenset(),
    ) -> None:
        self.home = home
        self.places = places if places is not None else home_places(home)
        self.accepted = accepted
        self._stamps: dict[str, Stamp] = {}
        self._skills: dict[str, Skill] = {}

    def refresh(self) -> Changes:
        """Look at the files and read those that changed. Costs a `stat` for each of the others."""
        found = look(self.places)
        gone = tuple(name for name in self._skills if name not in found)
        for name in gone:
            del self._skills[name], self._stamps[name]
        put: list[Skill] = []
        for name, one in found.items():
            stamp = (one, overlay.stamp(self.home, name) if _overlaid(one.origin) else ())
            if self._stamps.get(name) == stamp:
                continue
            skill = self.load(one.file, one.origin)
            self._stamps[name] = stamp
            self._skills[name] = msgspec.structs.replace(skill, body="")
            put.append(skill)
        return Changes(tuple(put), gone)

    def trust(
        self, known: Mapping[str, tuple[Stamp, Skill]], accepted: frozenset[str]
    ) -> frozenset[str]:
        """Take what was read before, when these digests were accepted; names of what still holds.

        Only what has not been read yet is taken.
        """
        found = look(self.places)
        wanted, self.accepted = self.accepted, accepted
        for name, (stamp, skill) in known.items():
            one = found.get(name)
            if one is None or name in self._stamps:
                continue
            if stamp == (one, overlay.stamp(self.home, name) if _overlaid(one.origin) else ()):
                self._stamps[name], self._skills[name] = stamp, skill
        self.accept(wanted)
        return frozenset(self._stamps)

    def known(self) -> dict[str, tuple[Stamp, Skill]]:
        """What was read, without bodies."""
        return {name: (stamp, self._skills[name]) for name, stamp in self._stamps.items()}

    def accept(self, accepted: frozenset[str]) -> None:
        """Take other digests as accepted; what they change is read again."""
        changed = accepted ^ self.accepted
        self.accepted = accepted
        for name, skill in self._skills.items():
            if skill.digest in changed:
                self._stamps.pop(name, None)

    def all(self) -> tuple[Skill, ...]:
        """Every skill by name, without its body; broken ones with their `problems`."""
        self.refresh()
        return tuple(self._skills[name] for name in sorted(self._skills))

    def find(self, name: str) -> Skill:
        """One skill, whole. Raises NotFoundError naming the nearest."""
        self.refresh()
        known = self._skills.get(name)
        if known is not None:
            return self.load(Path(known.path), known.origin)
        raise unknown(name, tuple(self._skills))

    def read(self, name: str) -> str:
        """The SKILL.md of a skill as it counts, overlay and all. Raises NotFoundError."""
        return self.text_of(self.find(name))

    def text_of(self, skill: Skill) -> str:
        """The same for a skill that was found already; the other files are not looked at."""
        return self._text(Path(skill.path), skill.origin)[0]

    def load(self, file: Path, origin: Origin) -> Skill:
        """The skill of one SKILL.md; what can't be read becomes one of its problems."""
        text, problems, overlaid = self._text(file, origin)
        skill = parse(text, file.parent.name)
        digest = digest_of(text)
        skill = msgspec.structs.replace(
            skill,
            name=file.parent.name,
            origin=origin,
            path=str(file),
            overlaid=overlaid,
            digest=digest,
            problems=(*problems, *skill.problems),
        )
        held = "it can't be read" if problems and not text else ""
        held = held or scan.held(skill, digest in self.accepted)
        return msgspec.structs.replace(skill, held=held)

    def _text(self, file: Path, origin: Origin) -> tuple[str, tuple[str, ...], bool]:
        text, problems = read_text(file)
        if not _overlaid(origin) or not text:
            return text, problems, False
        merged = overlay.read(self.home, file.parent.name, text)
        if merged is None:
            return text, problems, False
        if merged.conflicts:
            what = "place" if merged.conflicts == 1 else "places"
            why = (
                f"an update and your changes meet at {merged.conflicts} {what}; yours stand: "
                "edit and save it to settle this"
            )
            problems = (*problems, why)
        return merged.text, problems, True


def load(file: Path, origin: Origin) -> Skill:
    """The skill of one SKILL.md anywhere; what can't be read becomes one of its problems."""
    return Library(Home(file.parent), ()).load(file, origin)


def unknown(name: str, names: tuple[str, ...]) -> NotFoundError:
    """The error for a skill that does not exist; names the nearest."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1, cutoff=0.0)
    hint = f"did you mean {near[0]}? " if near else ""
    return NotFoundError(f"there is no skill {name!r}", hint + "`hermes skills list` shows all")


def read_text(file: Path) -> tuple[str, tuple[str, ...]]:
    """(text, problems) of a SKILL.md. A link or anything but a plain file is not opened."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        why = "it is a link" if file.is_symlink() else error.strerror
        return "", (f"it can't be read: {why}",)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        return "", ("it can't be read: it is no plain file",)
    with os.fdopen(opened, "rb") as source:
        data = source.read(LIMIT + 1)
    if len(data) > LIMIT:
        return "", (f"it is over {LIMIT:,} bytes long",)
    try:
        return data.decode(), ()
    except UnicodeDecodeError as error:
        return data.decode(errors="replace"), (f"byte {error.start} is not UTF-8",)


def digest_of(text: str) -> str:
    """sha256 of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _overlaid(origin: Origin) -> bool:
    return origin in ("bundled", "hub")
