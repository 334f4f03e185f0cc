"""What can be done with the steps of a trace: run again, compare, write to a file."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hermes_tui.codec import encode, encode_event
from hermes_tui.errors import HermesError
from hermes_tui.events import Event
from hermes_tui.intents import ReadOutput, RunAgain, Stop
from hermes_tui.runtime.export import write_new
from hermes_tui.tools.diff import unified
from hermes_tui.ui.face import Face
from hermes_tui.ui.text import one_line, output
from hermes_tui.ui.trace_model import Step, Turn

COMPARED = 1_000_000
"""Bytes of each output that are compared."""


async def run_again(face: Face, step: Step) -> None:
    """Run a call again; what comes of it is told by events. Raises HermesError."""
    if step.kind != "tool" or step.started is None:
        raise HermesError("only a tool call can be run again")
    call = step.again_of or step.key[1:]
    again = RunAgain(session=face.session, call_id=call, again_id=uuid.uuid4().hex)
    await face.ask(again)


async def stop_again(face: Face) -> None:
    """Stop the call that runs again."""
    await face.ask(Stop(session=face.session))


async def read_output(face: Face, step: Step, limit: int) -> str:
    """The output of a call, whole as far as it was kept and `limit` bytes go."""
    ended = step.ended
    if ended is None:
        return ""
    if not ended.output_bytes:
        return ended.for_model
    got = await face.ask(ReadOutput(session=face.session, call_id=step.key[1:], limit=limit))
    return got.text or ended.for_model


async def compare(face: Face, old: Step, new: Step) -> str:
    """What differs between the outputs of two calls, as a unified diff; empty for nothing."""
    before, after = [output(await read_output(face, step, COMPARED)) for step in (old, new)]
    return await asyncio.to_thread(unified, before, after, f"output of {one_line(new.name)}")


async def export(turn: Turn, session: str, folder: str) -> str:
    """Write a turn to `turn-N.json` in a folder, or the next free name; the path."""
    text = await asyncio.to_thread(turn_json, turn, session)
    for number in range(1, 1000):
        name = f"turn-{turn.number}.json" if number == 1 else f"turn-{turn.number}-{number}.json"
        path = Path(folder or ".", name)
        if not await asyncio.to_thread(path.exists):
            await asyncio.to_thread(write_new, path, text)
            return str(path)
    raise HermesError(f"there are too many files of turn {turn.number} in {folder}")


def turn_json(turn: Turn, session: str) -> bytes:
    """A turn with all its steps and their events, indented."""
    made = {
        "session": session,
        "turn": turn.number,
        "start": turn.start,
        "end": turn.end,
        "outcome": turn.outcome,
        "error": turn.error,
        "usage": turn.usage(),
        "steps": [_step(step) for step in turn.steps.values()],
    }
    return msgspec.json.format(encode(made), indent=2) + b"\n"


def _step(step: Step) -> Mapping[str, Any]:
    events: Sequence[Event | None] = (step.asked, *step.failures, step.reply, step.started)
    told = [_event(event) for event in (*events, step.ended) if event is not None]
    return {
        "kind": step.kind,
        "name": step.name,
        "state": step.state,
        "start": step.start,
        "end": step.end,
        "events": told,
    }


def _event(event: Event) -> Mapping[str, Any]:
    kind, version, data = encode_event(event)
    return {"kind": kind, "v": version, "data": msgspec.Raw(data)}
