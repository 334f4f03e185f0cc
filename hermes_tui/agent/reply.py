"""One model step: ask, stream, retry the step when the line fails, return the whole reply."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from hermes_tui.agent.agent import Agent, TurnSession
from hermes_tui.agent.coalesce import Coalescer
from hermes_tui.agent.view import size_of
from hermes_tui.errors import ModelError
from hermes_tui.events import (
    ModelAsked,
    ModelFailed,
    Notice,
    ReplyReceived,
    TextDelta,
    ToolCall,
    Usage,
)
from hermes_tui.faults import point
from hermes_tui.models.base import CallDelta, Delta, Message, Request
from hermes_tui.models.retry import delay_for
from hermes_tui.models.text_calls import split_calls
from hermes_tui.security.redact_stream import StreamRedactor


async def stream_reply(
    agent: Agent, messages: tuple[Message, ...], session: TurnSession
) -> ReplyReceived:
    """Ask the model once and return its reply; a failed request is tried again by itself.

    Every try and every failure is an event; partial text of a dropped line is stored as such.
    Raises ModelError when the tries are used up or trying again is pointless.
    """
    request = Request(system=agent.prefix.system, messages=messages, tools=agent.prefix.tools)
    step = session.conversation.step + 1
    turn = session.conversation.turn
    parts = _parts(agent, messages)
    asked = ModelAsked(
        turn=turn,
        step=step,
        model=agent.model.name,
        messages=len(messages),
        size=sum(size for _, size in parts),
        parts=parts,
        window=agent.model.window,
    )
    for attempt in range(1, agent.attempts + 1):
        await session.add(asked)
        point("model asked")
        gathering = _Gathering(agent, turn, step, session)
        try:
            return await gathering.run(request)
        except ModelError as error:
            last = attempt == agent.attempts or not error.worth_retrying
            wait = None if last else delay_for(error, attempt)
            failed = ModelFailed(
                turn=turn,
                step=step,
                attempt=attempt,
                message=error.message,
                hint=error.hint,
                error_kind=error.kind,
                retry_in=wait,
            )
            await session.add([*gathering.partial(), failed])
            if wait is None:
                raise
            await asyncio.sleep(wait)
    raise AssertionError("unreachable: the last attempt returns or raises")


class _Gathering:
    """One request under way: deltas in, coalesced text out, the reply at the end."""

    def __init__(self, agent: Agent, turn: int, step: int, session: TurnSession) -> None:
        self.agent = agent
        self.turn = turn
        self.step = step
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.details: list[dict[str, Any]] = []
        self.calls: dict[int, list[CallDelta]] = {}
        self.usage = Usage()
        self.finish = ""
        self.notes: list[str] = []
        self.began = time.monotonic()
        self.first = 0.0
        self._session = session
        self._show = Coalescer(self._deliver)
        self._redactor = session.redactor if session.redactor.holds_any else None
        self._clean = StreamRedactor(self._redactor) if self._redactor else None

    async def run(self, request: Request) -> ReplyReceived:
        try:
            async for delta in self.agent.model.stream(request):
                self._take(delta)
        except asyncio.CancelledError:
            await self._session.add(self.partial(), hold=True)
            raise
        finally:
            self._show.flush()
        point("model answered")
        if self.notes:
            told = [Notice(text=text, level="warning") for text in self.notes]
            await self._session.add(told, hold=True)
        return self._reply()

    def partial(self) -> list[ReplyReceived]:
        """What came before the line dropped, as a partial reply; nothing when nothing came."""
        text = "".join(self.text)
        if not text:
            return []
        return [msgspec.structs.replace(self._reply(), text=text, calls=(), partial=True)]

    def _take(self, delta: Delta) -> None:
        if not self.first and (delta.text or delta.reasoning or delta.calls):
            self.first = time.monotonic() - self.began
        if delta.text:
            self.text.append(delta.text)
        if delta.reasoning:
            self.reasoning.append(delta.reasoning)
        self.details += delta.details
        for piece in delta.calls:
            self.calls.setdefault(piece.index, []).append(piece)
        self.usage = delta.usage or self.usage
        self.finish = delta.finish or self.finish
        if delta.note:
            self.notes.append(delta.note)
        self._show.add(delta.text, delta.reasoning)

    def _deliver(self, text: str, reasoning: str) -> None:
        if self._redactor is not None and self._clean is not None:
            text = self._clean.feed(text)
            reasoning = self._redactor.redact_held(reasoning).text if reasoning else ""
            if not text and not reasoning:
                return
        delta = TextDelta(turn=self.turn, step=self.step, text=text, reasoning=reasoning)
        self._session.emit(delta)

    def _kept_in(self, text: str) -> str:
        """What the model said without the secrets that are held, wherever it has them from."""
        return self._redactor.redact_held(text).text if self._redactor is not None else text

    def _clean_call(self, call: ToolCall) -> ToolCall:
        extra = call.extra if self._kept_in(call.extra) == call.extra else ""
        return msgspec.structs.replace(call, arguments=self._kept_in(call.arguments), extra=extra)

    def _details(self) -> str:
        """What the provider hung on its thoughts; nothing, should a secret be in it."""
        if not self.details:
            return ""
        from hermes_tui.models.keepsakes import joined

        whole = joined(self.details)
        return whole if self._kept_in(whole) == whole else ""

    def _reply(self) -> ReplyReceived:
        text = self._kept_in("".join(self.text))
        joined = (_join(pieces, n) for n, pieces in sorted(self.calls.items()))
        calls = tuple(map(self._clean_call, joined))
        if not calls and self.agent.model.repairs_calls:
            text, calls = split_calls(text, self.agent.tools.keys())
        return ReplyReceived(
            turn=self.turn,
            step=self.step,
            model=self.agent.model.name,
            text=text,
            reasoning=self._kept_in("".join(self.reasoning)),
            details=self._details(),
            calls=_unique(calls, self._session.conversation.call_ids, f"{self.turn}_{self.step}"),
            usage=_priced(self.usage, self.agent),
            finish=self.finish or "stop",
            seconds=round(time.monotonic() - self.began, 4),
            first_token=round(self.first, 4),
        )


def _join(pieces: list[CallDelta], n: int) -> ToolCall:
    return ToolCall(
        id=next((p.id for p in pieces if p.id), f"call_{n}"),
        tool=next((p.tool for p in pieces if p.tool), ""),
        arguments="".join(p.arguments for p in pieces) or "{}",
        extra=next((p.extra for p in pieces if p.extra), ""),
    )


def _unique(calls: Iterable[ToolCall], known: Collection[str], place: str) -> tuple[ToolCall, ...]:
    """The calls under ids that no other call of the session has."""
    seen: set[str] = set()
    made: list[ToolCall] = []
    for n, call in enumerate(calls):
        one = call
        if not call.id or call.id in seen or call.id in known:
            one = msgspec.structs.replace(call, id=f"call_{place}_{n}")
        seen.add(one.id)
        made.append(one)
    return tuple(made)


def _priced(usage: Usage, agent: Agent) -> Usage:
    if usage.cost is not None or agent.price_in is None or agent.price_out is None:
        return usage
    cost = (usage.prompt * agent.price_in + usage.completion * agent.price_out) / 1e6
    return msgspec.structs.replace(usage, cost=cost)


def _parts(agent: Agent, messages: tuple[Message, ...]) -> tuple[tuple[str, int], ...]:
    chat = sum(size_of(message.content) for message in messages)
    return (*agent.prefix.parts, ("chat", chat))
