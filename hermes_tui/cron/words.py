"""Plain words for a schedule, English and Chinese, read by rules.

What is known is taken out of the text piece by piece; when something is left that is no filler,
the text is not understood. A guess would run at a time nobody meant.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from msgspec import Struct

from hermes_tui.cron.fields import DAYS, MONTHS, ScheduleError
from hermes_tui.cron.schedule import Schedule, due, zone_named
from hermes_tui.cron.words_zh import plain_english

_DAY = r"(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?"
_DAY_LIST = rf"{_DAY}s?(?:\s*(?:,|and|&|\+|to|through|-|–)\s*(?:and\s+)?{_DAY}s?)*"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)"
_CLOCK = r"(?:\d{1,2}(?:[:.h]\d\d)?\s*(?:a\.?m\b\.?|p\.?m\b\.?|o'clock)?|noon|midday|midnight)"
_FILLER = re.compile(
    r"\b(?:at|on|of|the|every|each|and|in|a|run|please|every\s+month|month|do|it|this)\b|[,.;]"
)
_PARTS = {"morning": 9, "afternoon": 15, "evening": 18, "night": 21, "tonight": 21}


class _Found(Struct):
    """What was read so far. weekly: the days come again; once: a single day."""

    weekdays: set[int] = set()
    days: set[int] = set()
    months: set[int] = set()
    weekly: bool = False
    last: bool = False
    once: date | None = None
    times: tuple[tuple[int, int], ...] = ()
    hourly: int = -1
    half: str = ""


class _Text:
    """A text from which pieces are taken."""

    def __init__(self, text: str) -> None:
        self.left = text

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first piece that fits, taken out."""
        found = re.search(pattern, self.left)
        if found is not None:
            self.left = f"{self.left[: found.start()]} {self.left[found.end() :]}"
        return found


def meaning(text: str, zone: str, now: float) -> Schedule | None:
    """The schedule some words mean; None when they are not understood. Raises ScheduleError.

    An interval comes back with its seconds alone.
    """
    text = plain_english(text.strip().lower())
    if found := re.fullmatch(r"(every|in) (\d+(?:\.\d+)?) seconds", text):
        seconds = float(found[2])
        if found[1] == "every":
            return Schedule(kind="every", zone=zone, seconds=seconds)
        return Schedule(kind="once", zone=zone, at=now + seconds)
    if re.search(r"\b(?:first|second|third|fourth|last)\s+" + _DAY, text):
        raise ScheduleError(
            "a weekday counted within its month can't be said in a schedule",
            "take the week of days and let the job look at the date, such as `0 9 1-7 * *`",
        )
    today = datetime.fromtimestamp(now, zone_named(zone)).date()
    left, got = _Text(text), _Found()
    _read_days(left, got, today)
    _read_dates(left, got, today)
    _read_times(left, got)
    if _FILLER.sub(" ", left.left).strip():
        return None
    return _schedule(got, zone, now)


# --- reading -----------------------------------------------------------------------------------


def _read_days(left: _Text, got: _Found, today: date) -> None:
    if left.take(r"\b(?:every |each |on )?(?:weekdays?|workdays?|working days?|business days?)\b"):
        got.weekdays, got.weekly = {1, 2, 3, 4, 5}, True
    if left.take(r"\b(?:every |each |on |at )?(?:the )?weekends?\b"):
        got.weekdays, got.weekly = got.weekdays | {0, 6}, True
    if found := left.take(r"\b(?:day after tomorrow|tomorrow|today|tonight)\b"):
        ahead = {"day after tomorrow": 2, "tomorrow": 1}.get(found[0], 0)
        got.once = today + timedelta(days=ahead)
        got.half = "night" if found[0] == "tonight" else ""
    if found := left.take(r"\b(?:every ?day|each day|daily|nightly)\b"):
        got.weekly, got.weekdays = True, got.weekdays or set(range(7))
        got.half = "night" if found[0] == "nightly" else got.half
    if found := left.take(rf"\b(?P<how>every |each |on |next |this )?(?P<days>{_DAY_LIST})\b"):
        _take_weekdays(found, got, today)
    if found := left.take(r"\b(every |each )?(?:in the )?(morning|afternoon|evening|night)s?\b"):
        got.half = found[2]
        if found[1]:
            got.weekly, got.weekdays = True, got.weekdays or set(range(7))


def _take_weekdays(found: re.Match[str], got: _Found, today: date) -> None:
    """`every friday`, `fridays` and lists come again; `on friday` and `next friday` do not."""
    how, text = (found["how"] or "").strip(), found["days"]
    days = _weekdays(text)
    again = how in ("every", "each") or len(days) > 1 or text.endswith("s")
    if again or got.weekly:
        got.weekdays, got.weekly = got.weekdays & days if len(got.weekdays) == 7 else days, True
        got.weekdays = got.weekdays or days
        return
    (day,) = days
    ahead = (day - (today.weekday() + 1) % 7) % 7
    got.once = today + timedelta(days=ahead + (7 if how == "next" and ahead == 0 else 0))
    got.weekdays = {day}


def _weekdays(text: str) -> set[int]:
    names = re.findall(rf"{_DAY}|to|through|-|–", text)
    found: set[int] = set()
    span = False
    before = 0
    for name in names:
        if name in ("to", "through", "-", "–"):
            span = True
            continue
        day = DAYS[name[:3]]
        if span:
            found |= {(before + i) % 7 for i in range((day - before) % 7 + 1)}
        found.add(day)
        span, before = False, day
    return found


