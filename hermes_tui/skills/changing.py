"""Skills written, proposed, accepted, taken back: every text kept, every change with its reason.

The person may change everything but what lies outside the home. The agent changes only what it
learned itself; anything else it proposes, and a proposal waits for the person.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.skills import beside, overlay, records, scan
from hermes_tui.skills.checks import broken_by
from hermes_tui.skills.folders import learned_folder
from hermes_tui.skills.library import digest_of, read_text
from hermes_tui.skills.life import state_after_edit
from hermes_tui.skills.merge import apply, is_gutted, merge
from hermes_tui.skills.records import Draft, Mark, Proposal, Version
from hermes_tui.skills.routing import Text
from hermes_tui.skills.service import Skills
from hermes_tui.skills.similar import Likeness, likeness
from hermes_tui.skills.skill import FILE, NAME, Skill, checked, parse, render, repaired
from hermes_tui.skills.tree import write_text

_NEAREST = 12
BrokenBy = Callable[[Path, str, str], Awaitable[tuple[str, ...]]]


class Idea(Struct, frozen=True, kw_only=True):
    """A skill's text the agent came up with. source: `SESSION:TURN` that led to it.

    untrusted: where text came from that was read before it; such an idea, and one that `waits`,
    counts only when the person says so.
    """

    name: str
    text: str
    reason: str
    source: str = ""
    replay: str = ""
    untrusted: str = ""
    waits: bool = False


class Suggested(Struct, frozen=True, kw_only=True):
    """What became of an idea: a proposal that waits, or a version that counts at once.

    like: the existing skill that the idea repeats, whose edit it was made."""

    proposal: Proposal | None = None
    version: Version | None = None
    like: str = ""


class Changing:
    """The writing side of `Skills`. One change at a time.

    broken_by: the checks that an edit breaks, by the skill's folder, its text and the new one.
    """

    def __init__(self, skills: Skills, broken_by: BrokenBy = broken_by) -> None:
        self.skills = skills
        self.broken_by = broken_by
        self._one = asyncio.Lock()

    # --- writing -----------------------------------------------------------------------------

    async def create(self, name: str, text: str, reason: str = "") -> Version:
        """Write a new skill of the person's own. Raises HermesError when it exists or is bad."""
        async with self._one:
            await self.skills.ready()
            self._refuse_known(name)
            return await self._write(Draft(name=name, text=text, by="person", reason=reason))

    async def save(self, name: str, text: str, reason: str = "") -> Version:
        """Replace a skill's text as the person wants it. The same text changes nothing."""
        async with self._one:
            await self.skills.ready()
            self.skills.get(name)
            return await self._write(Draft(name=name, text=text, by="person", reason=reason))

    async def undo(self, name: str) -> Version:
        """Bring the text before the last change back; once more goes one further back."""
        async with self._one:
            await self.skills.ready()
            history = await self.skills.db.read(lambda c: records.versions(c, name))
            target = records.before(history)
            if target is None:
                self.skills.get(name)
                raise HermesError(
                    f"nothing of {name} was changed",
                    f"`hermes skills disable {name}` switches it off",
                )
            return await self._restore(target, "undo")

    async def restore(self, name: str, number: int) -> Version:
        """Bring a version back by its number. Raises NotFoundError."""
        async with self._one:
            await self.skills.ready()
            history = await self.skills.db.read(lambda c: records.versions(c, name))
            target = next((one for one in history if one.n == number), None)
            if target is None:
                raise NotFoundError(
                    f"{name} has no version {number}", f"`hermes skills history {name}` lists them"
                )
            return await self._restore(target, "back to an older version")

    async def switch(self, name: str, on: bool) -> Skill:
        """Switch a skill on or off; on also lets in a text that was held, as it is now."""
        async with self._one:
            await self.skills.ready()
            skill = self.skills.get(name)
            mark = self.skills.marks.get(name, Mark(name=name))
            accepted = skill.digest if on and skill.held else mark.accepted
            state = "candidate" if on and mark.state == "archived" else mark.state
            new = msgspec.structs.replace(mark, enabled=on, accepted=accepted, state=state)
            await self._mark(new)
            return self.skills.get(name)

    # --- proposals -----------------------------------------------------------------------------

    async def suggest(self, idea: Idea) -> Suggested:
        """Take an idea of the agent. An idea that repeats a skill becomes an edit of that one.

        Raises HermesError when the text breaks the format's rules or must not be kept; the words
        say no more than that, because they go to whoever wrote it.
        """
        async with self._one:
            await self.skills.ready()
            idea, like = await self._aimed(_well_formed(idea))
            if any(one.weight == "block" for one in scan.threats({FILE: idea.text})):
                raise HermesError("this text can't be kept as a skill")
            old = await self._text_of(idea.name)
            if old is not None and old == idea.text:
                raise HermesError(f"the skill {idea.name} says that already")
            if old is not None:
                await self._keeps_checks(idea.name, old, idea.text)
            if self._may_apply(idea, old):
                draft = Draft(
                    name=idea.name,
                    text=idea.text,
                    by="agent",
                    reason=idea.reason,
                    source=idea.source,
                )
                return Suggested(version=await self._write(draft), like=like)
            proposal = await self._propose(idea, old)
            return Suggested(proposal=proposal, like=like)

    async def accept(
        self, number: int, hunks: Collection[int] | None = None, text: str | None = None
    ) -> Version:
        """Make a proposal count: all of it, those of its changes, or as the person rewrote it.

        When the skill has changed since, both changes are brought together.
        """
        async with self._one:
            await self.skills.ready()
            one = await self._open(number)
            old = await self._text_of(one.name) or ""
            wanted = text if text is not None else await self._wanted(one, old, hunks)
            whole = text is None and hunks is None
            draft = Draft(
                name=one.name, text=wanted, by="agent", reason=one.reason, source=one.source
            )
            version = await self._write(draft)
            state: records.Answer = "accepted" if whole else "partly"
            await self.skills.db.write(lambda c: records.answer_proposal(c, number, state))
            return version

    async def reject(self, number: int, note: str = "") -> Proposal:
        """Refuse a proposal; the note is what whoever proposed it learns from."""
        one = await self._open(number)
        await self.skills.db.write(lambda c: records.answer_proposal(c, number, "rejected", note))
        return one

    async def copies(self, new: Text) -> list[Likeness]:
        """The skills that a new one repeats, the most alike first."""
        from hermes_tui.skills.similar import ALIKE

        near = self.skills.route(f"{new.description}\n{new.body}", limit=_NEAREST)
        found: list[Likeness] = []
        for one in near:
            if one.name != new.name:
                skill = parse(await self.skills.text(one.name), one.name)
                other = Text(one.name, skill.description, skill.body)
                found.append(Likeness(one.name, likeness(new, other, self.skills.rarity)))
        found.sort(key=lambda one: (-one.share, one.name))
        return [one for one in found if one.share >= ALIKE]

    # --- inside ----------------------------------------------------------------------------------

    async def _keeps_checks(self, name: str, old: str, new: str) -> None:
        """Raises HermesError for an edit that breaks what the checks beside a skill promise."""
        if broken := await self.broken_by(self.skills.get(name).folder, old, new):
            raise HermesError(
                f"this edit breaks a check beside {name}: {'; '.join(broken)}",
                "propose a text that keeps it",
            )

    def _refuse_known(self, name: str) -> None:
        if any(one.name == name and one.trusted for one in self.skills.all()):
            raise HermesError(
                f"there is a skill {name!r} already", f"`hermes skills edit {name}` changes it"
            )

    async def _aimed(self, idea: Idea) -> tuple[Idea, str]:
        """The idea, turned into an edit of the skill it repeats; that skill's name."""
        skill = parse(idea.text, idea.name)
        if any(one.name == idea.name and one.trusted for one in self.skills.all()):
            return idea, ""
        alike = await self.copies(Text(idea.name, skill.description, skill.body))
        alike = [one for one in alike if self.skills.get(one.name).trusted]
        if not alike:
            return idea, ""
        other = alike[0].name
        text = render(msgspec.structs.replace(skill, name=other))
        return msgspec.structs.replace(idea, name=other, text=text), other

    def _may_apply(self, idea: Idea, old: str | None) -> bool:
        """Whether the agent's text counts without being asked about."""
        if self.skills.settings().edits != "apply" or idea.untrusted or idea.waits:
            return False
        if old is None:
            return True
        return self.skills.get(idea.name).origin == "learned" and not is_gutted(old, idea.text)

    async def _propose(self, idea: Idea, old: str | None) -> Proposal:
        new = Proposal(
            id=0,
            name=idea.name,
            kind="edit" if old is not None else "new",
            ts=time.time(),
            reason=idea.reason,
            text=idea.text,
            source=idea.source,
            base=digest_of(old) if old is not None else "",
            replay=idea.replay,
        )
        if old is not None:
            await self._keep_current(idea.name, old)
        return await self.skills.db.write(lambda c: records.add_proposal(c, new))

    async def _open(self, number: int) -> Proposal:
        one = await self.skills.db.read(lambda c: records.proposal(c, number))
        if one is None or one.state != "open":
            raise NotFoundError(f"there is no open proposal {number}", "it was answered already")
        return one

    async def _wanted(self, one: Proposal, old: str, hunks: Collection[int] | None) -> str:
        """The text a proposal comes to, by what the skill says now."""
        base = old
        if old and digest_of(old) != one.base:
            history = await self.skills.db.read(lambda c: records.versions(c, one.name))
            base = next((v.text for v in history if v.digest == one.base), old)
        theirs = one.text if hunks is None else apply(base, one.text, hunks)
        return theirs if base == old else merge(base, old, theirs).text

    async def _text_of(self, name: str) -> str | None:
        try:
            return await self.skills.text(name)
        except NotFoundError:
            return None

    async def _restore(self, target: Version, reason: str) -> Version:
        files = await self.skills.db.read(lambda c: beside.contents(c, target.name, target.n))
        draft = Draft(
            name=target.name,
            text=target.text,
            by="undo",
            reason=f"{reason}: version {target.n}",
            restores=target.restores or target.n,
            files=files,
        )
        return await self._write(draft)

    async def _keep_current(self, name: str, old: str) -> None:
        """Have the text as it is in the history before it changes."""
        skill = self.skills.get(name)
        by: records.By = "update" if skill.origin in ("bundled", "hub") else "outside"
        files = await self.skills.files_of(skill)
        draft = Draft(name=name, text=old, by=by, reason="as it was", files=files)
        await self.skills.db.write(lambda c: records.add_version(c, draft))

    async def _write(self, draft: Draft) -> Version:
        """Put a text in its place and into the history; returns the version."""
        text = draft.text if draft.by == "undo" else _mended(draft.text, draft.name)
        draft = msgspec.structs.replace(draft, text=text)
        old = await self._text_of(draft.name)
        if old is not None:
            await self._keep_current(draft.name, old)
        kept = await self.skills.db.read(lambda c: records.newest_files(c, draft.name))
        draft = await asyncio.to_thread(self._put, draft, old is not None, kept)
        version = await self.skills.db.write(
            lambda c: records.add_version(c, draft) or records.newest(c, draft.name)
        )
        if version is None:
            raise AssertionError(draft.name)
        await self._mark_changed(draft, old is None)
        await self.skills.ready()
        return version

    def _put(self, draft: Draft, known: bool, kept: dict[str, str]) -> Draft:
        """Write a text, and the files a draft brings back; the draft with what is there now.

        kept: the files beside the skill that its newest version has.
        """
        home = self.skills.home
        skill = self.skills.get(draft.name) if known else None
        if skill is not None and skill.origin in ("bundled", "hub"):
            overlay.write(home, skill.name, read_text(Path(skill.path))[0], draft.text)
            return msgspec.structs.replace(draft, files=None)
        if skill is not None and not skill.trusted:
            raise HermesError(
                f"{skill.name} lies in {skill.folder.parent}, which is not yours to change here",
                f"`hermes skills import {skill.folder}` makes a copy of it your own",
            )
        above = learned_folder(home) if draft.by == "agent" else home.skills
        folder = skill.folder if skill is not None else above / draft.name
        write_text(folder / FILE, draft.text)
        if draft.files is not None:
            beside.put_back(folder, draft.files, kept)
        return msgspec.structs.replace(draft, files=beside.read(folder))

    async def _mark_changed(self, draft: Draft, fresh: bool) -> None:
        mark = self.skills.marks.get(draft.name, Mark(name=draft.name))
        learned = fresh and draft.by == "agent"
        state = "candidate" if learned else state_after_edit(mark.state) if mark.state else ""
        accepted = (
            digest_of(draft.text) if mark.accepted and draft.by == "person" else mark.accepted
        )
        await self._mark(msgspec.structs.replace(mark, state=state, accepted=accepted))

    async def _mark(self, new: Mark) -> None:
        fresh = msgspec.structs.replace(new, since=0.0)
        await self.skills.db.write(lambda c: records.set_mark(c, fresh))
        await self.skills.read_marks()
        await self.skills.ready()


def _well_formed(idea: Idea) -> Idea:
    if not idea.reason.strip():
        raise HermesError("say why the skill should change", "give a reason")
    return msgspec.structs.replace(idea, text=_mended(idea.text, idea.name))


def _mended(text: str, name: str) -> str:
    """The text, with quotes put right if that is all it takes. Raises HermesError otherwise."""
    if not NAME.fullmatch(name):
        checked(text, name)
    try:
        checked(text, name)
    except HermesError:
        if parse(text, name).name != name:
            raise
        text = repaired(text, name)
        checked(text, name)
    return text
