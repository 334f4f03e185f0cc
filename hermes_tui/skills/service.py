"""The skills of a running core: what there is, what fits a request, what a model gets to read.

The files are looked at when a turn begins and read in a thread; what is asked in between is
answered from memory, in about a millisecond.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from hermes_tui.config import SkillsConfig
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.skills import beside, parts, records
from hermes_tui.skills.folders import project_places, shared_places
from hermes_tui.skills.library import Changes, Library, unknown
from hermes_tui.skills.life import Outcome, State, Use
from hermes_tui.skills.offering import Offer, fitting, standing_text
from hermes_tui.skills.records import Mark
from hermes_tui.skills.routing import Index, Text, weigh
from hermes_tui.skills.skill import Skill
from hermes_tui.store.db import Database

_SLICE = 25
"""Skills that are put into the index at once, so that no key waits for a large library."""
_FOLDERS_KEPT = 16
_OWN = ("user", "learned")
"""Origins of skills whose folders are the home's own."""


class Loaded(Struct, frozen=True, kw_only=True):
    """What a model reads of a skill. untrusted: where it comes from, when nobody vouches for it."""

    name: str
    text: str
    version: int = 0
    untrusted: str = ""
    again: bool = False


class _Shelf:
    """One set of places with its index. kept: what was read of it outlives the program."""

    def __init__(self, library: Library, *, kept: bool = False) -> None:
        self.library = library
        self._kept = kept
        self.index = Index()
        self.skills: dict[str, Skill] = {}
        self.reading = asyncio.Lock()

    async def refresh(self) -> Changes:
        """Read what changed, in a thread, and put it into the index in slices."""
        async with self.reading:
            if self._kept:
                self._kept = False
                return await self._first()
            return await self._refresh({})

    async def _first(self) -> Changes:
        """The first look: at what was kept, then at the files; what is new is kept in turn."""
        from hermes_tui.skills import kept

        entries = await asyncio.to_thread(kept.recall, self.library)
        weights = {one.skill.name: one.weights for one in entries}
        for at in range(0, len(entries), _SLICE):
            for one in entries[at : at + _SLICE]:
                self.skills[one.skill.name] = one.skill
                self.index.put_weighed(one.skill.name, one.weights)
            await asyncio.sleep(0)
        changes = await self._refresh(weights)
        if changes.put or changes.gone:
            await asyncio.to_thread(kept.keep, self.library, weights)
        fresh = {one.name for one in changes.put}
        old = tuple(one.skill for one in entries if one.skill.name not in fresh)
        return Changes((*changes.put, *old), changes.gone)

    async def _refresh(self, weights_of: dict[str, dict[str, float]]) -> Changes:
        changes = await asyncio.to_thread(self.library.refresh)
        for name in changes.gone:
            self.index.drop(name)
            self.skills.pop(name, None)
        for at in range(0, len(changes.put), _SLICE):
            part = changes.put[at : at + _SLICE]
            weighed = await asyncio.to_thread(_weighed, part)
            for skill, weights in zip(part, weighed, strict=True):
                self.skills[skill.name] = parts.without_body(skill)
                self.index.put_weighed(skill.name, weights)
                weights_of[skill.name] = weights
        return changes


