"""What is worth finding again in old results, taken out by rule: no model can lose it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hermes_tui.models.base import Message

_URL = re.compile(r"https?://[^\s<>\"'`)\]}]+")
_ERROR = re.compile(
    r"^.*\b(?:error|exception|failed|fatal|panic|refused|denied|not found)\b.*$", re.I | re.M
)
_PATH = re.compile(r"(?<![\w/.-])(?:~|\.{1,2})?/?(?:[\w@+.-]+/)+[\w@+.-]+(?::\d+)?")
_CODED = re.compile(r"(?<![\w-])(?=[\w.:-]*\d)(?=[\w.:-]*[A-Za-z])[\w][\w.:-]{3,47}(?![\w-])")
_MEASURED = re.compile(r"\b\d[\d.,]*\s?(?:ms|s|min|h|[KMGT]i?B|kB|%|€|\$|USD|EUR|px|Hz)(?!\w)")
_QUIET = re.compile(r"^(?:\d+|0x0+|line\d+)$")
_A_RESULT = 420
"""Bytes of findings kept of one result, before there is too little room for all."""


def findings(messages: Sequence[Message], room: int) -> str:
    """A line of findings for each result, newest kept best, in at most about `room` characters.

    Addresses, paths, identifiers with digits in them, measured values and lines that tell of an
    error; what was listed once is not listed again.
    """
    known: set[str] = set()
    lines: list[tuple[str, str]] = []
    results = [one for one in messages if one.role == "tool" and one.content]
    share = min(_A_RESULT, max(room // max(len(results), 1), 40))
    for message in results:
        found = _line(message.content, share, known)
        if found:
            lines.append((message.call_id, found))
    kept: list[str] = []
    for call_id, text in reversed(lines):
        line = f"- {call_id}: {text}"
        if room < len(line):
            break
        room -= len(line)
        kept.append(line)
    return "\n".join(reversed(kept))


def _line(text: str, room: int, known: set[str]) -> str:
    parts: list[str] = []
    for one in _all(text):
        if one in known or len(one) + 2 > room:
            continue
        known.add(one)
        parts.append(one)
        room -= len(one) + 2
        if room < 8:
            break
    return "; ".join(parts)


def _all(text: str) -> Iterator[str]:
    """Findings, the rarest kinds first."""
    for line in _ERROR.findall(text)[:2]:
        yield " ".join(line.split())[:160]
    yield from _URL.findall(text)
    for one in _CODED.findall(text):
        if not _QUIET.match(one):
            yield one.rstrip(".:-")
    yield from _MEASURED.findall(text)
    yield from _PATH.findall(text)
