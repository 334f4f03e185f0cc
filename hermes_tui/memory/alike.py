"""Whether two statements say the same, contradict each other, or only look alike.

Two are one only when one says all that the other says and nothing that matters more: what
differs may be fillers, endings, synonyms and slips of the finger; never a number, a name, a
negation, an order of names, or a word in place of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

from msgspec import Struct

from hermes_tui.memory.words import CRITICAL, FILLER, fold, stem, tokens, word_set

Relation = Literal["same", "wider", "narrower", "opposite", "near", "apart"]
NEAR = 0.5
"""Share of common words from which a pair is shown as looking alike."""
_NEGATION = word_set(
    "not no never cannot cant dont doesnt didnt isnt arent wasnt wont shouldnt avoid 不 没 别"
)
_VALUE = re.compile(
    r"^(?P<what>.{1,60}?)\s+(?P<verb>is called|is named|is(?: now)?(?: set to)?|=|"
    r"lives?(?: now)? in|moved to|works? (?:at|for|as)|was born (?:in|on)|"
    r"runs on|listens on|defaults to|expires on)"
    r"\s+\S",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:too|also|as well|another|second|in addition|sometimes)\b", re.IGNORECASE
)
_SAME_VERB = {"moved to": "lives in", "live in": "lives in", "lives now in": "lives in",
              "work at": "works at", "work for": "works at", "works for": "works at",
              "work as": "works as", "is named": "is called"}  # fmt: skip
_ONE_OF = frozenset(
    stem(word)
    for word in word_set(
        "name surname nickname pronouns birthday birthdate age height weight address email phone"
        " number timezone zone city country hometown language locale currency employer title role"
        " boss manager wife husband spouse partner mother father dentist doctor editor shell"
        " terminal browser keyboard layout theme font os port host hostname ip url uri endpoint"
        " domain registrar version branch default deadline budget limit timeout ttl path folder"
        " directory password username login account channel salary diet allergy license licence"
    )
)
"""What there is one of, so that a second value takes the place of the first."""


class _Words(Struct, frozen=True, kw_only=True):
    """A statement taken apart. content: stems that count, in order; names: those held apart."""

    content: tuple[str, ...]
    names: tuple[str, ...]
    negated: bool


def relation(one: str, other: str) -> Relation:
    """How the first statement stands to the second: `wider` says all of it and more."""
    return _relation(_apart(one, other), _apart(other, one))


def similarity(one: str, other: str) -> float:
    """Share of the words that two statements have in common, 0 to 1."""
    a, b = set(_apart(one).content), set(_apart(other).content)
    return len(a & b) / len(a | b) if a | b else float(fold(one) == fold(other))


def topic_of(text: str) -> str:
    """What a statement gives the one value of, such as `timezon`; empty when it gives none.

    "The user's editor is vim" and "my editor is Helix" have the same topic, and so can't both
    be true; "the user is a nurse" has none, for one is many things.
    """
    if text.count("\n") or len(text) > 300 or _BESIDE.search(text):
        return ""
    found = _VALUE.match(text)
    if found is None:
        return ""
    verb = re.sub(r" now| set to|=", "", found["verb"].lower())
    verb = _SAME_VERB.get(verb, verb)
    words = [stem(word) for word in tokens(found["what"])]
    subject = [word for word in words if word not in FILLER] or ["user"]
    if set(words) & (_NEGATION | {"there", "here", "what", "everyth"}):
        return ""
    if verb in ("is", ""):
        return " ".join(subject) if _one_of(subject) else ""
    return f"{' '.join(subject)} {verb}"


def _one_of(subject: Sequence[str]) -> bool:
    return bool({subject[0], subject[-1]} & _ONE_OF) or "favorit" in subject


def _relation(a: _Words, b: _Words) -> Relation:
    if not set(a.content) & set(b.content):
        return "apart"
    left, right = _unmatched(a.content, b.content), _unmatched(b.content, a.content)
    common = len(set(a.content)) - len(set(left))
    union = max(len(set(a.content) | set(b.content)), 1)
    if not common:
        return "apart"
    if _opposite(a, b, left, right):
        return "opposite"
    extra = left + right
    if not extra and _in_order(a, b) and a.negated == b.negated:
        return "same"
    share = common / max(min(len(set(a.content)), len(set(b.content))), 1)
    whole = share >= 0.99 and common >= 2 and len(extra) <= max(1, common // 2)
    if whole and not _matters(extra, a, b) and _in_order(a, b) and a.negated == b.negated:
        return "wider" if left else "narrower"
    return "near" if common / union >= NEAR else "apart"


def _opposite(a: _Words, b: _Words, left: Sequence[str], right: Sequence[str]) -> bool:
    """The same words, one of the two negated."""
    rest = [word for word in (*left, *right) if word not in _NEGATION]
    return a.negated != b.negated and not rest and _in_order(a, b)


def _matters(extra: Sequence[str], a: _Words, b: _Words) -> bool:
    """Whether a word that only one side has forbids to take the two for one."""
    names = {*a.names, *b.names}
    return any(word in CRITICAL or word in names or not word.isalpha() for word in extra)


def _in_order(a: _Words, b: _Words) -> bool:
    common = set(a.names) & set(b.names)
    named = [word for word in a.names if word in common], [w for w in b.names if w in common]
    if named[0] != named[1]:
        return False
    match = SequenceMatcher(None, a.content, b.content, autojunk=False)
    same = sum(block.size for block in match.get_matching_blocks())
    return same >= 0.7 * min(len(a.content), len(b.content))


def _unmatched(words: Sequence[str], others: Sequence[str]) -> list[str]:
    known = set(others)
    alone = [word for word in words if word not in known]
    if len(alone) > 2:
        return alone
    return [word for word in alone if not _slip(word, known - set(words))]


def _slip(word: str, others: set[str]) -> bool:
    """Whether a word is another one mistyped: letters swapped, or one wrong in a long word."""
    if len(word) < 6 or not word.isalpha() or word in CRITICAL:
        return False
    return any(
        len(other) >= 6
        and other not in CRITICAL
        and word[0] == other[0]
        and (sorted(word) == sorted(other) or _one_letter(word, other))
        for other in others
    )


def _one_letter(word: str, other: str) -> bool:
    if min(len(word), len(other)) < 8:
        return False
    return SequenceMatcher(None, word, other, autojunk=False).ratio() > 0.9


def _apart(text: str, beside: str = "") -> _Words:
    """Take a statement apart; what is a name in the one it is held against is one here too."""
    plain = {fold(word) for word in tokens(text) + tokens(beside) if word.islower()}
    named = {
        stem(word)
        for whole in (text, beside)
        for at, word in enumerate(tokens(whole))
        if _is_name(word, at, plain)
    }
    content: list[str] = []
    for at, word in enumerate(tokens(text)):
        one = stem(word)
        if one in FILLER and (one not in ("user",) or at < 2):
            continue
        content.append(one)
    names = tuple(word for word in content if word in named or not word.isalpha())
    negated = sum(word in _NEGATION for word in content) % 2 == 1
    return _Words(content=tuple(content), names=names, negated=negated)


def _is_name(word: str, at: int, plain: set[str]) -> bool:
    """Digits, signs, or a capital that is neither the start of the text nor shouting."""
    if not word.isalpha():
        return True
    return word[0].isupper() and at > 0 and not word.isupper() and fold(word) not in plain
