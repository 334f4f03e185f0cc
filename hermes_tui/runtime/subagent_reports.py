"""What a subagent is told, and what is told of it when it has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.events import (
    Event,
    InputReceived,
    ReplyReceived,
    SubagentEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.events.subagents import Ending
from hermes_tui.runtime.notes import title_of
from hermes_tui.store.subagents import Row

if TYPE_CHECKING:
    from hermes_tui.events import Record
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

_CONTRACT = (
    "[You are a subagent: another agent gave you this task and sees nothing but your last message."
    " Make that a report: what you did or found, with the paths, names and figures, and what you"
    " could not do. Ask nothing; decide.]"
)
_BEGAN = "[Not from the user: what you delegated has ended.]"


def task(row: Row) -> str:
    """The first message of its session."""
    if row.aim == "bg":
        return row.goal
    context = f"What you need to know:\n{row.context}" if row.context else ""
    return "\n\n".join(filter(None, (row.goal, context, _CONTRACT)))


async def closed(core: Core, row: Row, child: Session | None, state: Ending, why: str) -> Row:
    """The row with its end and its report, read from its session."""
    row = replace(row, state=state, why=why, ended=time.time())
    if child is None:
        return row
    records = await core.log.read(child.id)
    replies = [one.event for one in records if isinstance(one.event, ReplyReceived)]
    talk = child.conversation
    text = child.redactor.redact(report(records, state == "done")).text
    row = replace(
        row,
        steps=sum(not one.partial for one in replies),
        used=talk.usage.prompt + talk.usage.completion,
        untrusted=talk.taint,
        text=text,
    )
    most = core.config.delegate.report_chars
    if len(text) <= most:
        return row
    path = core.home.outputs / row.parent / f"subagent-{row.id}.txt"
    await asyncio.to_thread(_keep, path, text)
    cut = f"{text[:most]}\n[{len(text) - most:,} more characters; all of it is in {path}]"
    return replace(row, text=cut, path=str(path))


def report(records: Sequence[Record], whole: bool) -> str:
    """The last message; for one that was cut off, all it has said by then, newest last."""
    replies = [one.event for one in records if isinstance(one.event, ReplyReceived)]
    texts = [one.text.strip() for one in replies if one.text.strip()]
    if whole or not texts:
        return texts[-1] if texts else ""
    return "\n\n".join(texts)


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def events(parent: Session, row: Row, told: bool) -> list[Event]:
    """Its end; and, once the last of its call has ended, the message to the model."""
    talk = parent.conversation
    ended = SubagentEnded(
        subagent=row.id,
        session=row.session,
        goal=row.goal[:1000],
        aim=row.aim,
        call_id=row.call_id,
        state="failed" if row.state == "running" else row.state,
        text=row.text,
        why=row.why,
        steps=row.steps,
        usage=Usage(prompt=row.used),
        seconds=round(row.ended - row.started, 1),
        untrusted=row.untrusted,
        path=row.path,
    )
    others = [
        one
        for one in talk.subagents.values()
        if one.call_id == row.call_id and one.subagent != row.id
    ]
    taken_back = row.turn > 0 and row.turn not in talk.marks
    if row.aim != "delegate" or others or taken_back or not told:
        return [ended]
    mine = [one for one in talk.reports.values() if one.call_id == row.call_id]
    texts = [_BEGAN, *(line_of(one) for one in (*mine, ended))]
    message = InputReceived(
        input_id=f"report-{row.id}",
        text="\n\n".join(texts),
        how="steer",
        face="subagent",
        attended=talk.attended,
    )
    begun = [] if talk.in_turn else [TurnStarted(turn=talk.turn + 1)]
    return [ended, message, *begun]


def line_of(one: SubagentEnded | Row) -> str:
    """One that has ended, as the model reads of it."""
    name, seconds, used = _figures(one)
    about = [one.state, f"{one.steps} steps", f"{used:,} tokens", f"{seconds:.0f} s"]
    why = f" ({one.why})" if one.why else ""
    head = f"[Subagent {name} «{title_of(one.goal)}»: {', '.join(about)}{why}]"
    return f"{head}\n{one.text or 'It said nothing.'}"


def _figures(one: SubagentEnded | Row) -> tuple[str, float, int]:
    if isinstance(one, Row):
        return one.id, one.ended - one.started, one.used
    return one.subagent, one.seconds, one.usage.prompt
