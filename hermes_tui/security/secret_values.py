"""Finds values that are known to be secret, in whatever encoding they appear.

Text and values are brought to one plain form: ASCII letters and digits in small letters, all else
left out. In it a value split by blanks, line ends, zero-width characters or punctuation is whole,
capitals don't matter, and both alphabets of base64 are one. Each value has about a dozen forms
(itself, reversed, rot13, hex, base64 at three offsets, base32 at five, character codes), and all
forms of all values are looked for at once: the plain text is read as 64-bit words, and a word
that occurs in no form of any value, at any place, rules its neighbourhood out (32-bit words for
short forms). Only what is left is looked at closely. Cost hardly depends on how many values are
held.
"""

from __future__ import annotations

import base64
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property

from hermes_tui.security.secret_text import Page, Span, has_digit, has_letter
from hermes_tui.security.secret_views import without_blanks

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_DROP = bytes(sorted(set(range(256)) - set(_LETTERS)))
_LOWER = bytes(range(256)).lower()
_ROT13 = bytes.maketrans(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM",
)
_WORD = 8  # bytes of a 64-bit word
_SURE = 2 * _WORD - 1  # the shortest form that always covers a whole aligned word
_HALF = 4  # of a 32-bit word, for short forms
_HALF_SURE = 2 * _HALF - 1
_CHUNK = 4096
_LONG = 512  # of a longer form only so many bytes are indexed, of a value all
_STRICT = 10  # plain letters a value needs to be found with anything at all in between
_LEAST = 4  # characters a value needs to be looked for
_TRIES = 500  # looks at what may be a part of a value, before only whole values are sought
_PART = 16  # letters of a value that count as a part of it
START_LIMIT = 200  # letters at the start of a form that are compared in a stream
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


