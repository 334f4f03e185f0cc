"""What the core does about skills: list, find, check, write, answer proposals, fetch."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

import msgspec

from hermes_tui import intents
from hermes_tui.intents import Done
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.skills.hub import Arrival
    from hermes_tui.skills.life import Use
    from hermes_tui.skills.records import Proposal, Version
    from hermes_tui.skills.skill import Finding, Skill

_BYTES_A_TOKEN = 4
_CONTEXT = 1
"""Lines around a proposed change: few, so that neighbours can be taken one by one."""


def _person() -> str:
    return os.environ.get("HOME", "")


async def list_skills(core: Core, intent: intents.ListSkills, face: Face) -> intents.SkillList:
    """All skills with what became of them."""
    from hermes_tui.skills import records

    skills = core.using_skills.skills
    if face.name != "cli":
        core.using_skills.follow()
    person = _person() if intent.cwd else ""
    await skills.ready(intent.cwd, person)
    uses = await core.db.read(records.uses)
    waiting = {one.name: one.id for one in await core.db.read(records.open_proposals)}
    by_name: dict[str, list[Use]] = {}
    for use in uses:
        by_name.setdefault(use.name, []).append(use)
    known = {one.name for one in skills.all(intent.cwd, person)}
    infos = [
        _info(core, one, by_name.get(one.name, []), waiting.get(one.name, 0))
        for one in skills.all(intent.cwd, person)
    ]
    infos += [
        intents.SkillInfo(name=name, origin="learned", description="proposed", proposal=number)
        for name, number in waiting.items()
        if name not in known
    ]
    return intents.SkillList(skills=tuple(sorted(infos, key=lambda one: one.name)))


def _info(core: Core, skill: Skill, uses: list[Use], proposal: int) -> intents.SkillInfo:
    from hermes_tui.skills.life import success

    skills = core.using_skills.skills
    mark = skills.marks.get(skill.name)
    worked, judged = success(uses)
    return intents.SkillInfo(
        name=skill.name,
        description=skill.description,
        origin=skill.origin,
        path=skill.path,
        problems=skill.problems,
        version=skills.version_of(skill),
        uses=len(uses),
        worked=worked,
        judged=judged,
        last_used=uses[-1].ts if uses else 0.0,
        state=mark.state if mark else "",
        held=skill.held,
        on=mark.enabled if mark else True,
        proposal=proposal,
        overlaid=skill.overlaid,
    )


async def read_skill(core: Core, intent: intents.ReadSkill, face: Face) -> intents.Text:
    """The SKILL.md of one skill."""
    skills = core.using_skills.skills
    person = _person() if intent.cwd else ""
    await skills.ready(intent.cwd, person)
    return intents.Text(text=await skills.text(intent.name, intent.cwd, person))


async def route_skills(core: Core, intent: intents.RouteSkills, face: Face) -> intents.SkillOffers:
    """What would be offered for a task."""
    from hermes_tui.skills.offering import fitting

    skills = core.using_skills.skills
    person = _person() if intent.cwd else ""
    await skills.ready(intent.cwd, person)
    began = time.perf_counter()
    found = skills.route(intent.task, intent.cwd, person, intent.limit)
    ms = (time.perf_counter() - began) * 1000
    most = skills.settings().offers
    good = {one.name for one in fitting(intent.task, found)[:most]}
    offers = [
        intents.SkillOffer(
            name=one.name,
            description=one.description,
            origin=one.origin,
            score=one.score,
            share=one.share,
            offered=one.name in good,
        )
        for one in found
    ]
    count = len(skills.all(intent.cwd, person))
    return intents.SkillOffers(offers=tuple(offers), skills=count, ms=round(ms, 3))


async def check_skill(core: Core, intent: intents.CheckSkill, face: Face) -> intents.SkillCheck:
    """Check a text that is being written."""
    if not intent.run:
        return await asyncio.to_thread(_checked, intent)
    from hermes_tui.runtime.skill_checks import run_checks

    skills = core.using_skills.skills
    await skills.ready()
    skill = skills.get(intent.name)
    text = intent.text or await skills.text(skill.name)
    found = await asyncio.to_thread(_checked, msgspec.structs.replace(intent, text=text))
    ran = await run_checks(core, skill.folder, text)
    promises = [intents.SkillPromise(check=str(one.check), ok=one.ok, said=one.said) for one in ran]
    return msgspec.structs.replace(found, checks=tuple(promises))


def _checked(intent: intents.CheckSkill) -> intents.SkillCheck:
    from hermes_tui.errors import HermesError
    from hermes_tui.skills.skill import lint, repaired

    found = lint(intent.text, intent.name)
    better = ""
    if any(one.rule == "quotes" for one in found):
        try:
            better = repaired(intent.text, intent.name)
        except HermesError:
            better = ""
    tokens = round(len(intent.text.encode("utf-8", "replace")) / _BYTES_A_TOKEN)
    return intents.SkillCheck(
        findings=tuple(_finding(one) for one in found), repaired=better, tokens=tokens
    )


def _finding(one: Finding) -> intents.SkillFinding:
    return intents.SkillFinding(line=one.line, level=one.level, text=one.text, rule=one.rule)


async def save_skill(core: Core, intent: intents.SaveSkill, face: Face) -> intents.SkillSaved:
    """Write a skill as the person wants it."""
    changing = core.using_skills.changing
    write = changing.create if intent.create else changing.save
    return _saved(await write(intent.name, intent.text, intent.reason))


async def change_skill(core: Core, intent: intents.ChangeSkill, face: Face) -> intents.SkillSaved:
    """Switch, undo or restore."""
    changing = core.using_skills.changing
    if intent.action == "undo":
        return _saved(await changing.undo(intent.name))
    if intent.action == "restore":
        return _saved(await changing.restore(intent.name, intent.version))
    skill = await changing.switch(intent.name, intent.action == "on")
    version = core.using_skills.skills.version_of(skill)
    return intents.SkillSaved(name=skill.name, version=version)


def _saved(version: Version) -> intents.SkillSaved:
    return intents.SkillSaved(name=version.name, version=version.n, lost=version.lost)


async def show_skill(core: Core, intent: intents.ShowSkill, face: Face) -> intents.SkillStory:
    """The history of a skill."""
    from hermes_tui.skills import records

    skills = core.using_skills.skills
    await skills.ready()
    if any(one.name == intent.name for one in skills.all()):
        await skills.note_files(skills.get(intent.name))
    history = await core.db.read(lambda c: records.versions(c, intent.name))
    proposed = await core.db.read(lambda c: records.proposals(c, intent.name))
    uses = await core.db.read(lambda c: records.uses(c, intent.name))
    if not (history or proposed):
        skills.get(intent.name)
    mark = skills.marks.get(intent.name)
    return intents.SkillStory(
        name=intent.name,
        state=mark.state if mark else "",
        versions=await asyncio.to_thread(_versions, history),
        proposals=tuple([await _proposal(core, one) for one in proposed]),
        uses=tuple(_use(one) for one in reversed(uses)),
    )


def _versions(history: list[Version]) -> tuple[intents.SkillVersion, ...]:
    from hermes_tui.skills.merge import diff

    older = [*history[1:], None][: len(history)]
    return tuple(
        intents.SkillVersion(
            n=one.n,
            ts=one.ts,
            by=one.by,
            reason=one.reason,
            source=one.source,
            lost=one.lost,
            text=one.text,
            diff=diff(before.text, one.text) if before else "",
        )
        for one, before in zip(history, older, strict=True)
    )


async def _proposal(core: Core, one: Proposal) -> intents.SkillProposal:
    from hermes_tui.errors import NotFoundError
    from hermes_tui.skills.merge import diff, hunks

    try:
        old = await core.using_skills.skills.text(one.name)
    except NotFoundError:
        old = ""
    return intents.SkillProposal(
        id=one.id,
        name=one.name,
        kind=one.kind,
        ts=one.ts,
        reason=one.reason,
        diff=await asyncio.to_thread(diff, old, one.text, "SKILL.md", _CONTEXT),
        text=one.text,
        old=old,
        hunks=tuple(await asyncio.to_thread(hunks, old, one.text, _CONTEXT)),
        source=one.source,
        replay=one.replay,
        state=one.state,
        note=one.note,
    )


def _use(one: Use) -> intents.SkillUse:
    return intents.SkillUse(
        session=one.session,
        turn=one.turn,
        ts=one.ts,
        version=one.version,
        task=one.task,
        outcome=one.outcome,
        why=one.why,
    )


async def list_proposals(
    core: Core, intent: intents.ListSkillProposals, face: Face
) -> intents.SkillProposals:
    """All proposals that wait."""
    from hermes_tui.skills import records

    await core.using_skills.skills.ready()
    waiting = await core.db.read(records.open_proposals)
    return intents.SkillProposals(proposals=tuple([await _proposal(core, one) for one in waiting]))


async def answer_proposal(
    core: Core, intent: intents.AnswerSkillProposal, face: Face
) -> intents.SkillSaved:
    """Accept or refuse a proposal."""
    changing = core.using_skills.changing
    if not intent.accept:
        one = await changing.reject(intent.id, intent.note)
        return intents.SkillSaved(name=one.name, version=0)
    return _saved(await changing.accept(intent.id, intent.hunks, intent.text))


async def fetch_skills(
    core: Core, intent: intents.FetchSkills, face: Face
) -> intents.SkillArrivals:
    """Fetch skills; they wait."""
    hub = core.using_skills.hub
    await core.using_skills.skills.ready()
    if intent.update:
        found = await hub.update(intent.source)
    else:
        found = await hub.fetch(intent.source, intent.cwd)
    return intents.SkillArrivals(arrivals=tuple(_arrival(one) for one in found))


async def list_arrivals(
    core: Core, intent: intents.ListArrivals, face: Face
) -> intents.SkillArrivals:
    """All that waits."""
    await core.using_skills.skills.ready()
    found = await core.using_skills.hub.waiting()
    return intents.SkillArrivals(arrivals=tuple(_arrival(one) for one in found))


async def answer_arrival(core: Core, intent: intents.AnswerArrival, face: Face) -> Done:
    """Let a fetched skill in, or throw it away."""
    await core.using_skills.skills.ready()
    if intent.accept:
        await core.using_skills.hub.accept(intent.name, intent.digest)
    else:
        await core.using_skills.hub.discard(intent.name)
    return Done()


async def remove_skill(core: Core, intent: intents.RemoveSkill, face: Face) -> Done:
    """Take an installed skill away."""
    await core.using_skills.skills.ready()
    await core.using_skills.hub.remove(intent.name)
    return Done()


def _arrival(one: Arrival) -> intents.SkillArrival:
    can = one.capabilities
    return intents.SkillArrival(
        name=one.receipt.name,
        what=one.what,
        source=one.receipt.source,
        digest=one.receipt.digest,
        description=one.description,
        diff=one.diff,
        pinned=one.receipt.pinned,
        replaces=one.replaces,
        tools=can.tools,
        hosts=can.hosts,
        keys=can.keys,
        scripts=can.scripts,
        binaries=one.binaries,
        files=can.files,
        bytes=can.bytes,
        threats=tuple((t.file, t.line, t.weight, t.what, t.text) for t in one.threats),
        findings=tuple(_finding(f) for f in one.findings),
    )
