"""The same question answered the slow way: a walk over every minute of the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

ZONES = (
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Dublin",
    "America/New_York",
    "America/Los_Angeles",
    "America/Havana",
    "America/Santiago",
    "America/Nuuk",
    "America/St_Johns",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Pacific/Chatham",
)
LINES = (
    "0 9 * * *",
    "30 2 * * *",
    "30 1 * * *",
    "0 0 * * *",
    "*/15 * * * *",
    "5 0-3 * * *",
    "59 23 * * 6",
    "0 2 * * sun",
    "0 9 13 * 5",
    "0,30 2,3 * 3,10,11 *",
    "45 2 */2 * 0",
)


def _fits(field: str, value: int, low: int, names: str = "") -> bool:
    """One value against one field, by the words of the manual."""
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if first in names.split() and first:
            first = str(names.split().index(first))
        start = low if first == "*" else int(first)
        end = 99 if first == "*" else int(last) if last else start
        if start <= value <= end and (value - start) % int(step or 1) == 0:
            return True
    return False


@lru_cache(maxsize=64)
def fitting(line: str) -> tuple[frozenset[int], ...]:
    """The values of each field that fit, each tried by itself."""
    bounds = (
        (0, 60, ""),
        (0, 24, ""),
        (1, 32, ""),
        (1, 13, ""),
        (0, 7, "sun mon tue wed thu fri sat"),
    )
    return tuple(
        frozenset(n for n in range(low, end) if _fits(field, n, low, names))
        for field, (low, end, names) in zip(line.split(), bounds, strict=True)
    )


def matches(line: str, wall: datetime) -> bool:
    minutes, hours, days, months, weekdays = fitting(line)
    if wall.minute not in minutes or wall.hour not in hours or wall.month not in months:
        return False
    on_day, on_weekday = wall.day in days, (wall.weekday() + 1) % 7 in weekdays
    _, _, day, _, weekday = line.split()
    either = not day.startswith("*") and not weekday.startswith("*")
    return on_day or on_weekday if either else on_day and on_weekday


def walked(line: str, zone: str, start: float, end: float) -> list[float]:
    """When a line is due after `start` up to `end`: each wall-clock minute once, its first time.

    Minutes that the clocks leave out come when the clocks change.
    """
    tz = ZoneInfo(zone)
    moment = datetime.fromtimestamp(start - start % 60 - 4 * 3600, UTC)
    before = moment.astimezone(tz).replace(tzinfo=None)
    newest = before
    found: list[float] = []
    while moment.timestamp() <= end:
        wall = moment.astimezone(tz).replace(tzinfo=None)
        passed = [newest + timedelta(minutes=n) for n in range(1, _minutes(newest, wall) + 1)]
        if any(matches(line, one) for one in passed) and start < moment.timestamp() <= end:
            found.append(moment.timestamp())
        newest = max(newest, wall)
        moment += timedelta(minutes=1)
    return found


def _minutes(newest: datetime, wall: datetime) -> int:
    """How many minutes the clock on the wall has come forward; none while it repeats itself."""
    return max(int((wall - newest).total_seconds() // 60), 0)
