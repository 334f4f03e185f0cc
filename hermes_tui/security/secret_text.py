"""What the secret finders share: spans, patterns made at first use, what looks random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from msgspec import Struct


class Span(Struct, frozen=True):
    """A secret in a text: characters start to end, what it is, whether its value is held."""

    start: int
    end: int
    label: str
    held: bool = False


class Pattern:
    """A regular expression that is compiled when it is first needed, not at import."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source, self._flags = source, flags

    @cached_property
    def re(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.source, self._flags)


class Page:
    """A text to be searched, with what all finders need of it.

    text: look-alike letters made plain. raw, small: one byte a character, as it is and in small
    letters; what is not ASCII is `?`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = text.encode("ascii", "replace")
        self.small = self.raw.lower()
        self._known: dict[bytes, bool] = {}

    def has(self, hint: bytes) -> bool:
        """Whether a hint occurs, in small letters; asked again it costs nothing."""
        known = self._known.get(hint)
        if known is None:
            known = self._known[hint] = hint in self.small
        return known

    def places(self, hint: bytes) -> Iterator[int]:
        """Where a hint occurs: finding it first is many times faster than an expression is."""
        if self._known.get(hint) is False:
            return
        at = self.small.find(hint)
        self._known[hint] = at >= 0
        while at >= 0:
            yield at
            at = self.small.find(hint, at + len(hint))

    def lines(self, hint: bytes, reach: int = 1000) -> Iterator[tuple[int, int]]:
        """Start and end of each line with a hint; of long lines what is within reach of it."""
        last = -1
        for at in self.places(hint):
            if at < last:
                continue
            low = max(0, at - reach)
            start = self.text.rfind("\n", low, at) + 1 or low
            end = self.text.find("\n", at, at + reach)
            last = end if end >= 0 else min(len(self.text), at + reach)
            yield start, last


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order, overlapping ones joined; the name of a held value wins."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        last = joined[-1] if joined else None
        if last is None or span.start >= last.end:
            joined.append(span)
            continue
        label = span.label if span.held and not last.held else last.label
        joined[-1] = Span(last.start, max(last.end, span.end), label, last.held or span.held)
    return joined


def words(text: str) -> frozenset[str]:
    """The words of a text as a set: tables of words read best as text."""
    return frozenset(text.split())


_LOOKED_AT = 200
_DIGITS = frozenset("0123456789")
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX = "0123456789abcdefABCDEF"


def looks_random(text: str, least: int = 12) -> bool:
    """Whether a text reads like a generated key, not like words, a version or a name.

    Measured on how often neighbours change between small letters, capitals and digits: words and
    camelCase change at most every third time, random letters and digits nearly every other.
    """
    kinds = [_kind(c) for c in text[:_LOOKED_AT] if c.isascii() and c.isalnum()]
    if len(kinds) < least or len(set(text)) < 6:
        return False
    changes = sum(a != b for a, b in pairwise(kinds)) / len(kinds)
    digits = kinds.count("d")
    if not digits:
        return changes >= 0.38 and kinds.count("u") > 1 and kinds.count("l") > 1
    return digits < len(kinds) and changes >= 0.24


def _kind(character: str) -> str:
    if character in _DIGITS:
        return "d"
    return "u" if character in _UPPER else "l"


def classes(text: str) -> int:
    """How many of small letters, capitals, digits and signs a text has."""
    characters = set(text)
    signs = characters - _DIGITS - _LOWER - _UPPER
    return sum(
        bool(one) for one in (characters & _DIGITS, characters & _LOWER, characters & _UPPER, signs)
    )


def is_hex(text: str) -> bool:
    """Whether a text is hexadecimal digits and nothing else."""
    return bool(text) and not text.strip(_HEX)


def has_digit(text: str) -> bool:
    """Whether a text has a digit."""
    return not _DIGITS.isdisjoint(text)


def has_letter(text: str) -> bool:
    """Whether a text has a letter of the Latin alphabet."""
    return not (_LOWER | _UPPER).isdisjoint(text)


_WORDS = words(
    "none null nil undefined true false yes no on off str string int integer number bytes bool "
    "boolean any object optional required default empty missing invalid incorrect wrong correct "
    "expired enabled disabled unset unknown hidden redacted masked removed secret password passwd "
    "pass passphrase pwd pw token key apikey value text example sample placeholder changeme "
    "change_me todo tbd fixme dummy fake foo bar foobar baz test tests testing user username admin "
    "root your my the a an is not here env environ varchar char select from strong weak medium "
    "plain basic bearer digest prompt ask stdin file keyring keychain self this auto generated "
    "rotated revoked valid mismatch error failed denied"
)
_REFERENCE = Pattern(
    r"[$%@{<:\[(*^\u27ea]|\.\.\.|…|x{4,}|0{6,}|/(?:$|[a-z.]+/)|~/|\.{1,2}/|[A-Za-z]:\\|https?://|"
    r"(?:env|vault|file|ssm|sm|op|arn|keyring|ref|secret)s?[:.]|"
    r"(?:your|insert|replace|put|enter|placeholder|changeme)(?:$|[-_. ])|"
    r"(?:my|the|some|example|dummy|fake|sample)(?:$|[-_. ])\D*$",
    re.I,
)


def is_placeholder(text: str) -> bool:
    """Whether a value only stands for a secret: a variable, a path, `<your key>`, a word."""
    bare = text.strip()
    if len(set(bare)) < 4:
        return True
    return bare.lower() in _WORDS or _REFERENCE.re.match(bare) is not None
