"""When a schedule comes: by the clock on the wall of its zone, each time once."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.cron.fields import ScheduleError, read_fields
from hermes_tui.cron.reading import read
from hermes_tui.cron.schedule import Schedule, in_units, moment
from tests.cron.conftest import at
from tests.cron.walk import LINES, ZONES, walked


def following(text: str, zone: str, since: str, count: int = 1) -> list[str]:
    schedule = read(text, zone, at(since))
    return [moment(slot.at, schedule.zone) for slot in islice(schedule.slots(at(since)), count)]


@pytest.mark.parametrize(
    ("text", "zone", "since", "comes"),
    [
        ("0 9 * * *", "America/New_York", "2026-03-07T09:00:01-05:00", "2026-03-08T09:00:00-04:00"),
        ("0 9 * * *", "America/New_York", "2026-10-31T09:00:01-04:00", "2026-11-01T09:00:00-05:00"),
        ("0 9 * * 1-5", "Europe/Berlin", "2026-10-23T09:00:00+02:00", "2026-10-26T09:00:00+01:00"),
        ("0 9 * * 1-5", "Europe/Berlin", "2027-03-26T09:00:00+01:00", "2027-03-29T09:00:00+02:00"),
        ("0 9 * * mon-fri", "UTC", "2026-06-05T10:00:00+00:00", "2026-06-08T09:00:00+00:00"),
        ("@daily", "UTC", "2026-06-05T10:00:00+00:00", "2026-06-06T00:00:00+00:00"),
        ("0 9 13 * 5", "UTC", "2026-06-01T00:00:00+00:00", "2026-06-05T09:00:00+00:00"),
        ("0 0 31 * *", "UTC", "2026-04-01T00:00:00+00:00", "2026-05-31T00:00:00+00:00"),
        ("0 0 L * *", "UTC", "2028-02-01T00:00:00+00:00", "2028-02-29T00:00:00+00:00"),
        ("0 9 * * 7", "UTC", "2026-06-01T00:00:00+00:00", "2026-06-07T09:00:00+00:00"),
        ("0 9 * * fri-sun", "UTC", "2026-06-06T10:00:00+00:00", "2026-06-07T09:00:00+00:00"),
        ("5/20 * * * *", "UTC", "2026-06-06T10:06:00+00:00", "2026-06-06T10:25:00+00:00"),
        ("0 0 29 2 *", "UTC", "2026-06-06T10:06:00+00:00", "2028-02-29T00:00:00+00:00"),
        ("every 2h", "America/New_York", "2026-03-08T01:30:00-05:00", "2026-03-08T04:30:00-04:00"),
        ("2h", "America/New_York", "2026-03-08T01:30:00-05:00", "2026-03-08T04:30:00-04:00"),
        ("every 2h", "America/New_York", "2026-11-01T00:30:00-04:00", "2026-11-01T01:30:00-05:00"),
        (
            "CRON_TZ=Asia/Tokyo 0 9 * * *",
            "America/New_York",
            "2026-06-01T05:00:00-04:00",
            "2026-06-02T09:00:00+09:00",
        ),
    ],
)
def test_a_schedule_comes_when_it_says(text: str, zone: str, since: str, comes: str) -> None:
    assert following(text, zone, since) == [comes]


def test_a_time_that_is_left_out_comes_once_when_the_clocks_change_and_says_so() -> None:
    schedule = read("30 2 * * *", "America/New_York", at("2026-03-07T12:00:00-05:00"))
    slots = list(islice(schedule.slots(at("2026-03-07T12:00:00-05:00")), 2))
    shown = [moment(slot.at, schedule.zone) for slot in slots]
    assert shown == ["2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"]
    assert "02:30 is left out on 2026-03-08" in slots[0].note
    assert slots[1].note == ""


def test_a_time_that_is_there_twice_comes_once() -> None:
    since = "2026-10-31T12:00:00-04:00"
    shown = following("30 1 * * *", "America/New_York", since, 2)
    assert shown == ["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"]
    between = following("30 1 * * *", "America/New_York", "2026-11-01T01:10:00-05:00", 1)
    assert between == ["2026-11-02T01:30:00-05:00"]


def test_either_day_counts_when_both_are_given_and_it_says_so() -> None:
    schedule = read("0 9 13 * 5", "UTC", 0.0)
    assert "either" in schedule.remarks()[0]
    assert read("0 9 13 * *", "UTC", 0.0).remarks() == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0 0 30 2 *", "never comes"),
        ("*/30 * * * * *", "seconds"),
        ("every 0m", "without a pause"),
        ("every 10s", "without a pause"),
        ("60 * * * *", "out of range"),
        ("* 24 * * *", "out of range"),
        ("0 9 * * 8", "out of range"),
        ("22-2 * * * *", "backwards"),
        ("*/0 * * * *", "no step"),
        ("*/90 * * * *", "past the end"),
        ("a b c d e", "not understood"),
        ("0 9 * *", "4 fields"),
        ("@reboot", "no schedule"),
        ("2020-01-01T09:00", "is over"),
        ("2026-02-31 09:00", "no date"),
        ("every 20 years", "not understood"),
        ("every 4000d", "ten years"),
        ("", "no schedule"),
        ("CRON_TZ=Mars/Base 0 9 * * *", "no time zone"),
    ],
)
def test_what_never_comes_or_never_stops_is_refused(text: str, says: str) -> None:
    with pytest.raises(ScheduleError, match=says):
        read(text, "UTC", at("2026-06-01T00:00:00+00:00"))


def test_a_zone_that_is_mistyped_is_answered_with_the_nearest() -> None:
    with pytest.raises(ScheduleError) as caught:
        read("CRON_TZ=Asia/Tokio 0 9 * * *", "UTC", 0.0)
    assert "Asia/Tokyo" in caught.value.hint


@pytest.mark.parametrize("seed", range(12))
def test_no_time_differs_from_a_walk_over_every_minute(seed: int) -> None:
    """Two days around a change of the clocks, and two at random."""
    dice = random.Random(seed)
    zone = dice.choice(ZONES)
    for _ in range(3):
        line = dice.choice(LINES)
        first = dice.choice([_change(zone, dice), at("2026-01-01T00:00:00+00:00")])
        start = first - 86_400 + dice.randrange(86_400)
        schedule = Schedule(kind="cron", zone=zone, line=line)
        got = [slot.at for slot in schedule.slots(start, start + 2 * 86_400)]
        assert got == walked(line, zone, start, start + 2 * 86_400), (line, zone, start)


def _change(zone: str, dice: random.Random) -> float:
    """A moment at which the clocks of a zone change in some year."""
    year = dice.randrange(2026, 2036)
    tz = ZoneInfo(zone)
    days = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=n) for n in range(366)]
    changes = [
        a.timestamp()
        for a, b in pairwise(days)
        if a.astimezone(tz).utcoffset() != b.astimezone(tz).utcoffset()
    ]
    return dice.choice(changes) if changes else days[0].timestamp()


_part = st.sampled_from(["*", "*/2", "1", "1,2", "1-3", "*/5", "2-5/2"])


@given(st.tuples(_part, _part, _part, _part, _part), st.integers(0, 2**31))
def test_every_line_that_is_read_comes_later_and_fits(parts: tuple[str, ...], since: int) -> None:
    line = " ".join(parts)
    slot = Schedule(kind="cron", zone="Europe/Berlin", line=line).after(float(since))
    assert slot is not None
    assert slot.at > since
    if not slot.note:
        wall = datetime.fromtimestamp(slot.at, ZoneInfo("Europe/Berlin"))
        fields = read_fields(line)
        assert wall.minute in fields.minutes
        assert wall.hour in fields.hours
        assert wall.month in fields.months
        assert fields.on(wall.date())


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        schedule = read(text, "Europe/Berlin", 1_800_000_000.0)
    except ScheduleError:
        return
    slot = schedule.after(1_800_000_000.0)
    assert slot is not None
    assert slot.at > 1_800_000_000.0


@given(st.integers(60, 10**8))
def test_an_interval_in_units_reads_back_as_itself(seconds: int) -> None:
    again = read(f"every {in_units(seconds)}", "UTC", 0.0)
    assert (again.kind, again.seconds) == ("every", seconds)


def test_an_interval_keeps_its_pace_whatever_was_missed() -> None:
    schedule = read("every 90m", "UTC", 1000.0)
    assert [slot.at for slot in islice(schedule.slots(1000.0), 3)] == [6400.0, 11800.0, 17200.0]
    late = schedule.after(12_000.0)
    assert late is not None
    assert late.at == 17200.0
