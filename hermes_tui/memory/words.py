"""A statement's words: what it is found by, and what decides whether two say the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+(?:['’._/:@+#-]+[^\W_]+)*[+#]*", re.UNICODE)
_TWO = re.compile(r"\b(time|user|file|host|code)[ -](zone|name|names)\b", re.IGNORECASE)
"""Words that are written as one or as two."""
_CJK = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿가-힯]+")
HIDDEN = re.compile(
    r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\U000e0000-\U000e007f]"
)


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FILLER = word_set(
    "a an the that this these those of is are am be been being it its to do does did please "
    "really very quite just so generally usually typically also and i me my mine myself user users "
    "he she his her him they them their you your"
)
"""Words that change nothing about what a statement says."""

CRITICAL = word_set(
    "not no never none nothing nobody without cannot cant dont doesnt didnt isnt arent wasnt wont "
    "shouldnt nor neither except unless only but instead avoid against stop stopped was were used "
    "formerly former ex previously longer always sometimes rarely seldom often before after from "
    "into out in on off over under above below between until if when every any all both either "
    "must should may might per 不 没 非 无 勿 别 未"
)
"""Words that one statement must not have alone if two are to be one."""

QUESTION = word_set(
    "what which who whom whose where when why how do does did is are was were can could would "
    "will shall know tell me about any anything something have has had i my you for in at on with"
    " of to from there please remember say said should much many kind sort thing things"
)
"""Words of a question that say nothing about what is asked for."""

_MEANS = {
    "likes": "prefers", "loves": "prefers", "favours": "prefers", "wants": "prefers",
    "favourite": "favorite", "colour": "color", "replies": "answers", "responses": "answers",
    "brief": "short", "concise": "short", "timezone": "zone", "e-mail": "email", "mail": "email",
    "job": "work", "employed": "work", "occupation": "work", "profession": "work",
    "spouse": "partner", "wife": "partner", "husband": "partner", "residence": "lives",
    "siblings": "sister", "brother": "sister", "called": "name", "named": "name",
    "located": "lives", "habits": "usually", "dislikes": "hates",
}  # fmt: skip
"""Words that stand for others, so that a question finds what is worded differently."""


def clean(text: str) -> str:
    """A statement as it is stored: composed, without hidden characters, no blank ends."""
    shown = HIDDEN.sub("", unicodedata.normalize("NFC", text))
    lines = [" ".join(line.split()) for line in shown.strip().splitlines()]
    return "\n".join(lines)


@lru_cache(4_000)
def tokens(text: str) -> tuple[str, ...]:
    """The words as they are written, characters of Chinese, Japanese and Korean in pairs."""
    found: list[str] = []
    for word in _TOKEN.findall(_TWO.sub(r"\1\2", unicodedata.normalize("NFKC", text))):
        if word.isascii():
            found.append(word)
            continue
        at = 0
        for run in _CJK.finditer(word):
            found += [word[at : run.start()]] if run.start() > at else []
            found += _pairs(run.group())
            at = run.end()
        found += [word[at:]] if at < len(word) else []
    return tuple(found)


@lru_cache(20_000)
def stem(word: str) -> str:
    """A word's stem: small letters, no accent, no usual ending; what holds digits stays whole."""
    low = fold(word).replace("’", "'")
    if not low.isalpha():
        low = low.removesuffix("'s").replace("'", "") if low.replace("'", "").isalpha() else low
    if not low.isascii() or not low.isalpha() or low in CRITICAL or low in FILLER:
        return low
    cut = _cut(low)
    return _SAME.get(cut, cut)


def stems(text: str) -> list[str]:
    """The stems of a text in order, fillers included."""
    return [stem(word) for word in tokens(text)]


def terms(text: str) -> list[str]:
    """What a statement is indexed by, and a query looked for by: stems, and parts of long names."""
    found: list[str] = []
    for word in tokens(text):
        one = stem(word)
        if one not in FILLER:
            found.append(one)
        parts = re.findall(r"[^\W_]+", one)
        found += [stem(part) for part in parts] if len(parts) > 1 else []
    return list(dict.fromkeys(found))


def asked(question: str) -> list[str]:
    """The terms of a question that say what it is about."""
    return [one for one in terms(question) if one not in _QUESTION]


def fold(text: str) -> str:
    """Small letters without accents."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


def _pairs(run: str) -> list[str]:
    if len(run) < 2:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _cut(word: str) -> str:
    for end, put in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("edly", ""),
        ("ed", ""),
        ("es", ""),
    ):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[: -len(end)] + put
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
            word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


_QUESTION = frozenset(one for word in QUESTION for one in (word, _cut(word)))
_SAME = {_cut(fold(word)): _cut(fold(other)) for word, other in _MEANS.items()}
