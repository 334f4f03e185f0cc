"""Chinese words for times, put into the English ones that are then read."""

from __future__ import annotations

import re

from hermes_tui.cron.fields import MONTHS

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NAMES = dict(zip("一二三四五六日", ("mon", "tue", "wed", "thu", "fri", "sat", "sun"), strict=True))
_WEEKDAYS = {**_NAMES, "天": "sun"} | {str(i): day for i, day in enumerate(_NAMES.values(), 1)}
_HALVES = {
    "早上": "morning",
    "上午": "morning",
    "早晨": "morning",
    "清晨": "morning",
    "凌晨": "morning",
    "中午": "noonish",
    "下午": "afternoon",
    "傍晚": "evening",
    "晚上": "evening",
    "晚间": "evening",
    "夜里": "night",
}
_SECONDS = {"秒": 1, "分": 60, "时": 3600, "天": 86_400, "周": 604_800, "星": 604_800}
_UNIT = r"(?P<unit>秒钟?|分钟?|个?小时|个?钟头|天|周|个?星期)"


def plain_english(text: str) -> str:
    """The same text with its Chinese words as English ones; others are left as they are."""
    if not re.search(r"[\u4e00-\u9fff]", text):
        return text
    text = _numbers(text.replace("：", ":").replace("，", ",").replace("、", ","))
    text = re.sub(r"半个?(?:小时|钟头)", "30分钟", text)
    found = re.fullmatch(rf"每隔?(?P<n>\d+)?{_UNIT}", text.replace(" ", ""))
    if found and (found["n"] or _size(found["unit"]) <= 3600):
        return _interval(found)
    if found := re.fullmatch(rf"(?P<n>\d+)\s*{_UNIT}(?:之后|以后|后)", text.replace(" ", "")):
        return f"in {int(found['n']) * _size(found['unit'])} seconds"
    return _calendar(text)


def _interval(found: re.Match[str]) -> str:
    count, size = found["n"], _size(found["unit"])
    if count is None and size == 3600:
        return "every hour"
    return f"every {int(count or 1) * size} seconds"


def _size(unit: str) -> int:
    return _SECONDS["时" if "时" in unit or "钟头" in unit else unit.removeprefix("个")[0]]


def _numbers(text: str) -> str:
    """Chinese numerals up to 99 as digits; the days of a week keep theirs."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return "\0"

    text = re.sub(r"(?:周|星期|礼拜)[一二三四五六日天1-6,至到\-周星期礼拜]+", keep, text)
    text = re.sub(r"[一二三四五六七八九两]?十[一二三四五六七八九]?", _ten, text)
    text = re.sub(r"[零〇一二三四五六七八九两]", lambda m: str(_DIGITS[m[0]]), text)
    for one in kept:
        text = text.replace("\0", one, 1)
    return text


def _ten(found: re.Match[str]) -> str:
    first, _, second = found[0].partition("十")
    return str(_DIGITS.get(first, 1) * 10 + _DIGITS.get(second, 0))


def _calendar(text: str) -> str:
    half = next((english for word, english in _HALVES.items() if word in text), "")
    half = "night" if not half and "晚" in text else half
    for word in _HALVES:
        text = text.replace(word, " ")
    text = re.sub(r"(每个?|下|这|本)?(?:周|星期|礼拜)末|周末", lambda m: " every weekend ", text)
    text = re.sub(r"(?:每个?)?工作日", " weekdays ", text)
    text = re.sub(
        r"(?P<how>每个?|下个?|这个?|本)?(?:周|星期|礼拜)(?P<days>[一二三四五六日天1-6,]+)"
        r"(?:\s*[至到\-]\s*(?:周|星期|礼拜)?(?P<to>[一二三四五六日天1-6]))?",
        _week,
        text,
    )
    for word, english in (
        ("每天", " every day "),
        ("每日", " every day "),
        ("后天", " day after tomorrow "),
        ("明天", " tomorrow "),
        ("明晚", " tomorrow "),
        ("今天", " today "),
        ("今晚", " today "),
        ("每晚", " every day "),
        ("每早", " every day "),
        ("每年", " every year "),
        ("每小时", " every hour "),
    ):
        text = text.replace(word, english)
    text = re.sub(r"(\d+)月(\d+)[日号]", _month_day, text)
    text = re.sub(r"(?:每个?月)(?:的)?最后一?1?天|月底", " the last day of every month ", text)
    text = re.sub(r"每个?月", " every month ", text)
    text = re.sub(r"(\d+)(?:[日号])?(?=,\d+[日号])", r"\1th ", text)
    text = re.sub(r"(?:和|,)?(\d+)[日号]", r" and \1th ", text)
    text = re.sub(r"(?:和|,)\s*(?=\d+[点时:])", " and ", text)
    text = re.sub(
        r"(\d+)[点时](?:整|钟)?(半|一刻|1刻|三刻|3刻|\d+分?)?", lambda m: _clock(m, half), text
    )
    text = text.replace("的", " ").replace("执行", " ").replace("运行", " ")
    part = "" if half in ("", "noonish") else f" in the {half} "
    if half == "noonish" and not re.search(r"\d", text):
        part = " at noon "
    return " ".join(f"{text} {part}".split())


def _week(found: re.Match[str]) -> str:
    days = [_WEEKDAYS[c] for c in found["days"] if c != ","]
    listed = f"{days[0]} to {_WEEKDAYS[found['to']]}" if found["to"] else " and ".join(days)
    how = found["how"] or ""
    word = "every" if how.startswith("每") or len(days) > 1 or found["to"] else "on"
    return f" {'next' if how.startswith('下') else word} {listed} "


def _month_day(found: re.Match[str]) -> str:
    month = int(found[1])
    return f" {list(MONTHS)[month - 1]} {found[2]} " if 1 <= month <= 12 else found[0]


def _clock(found: re.Match[str], half: str) -> str:
    quarter = {"半": 30, "一刻": 15, "1刻": 15, "三刻": 45, "3刻": 45}
    minute = (
        quarter.get(found[2], 0) if found[2] in quarter else int((found[2] or "0").rstrip("分"))
    )
    hour = int(found[1])
    if half == "noonish" and hour < 4:
        hour += 12
    return f" {hour}:{minute:02} "
