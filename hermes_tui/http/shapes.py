"""The answers of the API as OpenAI's clients know them, whole and in pieces.

Formats: https://platform.openai.com/docs/api-reference/chat (chat.completion and its chunks) and
…/responses (the response object); server-sent events as https://html.spec.whatwg.org has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hermes_tui.events import ApprovalAsked, QuestionAsked, Usage
from hermes_tui.http.base import HttpError
from hermes_tui.http.hearing import Hearing, Piece

DONE = b"data: [DONE]\n\n"
ALIVE = b": still here\n\n"
EVENTS = {"content-type": "text/event-stream", "x-accel-buffering": "no"}
_BREAKS = tuple((one.encode(), f"\\u{ord(one):04x}".encode()) for one in "\x85\u2028\u2029")
"""What some clients take for the end of a line, as JSON can write it without doing so."""
_FINISH = {"limit": "length"}
_STATUS = {
    "": "in_progress",
    "gone": "in_progress",
    "done": "completed",
    "limit": "incomplete",
    "failed": "failed",
    "stopped": "cancelled",
}
_CODES = {
    "rate": (429, "rate_limit_exceeded"),
    "billing": (402, "insufficient_quota"),
    "cap": (402, "insufficient_quota"),
    "context": (400, "context_length_exceeded"),
}


class About:
    """What every answer to one request says: its id, when it was made, which model and session."""

    def __init__(self, id: str, created: float, model: str, session: str) -> None:
        self.id = id
        self.created = int(created)
        self.model = model or "hermes"
        self.session = session

    @property
    def headers(self) -> dict[str, str]:
        """Where the conversation goes on, and the request's own id."""
        return {"x-hermes-session": self.session, "x-request-id": self.id}


class Flow:
    """The steps' texts as one: an empty line between two that say something."""

    def __init__(self) -> None:
        self._step = 0
        self._held = ""
        self._said = False
        self._blank = True

    def add(self, piece: Piece) -> str:
        """What of a piece goes out now."""
        if piece.step != self._step:
            self._step, self._held = piece.step, "\n\n" if self._said else ""
            self._blank = True
        if self._blank and not piece.text.strip():
            self._held += piece.text
            return ""
        text, self._held = self._held + piece.text, ""
        self._blank, self._said = False, True
        return text


def sse(data: Any, event: str = "", id: str = "") -> bytes:
    """One server-sent event."""
    head = (f"id: {id}\n" if id else "") + (f"event: {event}\n" if event else "")
    text = data if isinstance(data, bytes) else msgspec.json.encode(data)
    for sign, escaped in _BREAKS:
        text = text.replace(sign, escaped)
    return head.encode() + b"data: " + text.strip() + b"\n\n"


def failure(heard: Hearing) -> HttpError | None:
    """Why there is no answer; None when there is one."""
    if heard.outcome == "gone":
        again = "the turn goes on in the next one: ask again with the same Idempotency-Key"
        return HttpError(503, f"{heard.error}; {again}", kind="server_error", again=False)
    if heard.outcome == "stopped" and not heard.text:
        error = heard.error or "the turn was stopped"
        return HttpError(409, error, kind="server_error", code="stopped", again=False)
    if heard.outcome != "failed":
        return None
    status, code = _CODES.get(heard.error_kind, (502, "turn_failed"))
    text = f"{heard.error or 'the turn failed'}" + (f" ({heard.hint})" if heard.hint else "")
    return HttpError(status, text, kind="server_error", code=code, again=False)


def waiting(heard: Hearing) -> list[dict[str, Any]]:
    """What waits for a person."""
    return [*map(_approval, heard.approvals.values()), *map(_question, heard.questions.values())]


def _approval(one: ApprovalAsked) -> dict[str, Any]:
    return {
        "kind": "approval",
        "ask_id": one.ask_id,
        "tool": one.tool,
        "title": one.title,
        "detail": one.detail,
        "reason": one.reason,
        "arguments": one.arguments,
    }


