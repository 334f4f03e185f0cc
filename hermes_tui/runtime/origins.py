"""Who a statement comes from: the message of a session that holds its words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hermes_tui.events import InputEdited, InputReceived, MessageImported, Record, ToolEnded
from hermes_tui.intents.memory import Source, Who
from hermes_tui.memory.words import FILLER, terms

HOLDS = 0.6
"""Share of a statement's words from which on a message is taken to be where it comes from."""
HOLDS_TAINTED = 0.85
"""The same for a person's message in a talk that has read untrusted text: a foreign order must
not pass for the person's words because half of it is about the same things.
"""
_MOST = 40_000


def told_by(
    text: str, session: str, records: Sequence[Record], taint: str = ""
) -> tuple[Source, str]:
    """(source, taint) of a statement the model wants remembered.

    The person's own words win over a tool's output with the same words; without either the
    agent concluded it, and then what the talk has read from outside taints it. taint: where
    the talk has read untrusted text, also before the records begin.
    """
    words = [word for word in terms(text) if word not in FILLER]
    best: dict[Who, tuple[float, Record]] = {}
    tainted = bool(taint)
    for record in records:
        who, said = _said(record)
        if isinstance(record.event, ToolEnded):
            tainted = tainted or bool(record.event.untrusted)
        if not said or not words:
            continue
        held = set(terms(said[:_MOST]))
        share = sum(word in held for word in words) / len(words)
        if share >= max(HOLDS, best[who][0] if who in best else 0):
            best[who] = (share, record)
    if tainted and "user" in best and best["user"][0] < HOLDS_TAINTED:
        del best["user"]
    who = _who(best)
    if who == "agent":
        newest = records[-1] if records else None
        place = f"{session}:{newest.n}" if newest else ""
        made = Source(who="agent", session=session, message=place, ts=newest.ts if newest else 0)
        return made, "untrusted" if tainted else ""
    record = best[who][1]
    event = record.event
    # Paraphrased, a foreign order may look like one of the person's own files.
    outside = isinstance(event, ToolEnded) and (bool(event.untrusted) or tainted)
    made = Source(who=who, session=session, message=f"{session}:{record.n}", ts=record.ts)
    return made, "untrusted" if outside else ""


def worded(records: Sequence[Record]) -> list[Record]:
    """Records in which what was edited while it waited has its last wording."""
    edits = {r.event.input_id: r.event.text for r in records if isinstance(r.event, InputEdited)}
    found: list[Record] = []
    for record in records:
        event = record.event
        if isinstance(event, InputReceived) and event.input_id in edits:
            event = msgspec.structs.replace(event, text=edits[event.input_id])
        found.append(Record(session=record.session, n=record.n, ts=record.ts, event=event))
    return found


def _who(best: dict[Who, tuple[float, Record]]) -> Who:
    if "user" in best and ("tool" not in best or best["user"][0] >= best["tool"][0]):
        return "user"
    return "tool" if "tool" in best else "agent"


def _said(record: Record) -> tuple[Who, str]:
    match record.event:
        case InputReceived() as event:
            return "user" if event.typed else "agent", event.text
        case MessageImported(role="user", text=text):
            return "user", text
        case ToolEnded(for_model=text, tool=tool) if tool not in ("remember", "forget"):
            return "tool", text
        case _:
            return "agent", ""
