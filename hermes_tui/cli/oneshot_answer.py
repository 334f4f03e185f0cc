"""The answer to one input, picked out of a session's events as they go by."""

from __future__ import annotations

import json
import os
import sys
from typing import Any


class Answer:
    """Follows one input through its turn. code: the exit code once `done`.

    every: print each event as one line of JSON, instead of the answer at the end.
    """

    def __init__(self, session: str, input_id: str, every: bool) -> None:
        self._session = session
        self.input_id = input_id
        self._every = every
        self._received = False
        self._turn = 0
        self._expected = 0  # the turn that should take the input, and may fail before it does
        self._text = ""
        self.done = False
        self.code = 0

    def take(self, record: bytes) -> None:
        """Look at one record, as its JSON line."""
        got = json.loads(record)
        if got["session"] != self._session and got["kind"] != "core_ending":
            return
        if self._every:
            _write(1, record + b"\n")
        self._follow(got["kind"], got["data"])

    def _follow(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "core_ending":
            self._fail("the agent ended before the answer was complete", data.get("reason", ""))
        elif kind == "input_received" and data["input_id"] == self.input_id:
            self._received = True
        elif kind == "input_taken":
            self._taken(data)
        elif kind == "input_withdrawn" and data["input_id"] == self.input_id:
            self._fail("the prompt was taken back before it was answered", "")
        elif kind == "turn_started" and self._received and not self._turn:
            self._expected = data["turn"]
        elif kind == "turn_ended" and data["turn"] in (self._turn, self._expected):
            self._end(data)
        elif kind == "reply_received" and data["turn"] == self._turn:
            self._text = data.get("text", "")

    def _taken(self, data: dict[str, Any]) -> None:
        if data["input_id"] == self.input_id:
            self._turn = data["turn"]
        elif data["turn"] == self._expected:
            self._expected = 0  # that turn is about what somebody else said

    def _end(self, data: dict[str, Any]) -> None:
        outcome = data.get("outcome", "done")
        if outcome == "failed":
            self._fail(data.get("error") or "the turn failed", data.get("hint", ""))
            return
        if not self._turn:
            return
        if not self._every and self._text:
            _write(1, _shown(self._text))
        self.done = True
        if outcome == "stopped":
            self._fail("the turn was stopped", "", 130)
        elif outcome == "limit":
            self._fail(data.get("error") or "the turn reached its limit", data.get("hint", ""))

    def _fail(self, message: str, hint: str, code: int = 1) -> None:
        self.done, self.code = True, code
        lines = [f"hermes: {message}", *([f"  {hint}"] if hint else [])]
        _write(2, "".join(line + "\n" for line in lines).encode())


def _shown(text: str) -> bytes:
    """The answer with its newline; what a terminal would obey is left out on a terminal."""
    if os.isatty(1):
        text = "".join(c for c in text if c in "\n\t" or (c >= " " and not "\x7f" <= c < "\xa0"))
    return (text if text.endswith("\n") else text + "\n").encode(errors="replace")


def _write(fd: int, data: bytes) -> None:
    stream = sys.stdout if fd == 1 else sys.stderr
    stream.buffer.write(data)
    stream.buffer.flush()