class HeldValues:
    """The secrets that are known, ready to be found."""

    def __init__(self, values: Mapping[str, str], public: Mapping[str, int] | None = None) -> None:
        """values: by name. public: for a name, how many first characters are no secret."""
        usable = {name: value.strip() for name, value in values.items()}
        self.names = [name for name, value in usable.items() if len(value) >= _LEAST]
        self._values = [usable[name] for name in self.names]
        given = public or {}
        self._public = [len(plain(usable[name][: given.get(name, 0)])) for name in self.names]
        self._words: dict[int, list[tuple[int, int]]] = {}
        self._forms: list[tuple[int, bytes]] = []
        self._short: list[tuple[int, bytes]] = []
        self._halves: dict[int, set[int]] = {}
        self._direct: list[tuple[int, str]] = []
        for number, value in enumerate(self._values):
            self._prepare(number, value)
        self._wordset, self._halfset = set(self._words), set(self._halves)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._values)

    @cached_property
    def starts(self) -> frozenset[bytes]:
        """The first letters of all forms, three and more: a text that ends so may go on secret."""
        return frozenset(
            form[:length]
            for _, form in (*self._forms, *self._short)
            for length in range(3, min(len(form), START_LIMIT) + 1)
        )

    def may_go_on(self, text: str) -> int:
        """How many last characters of a text begin a value that is mostly signs."""
        return max(
            (
                length
                for _, value in self._direct
                for length in range(1, len(value))
                if text.endswith(value[:length])
            ),
            default=0,
        )

    def find(self, page: Page) -> list[Span]:
        """Where held values are in a text."""
        text = page.text
        if not self._values:
            return []
        found = self._few_letters(text) if self._direct else []
        small = page.raw.translate(_LOWER, _DROP)
        hits = {*self._long_hits(small), *self._short_hits(small)}
        if hits:
            places = _Places(page.raw)
            found += [span for hit in hits for span in self._span(text, small, places, hit)]
        return found

    def _prepare(self, number: int, value: str) -> None:
        letters = plain(_body(value))
        if len(letters) < _HALF_SURE:
            self._direct += [(number, one) for one in (value, value[::-1], value.swapcase())]
        for form, itself in _forms(value):
            if len(form) >= _SURE:
                self._index(number, form, itself)
            elif len(form) >= _HALF_SURE:
                self._index_short(number, form)

    def _index(self, number: int, form: bytes, itself: bool) -> None:
        which = len(self._forms)
        self._forms.append((number, form))
        end = len(form) if itself else min(len(form), _LONG)
        for at in range(end - _WORD + 1):
            word = int.from_bytes(form[at : at + _WORD], sys.byteorder)
            rows = self._words.setdefault(word, [])
            if not rows or rows[-1][0] != which:
                rows.append((which, at))

    def _index_short(self, number: int, form: bytes) -> None:
        which = len(self._short)
        self._short.append((number, form))
        for at in range(len(form) - _HALF + 1):
            word = int.from_bytes(form[at : at + _HALF], sys.byteorder)
            self._halves.setdefault(word, set()).add(which)

    def _few_letters(self, text: str) -> list[Span]:
        """Values that are mostly signs: as they are, or with blanks in between."""
        found = [span for number, one in self._direct for span in self._exact(text, number, one)]
        view = without_blanks(text)
        if view is not None:
            found += [
                view.source(span)
                for number, one in self._direct
                for span in self._exact(view.text, number, one)
                if len(one) > _LEAST
            ]
        return found

    def _exact(self, text: str, number: int, value: str) -> Iterator[Span]:
        """A value of few letters: only as it is, and a short one only as a word of its own."""
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            alone = not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum())
            if len(value) > 5 or alone:
                yield Span(at, end, self.names[number], True)
            at = text.find(value, end)

    def _long_hits(self, small: bytes) -> Iterator[tuple[int, int, int]]:
        """(number, start, end) in the plain text of every form, or part of one."""
        if not self._words or len(small) < _WORD:
            return
        words = memoryview(small)[: len(small) // _WORD * _WORD].cast("Q")
        for word in self._wordset.intersection(words):
            sought = word.to_bytes(_WORD, sys.byteorder)
            for which, offset in self._words[word]:
                number, form = self._forms[which]
                yield from self._grown(small, sought, number, form, offset)

    def _grown(
        self, small: bytes, sought: bytes, number: int, form: bytes, offset: int
    ) -> Iterator[tuple[int, int, int]]:
        at, tries = small.find(sought), 0
        while at >= 0 and tries < _TRIES:
            left = _same_before(small, at, form, offset)
            right = _same_after(small, at, form, offset)
            start, end = at - left, at + right
            if end - start == len(form) or self._is_part(number, form, offset - left, end - start):
                yield number, start, end
                at = small.find(sought, max(end, at + 1))
            else:
                tries += 1
                at = small.find(sought, at + 1)
        while at >= 0:
            at = small.find(form, max(0, at - offset))
            if at >= 0:
                yield number, at, at + len(form)
                at += len(form)

    def _is_part(self, number: int, form: bytes, offset: int, length: int) -> bool:
        """Whether a piece of a form gives away much of a value that is not made of words."""
        value = _body(self._values[number])
        if " " in value or "://" in value or not (has_digit(value) and has_letter(value)):
            return False
        if form == plain(value):
            public = self._public[number]
            return offset + length - max(offset, public) >= min(_PART, len(form) * 2 // 3) - 4
        # An encoded prefix that all keys of a vendor share is no secret.
        return length >= max(_PART, len(form) // 2 + 1)

    def _short_hits(self, small: bytes) -> Iterator[tuple[int, int, int]]:
        if not self._halves or len(small) < _HALF:
            return
        words = memoryview(small)[: len(small) // _HALF * _HALF].cast("I")
        near = self._halfset.intersection(words)
        for which in {one for word in near for one in self._halves[word]}:
            number, form = self._short[which]
            at = small.find(form)
            while at >= 0:
                yield number, at, at + len(form)
                at = small.find(form, at + len(form))

    def _span(
        self, text: str, small: bytes, places: _Places, hit: tuple[int, int, int]
    ) -> Iterator[Span]:
        number, start, end = hit
        value = self._values[number]
        first, last = places.of(start), places.of(end - 1) + 1
        if (
            len(plain(value)) < _STRICT
            and end - start < _STRICT
            and not _uniform(text, first, last, value)
        ):
            return
        first, last = _with_signs(text, first, last, value)
        yield Span(first, last, self.names[number], True)


def plain(value: str) -> bytes:
    """The plain form: small ASCII letters and digits alone."""
    return value.encode("ascii", "replace").translate(_LOWER, _DROP)


def _body(value: str) -> str:
    """A value without the first and last line of a key file, which anybody may know."""
    if "-----" not in value:
        return value
    return "".join(line for line in value.splitlines() if not line.startswith("-----"))


def _forms(value: str) -> Iterator[tuple[bytes, bool]]:
    body = _body(value)
    letters = plain(body)
    yield letters, True
    yield letters[::-1], False
    yield letters.translate(_ROT13), False
    raw = value.encode("utf-8", "surrogatepass")
    yield raw.hex().encode(), False
    yield "".join(f"0x{byte:02x}" for byte in raw).encode(), False
    yield "".join(str(byte) for byte in raw).encode(), False
    for skip in range(3):
        yield _stable(base64.b64encode(bytes(skip) + raw), skip, len(raw), 6), False
    for skip in range(5):
        yield _stable(base64.b32encode(bytes(skip) + raw), skip, len(raw), 5), False


def _stable(encoded: bytes, skip: int, length: int, bits: int) -> bytes:
    """The characters that depend on the value alone, whatever comes before and after it."""
    first, last = -(-8 * skip // bits), 8 * (skip + length) // bits
    return encoded[first:last].translate(_LOWER, _DROP)


def _same_before(small: bytes, at: int, form: bytes, offset: int) -> int:
    count = 0
    while count < min(at, offset) and small[at - count - 1] == form[offset - count - 1]:
        count += 1
    return count


def _same_after(small: bytes, at: int, form: bytes, offset: int) -> int:
    count, most = _WORD, min(len(small) - at, len(form) - offset)
    while count < most and small[at + count] == form[offset + count]:
        count += 1
    return count


def _uniform(text: str, first: int, last: int, value: str) -> bool:
    """Whether a short value is unbroken, evenly spaced out, or broken by invisible things only."""
    gaps: list[set[str]] = []
    gap: set[str] = set()
    for character in text[first + 1 : last]:
        if character.isascii() and character.isalnum():
            gaps.append(gap.difference(value))
            gap = set()
        else:
            gap.add(character)
    even = all(one == gaps[0] for one in gaps)
    return even or all(one.issubset(_ZERO_WIDTH + "\r\n") for one in gaps)


def _with_signs(text: str, first: int, last: int, value: str) -> tuple[int, int]:
    """Take in the signs a value begins and ends with, and the padding of base64."""
    head = len(value) - len(value.lstrip("".join(c for c in value if not c.isalnum())))
    if head and text[max(0, first - head) : first] == value[:head]:
        first -= head
    tail = len(value.rstrip("".join(c for c in value if not c.isalnum())))
    if value[tail:] and text.startswith(value[tail:], last):
        last += len(value) - tail
    while last < len(text) and text[last] == "=":
        last += 1
    return first, last


class _Places:
    """Where in a text the n-th plain character stands."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._counts = [0]
        for start in range(0, len(raw), _CHUNK):
            kept = len(raw[start : start + _CHUNK].translate(None, _DROP))
            self._counts.append(self._counts[-1] + kept)
        self._chunks: dict[int, list[int]] = {}

    def of(self, number: int) -> int:
        """The offset in the text of plain character `number`."""
        chunk = bisect_right(self._counts, number) - 1
        places = self._chunks.get(chunk)
        if places is None:
            start = chunk * _CHUNK
            piece = self._raw[start : start + _CHUNK]
            places = [start + at for at, byte in enumerate(piece) if byte in _LETTERS]
            self._chunks[chunk] = places
        return places[number - self._counts[chunk]]
