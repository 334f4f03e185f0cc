"""Plain words for a schedule: read as a person means them, or not at all."""

from __future__ import annotations

import pytest

from hermes_tui.cron.fields import ScheduleError
from hermes_tui.cron.reading import read
from tests.cron.conftest import at

NOW = at("2026-12-01T10:00:00+01:00")  # a Tuesday

LINES = {
    "weekdays at 9": "0 9 * * 1-5",
    "every weekday at 9:30am": "30 9 * * 1-5",
    "at 9 on weekdays": "0 9 * * 1-5",
    "every day at 9am": "0 9 * * *",
    "Daily at 17:00": "0 17 * * *",
    "every monday and thursday at 8pm": "0 20 * * 1,4",
    "mon, wed and fri at 7": "0 7 * * 1,3,5",
    "monday to friday at 18:00": "0 18 * * 1-5",
    "every morning at 8": "0 8 * * *",
    "every evening at 7": "0 19 * * *",
    "every night at 2": "0 2 * * *",
    "nightly at 11:30": "30 23 * * *",
    "fridays at noon": "0 12 * * 5",
    "weekends at 10": "0 10 * * 0,6",
    "at 9 and 17 every day": "0 9,17 * * *",
    "every day at 9 and 5pm": "0 9,17 * * *",
    "every day at 3 and 5pm": "0 15,17 * * *",
    "every hour at :15": "15 * * * *",
    "monthly on the 1st at 9": "0 9 1 * *",
    "on the 1st and 15th at 10:00": "0 10 1,15 * *",
    "on the last day of every month at 18": "0 18 l * *",
    "every year on march 5 at 9": "0 9 5 3 *",
    "每天早上8点": "0 8 * * *",
    "每天上午8点半": "30 8 * * *",
    "每周一三五9点": "0 9 * * 1,3,5",
    "每周一至周五下午5点30分": "30 17 * * 1-5",
    "工作日早上9点": "0 9 * * 1-5",
    "周末10点": "0 10 * * 0,6",
    "每月1号9点": "0 9 1 * *",
    "每月1日和15日10点": "0 10 1,15 * *",
    "每小时": "0 * * * *",
    "每年3月5日9点": "0 9 5 3 *",
    "每天晚上十点半": "30 22 * * *",
    "每天晚上12点": "0 0 * * *",
    "每天中午12点": "0 12 * * *",
    "每天八点和十八点": "0 8,18 * * *",
    "每月最后一天18点": "0 18 l * *",
    "每周日早上10点": "0 10 * * 0",
    "每天凌晨2点": "0 2 * * *",
}
MOMENTS = {
    "friday at 9": "2026-12-04T09:00:00+01:00",
    "on friday at 9am": "2026-12-04T09:00:00+01:00",
    "next tuesday at 9": "2026-12-08T09:00:00+01:00",
    "tuesday at 9": "2026-12-08T09:00:00+01:00",
    "tomorrow at 8": "2026-12-02T08:00:00+01:00",
    "tonight at 8": "2026-12-01T20:00:00+01:00",
    "today at 11": "2026-12-01T11:00:00+01:00",
    "march 5 at 10am": "2027-03-05T10:00:00+01:00",
    "5 March 10:00": "2027-03-05T10:00:00+01:00",
    "2026-12-24 at 18:00": "2026-12-24T18:00:00+01:00",
    "2026-12-24T18:00Z": "2026-12-24T18:00:00+00:00",
    "in 30m": "2026-12-01T10:30:00+01:00",
    "in half an hour": "2026-12-01T10:30:00+01:00",
    "in 1 hour and 30 minutes": "2026-12-01T11:30:00+01:00",
    "明天早上8点": "2026-12-02T08:00:00+01:00",
    "后天下午三点": "2026-12-03T15:00:00+01:00",
    "今晚8点": "2026-12-01T20:00:00+01:00",
    "下周一9点": "2026-12-07T09:00:00+01:00",
    "周五下午3点": "2026-12-04T15:00:00+01:00",
    "半小时后": "2026-12-01T10:30:00+01:00",
    "两小时后": "2026-12-01T12:00:00+01:00",
}


@pytest.mark.parametrize(("text", "line"), LINES.items())
def test_words_for_times_that_come_again(text: str, line: str) -> None:
    schedule = read(text, "Europe/Berlin", NOW)
    assert (schedule.kind, schedule.line) == ("cron", line)


@pytest.mark.parametrize(("text", "moment"), MOMENTS.items())
def test_words_for_one_moment(text: str, moment: str) -> None:
    schedule = read(text, "Europe/Berlin", NOW)
    assert (schedule.kind, schedule.at) == ("once", at(moment))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("every 15 minutes", 900), ("every 1h30m", 5400), ("每30分钟", 1800), ("每隔2小时", 7200)],
)
def test_words_for_intervals(text: str, seconds: int) -> None:
    schedule = read(text, "Europe/Berlin", NOW)
    assert (schedule.kind, schedule.seconds, schedule.at) == ("every", seconds, NOW)


def test_a_zone_may_stand_behind_the_words() -> None:
    schedule = read("weekdays at 9 in Asia/Tokyo", "Europe/Berlin", NOW)
    assert (schedule.line, schedule.zone) == ("0 9 * * 1-5", "Asia/Tokyo")


@pytest.mark.parametrize(
    "text",
    [
        "whenever you feel like it",
        "every day",
        "at 9",
        "on friday",
        "every day at 25:00",
        "first monday of the month at 9",
        "every other day at 9",
        "every day at 9:10 and 17:40",
        "every day at 9 except fridays",
        "每天",
    ],
)
def test_what_can_only_be_guessed_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        read(text, "Europe/Berlin", NOW)
    assert caught.value.hint
