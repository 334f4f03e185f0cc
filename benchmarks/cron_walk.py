"""Hold the schedules against a walk over every minute: 20 zones, 10 years, a line at a time.

    python -m benchmarks.cron_walk [YEARS]

Prints how many times were compared, every difference, and what finding the next one costs.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_tui.cron.schedule import Schedule
from tests.cron.walk import LINES, ZONES, fitting, matches

FIRST = 2026


def walk(zone: str, years: int) -> dict[str, list[float]]:
    """When each line is due, by going through every minute there is."""
    tz, step = ZoneInfo(zone), timedelta(minutes=1)
    moment = datetime(FIRST, 1, 1, tzinfo=UTC)
    end = datetime(FIRST + years, 1, 1, tzinfo=UTC)
    newest = (moment - timedelta(hours=4)).astimezone(tz).replace(tzinfo=None)
    newest = max(newest, moment.astimezone(tz).replace(tzinfo=None))
    found: dict[str, list[float]] = {line: [] for line in LINES}
    of_minute = [[line for line in LINES if n in fitting(line)[0]] for n in range(60)]
    while moment < end:
        moment += step
        wall = moment.astimezone(tz).replace(tzinfo=None)
        due: set[str] = set()
        while newest < wall:
            newest += step
            due.update(line for line in of_minute[newest.minute] if matches(line, newest))
        for line in due:
            found[line].append(moment.timestamp())
    return found


def compare(zone: str, years: int) -> tuple[int, list[str]]:
    """How many times all lines come in a zone by the walk, and where the two differ."""
    start = datetime(FIRST, 1, 1, tzinfo=UTC).timestamp()
    end = datetime(FIRST + years, 1, 1, tzinfo=UTC).timestamp()
    count, differences = 0, []
    for line, want in walk(zone, years).items():
        got = [slot.at for slot in Schedule(kind="cron", zone=zone, line=line).slots(start, end)]
        count += len(want)
        if got == want:
            continue
        for at in sorted(set(want) ^ set(got))[:5] or [start]:
            moment = datetime.fromtimestamp(at, ZoneInfo(zone)).isoformat()
            differences.append(f"{zone} {line!r} {moment}: walk {at in want}, schedule {at in got}")
    return count, differences


def cost(rounds: int = 2000) -> float:
    """Microseconds to find the next time of a line."""
    schedule = Schedule(kind="cron", zone="Europe/Berlin", line="0 9 * * 1-5")
    began = time.perf_counter()
    for n in range(rounds):
        schedule.after(1_800_000_000.0 + n * 7200)
    return (time.perf_counter() - began) / rounds * 1e6


def main() -> int:
    """Compare everything; the exit code is whether anything differs."""
    years = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    total, wrong = 0, 0
    for zone in ZONES:
        count, differences = compare(zone, years)
        total, wrong = total + count, wrong + len(differences)
        print(f"{zone:<24}{count:>9,} times, {len(differences)} differences", flush=True)
        for one in differences:
            print("  " + one)
    print(f"{total:,} times in {len(ZONES)} zones and {years} years: {wrong} differences")
    print(f"next time of a line: {cost():.0f} µs")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
