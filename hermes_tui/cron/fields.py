"""The five fields of a cron line, and the wall-clock times they stand for."""

from __future__ import annotations

import calendar
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache

from msgspec import Struct

from hermes_tui.errors import HermesError

MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name}
DAYS = {name: i for i, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_HORIZON = 60
"""Years after which a line is taken to stand for no time at all."""


class ScheduleError(HermesError):
    """A schedule can't be read, never comes, or comes too often."""

    exit_code = 2


class _Kind(Struct, frozen=True):
    name: str
    low: int
    high: int
    names: Mapping[str, int] = {}


_KINDS = (
    _Kind("minute", 0, 59),
    _Kind("hour", 0, 23),
    _Kind("day of the month", 1, 31),
    _Kind("month", 1, 12, MONTHS),
    _Kind("weekday", 0, 7, DAYS),
)


class Fields(Struct, frozen=True, kw_only=True):
    """What a line stands for. last: also on the last day of a month.

    both: a day must fit day of the month and weekday; otherwise either is enough, as cron has
    it when both are given. weekdays: 0 is Sunday.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    last: bool = False
    both: bool = True

    def on(self, day: date) -> bool:
        """Whether a day of a fitting month fits."""
        in_month = day.day in self.days or (self.last and day.day == _length(day))
        weekday = (day.weekday() + 1) % 7 in self.weekdays
        return in_month and weekday if self.both else in_month or weekday

    def after(self, wall: datetime) -> datetime | None:
        """The first fitting minute after a wall-clock time; None when there is none."""
        for day in self._days(wall.date()):
            hour, minute = 0, -1
            if day == wall.date():
                hour, minute = wall.hour, wall.minute
            if (found := self._time(hour, minute)) is not None:
                return datetime(day.year, day.month, day.day, *found)
        return None

    def _time(self, hour: int, minute: int) -> tuple[int, int] | None:
        """The first fitting time of a day after hour:minute."""
        at = bisect_left(self.hours, hour)
        if at < len(self.hours) and self.hours[at] == hour:
            next_minute = bisect_right(self.minutes, minute)
            if next_minute < len(self.minutes):
                return hour, self.minutes[next_minute]
            at += 1
        return (self.hours[at], self.minutes[0]) if at < len(self.hours) else None

    def _days(self, first: date) -> Iterator[date]:
        for year in range(first.year, min(first.year + _HORIZON, 9998)):
            for month in self.months:
                start = first.day if (year, month) == (first.year, first.month) else 1
                if (year, month) < (first.year, first.month):
                    continue
                length = calendar.monthrange(year, month)[1]
                every = (date(year, month, day) for day in range(start, length + 1))
                yield from filter(self.on, every)


def _length(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


@lru_cache(maxsize=512)
def read_fields(line: str) -> Fields:
    """The five fields of a line. Raises ScheduleError with what is wrong with which."""
    parts = line.lower().split()
    minutes, hours, days, months, weekdays = (
        _values(part, kind) for part, kind in zip(_without_last(parts), _KINDS, strict=True)
    )
    fields = Fields(
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=tuple(sorted({day % 7 for day in weekdays})),
        last=_has_last(parts[2]),
        both=parts[2].startswith("*") or parts[4].startswith("*"),
    )
    if fields.after(datetime(2027, 1, 1)) is None:
        raise ScheduleError(f"{line!r} never comes", "no such day is in any year")
    return fields


def _has_last(part: str) -> bool:
    return "l" in part.split(",")


def _without_last(parts: list[str]) -> list[str]:
    """The fields with no `L`, which only the day of the month can have."""
    if not _has_last(parts[2]):
        return parts
    rest = ",".join(one for one in parts[2].split(",") if one != "l")
    return [*parts[:2], rest or "none", *parts[3:]]


def _values(part: str, kind: _Kind) -> tuple[int, ...]:
    if part == "none":
        return ()
    found: set[int] = set()
    for one in part.split(","):
        found.update(_range(one, kind))
    return tuple(sorted(found))


def _range(text: str, kind: _Kind) -> range:
    span, slash, step_text = text.partition("/")
    step = 1
    if slash:
        if not step_text.isascii() or not step_text.isdigit() or int(step_text) == 0:
            raise ScheduleError(f"{kind.name}: {text!r} has no step above 0", "such as */15")
        step = int(step_text)
    if span == "*":
        low, high = kind.low, min(kind.high, 6) if kind.name == "weekday" else kind.high
    else:
        first, dash, second = span.partition("-")
        low = _value(first, text, kind)
        high = _value(second, text, kind) if dash else kind.high if slash else low
        if high < low and kind.name == "weekday" and high == 0:
            high = 7
        if high < low:
            raise ScheduleError(
                f"{kind.name}: {text!r} runs backwards",
                f"write {low}-{kind.high},{kind.low}-{high}",
            )
    if step > kind.high - kind.low + 1:
        raise ScheduleError(
            f"{kind.name}: a step of {step} goes past the end of the field",
            f"for {step} {kind.name}s in all weathers write `every …`, such as `every 90m`",
        )
    return range(low, high + 1, step)


def _value(text: str, whole: str, kind: _Kind) -> int:
    if text[:3] in kind.names and text.isalpha():
        full = calendar.month_name if kind.names is MONTHS else calendar.day_name
        if len(text) == 3 or any(name.lower().startswith(text) for name in full if name):
            return kind.names[text[:3]]
    if not (text.isascii() and text.isdigit()):
        names = f" or a name such as {next(iter(kind.names))}" if kind.names else ""
        raise ScheduleError(
            f"{kind.name}: {whole!r} is not understood",
            f"numbers from {kind.low} to {kind.high}{names}, with , - / and *",
        )
    if not kind.low <= int(text) <= kind.high:
        raise ScheduleError(
            f"{kind.name}: {int(text)} is out of range", f"it goes from {kind.low} to {kind.high}"
        )
    return int(text)