def _read_dates(left: _Text, got: _Found, today: date) -> None:
    if left.take(r"\b(?:on )?the last day of (?:every|each|the) month\b|\bmonth end\b"):
        got.last = got.weekly = True
    yearly = bool(left.take(r"\b(?:every year|each year|yearly|annually)\b"))
    named = left.take(
        rf"\b(?P<month>{_MONTH})\s+(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.])"
    )
    named = named or left.take(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of )?(?P<month>{_MONTH})\b"
    )
    if named:
        month, day = MONTHS[named["month"][:3]], int(named["day"])
        if yearly:
            got.months, got.days, got.weekly = {month}, {day}, True
        else:
            got.once = _next_date(month, day, today)
    if found := left.take(r"\b(\d{4})-(\d\d)-(\d\d)\b"):
        got.once = _date(int(found[1]), int(found[2]), int(found[3]))
    monthly = left.take(r"\b(?:monthly|every month|each month)\b")
    if found := left.take(rf"\b(?:on )?(?:the )?({_NTH}(?:\s*(?:,|and|&)\s*(?:the )?{_NTH})*)"):
        got.days |= {int(n) for n in re.findall(r"\d+", found[1])}
        got.weekly = True
    elif monthly and not got.last:
        got.days, got.weekly = {1}, True


def _next_date(month: int, day: int, today: date) -> date:
    for year in range(today.year, today.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    raise ScheduleError(f"there is no day {day} in month {month}")


def _date(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError as error:
        raise ScheduleError(f"{year}-{month:02}-{day:02} is no date: {error}") from error


def _read_times(left: _Text, got: _Found) -> None:
    if found := left.take(r"\b(?:hourly|every hour|each hour)\b(?:\s+at :?(\d\d)\b)?"):
        got.hourly = int(found[1] or 0)
        return
    found = left.take(
        rf"(?:\bat\s+)?(?<![\d:])({_CLOCK}(?:\s*(?:,|and|&)\s*(?:at )?{_CLOCK})*)(?![\d:])"
    )
    if found is None:
        return
    texts = re.findall(_CLOCK, found[1])
    half = texts[-1][-2:] if re.search(r"[ap]\.?m\.?$", texts[-1]) else ""
    times = tuple(_clock(one, got.half, half) for one in texts)
    if list(times) != sorted(times):  # in "9 and 5pm" the nine is a nine
        times = tuple(_clock(one, got.half, "") for one in texts)
    got.times = times


def _clock(text: str, part: str, suffix: str) -> tuple[int, int]:
    if text in ("noon", "midday"):
        return 12, 0
    if text == "midnight":
        return 0, 0
    found = re.match(r"(\d{1,2})(?:[:.h](\d\d))?\s*([ap]?)", text)
    assert found is not None
    hour, minute, half = int(found[1]), int(found[2] or 0), found[3] or suffix.strip(".")[:1]
    if half and not 1 <= hour <= 12:
        raise ScheduleError(f"{text.strip()} is no time of day", "such as 9am or 21:00")
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif part in ("afternoon", "evening", "night") and 1 <= hour < 12:
        hour += 0 if part == "night" and hour < 5 else 12
    elif part in ("evening", "night") and hour == 12:
        hour = 0
    if hour > 23 or minute > 59:
        raise ScheduleError(f"{text.strip()} is no time of day", "it ends at 23:59")
    return hour, minute


# --- what it comes to ---------------------------------------------------------------------------


def _schedule(got: _Found, zone: str, now: float) -> Schedule | None:
    if got.hourly >= 0:
        return _cron(f"{got.hourly} *", got, zone)
    times = got.times or (((_PARTS[got.half], 0),) if got.half else ())
    if not times:
        if got.weekly or got.once is not None:
            raise ScheduleError("that has no time of day", "such as `every day at 9`")
        return None
    if got.once is not None and not got.weekly:
        return _moment(got, times, zone, now)
    if not got.weekly:
        said = "that has a time but no day"
        raise ScheduleError(said, "such as `every day at 9` or `tomorrow at 9`")
    minutes, hours = {m for _, m in times}, {h for h, _ in times}
    if len(minutes) * len(hours) != len(set(times)):
        raise ScheduleError(
            "several times with different minutes are several jobs",
            "make one job for each of the times",
        )
    clock = f"{_joined(minutes)} {_joined(hours)}"
    return _cron(clock, got, zone)


def _moment(
    got: _Found, times: tuple[tuple[int, int], ...], zone: str, now: float
) -> Schedule | None:
    """A single day and time; a weekday whose time is over means the next week's."""
    if got.once is None or len(times) != 1:
        return None
    wall = datetime(got.once.year, got.once.month, got.once.day, *times[0])
    at = due(wall, zone_named(zone))[0]
    if at <= now and got.weekdays:
        at = due(wall + timedelta(days=7), zone_named(zone))[0]
    return Schedule(kind="once", zone=zone, at=at)


def _cron(clock: str, got: _Found, zone: str) -> Schedule:
    from hermes_tui.cron.fields import read_fields

    days = _joined(got.days) if got.days else "*"
    if got.last:
        days = f"{_joined(got.days)},l" if got.days else "l"
    months = _joined(got.months) if got.months else "*"
    every = not got.weekdays or len(got.weekdays) == 7
    weekdays = "*" if every else "1-5" if got.weekdays == {1, 2, 3, 4, 5} else _joined(got.weekdays)
    line = f"{clock} {days} {months} {weekdays}"
    read_fields(line)
    return Schedule(kind="cron", zone=zone, line=line)


def _joined(numbers: set[int]) -> str:
    return ",".join(str(n) for n in sorted(numbers))