class Skills:
    """All skills of a core. `ready` first, then the rest answers from memory."""

    def __init__(self, home: Home, db: Database, settings: Callable[[], SkillsConfig]) -> None:
        self.home = home
        self.db = db
        self.settings = settings
        self.marks: dict[str, Mark] = {}
        self._shelf = _Shelf(Library(home), kept=True)
        self._outside: dict[tuple[str, str], _Shelf] = {}
        self._known: dict[str, tuple[int, str]] | None = None
        self._read: dict[str, dict[str, str]] = {}
        self._told: frozenset[str] = frozenset()
        self._notices: list[str] = []

    # --- knowing what there is -----------------------------------------------------------------

    async def ready(self, cwd: str = "", person: str = "") -> Changes:
        """Look at the files of the home and of the project around a folder.

        person: the person's own home folder, for the skills of other agents' programs there.
        """
        if self._known is None:
            await self.read_marks()
        changes = await self._shelf.refresh()
        await self._keep_versions(changes)
        if self.settings().outside and (cwd or person):
            await self._outside_of(cwd, person).refresh()
        return changes

    async def read_marks(self) -> None:
        """Read what the store knows of each skill."""
        self.marks = await self.db.read(records.marks)
        self._known = await self.db.read(records.newest_digests)
        accepted = frozenset(one.accepted for one in self.marks.values() if one.accepted)
        self._shelf.library.accept(accepted)
        for shelf in self._outside.values():
            shelf.library.accept(accepted)

    def all(self, cwd: str = "", person: str = "") -> tuple[Skill, ...]:
        """Every skill by name, without its body; the home's win over those from outside."""
        outside = self._outside_skills(cwd, person)
        found = {**outside, **self._shelf.skills}
        return tuple(found[name] for name in sorted(found))

    def get(self, name: str, cwd: str = "", person: str = "") -> Skill:
        """One skill, without its body. Raises NotFoundError naming the nearest."""
        found = self._shelf.skills.get(name) or self._outside_skills(cwd, person).get(name)
        if found is None:
            raise unknown(name, tuple(one.name for one in self.all(cwd, person)))
        return found

    async def text(self, name: str, cwd: str = "", person: str = "") -> str:
        """The SKILL.md of a skill as it counts. Raises NotFoundError."""
        skill = self.get(name, cwd, person)
        shelf = self._shelf if skill.trusted else self._outside_of(cwd, person)
        return await asyncio.to_thread(shelf.library.read, name)

    def usable(self, skill: Skill) -> bool:
        """Whether a model may be told of a skill: on, not held, not archived, not expired."""
        mark = self.marks.get(skill.name)
        if skill.held or not skill.description.strip():
            return False
        if mark is None:
            return True
        over = 0 < mark.expires <= time.time()
        return mark.enabled and mark.state != "archived" and not over

    def version_of(self, skill: Skill) -> int:
        """The number of the text a skill has now; 0 while its history is not kept."""
        number, digest = (self._known or {}).get(skill.name, (0, ""))
        return number if digest == skill.digest else 0

    def notices(self) -> list[str]:
        """What the person should hear once: broken skills, and texts that lost a lot."""
        found, self._notices = self._notices, []
        broken = {one.name for one in self._shelf.skills.values() if one.problems or one.held}
        fresh = sorted(broken - self._told)
        self._told = frozenset(broken)
        if fresh:
            word = "skill has" if len(fresh) == 1 else "skills have"
            found.append(f"{len(fresh)} {word} problems: {', '.join(fresh)}")
        return found

    # --- for prompts ---------------------------------------------------------------------------

    def standing(self) -> str:
        """What the frozen first part of a prompt says of skills; at most `index_bytes` long."""
        settings = self.settings()
        if not settings.enabled:
            return ""
        skills = [one for one in self._shelf.skills.values() if self.usable(one)]
        return standing_text(skills, settings.index_bytes)

    def offer(
        self, request: str, cwd: str = "", person: str = "", session: str = ""
    ) -> list[Offer]:
        """The skills that fit a request well enough to be worth its attention, best first."""
        settings = self.settings()
        if not settings.enabled or not settings.offers:
            return []
        read = self._read.get(session, {})
        offers = self.route(request, cwd, person, limit=settings.offers + len(read) + 4)
        fresh = [one for one in fitting(request, offers) if one.name not in read]
        return fresh[: settings.offers]

    def route(self, request: str, cwd: str = "", person: str = "", limit: int = 8) -> list[Offer]:
        """The usable skills by how well they fit, best first, however badly."""
        found: list[Offer] = []
        for shelf in self._shelves(cwd, person):
            for one in shelf.index.find(request, limit * 2 + 4):
                skill = shelf.skills[one.name]
                hidden = shelf is not self._shelf and one.name in self._shelf.skills
                if not hidden and self.usable(skill):
                    found.append(Offer.of(skill, one))
        found.sort(key=lambda one: (-one.score, one.name))
        return found[:limit]

    def rarity(self, word: str) -> float:
        """How much a word tells among the home's skills."""
        return self._shelf.index.rarity(word)

    async def load(self, use: Use, part: str = "", cwd: str = "", person: str = "") -> Loaded:
        """What a model reads of a skill, or of one file beside it; notes the use.

        The same text is given once a session; asked for again right after, it is given again.
        Raises HermesError for a skill that is switched off, held or not there.
        """
        skill = self.get(use.name, cwd, person)
        if not self.usable(skill):
            # What was found in it is for the person, never for a model that may have written it.
            why = "the user has to look at it first" if skill.held else "it is switched off"
            raise HermesError(f"the skill {use.name!r} can't be used: {why}")
        untrusted = "" if skill.trusted else f"skill {skill.name} of {skill.folder.parent}"
        await self.note_files(skill)
        version = self.version_of(skill)
        await self.db.write(
            lambda c: records.add_use(c, _with_version(use, version)), durable=False
        )
        read = self._read.setdefault(use.session, {})
        key = f"{use.name}/{part}" if part else use.name
        if read.get(key) == skill.digest:
            del read[key]
            text = f"You have read {key} in this session already; call again if it is gone."
            return Loaded(name=use.name, text=text, version=version, again=True)
        text = await self._shown(skill, part, cwd, person)
        read[key] = skill.digest
        return Loaded(name=use.name, text=text, version=version, untrusted=untrusted)

    def forget_session(self, session: str) -> None:
        """What a session has read is no longer in its prompt: after compaction, or when deleted."""
        self._read.pop(session, None)

    # --- what became of it -----------------------------------------------------------------------

    async def judge(
        self, session: str, turn: int, outcome: Outcome, why: str = ""
    ) -> list[tuple[str, State, State]]:
        """Note how the skills of a turn did; returns (name, state before, state now) of changes."""
        moved = await self.db.write(lambda c: records.judge(c, session, turn, outcome, why))
        if moved:
            await self.read_marks()
        return moved

    # --- what lies beside ------------------------------------------------------------------------

    async def files_of(self, skill: Skill) -> dict[str, bytes] | None:
        """The files beside a skill that belong to its versions; None for others' skills."""
        if skill.origin not in _OWN:
            return None
        return await asyncio.to_thread(beside.read, skill.folder)

    async def note_files(self, skill: Skill) -> None:
        """Keep a version when files beside a skill were changed on disk."""
        number = self.version_of(skill)
        files = await self.files_of(skill)
        if not number or files is None:
            return
        kept = await self.db.read(lambda c: beside.kept(c, skill.name, number))
        if kept == beside.digests(files) or (kept is None and not files):
            return
        text = await asyncio.to_thread(self._shelf.library.text_of, skill)
        draft = records.Draft(
            name=skill.name, text=text, by="outside", reason="changed on disk", files=files
        )
        if await self.db.write(lambda c: records.add_version(c, draft)) is not None:
            self._known = await self.db.read(records.newest_digests)

    # --- inside ----------------------------------------------------------------------------------

    async def _shown(self, skill: Skill, part: str, cwd: str, person: str) -> str:
        if part:
            return await asyncio.to_thread(parts.read_part, skill, part)
        shelf = self._shelf if skill.trusted else self._outside_of(cwd, person)
        whole = await asyncio.to_thread(shelf.library.find, skill.name)
        return await asyncio.to_thread(parts.for_model, whole)

    def _outside_of(self, cwd: str, person: str) -> _Shelf:
        key = (cwd, person)
        if key not in self._outside:
            while len(self._outside) >= _FOLDERS_KEPT:
                del self._outside[next(iter(self._outside))]
            accepted = self._shelf.library.accepted
            places = (*shared_places(person), *project_places(cwd, person))
            self._outside[key] = _Shelf(Library(self.home, places, accepted))
        return self._outside[key]

    def _shelves(self, cwd: str, person: str) -> tuple[_Shelf, ...]:
        outside = self._outside.get((cwd, person)) if self.settings().outside else None
        return (self._shelf,) if outside is None else (self._shelf, outside)

    def _outside_skills(self, cwd: str, person: str) -> dict[str, Skill]:
        shelves = self._shelves(cwd, person)
        return shelves[1].skills if len(shelves) > 1 else {}

    async def _keep_versions(self, changes: Changes) -> None:
        """Keep the texts of the home's skills that changed by other ways than through us."""
        known = self._known or {}
        fresh = [
            one
            for one in changes.put
            if (one.origin in ("user", "learned") or one.name in known)
            and known.get(one.name, (0, ""))[1] != one.digest
            and not one.held
        ]
        if not fresh:
            return
        texts = await asyncio.to_thread(lambda: [self._shelf.library.text_of(one) for one in fresh])
        files = [await self.files_of(one) for one in fresh]
        drafts = [
            records.Draft(
                name=one.name,
                text=text,
                by="update" if one.origin in ("bundled", "hub") else "outside",
                reason="an update" if one.origin in ("bundled", "hub") else "changed on disk",
                files=beside_it,
            )
            for one, text, beside_it in zip(fresh, texts, files, strict=True)
        ]
        made = await self.db.write(lambda c: [records.add_version(c, one) for one in drafts])
        self._known = await self.db.read(records.newest_digests)
        self._notices += [lost_notice(one) for one in made if one is not None and _gutted(one)]


def lost_notice(version: records.Version) -> str:
    """What to say of a text that lost much of what it said."""
    share = round(100 * version.lost)
    return (
        f"the skill {version.name} lost {share} % of what it said (version {version.n}); "
        f"`hermes skills undo {version.name}` brings it back"
    )


def _gutted(version: records.Version) -> bool:
    from hermes_tui.skills.merge import GUTTED

    return version.lost > GUTTED


def _weighed(skills: Iterable[Skill]) -> list[dict[str, float]]:
    return [weigh(Text(one.name, one.description, one.body)) for one in skills]


def _with_version(use: Use, version: int) -> Use:
    return msgspec.structs.replace(use, version=version)
