"""Makes deltas of a chat-completions stream: bytes of one network read in, one `Delta` out."""

from __future__ import annotations

from typing import Any, cast

import msgspec
from msgspec import Struct

from hermes_tui.events import Usage
from hermes_tui.models.base import CallDelta, Delta
from hermes_tui.models.sse import DONE, EventReader
from hermes_tui.models.thinking import ThinkingSplitter


class _Function(Struct, gc=False):
    name: str | None = None
    arguments: str | None = None


class _Call(Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: msgspec.Raw = msgspec.Raw()


class _Said(Struct, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct, gc=False):
    index: int | None = None
    delta: _Said | None = None
    message: _Said | None = None
    finish_reason: str | None = None


class _Cached(Struct, gc=False):
    cached_tokens: int | None = None


class _Tokens(Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None
    prompt_cache_hit_tokens: int | None = None
    cost: float | None = None


class _Chunk(Struct, gc=False):
    choices: list[_Choice] | None = None
    usage: _Tokens | None = None
    error: msgspec.Raw = msgspec.Raw()


_decode = msgspec.json.Decoder(_Chunk).decode


class ReplyReader:
    """Reads one reply. begun: anything of it was seen; finished: its end; done: the end mark.

    error: what an `error` object in the stream said; nothing after it is read.

    prices: US dollars per million prompt and completion tokens, for replies that name no cost.
    bad: payloads that could not be read and were skipped.
    """

    def __init__(self, prices: tuple[float | None, float | None] = (None, None)) -> None:
        self.begun = self.finished = self.done = False
        self.error: Any = None
        self.bad = 0
        self._prices = prices
        self._events = EventReader()
        self._splitter = ThinkingSplitter()
        self._calls: list[tuple[str, str]] = []
        self._places: dict[int, int] = {}

    def feed(self, data: bytes) -> Delta | None:
        """What these bytes brought, if anything. Raises ModelError for an endless line."""
        return self.take(self._events.feed(data))

    def end(self) -> Delta | None:
        """What was held back, when the stream is over."""
        delta = self.take(self._events.end())
        text, thinking = self._splitter.end()
        if not text and not thinking:
            return delta
        delta = delta or Delta()
        return msgspec.structs.replace(
            delta, text=delta.text + text, reasoning=delta.reasoning + thinking
        )

    def take(self, payloads: list[bytes]) -> Delta | None:
        """The same for payloads that are already apart."""
        text: list[str] = []
        thoughts: list[str] = []
        details: list[dict[str, Any]] = []
        calls: list[CallDelta] = []
        usage: Usage | None = None
        finish = ""
        for payload in payloads:
            chunk = None if self.error else self._chunk(payload)
            if chunk is None:
                continue
            if chunk.usage is not None:
                usage = self._usage(chunk.usage)
            for choice in chunk.choices or ():
                if choice.index:
                    continue
                if choice.finish_reason or choice.message is not None:
                    self.finished, finish = True, choice.finish_reason or "stop"
                said = choice.delta or choice.message
                if said is not None:
                    self._said(said, text, thoughts)
                    details += said.reasoning_details or ()
                    calls += [self._call(call) for call in said.tool_calls or ()]
        if text:
            answer, thought = self._splitter.feed("".join(text))
            thoughts.append(thought)
        else:
            answer = ""
        reasoning = "".join(thoughts)
        if not (answer or reasoning or details or calls or usage or finish):
            return None
        return Delta(
            text=answer,
            reasoning=reasoning,
            details=tuple(details),
            calls=tuple(calls),
            usage=usage,
            finish=finish,
        )

    def _chunk(self, payload: bytes) -> _Chunk | None:
        if payload == DONE:
            self.finished = self.done = True
            return None
        try:
            chunk = _decode(payload)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            chunk = _lenient(payload)
        if chunk is None:
            self.bad += 1
            return None
        if (error := bytes(chunk.error)) and error != b"null":
            self.error = msgspec.json.decode(error)
            return None
        self.begun = self.begun or bool(chunk.choices) or chunk.usage is not None
        return chunk

    def _said(self, said: _Said, text: list[str], thoughts: list[str]) -> None:
        if said.content:
            text.append(said.content)
        if thought := said.reasoning_content or said.reasoning:
            thoughts.append(thought)

    def _call(self, call: _Call) -> CallDelta:
        """The piece with its place among the calls; id and name are passed on once a call.

        Some servers give every call the index 0, others give none: a new id with a name is a
        new call whatever the index says.
        """
        name = (call.function and call.function.name) or ""
        arguments = (call.function and call.function.arguments) or ""
        identity = call.id or ""
        extra = bytes(call.extra_content).decode("utf-8", "replace")
        place = len(self._calls) - 1 if call.index is None else self._places.get(call.index, -1)
        if place < 0 or (name and identity and self._calls[place][0] not in ("", identity)):
            place = len(self._calls)
            self._calls.append(("", ""))
        if call.index is not None:
            self._places[call.index] = place
        known_id, known_name = self._calls[place]
        self._calls[place] = known_id or identity, known_name or name
        return CallDelta(
            index=place,
            id="" if known_id else identity,
            tool="" if known_name else name,
            arguments=arguments,
            extra=extra if extra != "null" else "",
        )

    def _usage(self, tokens: _Tokens) -> Usage:
        prompt, completion = tokens.prompt_tokens or 0, tokens.completion_tokens or 0
        details = tokens.prompt_tokens_details
        cached = (details and details.cached_tokens) or tokens.prompt_cache_hit_tokens or 0
        cost = tokens.cost
        price_in, price_out = self._prices
        if cost is None and price_in is not None and price_out is not None:
            cost = (prompt * price_in + completion * price_out) / 1e6
        return Usage(prompt=prompt, cached=cached, completion=completion, cost=cost)


# --- what is not quite the protocol ------------------------------------------------------------


def _lenient(payload: bytes) -> _Chunk | None:
    """A payload with wrong types inside, as far as it makes sense; None when it makes none."""
    try:
        value: Any = msgspec.json.decode(payload.decode("utf-8", "replace"))
    except msgspec.DecodeError:
        return None
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Any]", value)
    if fields.get("error"):
        return _Chunk(error=msgspec.Raw(msgspec.json.encode(fields["error"])))
    choices = [_choice(one) for one in _list(fields.get("choices"))]
    return _Chunk(choices=choices, usage=_tokens(_dict(fields.get("usage"))))


def _choice(value: Any) -> _Choice:
    fields = _dict(value)
    said = _dict(fields.get("delta")) or _dict(fields.get("message"))
    calls = [_one_call(_dict(one)) for one in _list(said.get("tool_calls")) if _dict(one)]
    reasoning = _text(said.get("reasoning_content")) or _text(said.get("reasoning"))
    details = [_dict(one) for one in _list(said.get("reasoning_details")) if _dict(one)]
    delta = _Said(
        content=_text(said.get("content")),
        reasoning=reasoning,
        reasoning_details=details,
        tool_calls=calls,
    )
    finish = fields.get("finish_reason")
    return _Choice(
        index=_int(fields.get("index")),
        delta=delta,
        finish_reason=finish if isinstance(finish, str) else None,
    )


def _one_call(fields: dict[str, Any]) -> _Call:
    function = _dict(fields.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = msgspec.json.encode(arguments).decode()
    identity = fields.get("id")
    return _Call(
        index=_int(fields.get("index")),
        id=None if identity is None else str(identity),
        function=_Function(name=_text(function.get("name")), arguments=_text(arguments)),
        extra_content=msgspec.Raw(msgspec.json.encode(fields["extra_content"]))
        if fields.get("extra_content")
        else msgspec.Raw(),
    )


def _tokens(fields: dict[str, Any]) -> _Tokens | None:
    if not fields:
        return None
    details = _dict(fields.get("prompt_tokens_details"))
    cost = fields.get("cost")
    return _Tokens(
        prompt_tokens=_int(fields.get("prompt_tokens")),
        completion_tokens=_int(fields.get("completion_tokens")),
        prompt_tokens_details=_Cached(cached_tokens=_int(details.get("cached_tokens"))),
        cost=float(cost) if isinstance(cost, int | float) else None,
    )


def _dict(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and abs(value) < 2**53 else None


def _text(value: Any) -> str:
    """Text, also when it comes as a list of typed parts."""
    if isinstance(value, str):
        return value
    return "".join(_text(_dict(part).get("text")) for part in _list(value))
