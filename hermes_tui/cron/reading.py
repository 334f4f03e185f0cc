"""A schedule as people write it: cron line, macro, interval, moment, or plain words."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from hermes_tui.cron.fields import ScheduleError, read_fields
from hermes_tui.cron.schedule import LONGEST_S, SHORTEST_S, Schedule, due, moment, zone_named

FORMS = "such as `0 9 * * mon-fri`, `every 2h`, `in 30m`, `weekdays at 9`, `2027-01-31 09:00`"
_MACROS = {
    "hourly": "0 * * * *",
    "daily": "0 0 * * *",
    "midnight": "0 0 * * *",
    "weekly": "0 0 * * 0",
    "monthly": "0 0 1 * *",
    "yearly": "0 0 1 1 *",
    "annually": "0 0 1 1 *",
}
_UNITS = {
    "s": 1,
    "m": 60,
    "h": 3600,
    "d": 86_400,
    "w": 604_800,
    "秒": 1,
    "分": 60,
    "时": 3600,
    "天": 86_400,
    "周": 604_800,
}
_LENGTH = re.compile(
    r"(?P<n>\d+(?:\.\d+)?|an?\b|one\b)\s*(?P<unit>seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|"
    r"days?|d|weeks?|w)(?![a-z])\s*(?:,|and)?\s*",
    re.IGNORECASE,
)
_CRON = re.compile(r"[\d*][\d*/,\-]*(\s+[\w*/,\-?#]+)+", re.ASCII)
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d(:?\d\d(:?\d\d(\.\d+)?)?)?)?\s*(Z|[+-]\d\d:?\d\d)?", re.I
)


def local_zone() -> str:
    """The name of this machine's time zone; UTC when it has none."""
    named = os.environ.get("TZ", "").lstrip(":")
    names = [named] if named else []
    try:
        names.append(str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2])
        names.append(Path("/etc/timezone").read_text("utf-8").strip())
    except OSError:
        names.append("")
    for name in filter(None, names):
        try:
            zone_named(name)
        except ScheduleError:
            continue
        return name
    return "UTC"


def read(text: str, zone: str, now: float) -> Schedule:
    """The schedule a text means, seen from a moment. Raises ScheduleError with what is accepted.

    A zone in the text, `CRON_TZ=Asia/Tokyo 0 9 * * *` or `weekdays at 9 Asia/Tokyo`, goes before
    the given one.
    """
    typed = text = " ".join(text.split())
    if found := re.match(r"(?:CRON_TZ|TZ)=(\S+)\s+(.+)", text):
        zone, text = found.groups()
    elif found := re.fullmatch(r"(.+?)\s+(?:in\s+)?([A-Z]\w+/[\w/+-]+|UTC)", text):
        text, zone = found.groups()
    zone_named(zone)
    made = _made(text, zone, now)
    if made.kind == "once" and made.at <= now:
        raise ScheduleError(
            f"{moment(made.at, zone)} is over", f"it is {moment(now, zone)}; {FORMS}"
        )
    return Schedule(
        kind=made.kind,
        zone=made.zone,
        line=made.line,
        seconds=made.seconds,
        at=made.at,
        typed=typed,
    )


def _made(text: str, zone: str, now: float) -> Schedule:
    lower = text.lower()
    if not text:
        raise ScheduleError("there is no schedule", FORMS)
    if text.startswith("@") and not lower.startswith("@every "):
        return _macro(lower, zone)
    if _CRON.fullmatch(text):
        return _line(text, zone)
    interval = re.fullmatch(r"@?every\s+(.+)", lower)
    ahead = re.fullmatch(r"(?:in\s+)?(.+?)(?:\s+from now)?", lower)
    if interval and (seconds := length(interval[1])) is not None:
        return _every(seconds, zone, now)
    if ahead and (seconds := length(ahead[1])) is not None:
        return Schedule(kind="once", zone=zone, at=now + _bounded(seconds, shortest=0))
    if _ISO.fullmatch(text):
        return Schedule(kind="once", zone=zone, at=_iso(text, zone))
    from hermes_tui.cron.words import meaning

    found = meaning(text, zone, now)
    if found is None:
        raise ScheduleError(f"{text!r} is not understood as a schedule", FORMS)
    return _every(found.seconds, zone, now) if found.kind == "every" else found


def _macro(text: str, zone: str) -> Schedule:
    line = _MACROS.get(text[1:])
    if line is None:
        hint = (
            "the agent is always on; `in 1m` runs once" if text == "@reboot" else ", ".join(_MACROS)
        )
        raise ScheduleError(f"there is no schedule {text!r}", hint)
    return Schedule(kind="cron", zone=zone, line=line)


def _line(text: str, zone: str) -> Schedule:
    count = len(text.split())
    if count in (6, 7):
        raise ScheduleError(
            f"{text!r} has {count} fields: a seconds or year field is not read",
            "five fields: minute, hour, day of the month, month, weekday",
        )
    if count != 5:
        raise ScheduleError(
            f"{text!r} has {count} fields instead of five",
            "minute, hour, day of the month, month, weekday",
        )
    read_fields(text.lower())
    return Schedule(kind="cron", zone=zone, line=text.lower())


def _every(seconds: float, zone: str, now: float) -> Schedule:
    return Schedule(kind="every", zone=zone, seconds=_bounded(seconds), at=now)


def _bounded(seconds: float, shortest: float = SHORTEST_S) -> float:
    """Raises ScheduleError for a length nobody means."""
    if seconds <= 0 or seconds < shortest:
        raise ScheduleError(
            "that would run without a pause", f"at least {SHORTEST_S} seconds apart"
        )
    if seconds > LONGEST_S:
        raise ScheduleError("that is more than ten years away", FORMS)
    return seconds


def length(text: str) -> float | None:
    """Seconds of a length of time such as `1h30m` or `half an hour`; None for anything else."""
    text = text.strip().lower()
    if text in ("half an hour", "half hour"):
        return 1800.0
    if text in _UNIT_WORDS:
        return float(_UNITS[text[0]])
    total, at = 0.0, 0
    while at < len(text):
        found = _LENGTH.match(text, at)
        if found is None:
            return None
        count = 1.0 if found["n"][0] in "ao" else float(found["n"])
        total, at = total + count * _UNITS[found["unit"][0]], found.end()
    return total if text else None


_UNIT_WORDS = ("minute", "hour")
"""Units that stand alone after `every`; days and weeks are left to the calendar."""


def _iso(text: str, zone: str) -> float:
    compact = re.sub(r"\s+(?=Z|[+-])", "", text.strip())
    try:
        at = datetime.fromisoformat(compact)
    except ValueError as error:
        raise ScheduleError(f"{text!r} is no date: {error}", "such as 2027-01-31T09:00") from error
    if len(compact) <= 10:
        raise ScheduleError(f"{text!r} has no time of day", f"such as {compact} 09:00")
    return at.timestamp() if at.tzinfo else due(at, zone_named(zone))[0]