def _question(one: QuestionAsked) -> dict[str, Any]:
    return {"kind": "question", "ask_id": one.ask_id, "text": one.text, "options": one.options}


def parked(heard: Hearing, about: About) -> str:
    """What the end of an answer says of things that wait for a person; empty for none."""
    asks = [one for one in heard.approvals.values() if one.until]
    if not asks:
        return ""
    lines = [f"- {one.title} (ask_id {one.ask_id})" for one in asks]
    gap = "\n\n" if heard.text else ""
    return (
        f"{gap}[Not done yet, as it waits for your approval, on the agent's screen or by"
        f" POST /v1/runs/run_{about.id}/approve:]\n" + "\n".join(lines)
    )


def more(heard: Hearing, about: About) -> dict[str, Any]:
    """What our answers say beyond OpenAI's."""
    return {
        "run": f"run_{about.id}",
        "session": about.session,
        "outcome": heard.outcome,
        "waiting": waiting(heard),
    }


# --- chat completions --------------------------------------------------------------------


def chat_usage(usage: Usage) -> dict[str, Any]:
    """Tokens of all the turn's model calls."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def completion(heard: Hearing, about: About) -> dict[str, Any]:
    """A whole chat completion."""
    message = {
        "role": "assistant",
        "content": heard.text + parked(heard, about),
        "refusal": None,
    }
    finish = _FINISH.get(heard.outcome, "stop")
    return {
        "id": f"chatcmpl-{about.id}",
        "object": "chat.completion",
        "created": about.created,
        "model": about.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": chat_usage(heard.usage),
        "hermes": more(heard, about),
    }


class ChatStream:
    """The chunks of a chat completion. usage: the caller wants the tokens as a last chunk."""

    def __init__(self, about: About, usage: bool) -> None:
        self._about = about
        self._usage = usage
        self._flow = Flow()

    def begin(self) -> Iterator[bytes]:
        """The first chunk."""
        yield self._chunk({"role": "assistant", "content": ""})

    def more(self, piece: Piece) -> Iterator[bytes]:
        """A chunk of text."""
        if text := self._flow.add(piece):
            yield self._chunk({"content": text})

    def end(self, heard: Hearing) -> Iterator[bytes]:
        """The last chunks; an error in the place of them when there is no answer."""
        if (error := failure(heard)) is not None:
            yield sse(error.body)
            return
        if text := parked(heard, self._about):
            yield self._chunk({"content": text})
        finish = _FINISH.get(heard.outcome, "stop")
        yield self._chunk({}, finish, hermes=more(heard, self._about))
        if self._usage:
            yield sse({**self._base(), "choices": [], "usage": chat_usage(heard.usage)})
        yield DONE

    def _chunk(self, delta: dict[str, Any], finish: str | None = None, **also: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return sse({**self._base(), "choices": [choice], **also})

    def _base(self) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self._about.id}",
            "object": "chat.completion.chunk",
            "created": self._about.created,
            "model": self._about.model,
        }


# --- responses ---------------------------------------------------------------------------


def response(heard: Hearing, about: About, asked: dict[str, Any]) -> dict[str, Any]:
    """A response object as it stands. asked: fields of the request that it repeats."""
    usage = heard.usage
    status = _STATUS[heard.outcome]
    error = failure(heard) if heard.outcome == "failed" else None
    return {
        "id": f"resp_{about.id}",
        "object": "response",
        "created_at": about.created,
        "status": status,
        "background": False,
        "error": {"code": error.code, "message": error.message} if error else None,
        "incomplete_details": {"reason": "max_tool_calls"} if status == "incomplete" else None,
        "instructions": None,
        "metadata": {},
        "model": about.model,
        "output": [_item(about, step, text) for step, text in _steps(heard, about)],
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": {
            "input_tokens": usage.prompt,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.completion,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.prompt + usage.completion,
        },
        "hermes": more(heard, about),
        **asked,
    }


def _steps(heard: Hearing, about: About) -> list[tuple[int, str]]:
    said = [(step, text) for step, text in sorted(heard.texts.items()) if text.strip()]
    if heard.over and (text := parked(heard, about).strip()):
        said.append((0, text))
    return said


def _item(about: About, step: int, text: str, status: str = "completed") -> dict[str, Any]:
    part = _text_part(text)
    return {
        "type": "message",
        "id": f"msg_{about.id}_{step}",
        "status": status,
        "role": "assistant",
        "content": [part] if text or status == "completed" else [],
    }


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


class ResponseStream:
    """The events of a response."""

    def __init__(self, about: About, asked: dict[str, Any]) -> None:
        self._about = about
        self._asked = asked
        self._number = -1
        self._index = -1
        self._step = 0
        self._text = ""
        self._open = False

    def begin(self, heard: Hearing) -> Iterator[bytes]:
        """The first events."""
        for kind in ("response.created", "response.in_progress"):
            yield self._event(kind, response=response(heard, self._about, self._asked))

    def more(self, piece: Piece) -> Iterator[bytes]:
        """Events of a piece of text: an item each step that says something."""
        if piece.step != self._step:
            yield from self._close()
            self._step, self._text = piece.step, ""
        self._text += piece.text
        if self._text.strip():
            yield from self._say(piece.text)
        if piece.last:
            yield from self._close()

    def end(self, heard: Hearing) -> Iterator[bytes]:
        """The last events."""
        yield from self._close()
        if text := parked(heard, self._about).strip():
            yield from self.more(Piece(step=0, text=text, last=True))
        if heard.outcome == "gone" and (error := failure(heard)) is not None:
            yield self._event("error", code=error.kind, message=error.message, param=None)
            return
        whole = response(heard, self._about, self._asked)
        kind = whole["status"]
        kind = kind if kind in ("completed", "incomplete", "failed") else "incomplete"
        yield self._event(f"response.{kind}", response=whole)

    def _say(self, text: str) -> Iterator[bytes]:
        place = {"item_id": f"msg_{self._about.id}_{self._step}", "content_index": 0}
        if not self._open:
            text, self._open = self._text, True
            self._index += 1
            item = _item(self._about, self._step, "", "in_progress")
            yield self._event("response.output_item.added", output_index=self._index, item=item)
            part = _text_part("")
            yield self._event(
                "response.content_part.added", **place, output_index=self._index, part=part
            )
        if text:
            yield self._event(
                "response.output_text.delta",
                **place,
                output_index=self._index,
                delta=text,
                logprobs=[],
            )

    def _close(self) -> Iterator[bytes]:
        if not self._open:
            return
        self._open = False
        item = _item(self._about, self._step, self._text)
        place = {"item_id": item["id"], "output_index": self._index, "content_index": 0}
        yield self._event("response.output_text.done", **place, text=self._text, logprobs=[])
        yield self._event("response.content_part.done", **place, part=item["content"][0])
        yield self._event("response.output_item.done", output_index=self._index, item=item)

    def _event(self, kind: str, **fields: Any) -> bytes:
        self._number += 1
        return sse({"type": kind, "sequence_number": self._number, **fields}, kind)


# --- runs --------------------------------------------------------------------------------


def run(heard: Hearing, about: About) -> dict[str, Any]:
    """A run as it stands."""
    status = _STATUS[heard.outcome]
    waits = waiting(heard)
    if not heard.over and not heard.turn:
        status = "queued"
    elif not heard.over and waits:
        status = "waiting"
    error = failure(heard) if heard.over and heard.outcome != "gone" else None
    return {
        "id": f"run_{about.id}",
        "object": "run",
        "status": status,
        "created_at": about.created,
        "model": about.model,
        "session": about.session,
        "output_text": heard.text,
        "waiting": waits,
        "error": error.body["error"] if error else None,
        "usage": chat_usage(heard.usage),
    }
