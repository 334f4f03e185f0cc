"""What a person asked to be reminded of: found in their own words, by rules, with its time."""

from __future__ import annotations

import re

from msgspec import Struct

from hermes_tui.cron.fields import ScheduleError
from hermes_tui.cron.reading import read
from hermes_tui.cron.schedule import Schedule

MOST_WORDS = 60
_USUAL = (" at 9", "9点")
"""The time of day when only a day is named."""
_ENGLISH = re.compile(
    r"(?P<before>[^.!?\n]*?)\bremind(?:ed)?\b(?:\s+(?:me|us|him|her|them|the user))?"
    r"(?P<rest>[^!?\n]*)",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"(?P<before>[^。！？\n]*?)提醒(?:我|用户)(?:一下)?(?P<rest>[^。！？\n]*)")
_NOT = re.compile(r"\b(?:don't|do not|never|no need to|stop|did|didn't|have|has)\b|不要|别", re.I)
_NO_WISH = re.compile(r"^\s*(?:what|who|when|where|why|how|which)\b", re.I)


class Promise(Struct, frozen=True, kw_only=True):
    """What is to be told, and when."""

    what: str
    schedule: Schedule


def promise(text: str, zone: str, now: float) -> Promise | None:
    """What a text asks to be reminded of, seen from when it was said; None for nothing."""
    for pattern in (_ENGLISH, _CHINESE):
        for found in pattern.finditer(text):
            if _NOT.search(found["before"]) or _NO_WISH.match(found["before"]):
                continue
            chinese = pattern is _CHINESE
            made = _chinese(found, zone, now) if chinese else _english(found["rest"], zone, now)
            if made is not None:
                return made
    return None


def _english(rest: str, zone: str, now: float) -> Promise | None:
    """`on friday to call mum`, or `to call mum on friday`."""
    rest = rest.strip(" ,.;:")
    parted = re.match(r"(?P<when>.*?)\b(?:to|about|that|of)\s+(?P<what>.+)", rest, re.I | re.S)
    if parted is None or len(rest.split()) > MOST_WORDS:
        return None
    when, what = parted["when"].strip(" ,"), parted["what"].strip()
    if when:
        schedule = _when(when, zone, now)
        return Promise(what=what, schedule=schedule) if schedule else None
    words = what.split()
    for at in range(1, len(words)):
        schedule = _when(" ".join(words[at:]), zone, now)
        if schedule is not None:
            return Promise(what=" ".join(words[:at]), schedule=schedule)
    return None


def _chinese(found: re.Match[str], zone: str, now: float) -> Promise | None:
    """`周五提醒我开会`, or `提醒我明天下午3点开会`."""
    before, rest = found["before"].strip(" ,，请"), found["rest"].strip(" ,，：:")
    if before and rest and (schedule := _when(before, zone, now)) is not None:
        return Promise(what=rest, schedule=schedule)
    for at in range(min(len(rest) - 1, 20), 1, -1):
        schedule = _when(rest[:at], zone, now)
        if schedule is not None:
            return Promise(what=rest[at:].strip(" ,，"), schedule=schedule)
    return None


def _when(text: str, zone: str, now: float) -> Schedule | None:
    usual = _USUAL[1] if re.search(r"[\u4e00-\u9fff]", text) else _USUAL[0]
    for tried in (text, text + usual):
        try:
            return read(tried, zone, now)
        except ScheduleError:
            continue
    return None
