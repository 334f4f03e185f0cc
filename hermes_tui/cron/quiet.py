"""Hours in which nothing is told."""

from __future__ import annotations

from datetime import datetime, timedelta

from hermes_tui.cron.schedule import due, zone_named


def quiet_until(ts: float, hours: str, zone: str) -> float:
    """When the quiet hours a moment lies in end; the moment itself outside of them.

    hours: such as `22-8` or `22:30-7`, on the wall clock of the zone; empty for none.
    """
    first, _, last = hours.partition("-")
    if not last or first == last:
        return ts
    tz = zone_named(zone)
    wall = datetime.fromtimestamp(ts, tz).replace(tzinfo=None)
    begin, end = _minutes(first), _minutes(last)
    now = wall.hour * 60 + wall.minute
    inside = begin <= now < end if begin < end else now >= begin or now < end
    if not inside:
        return ts
    day = wall.replace(hour=0, minute=0, second=0, microsecond=0)
    if now >= end:
        day += timedelta(days=1)
    return due(day + timedelta(minutes=end), tz)[0]


def day_began(ts: float, zone: str) -> float:
    """When the day of a moment began on the wall clock of a zone."""
    tz = zone_named(zone)
    wall = datetime.fromtimestamp(ts, tz).replace(tzinfo=None)
    return due(wall.replace(hour=0, minute=0, second=0, microsecond=0), tz)[0]


def _minutes(text: str) -> int:
    hour, _, minute = text.partition(":")
    return min(int(hour) * 60 + int(minute or 0), 24 * 60)
