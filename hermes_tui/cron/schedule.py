"""When something is due: wall-clock times in a named zone, elapsed intervals, single moments.

A cron line means the clock on the wall of its zone, and each time on that clock once: when the
clocks go back and an hour is there twice, its first pass counts; when they go forward, a time
that is left out is due at the moment the clocks change, and its slot says so. An interval is
elapsed time, whatever clocks do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

from hermes_tui.cron.fields import ScheduleError, read_fields

SHORTEST_S = 60
LONGEST_S = 366 * 86_400 * 10


class Slot(Struct, frozen=True, kw_only=True):
    """One time something is due. at: Unix seconds; note: what is odd about it."""

    at: float
    note: str = ""


class Schedule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a job is due.

    line: the five fields of kind `cron`; seconds: the interval of kind `every`, counted from
    `at`; at: the moment of kind `once`, in Unix seconds; zone: whose wall clock; typed: what the
    person wrote.
    """

    kind: Literal["cron", "every", "once"]
    zone: str
    line: str = ""
    seconds: float = 0.0
    at: float = 0.0
    typed: str = ""

    def after(self, ts: float) -> Slot | None:
        """The first slot later than a moment; None when there is none any more."""
        match self.kind:
            case "cron":
                return _cron_after(self.line, self.zone, ts)
            case "every":
                count = max(math.floor((ts - self.at) / self.seconds) + 1, 1)
                at = self.at + count * self.seconds
                return Slot(at=at if at > ts else at + self.seconds)
            case _:
                return Slot(at=self.at) if self.at > ts else None

    def slots(self, ts: float, until: float = math.inf) -> Iterator[Slot]:
        """The slots later than a moment, up to another one."""
        slot = self.after(ts)
        while slot is not None and slot.at <= until:
            yield slot
            slot = self.after(slot.at)

    @property
    def text(self) -> str:
        """The schedule in its plainest written form, which reads back as the same."""
        match self.kind:
            case "cron":
                return self.line
            case "every":
                return f"every {in_units(self.seconds)}"
            case _:
                return moment(self.at, self.zone)

    def remarks(self) -> tuple[str, ...]:
        """What a person may not expect of it."""
        if self.kind != "cron":
            return ()
        fields = read_fields(self.line)
        said: list[str] = []
        if not fields.both:
            said.append("day of the month or weekday: a day that fits either one counts")
        a_day = len(fields.minutes) * len(fields.hours)
        if a_day > 96:
            said.append(f"up to {a_day:,} times a day")
        if fields.days and min(fields.days) > 28 and not fields.last:
            said.append("months without that day are left out; L is the last day of any month")
        return tuple(said)


def zone_named(name: str) -> tzinfo:
    """The zone of a name. Raises ScheduleError with the nearest names."""
    found = _zone(name)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name, available_timezones(), n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "such as Europe/Berlin or UTC"
        raise ScheduleError(f"there is no time zone {name!r}", hint)
    return found


@lru_cache(maxsize=128)
def _zone(name: str) -> tzinfo | None:
    if name in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _cron_after(line: str, zone: str, ts: float) -> Slot | None:
    fields, tz = read_fields(line), zone_named(zone)
    wall = fields.after(datetime.fromtimestamp(ts, tz).replace(tzinfo=None))
    while wall is not None:
        at, real = due(wall, tz)
        if at > ts:
            return Slot(at=at, note="" if real else _left_out(wall, at, tz))
        wall = fields.after(wall)
    return None


def due(wall: datetime, zone: tzinfo) -> tuple[float, bool]:
    """When a wall-clock time comes for the first time, and whether the clocks show it at all."""
    first = wall.replace(tzinfo=zone, fold=0)
    at = first.timestamp()
    if datetime.fromtimestamp(at, zone).replace(tzinfo=None) == wall:
        return at, True
    return _change(wall, zone), False


def _change(wall: datetime, zone: tzinfo) -> float:
    """The moment the clocks leave a time out."""
    before = wall.replace(tzinfo=zone, fold=0).utcoffset() or timedelta()
    after = wall.replace(tzinfo=zone, fold=1).utcoffset() or timedelta()
    plain = wall.replace(tzinfo=UTC).timestamp()
    low, high = int(plain - after.total_seconds()), int(plain - before.total_seconds())
    while low < high:  # the first second with the later offset
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == before:
            low = middle + 1
        else:
            high = middle
    return float(low)


def _left_out(wall: datetime, at: float, zone: tzinfo) -> str:
    shown = datetime.fromtimestamp(at, zone)
    return f"{wall:%H:%M} is left out on {wall:%Y-%m-%d}, the clocks go on to {shown:%H:%M}"


def moment(ts: float, zone: str) -> str:
    """A moment as ISO text in a zone."""
    return datetime.fromtimestamp(ts, zone_named(zone)).isoformat(timespec="seconds")


def in_units(seconds: float) -> str:
    """An interval in its largest whole units, such as 1h30m."""
    left, parts = round(seconds), ""
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        if count := left // size:
            parts += f"{count}{unit}"
            left -= count * size
    return parts or "0s"
