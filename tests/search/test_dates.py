"""Times in the words of a question mean the days a person means."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.search.dates import every_year, find_dates, parse_day

NOW = datetime(2026, 11, 30, 23, 0).timestamp()  # a Monday

MEANT = {
    "what did I do last Tuesday": ("2026-11-24", "2026-11-25"),
    "上周二我做了什么": ("2026-11-24", "2026-11-25"),
    "昨天": ("2026-11-29", "2026-11-30"),
    "前天说的": ("2026-11-28", "2026-11-29"),
    "yesterday's error": ("2026-11-29", "2026-11-30"),
    "on 3 June, 2023?": ("2023-06-03", "2023-06-04"),
    "January 5, 2024": ("2024-01-05", "2024-01-06"),
    "2025-02-11": ("2025-02-11", "2025-02-12"),
    "in May": ("2026-05-01", "2026-06-01"),
    "May 2023": ("2023-05-01", "2023-06-01"),
    "in 2022": ("2022-01-01", "2023-01-01"),
    "three weeks ago": ("2026-11-06", "2026-11-13"),
    "10 days ago": ("2026-11-20", "2026-11-21"),
    "3天前": ("2026-11-27", "2026-11-28"),
    "两个月前": ("2026-09-01", "2026-10-01"),
    "最近三天": ("2026-11-27", "2026-12-01"),
    "the last 3 days": ("2026-11-27", "2026-12-01"),
    "last weekend": ("2026-11-28", "2026-11-30"),
    "last week": ("2026-11-23", "2026-11-30"),
    "上个月": ("2026-10-01", "2026-11-01"),
    "on Friday": ("2026-11-27", "2026-11-28"),
    "2026年3月": ("2026-03-01", "2026-04-01"),
    "3月5日我们": ("2026-03-05", "2026-03-06"),
    "先週の火曜日": ("2026-11-24", "2026-11-25"),
    "昨日の会議": ("2026-11-29", "2026-11-30"),
}


@pytest.mark.parametrize("text", MEANT)
def test_a_time_in_words_is_understood(text: str) -> None:
    first = find_dates(text, NOW).spans[0]
    days = tuple(str(datetime.fromtimestamp(at).date()) for at in (first.start, first.end))
    assert days == MEANT[text]


@pytest.mark.parametrize("text", ["may I go", "march on", "下周二", "a second", "version 3.11.2"])
def test_what_is_no_time_is_left_alone(text: str) -> None:
    found = find_dates(text, NOW)
    assert found.spans == ()
    assert found.rest == text


def test_last_tuesday_within_the_week_may_mean_either_tuesday() -> None:
    friday = datetime(2026, 12, 4, 12).timestamp()
    spans = find_dates("last Tuesday", friday).spans
    assert [datetime.fromtimestamp(one.start).day for one in spans] == [1, 24]


def test_a_month_without_a_year_means_it_in_every_year() -> None:
    found = every_year(find_dates("in May", NOW).spans, datetime(2023, 1, 1).timestamp())
    assert [datetime.fromtimestamp(one.start).year for one in found][:4] == [2026, 2025, 2024, 2023]


def test_a_filter_takes_dates_months_and_words() -> None:
    for text in ("2026-11", "nov", "november", "2026-11-30", "yesterday", "last_week", "in 2026"):
        assert parse_day(text, NOW) is not None, text
    assert parse_day("never", NOW) is None


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    for span in every_year(find_dates(text, NOW).spans, 0.0):
        assert span.start < span.end


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_every_written_day_is_that_day(day: date) -> None:
    for text in (
        f"on {day}",
        f"{day.strftime('%B')} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ):
        (span,) = find_dates(text, NOW).spans
        assert datetime.fromtimestamp(span.start).date() == day
        assert timedelta(seconds=span.end - span.start) <= timedelta(hours=25)
