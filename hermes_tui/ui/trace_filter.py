"""Which steps of a trace are wanted: by tool, by how they ended, by a text anywhere in them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from hermes_tui.ui.trace_model import Step, TraceModel, Turn

_SLICE_S = 0.008
_BREATH_S = 0.001
_FAILED = frozenset({"error", "failed", "denied", "deny", "stopped", "interrupted", "expired"})


class Wanted(NamedTuple):
    """tools, states: any of them, none given: all; words: every one of them."""

    tools: Sequence[str] = ()
    states: Sequence[str] = ()
    words: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.tools or self.states or self.words)


def parse(query: str) -> Wanted:
    """What `tool:run status:error caddy` asks for; every word may be the beginning of one."""
    tools: list[str] = []
    states: list[str] = []
    words: list[str] = []
    for word in query.casefold().split():
        name, colon, value = word.partition(":")
        if colon and name in ("tool", "kind"):
            tools += [value] if value else []
        elif colon and name in ("status", "is"):
            states += [value] if value else []
        else:
            words.append(word)
    return Wanted(tools, states, words)


def wants(wanted: Wanted, step: Step) -> bool:
    """Whether a step is one of those wanted."""
    names = (step.name.casefold(), step.kind)
    if wanted.tools and not any(name.startswith(tuple(wanted.tools)) for name in names):
        return False
    if wanted.states and not any(_is(step, state) for state in wanted.states):
        return False
    if not wanted.words:
        return True
    text = "\n".join(texts(step)).casefold()
    return all(word in text for word in wanted.words)


def steps_of(turn: Turn, wanted: Wanted) -> list[Step]:
    """The wanted steps of a turn."""
    return [step for step in turn.steps.values() if not wanted or wants(wanted, step)]


def texts(step: Step) -> list[str]:
    """Everything a step has to say, as text."""
    made = [step.name, step.summary, step.state]
    if step.started is not None:
        made.append(step.started.arguments)
    if step.ended is not None:
        made.append(step.ended.for_model)
    if step.reply is not None:
        made += [step.reply.text, step.reply.reasoning]
    return [*made, *(failure.message for failure in step.failures)]


async def count_steps(model: TraceModel, pattern: re.Pattern[str]) -> int:
    """How many steps have a text that matches; keys are answered in between."""
    count = 0
    until = time.thread_time() + _SLICE_S
    for turn in list(model.turns):
        for step in list(turn.steps.values()):
            count += any(pattern.search(text) for text in texts(step))
            if time.thread_time() > until:
                await asyncio.sleep(_BREATH_S)
                until = time.thread_time() + _SLICE_S
    return count


def _is(step: Step, state: str) -> bool:
    """Whether a step ended as asked; `failed` is everything that did not go well."""
    if "failed".startswith(state) and step.state in _FAILED:
        return True
    return step.state.startswith(state)
