"""Finds secrets by the place they stand in: key files, URLs, headers, credential files, payment
cards, seed phrases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hermes_tui.security.secret_text import (
    Page,
    Pattern,
    Span,
    has_digit,
    is_placeholder,
    looks_random,
)

_KEY_BEGIN = Pattern(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = Pattern(r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES = Pattern(
    r"(?:(?:\s|\\[nr]|[\"',+\\])*(?:[A-Z][A-Za-z-]+: [^\n]*|[A-Za-z0-9+/=]{12,}))+"
    r"(?:(?:\s|\\[nr])*(?:[A-Za-z0-9+/]+=+|(?:[A-Za-z0-9+/]{1,11}|-[A-Z -]*)(?=\s*$)))?"
)
_KEY_LIMIT = 20_000
_PUTTY = Pattern(r"Private-Lines: \d+\r?\n(?P<word>(?:[A-Za-z0-9+/=]{8,}\r?\n?)+)")
_USER_INFO = Pattern(r"://[^\s/?#@:\"'<>]*:(?P<word>[^\s/?#\"'<>]+)@")
_AUTHORIZATION = Pattern(
    r"authorization\\{0,3}[\"']?[ \t]*[:=,][ \t]*\\{0,3}[\"']?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]+)?"
    r"(?P<word>[^\s\"'`,;<>\\()]{6,}+)(?!\()",
    re.I,
)
_BEARER = Pattern(r"bearer[ \t:=]+[\"']?(?P<word>[^\s\"'`,;<>\\()]{8,}+)(?!\()", re.I)
_COOKIE = Pattern(r"cookie\\{0,3}[\"']?[ \t]*[:=][ \t]*\\{0,3}[\"']?([^\r\n\"']+)", re.I)
_PAIR = Pattern(r"([^\s=;,]+)=([^;\s,]+)")
_COOKIE_LIMIT = 8192  # more than any browser sends
_COOKIE_NAME = Pattern(r"sess|sid\b|auth|token|jwt|csrf|xsrf|remember|login|cred|secret", re.I)
_COOKIE_RULES = Pattern(r"(?:path|domain|expires|max-age|samesite|priority|version)$", re.I)
_NETRC = Pattern(
    r"(?:machine[ \t]+\S+|default)\s+(?:(?:login|account)\s+\S+\s+)*password\s+(?P<word>\S+)"
)
_PGPASS_PORT = Pattern(r":(?:\d{3,5}|\*):")
_PGPASS = Pattern(
    r"[\w.*-]+:(?:\d{3,5}|\*):[\w.*-]+:[\w.*@-]+:(?P<word>(?:[^\s:/]|\\:){4,})[ \t\r]*(?:\n|$)"
)
_CARD = Pattern(
    r"(?<![\d.-])(?:(?:\d{4}[ -]){3}\d{1,7}|3[47]\d{2}[ -]\d{6}[ -]\d{5}|\d{13,19})(?![\d-])"
)
_CARD_WORDS = (b"card", b"visa", b"amex", b"maestro", b"karte")
_CARD_SIZE = b"0" * 13
_DIGITS = bytes(48 if byte in b"0123456789 -" else 120 for byte in range(256))
_PHRASE = Pattern(
    r"(?:(?:seed|recovery|backup|secret|wallet|mnemonic)[ _-](?:phrase|words)|mnemonic|seedphrase)"
    r"\\?[\"']?[ \t]*(?:is|[:=])\s*\\?[\"']?"
    r"((?:(?:\d{1,2}[.)] ?)?[a-z]{3,8}[ ,\n]+){11,23}[a-z]{3,8})\b",
    re.I,
)
_PHRASE_WORD = Pattern(r"[A-Za-z]{3,8}")
_PHRASE_SIZES = (24, 21, 18, 15, 12)  # BIP-39


def find(page: Page) -> Iterator[Span]:
    """Secrets by place."""
    if page.has(b"-----begin"):
        yield from _key_blocks(page.text)
    yield from _words(_PUTTY, page, b"private-lines:", "private key", bool)
    yield from _words(_USER_INFO, page, b"://", "password in a URL", _is_password)
    if page.has(b"auth"):
        yield from _words(_AUTHORIZATION, page, b"authorization", "authorization", _is_credential)
    yield from _words(_BEARER, page, b"bearer", "bearer token", _is_credential)
    yield from _cookies(page)
    if page.has(b"pass") and page.has(b"password"):
        yield from _words(_NETRC, page, b"machine", "netrc", _is_password)
        yield from _words(_NETRC, page, b"default", "netrc", _is_default)
    yield from _pgpass(page.text)
    yield from _cards(page)
    for hint in (b"phrase", b"mnemonic"):
        yield from _phrases(page, hint)


def _words(
    pattern: Pattern, page: Page, hint: bytes, label: str, accept: Callable[[str], bool]
) -> Iterator[Span]:
    """The `word` of a pattern that begins with a hint."""
    for at in page.places(hint):
        match = pattern.re.match(page.text, at)
        if match is not None and accept(match["word"]):
            yield Span(match.start("word"), match.end("word"), label)


def _is_password(word: str) -> bool:
    return len(word) >= 3 and not is_placeholder(word)


def _is_credential(word: str) -> bool:
    if len(word) < 8 or is_placeholder(word):
        return False
    return has_digit(word) or looks_random(word)


def _is_default(word: str) -> bool:
    return has_digit(word) and _is_password(word)


def _key_blocks(text: str) -> Iterator[Span]:
    """Private keys in text form, whole or cut off."""
    for begin in _KEY_BEGIN.re.finditer(text):
        body = _KEY_LINES.re.match(text, begin.end())
        if body is None:
            continue
        end = _KEY_END.re.search(text, begin.end(), begin.end() + _KEY_LIMIT)
        between = text[begin.end() : end.start()] if end else ""
        if end is not None and "-----BEGIN" not in between:
            yield Span(begin.start(), end.end(), "private key")
        else:
            yield Span(begin.start(), body.end(), "private key")


def _cookies(page: Page) -> Iterator[Span]:
    done = 0
    for at in page.places(b"cookie"):
        line = _COOKIE.re.match(page.text, at, at + _COOKIE_LIMIT) if at >= done else None
        if line is None:
            continue
        done = line.end()
        for pair in _PAIR.re.finditer(page.text, line.start(1), line.end(1)):
            name, value = pair[1], pair[2]
            if len(value) < 8 or _COOKIE_RULES.re.match(name) or is_placeholder(value):
                continue
            named = _COOKIE_NAME.re.search(name) and has_digit(value)
            if named or (len(value) >= 16 and looks_random(value)):
                yield Span(pair.start(2), pair.end(2), "cookie")


def _pgpass(text: str) -> Iterator[Span]:
    """Lines `host:port:database:user:password`."""
    for port in _PGPASS_PORT.re.finditer(text):
        line = text.rfind("\n", max(0, port.start() - 200), port.start()) + 1
        match = _PGPASS.re.match(text, line) if port.start() - line < 200 else None
        word = match["word"] if match else ""
        if match and has_digit(word) and not word.isdigit() and not is_placeholder(word):
            yield Span(match.start("word"), match.end("word"), "pgpass")


_CARD_DIGITS = 13


def _cards(page: Page) -> Iterator[Span]:
    """Payment cards: in groups anywhere, in one piece next to a word that says so."""
    marked = page.raw.translate(_DIGITS) + b"x"
    at = marked.find(_CARD_SIZE)
    while at >= 0:
        end = marked.find(b"x", at)
        if len(page.raw[at:end].translate(None, b" -")) < _CARD_DIGITS:
            at = marked.find(_CARD_SIZE, end)  # a date and a time, not enough digits for a card
            continue
        for match in _CARD.re.finditer(page.text, max(0, at - 1), end):
            grouped = not match[0].isdigit()
            around = page.small[max(0, match.start() - 40) : match.end() + 20]
            if _is_card(match[0]) and (grouped or any(word in around for word in _CARD_WORDS)):
                yield Span(match.start(), match.end(), "payment card")
        at = marked.find(_CARD_SIZE, end)


def _is_card(text: str) -> bool:
    """Whether a number has the length, first digit and check digit (Luhn) of a payment card."""
    digits = [int(c) for c in text if c.isdigit()]
    if not 13 <= len(digits) <= 19 or digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) < 2:
        return False
    doubled = [d if at % 2 == 0 else d * 2 - 9 * (d > 4) for at, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _phrases(page: Page, hint: bytes) -> Iterator[Span]:
    text = page.text
    for at in page.places(hint):
        match = _PHRASE.re.search(text, max(0, at - 10), at + 500)
        if match is None:
            continue
        found = list(_PHRASE_WORD.re.finditer(text, match.start(1), match.end(1)))
        size = next((size for size in _PHRASE_SIZES if size <= len(found)), 0)
        if size:
            yield Span(match.start(1), found[size - 1].end(), "seed phrase")
