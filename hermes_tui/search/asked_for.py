"""What kind of answer a question wants: a time, a length of time, a number."""

from __future__ import annotations

import re

_UNIT = r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?)"
_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few|several)"
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|recently|just|since|"
    r"(?:last|this|next|past) (?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:19|20)\d\d|"
    r"january|february|march|april|june|july|august|september|october|november|december|"
    r"\d{1,2}(?::\d\d|\s?[ap]m)|\d{4}-\d\d)\b"
    r"|[昨今明前后後][天日晚年]|上周|下周|先週|来週|\d+[月日号]",
    re.I,
)
_LENGTH = re.compile(
    rf"\b{_COUNT}\s+(?:more\s+)?{_UNIT}\b|\bsince\b|[\d一二两三四五六七八九十]+个?[天周月年]", re.I
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|hundred|thousand)"
    r"\b|[一二两三四五六七八九十百千万][个個位次件本台人]",
    re.I,
)
_ASKS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"\bhow (?:long|old)\b|多久|多长时间|どのくらい|どれくらい", re.I), _LENGTH),
    (
        re.compile(
            r"\bhow (?:many|much|often|far|big|large)\b|多少|几[个個次位]|いくつ|いくら", re.I
        ),
        _NUMBER,
    ),
    (
        re.compile(
            r"\b(?:when|what (?:date|day|time|year|month))\b|什么时候|几点|哪天|いつ|언제", re.I
        ),
        _TIME,
    ),
)


def answers(question: str) -> re.Pattern[str] | None:
    """What a text must have in it to answer such a question; None when that can't be told."""
    return next((answer for asks, answer in _ASKS if asks.search(question)), None)
