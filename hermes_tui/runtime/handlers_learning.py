"""What the core says of its learning, and the review a person asks for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import HermesError
from hermes_tui.runtime.face import Face
from hermes_tui.store import learning as rows

if TYPE_CHECKING:
    import apsw

    from hermes_tui.runtime.core import Core
    from hermes_tui.skills.life import Use
    from hermes_tui.skills.records import Proposal, Version

_DAY = 86_400.0
_MOST = 50


async def show(core: Core, intent: intents.ShowLearning, face: Face) -> intents.LearningReport:
    """What was learned, from where, how often it was used and whether it helped."""
    return await report_of(core, intent.days)


async def report_of(core: Core, days: float) -> intents.LearningReport:
    """The report on so many days."""
    from hermes_tui.runtime.learning_asking import left_today
    from hermes_tui.skills import records

    await core.using_skills.skills.ready()
    looked = await core.db.read(lambda c: rows.rows_since(c, time.time() - days * _DAY, 10_000))
    notes = await core.db.read(rows.open_notes)
    waiting = await core.db.read(records.open_proposals)
    reviewed, lines = await core.db.read(rows.last_review)
    turns = [one for one in looked if not one.session.startswith("review:")]
    return intents.LearningReport(
        on=core.config.learning.enabled,
        skills=await _skills(core, {(one.session, one.turn): one for one in looked}),
        proposals=len(waiting),
        notes=tuple(_note(one) for one in notes),
        turns=len(turns),
        looked=tuple(_looked(one) for one in turns if one.occasion)[-_MOST:],
        asked=sum(one.asked for one in looked),
        left=max(0, await left_today(core.using_skills.learning)),
        reviewed=reviewed,
        review=lines,
    )


async def review(core: Core, intent: intents.ReviewLearning, face: Face) -> intents.Reviewed:
    """Go through all that was learned."""
    if not core.config.learning.enabled:
        raise HermesError("learning is off", "`hermes config set learning.enabled true`")
    from hermes_tui.runtime import learning_review

    return intents.Reviewed(lines=await learning_review.review(core.using_skills.learning))


async def _skills(
    core: Core, looked: dict[tuple[str, int], rows.Row]
) -> tuple[intents.LearnedSkill, ...]:
    """Every skill the agent wrote or changed, or proposed to."""
    from hermes_tui.skills import records

    names = await core.db.read(_touched)
    tried = {one.name: one.told for one in await core.db.read(rows.replays)}
    made: list[intents.LearnedSkill] = []
    for name in names:
        history = await core.db.read(lambda c, n=name: records.versions(c, n))
        proposals = await core.db.read(lambda c, n=name: records.proposals(c, n))
        uses = await core.db.read(lambda c, n=name: records.uses(c, n))
        mark = core.using_skills.skills.marks.get(name)
        made.append(_skill(name, mark.state if mark else "", history, proposals))
        made[-1] = _with_uses(made[-1], uses, looked, tried.get(name, ""))
    return tuple(made)


def _touched(c: apsw.Connection) -> list[str]:
    """Names of the skills that the agent had a hand in."""
    sql = (
        "SELECT name FROM skill_version WHERE by = 'agent' UNION SELECT name FROM skill_proposal"
        " ORDER BY 1"
    )
    return [str(row[0]) for row in c.execute(sql)]


def _skill(
    name: str, state: str, history: list[Version], proposals: list[Proposal]
) -> intents.LearnedSkill:
    own = [one for one in history if one.by == "agent"]
    first = own[-1] if own else proposals[-1] if proposals else None
    answers = [one.state for one in proposals]
    return intents.LearnedSkill(
        name=name,
        state=state or ("" if own else "proposed" if "open" in answers else "rejected"),
        reason=first.reason if first else "",
        source=first.source if first else "",
        since=first.ts if first else 0.0,
        version=history[0].n if history else 0,
        accepted=sum(one in ("accepted", "partly") for one in answers),
        rejected=answers.count("rejected"),
        replay=next((one.replay for one in proposals if one.replay), ""),
    )


def _with_uses(
    one: intents.LearnedSkill,
    uses: list[Use],
    looked: dict[tuple[str, int], rows.Row],
    tried: str,
) -> intents.LearnedSkill:
    from msgspec.structs import replace

    session, _, turn = one.source.rpartition(":")
    origin = looked.get((session, int(turn))) if turn.isdigit() else None
    after = [looked.get((use.session, use.turn)) for use in uses]
    counts = [row.calls for row in after if row is not None]
    mean = sum(counts) / len(counts) if counts else 0.0
    outcomes = [use.outcome for use in uses]
    return replace(
        one,
        uses=len(uses),
        worked=outcomes.count("ok"),
        corrected=outcomes.count("corrected"),
        failed=outcomes.count("failed"),
        calls=(float(origin.calls) if origin else 0.0, round(mean, 1)),
        replay=tried or one.replay,
    )


def _note(one: rows.Note) -> intents.LearningNote:
    return intents.LearningNote(
        kind=one.kind,
        about=one.about,
        text=one.text,
        source=one.source,
        expires=one.expires,
        condition=one.condition,
    )


def _looked(one: rows.Row) -> intents.LookedAt:
    return intents.LookedAt(
        session=one.session,
        turn=one.turn,
        ts=one.ts,
        task=one.task[:200],
        occasion=one.occasion,
        result=one.result,
        why=one.why,
        asked=one.asked,
    )


# --- in words ------------------------------------------------------------------------------------


async def learned(core: Core, _session: object = None, _args: str = "") -> str:
    """The answer to /learned, as Markdown."""
    return "\n".join(said(await report_of(core, 30.0)))


def said(report: intents.LearningReport) -> list[str]:
    """A report in words, a line each."""
    lines = [] if report.on else ["Learning is off (`learning.enabled`).", ""]
    lines += [_about(one) for one in report.skills] or ["No skill was learned yet."]
    if report.proposals:
        what = "proposal waits" if report.proposals == 1 else "proposals wait"
        lines += ["", f"{report.proposals} {what} for you: /skills, or `hermes skills waiting`."]
    lines += ["", *(_told(one) for one in report.notes)] if report.notes else []
    found = [one for one in report.looked if one.result not in ("", "nothing")]
    lines += [
        "",
        f"{report.turns} turns were looked at: {len(report.looked)} held something,"
        f" {report.asked} model calls; {report.left} left today.",
    ]
    lines += [f"- {one.session}:{one.turn} {one.result}: {one.why}" for one in found[-8:]]
    if report.review:
        lines += ["", "The last review:", *(f"- {one}" for one in report.review)]
    return lines


def _about(one: intents.LearnedSkill) -> str:
    used = f"used {one.uses}×"
    parts = [
        f"{one.worked} worked" if one.worked else "",
        f"{one.corrected} corrected" if one.corrected else "",
        f"{one.failed} failed" if one.failed else "",
    ]
    how = ", ".join(part for part in parts if part)
    first, then = one.calls
    helped = f", {first:g} calls then, {then:g} with it" if first and then else ""
    answered = f"; {one.rejected} refused" if one.rejected else ""
    replay = f"; replay: {one.replay}" if one.replay else ""
    source = f" (from {one.source})" if one.source else ""
    return (
        f"- {one.name}, {one.state or 'active'}: {one.reason}{source}; {used}"
        f"{f' ({how})' if how else ''}{helped}{answered}{replay}"
    )


def _told(one: intents.LearningNote) -> str:
    until = time.strftime("%Y-%m-%d", time.localtime(one.expires))
    what = f"`{one.about}` corrected" if one.kind == "correction" else one.condition
    return f"- note until {until}, {what}: {one.text}"
