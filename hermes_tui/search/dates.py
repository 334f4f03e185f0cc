"""The days a question speaks of: "last Tuesday", "in May 2023", 上周二, 昨天."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta

from msgspec import Struct

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH = (
    r"(?P<month>"
    + "|".join(
        rf"{name[:3]}(?:{name[3:]})?" if name != "september" else "sep(?:t(?:ember)?)?"
        for name in _MONTHS
    )
    + r")\.?"
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_FULL_DAY = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "couple of": 2,
    "a couple of": 2,
    "few": 3,
    "a few": 3,
}
_N = r"(?P<n>\d{1,3}|(?:a )?(?:couple of|few)|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_HAN = {
    "一": 1,
    "二": 2,
    "两": 2,
    "兩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
    "日": 7,
    "天": 7,
    "月": 1,
    "火": 2,
    "水": 3,
    "木": 4,
    "金": 5,
    "土": 6,
}
_HAN_N = r"(?P<n>\d{1,3}|[一二两兩三四五六七八九十]{1,3})"


class Span(Struct, frozen=True, kw_only=True):
    """From `start` to before `end`, Unix seconds.

    yearly: no year was named, so the same days of every year before are meant as well.
    """

    start: float
    end: float
    yearly: bool = False

    @property
    def days(self) -> float:
        """How many days it covers."""
        return (self.end - self.start) / 86_400


class Dated(Struct, frozen=True, kw_only=True):
    """The spans a text speaks of, what is left of the text without
    their words, and those of them that are no date of the calendar.
    """

    spans: tuple[Span, ...]
    rest: str
    said: str = ""


_Days = tuple[date, date]
_Meaning = Callable[[re.Match[str], date], _Days | None]
_Rule = tuple[re.Pattern[str], _Meaning]


def find_dates(text: str, now: float) -> Dated:
    """All times a text speaks of, seen from `now` (Unix seconds), in the local time zone."""
    today = datetime.fromtimestamp(now).date()
    spans: list[Span] = []
    said: list[str] = []

    def take(found: re.Match[str], meaning: _Meaning) -> str:
        days = _days(found, meaning, today)
        if not days:
            return found[0]
        spans.extend(days)
        if not {"month", "year"} & found.re.groupindex.keys():
            said.append(found[0])
        return " "

    for pattern, meaning in _rules():
        text = pattern.sub(lambda found, m=meaning: take(found, m), text)
    return Dated(spans=tuple(spans), rest=text, said=" ".join(said))


def parse_day(text: str, now: float) -> Span | None:
    """The time that a filter such as `before:` names: a date, a month, a year, or words for one.

    None when it is no time.
    """
    words = text.strip().replace("_", " ")
    if found := re.fullmatch(r"(\d{4})-(\d{1,2})", words):
        return _span(_month(int(found[1]), int(found[2])))
    if re.fullmatch(_MONTH, words, re.I):
        words = f"in {words}"
    spans = find_dates(words, now).spans
    return spans[0] if spans else None


def _days(found: re.Match[str], meaning: _Meaning, today: date) -> list[Span]:
    """What was found means these days; none when there is no such day."""
    try:
        days = meaning(found, today)
    except (ValueError, OverflowError):
        return []
    if days is None:
        return []
    spans = [_span(days, "month" in found.re.groupindex and not found["year"])]
    if meaning is _last_weekday and days[0] >= _monday(today):
        spans.append(_span((days[0] - timedelta(days=7), days[1] - timedelta(days=7))))
    return spans


def _span(days: _Days, yearly: bool = False) -> Span:
    return Span(start=_at(days[0]), end=_at(days[1]), yearly=yearly)


def every_year(spans: tuple[Span, ...], oldest: float) -> tuple[Span, ...]:
    """The spans, and those without a year once for each year back to `oldest`."""
    return tuple(one for span in spans for one in (_years(span, oldest) if span.yearly else [span]))


def _years(span: Span, oldest: float) -> list[Span]:
    found = [span]
    while found[-1].end > oldest and len(found) < 50:
        last = found[-1]
        days = [datetime.fromtimestamp(at).date() for at in (last.start, last.end)]
        first, end = (day.replace(year=day.year - 1, day=min(day.day, 28)) for day in days)
        found.append(Span(start=_at(first), end=_at(end)))
    return found


def _at(day: date) -> float:
    return datetime.combine(day, time()).timestamp()


# --- what the words mean ------------------------------------------------------------------------


def _one(day: date) -> _Days:
    return day, day + timedelta(days=1)


def _month(year: int, month: int) -> _Days:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _week(today: date, back: int) -> _Days:
    start = _monday(today) - timedelta(weeks=back)
    return start, start + timedelta(days=7)


def _months_back(today: date, back: int) -> _Days:
    months = today.year * 12 + today.month - 1 - back
    return _month(months // 12, months % 12 + 1)


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text.lower() in _NUMBERS:
        return _NUMBERS[text.lower()]
    head, ten, tail = text.partition("十")
    return (_HAN.get(head, 1) * 10 + _HAN.get(tail, 0)) if ten else _HAN[text]


def _month_of(found: re.Match[str]) -> int:
    short = found["month"].lower()[:3]
    return next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(short))


def _weekday_of(found: re.Match[str]) -> int:
    short = found["weekday"].lower()[:3]
    return next(i for i, name in enumerate(_DAYS) if name.startswith(short))


def _year(found: re.Match[str], month: int, day: int, today: date) -> int:
    """The year that was named, or the last one in which that day has been."""
    if found["year"]:
        return int(found["year"])
    return today.year - ((month, day) > (today.month, today.day))


def _full(found: re.Match[str], today: date) -> _Days | None:
    month, day = _month_of(found), int(found["day"])
    return _one(date(_year(found, month, day, today), month, day))


def _digits(found: re.Match[str], today: date) -> _Days | None:
    return _one(date(int(found["year"]), int(found["m"]), int(found["day"])))


def _han_day(found: re.Match[str], today: date) -> _Days | None:
    month, day = _number(found["m"]), _number(found["day"])
    return _one(date(_year(found, month, day, today), month, day))


def _named_month(found: re.Match[str], today: date) -> _Days | None:
    month = _month_of(found)
    return _month(_year(found, month, 1, today), month)


def _han_month(found: re.Match[str], today: date) -> _Days | None:
    month = _number(found["m"])
    return _month(_year(found, month, 1, today), month)


def _last_weekday(found: re.Match[str], today: date) -> _Days | None:
    """`last Tuesday`: the newest one before today; `_days` adds the one of last week."""
    back = (today.weekday() - _weekday_of(found) - 1) % 7 + 1
    return _one(today - timedelta(days=back))


def _this_weekday(found: re.Match[str], today: date) -> _Days | None:
    return _one(today - timedelta(days=(today.weekday() - _weekday_of(found)) % 7))


def _han_weekday(found: re.Match[str], today: date) -> _Days | None:
    """上周二 is the Tuesday of the week before; 周二 alone the newest one."""
    at = _number(found["day"]) - 1
    weeks = len(found["back"] or "")
    if weeks:
        return _one(_monday(today) - timedelta(weeks=weeks) + timedelta(days=at))
    return _one(today - timedelta(days=(today.weekday() - at) % 7))


_UNITS = {"day": 1, "week": 7, "天": 1, "日": 1, "周": 7, "週": 7, "星期": 7, "礼拜": 7}


def _ago(found: re.Match[str], today: date) -> _Days | None:
    n, unit = _number(found["n"]), found["unit"].lower()
    if unit in ("month", "月", "ヶ月", "か月"):
        return _months_back(today, n)
    if unit in ("year", "年"):
        return date(today.year - n, 1, 1), date(today.year - n + 1, 1, 1)
    day = today - timedelta(days=n * _UNITS[unit])
    return _one(day) if _UNITS[unit] == 1 else (day - timedelta(days=3), day + timedelta(days=4))


def _past(found: re.Match[str], today: date) -> _Days | None:
    n, unit = _number(found["n"] or "1"), found["unit"].lower()
    length = {"month": 30, "月": 30, "year": 365, "年": 365}.get(unit) or _UNITS[unit]
    return today - timedelta(days=n * length), today + timedelta(days=1)


def _last_year(found: re.Match[str], today: date) -> _Days:
    return date(today.year - 1, 1, 1), date(today.year, 1, 1)


def _weekend(found: re.Match[str], today: date) -> _Days:
    saturday = _monday(today) - timedelta(days=2)
    return saturday, saturday + timedelta(days=2)


def _days_back(days: int) -> Callable[[re.Match[str], date], _Days]:
    return lambda _, today: _one(today - timedelta(days=days))


_Line = tuple[str, _Meaning]


def _table() -> Iterator[_Line]:
    """The rules in the order in which they are tried: what is said more exactly comes first."""
    yield from _calendar()
    yield from _from_today()
    yield from _han()


def _calendar() -> Iterator[_Line]:
    year, of = r"(?P<year>(?:19|20)\d\d)", r"(?:\s+of)?"
    nth = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    yield r"\b(?P<year>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<day>\d{1,2})\b", _digits
    yield rf"\b(?:on\s+)?(?:the\s+)?{nth}{of}\s+{_MONTH}(?:,?\s+{year})?\b", _full
    yield rf"\b(?:on\s+)?{_MONTH}\s+{nth}(?:,?\s+{year})?(?!\d|:)\b", _full
    yield rf"\b{_MONTH},?(?:\s+of)?\s+{year}\b", _named_month
    yield (
        (
            r"\b(?:in|during|since|of|early|late|mid|last|by|until|around)[\s-]+"
            rf"(?:early |late |mid-?)?{_MONTH}(?P<year>(?!))?\b(?!\s+\d)"
        ),
        _named_month,
    )
    yield (
        (
            r"\b(?P<month>january|february|april|june|july|august|september|october|november|december)"
            r"(?P<year>(?!))?\b"
        ),
        _named_month,
    )
    yield (
        rf"\b(?:in|during|since|of|around)\s+{year}\b",
        lambda f, _: (date(int(f["year"]), 1, 1), date(int(f["year"]) + 1, 1, 1)),
    )


def _from_today() -> Iterator[_Line]:
    yield r"\b(?:the )?day before yesterday\b|前天|前日|一昨日|おととい|그저께|그제", _days_back(2)
    yield r"\byesterday(?:'s)?\b|\blast night\b|昨天|昨日|昨晚|昨夜|きのう|어제", _days_back(1)
    yield (
        r"\b(?:today|tonight|this morning|this afternoon)\b|今天|今日|今晚|今早|きょう|오늘",
        _days_back(0),
    )
    yield rf"\b(?:on\s+)?last\s+{_DAY}\b", _last_weekday
    yield rf"\b(?:on|this|since)\s+{_FULL_DAY}\b", _this_weekday
    yield r"\b(?:last|this past|over the) weekend\b|上?周末|上?週末|先週末", _weekend
    yield rf"\b{_N}\s+(?P<unit>day|week|month|year)s?\s+ago\b", _ago
    yield (
        r"\b(?:in|during|over|within)?\s*the\s+(?:last|past)\s+"
        rf"(?:{_N}\s+)?(?P<unit>day|week|month|year)s?\b",
        _past,
    )
    yield rf"\b(?:last|past)\s+{_N}\s+(?P<unit>day|week|month|year)s\b", _past
    yield r"(?P<back>先週の?)?(?P<day>[月火水木金土日])曜日?", _ja_weekday
    yield r"\blast week\b|先週|지난주", lambda _, today: _week(today, 1)
    yield r"\bthis week\b|今週|이번\s?주", lambda _, today: _week(today, 0)
    yield r"\blast month\b|上个?月|上個月|先月|지난달", lambda _, today: _months_back(today, 1)
    yield r"\bthis month\b|这个?月|這個月|本月|今月", lambda _, today: _months_back(today, 0)
    yield r"\blast year\b|去年|작년", _last_year
    yield (
        r"\bthis year\b|今年|올해",
        lambda _, today: (date(today.year, 1, 1), date(today.year + 1, 1, 1)),
    )


def _han() -> Iterator[_Line]:
    yield (
        (
            rf"(?:(?P<year>(?:19|20)\d\d)\s*年)?\s*{_HAN_N.replace('<n>', '<m>')}\s*月\s*"
            rf"{_HAN_N.replace('<n>', '<day>')}\s*[日号號]"
        ),
        _han_day,
    )
    yield (
        (
            r"(?:(?P<year>(?:19|20)\d\d)\s*年)?(?<![\d一二三四五六七八九十个個ヶか])"
            r"(?P<m>\d{1,2}|[一二三四五六七八九十]{1,2})月(?![\d一二三四五六七八九十])"
        ),
        _han_month,
    )
    yield (
        r"(?P<year>(?:19|20)\d\d)\s*年",
        lambda f, _: (date(int(f["year"]), 1, 1), date(int(f["year"]) + 1, 1, 1)),
    )
    yield (
        (r"(?<!下)(?P<back>上{0,2})个?(?:周|週|星期|礼拜|禮拜)(?P<day>[一二三四五六日天])"),
        _han_weekday,
    )
    yield rf"{_HAN_N}\s*个?個?(?P<unit>天|周|週|星期|礼拜|月|年|日|ヶ月|か月)(?:之?前|以前)", _ago
    yield rf"(?:最近|过去|過去|这)(?:的)?{_HAN_N}个?(?P<unit>天|周|星期|月|年|日)", _past
    yield r"上个?(?:周|週|星期|礼拜|禮拜)", lambda _, today: _week(today, 1)
    yield r"(?:这个?|本)(?:周|週|星期|礼拜)", lambda _, today: _week(today, 0)


def _ja_weekday(found: re.Match[str], today: date) -> _Days | None:
    at = {"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6}[found["day"]]
    if found["back"]:
        return _one(_monday(today) - timedelta(weeks=1) + timedelta(days=at))
    return _one(today - timedelta(days=(today.weekday() - at) % 7))


_compiled: list[_Rule] = []


def _rules() -> list[_Rule]:
    if not _compiled:
        _compiled.extend((re.compile(text, re.I), meaning) for text, meaning in _table())
    return _compiled
