"""Finds secrets by the name of the field they are in, in whatever notation.

Names are found by their stems (`token`, `pass`, `key`, …), then the sign after the name and the
value are read: JSON, YAML, TOML, INI, environments, headers, query strings, connection strings,
XML, code, command options and prose. What only stands for a secret (a variable, a call, a type,
`<your key>`) stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from hermes_tui.security.secret_names import Strength, strength
from hermes_tui.security.secret_text import (
    Page,
    Pattern,
    Span,
    classes,
    has_digit,
    has_letter,
    is_hex,
    is_placeholder,
    looks_random,
)

_STEMS = (
    b"pass",
    b"pwd",
    b"secret",
    b"token",
    b"key",
    b"auth",
    b"cred",
    b"sess",
    b"sig",
    b"jwt",
    b"_pat",
)
_LONGEST = 2048  # characters of a value
_SAMPLE = 256
_NAME_SIGNS = frozenset("_-.")
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_LINKS = ("is ", "was ", "are ", "lautet ", "equals ")
_BARE_NAMES = ("requirepass", "masterauth")  # of redis.conf
_AFTER_NAME = frozenset(" \t:=>\"'`]\\|,\r\n")
_TAIL = Pattern(r"[A-Za-z0-9_.\-]*")
_OPERATOR = Pattern(
    r"(?P<quote>\\{0,3}[\"'`\]])?[ \t]{0,40}(?:(?P<op>:=|=>|={1,3}|:|,(?=[ \t]*[\"'])|\|)[ \t]*|"
    r"(?P<is>(?:is|was|are|lautet|equals)(?:[ \t]*:)?[ \t]+)|"
    r"(?P<xml>>)(?=[^\s<]{4})|(?P<gap>(?<=[ \t])(?=\S)))"
)
# A pair of its own: `- name: DB_PASSWORD` and on the next line `value: …`; `key="X" value="…"`.
_PAIR = Pattern(r"[\"']?,?\s*[\"']?value[\"']?\s*[:=]\s*")
_PAIR_NAME = Pattern(r"(?:name|key)[\"']?\s*[:=]\s*[\"']?$")
_ANNOTATION = Pattern(r"[A-Za-z][\w.\[\]| ]{0,40}=[ \t]*(?=[\"'])")
_QUOTE = Pattern(r"(?P<escape>\\{0,3})[rbuRBU]{0,2}(?P<mark>[\"'`])")
_BARE = Pattern(r"[^\s\"'`;&<>()\[\]{}|,]+")
_QUERY = Pattern(r"[^\s\"'`<>&#)\]]+")
_LINE = Pattern(r"[^\r\n]+")
_WORD = Pattern(r"\S+")
_NEXT_PAIR = Pattern(r";\s*(?:[A-Za-z][\w ]*=|$)")
_CALL = Pattern(r"[A-Za-z_$][\w.$]*(?:\(|\[|\{|::|->)")
_IDENTIFIER = Pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Za-z]+[-_]?[vV]?\d{1,3}$")
_ALGORITHM = Pattern(
    r"(?:base\d+|sha\d+|md5|utf-?\d+|hs\d{3}|rs\d{3}|es\d{3}|aes\d*|rsa\d*|ed\d+|x\d+|"
    r"oauth\d?|gpt|http|iso\d*|ipv\d|v\d+)(?![A-Za-z0-9])|"
    r"\d+[-_ ]?(?:bit|byte|char|min|sec|day|hour|ms|s$|d$|h$|m$|%)",
    re.I,
)
_UUID = Pattern(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", re.I)
_BEFORE = Pattern(r"([A-Za-z]{2,20})[ \t]$")
_LINE_NAME = Pattern(r"[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+|//\S+:)?$")

Context = Literal["code", "line", "query", "prose", "option", "loose"]


class _Field(Struct):
    """A name with its value: where the value begins, and in what surroundings it stands."""

    name: str
    how: Strength
    value: int
    context: Context
    must_quote: bool = False
    text: str = ""
    quoted: bool = False

    @property
    def sample(self) -> str:
        """As much of the value as is needed to judge it."""
        return self.text[:_SAMPLE]


def find(page: Page, settings: bool) -> Iterator[Span]:
    """Secrets by field name. settings: the text is a file of settings or an environment, so a
    plain word may be a password.
    """
    seen: set[int] = set()
    text, tail = page.text, _TAIL.re.match
    for at in (at + len(stem) for stem in _STEMS for at in page.places(stem)):
        match = tail(text, at, at + 80)
        end = match.end() if match else at
        while text[end - 1] in _NAME_SIGNS:
            end -= 1
        following = text[end : end + 18]  # most candidates end here: this is what must be quick
        if following[:1] not in _AFTER_NAME or end in seen:
            continue
        if following[0] == " " and _goes_on_in_words(text, at, following[1:]):
            continue
        seen.add(end)
        field = _field(text, at, end)
        if field is not None and _is_secret(field, settings):
            label = "".join(c for c in field.name if c.isalnum() or c in "_-.")
            yield Span(field.value, field.value + len(field.text), label[:40] or "field")


def _field(text: str, at: int, end: int) -> _Field | None:
    start = _start_of_name(text, at)
    name = text[start:end]
    how = strength(name)
    if how in ("", "weak"):
        before = _BEFORE.re.search(text, max(0, start - 22), start)
        how = strength(f"{before[1]} {name}") if before else how
    field = _place(text, start, end, name, how) if how else None
    return field if field is not None and _read(text, field) else None


def _goes_on_in_words(text: str, at: int, following: str) -> bool:
    """Whether a name is only a word of a sentence, `the key to …`: by far the most are."""
    return (
        following[:1].isalpha()
        and " " in following
        and not following.startswith(_LINKS)
        and "-" not in text[max(0, at - 40) : at]
    )


def _start_of_name(text: str, at: int) -> int:
    before = text[max(0, at - 60) : at]
    start = at - len(before) + len(before.rstrip(_NAME_LETTERS))
    while text[start] in "-.":
        start += 1
    return start


def _place(text: str, start: int, end: int, name: str, how: Strength) -> _Field | None:
    """What comes after a name, None when that makes it no field."""
    if _PAIR_NAME.re.search(text, max(0, start - 12), start):
        pair = _PAIR.re.match(text, end)
        if pair:
            return _Field(name, how, pair.end(), "line")
    after = _OPERATOR.re.match(text, end)
    if after is None:
        return None
    context: Context = "code"
    must_quote = after["op"] in (",", "==", "===")
    if after["is"]:
        context = "prose"
    elif after["gap"] is not None:
        option = text[max(0, start - 1) : start] == "-" or name.lower() in _BARE_NAMES
        context = "option" if option else "loose"
    elif after["op"] == "=" and text[max(0, start - 1) : start] in ("?", "&"):
        context = "query"
    elif after["op"] in ("=", ":") and _begins_line(text, start):
        context = "line"
    return _Field(name, how, after.end(), context, must_quote)


def _begins_line(text: str, start: int) -> bool:
    line = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    return (line == 0 or text[line - 1] == "\n") and _LINE_NAME.re.match(
        text, line, start
    ) is not None


def _read(text: str, field: _Field) -> bool:
    """Read the value of a field; whether there is one."""
    noted = _ANNOTATION.re.match(text, field.value)
    if noted:
        field.value = noted.end()
    opening = _QUOTE.re.match(text, field.value)
    if opening is not None:
        close = text.find(
            opening["escape"] + opening["mark"], opening.end(), opening.end() + _LONGEST
        )
        if close > 0 and "\n" not in text[opening.end() : close]:
            field.value, field.text, field.quoted = opening.end(), text[opening.end() : close], True
            return bool(field.text)
    if field.must_quote:
        return False
    field.text = _bare(text, field)
    return bool(field.text)


def _bare(text: str, field: _Field) -> str:
    """The value without quotes: as far as it goes where it stands."""
    if field.context == "line":
        line = _LINE.re.match(text, field.value, field.value + _LONGEST)
        whole = line[0].split(" #")[0].rstrip(" \t,;") if line else ""
        if field.how == "password" and field.name.isupper():
            return whole
        word = _WORD.re.match(whole)
        cut = _NEXT_PAIR.re.search(word[0]) if word else None
        return (word[0][: cut.start()] if cut else word[0].rstrip(",;")) if word else ""
    pattern = _QUERY if field.context == "query" else _BARE
    match = pattern.re.match(text, field.value, field.value + _LONGEST)
    if match is None or text[match.end() : match.end() + 1] in ("(", "["):
        return ""
    return match[0]


def _is_secret(field: _Field, settings: bool) -> bool:
    value = field.sample
    if len(value) < 4 or is_placeholder(value) or (not field.quoted and _is_code(value)):
        return False
    if field.how == "weak":
        return _weak(field)
    if field.context == "loose" and (not field.quoted or field.name.lower() == "pass"):
        return strength(field.name) in ("key", "password") and looks_random(value, 16)
    if field.context == "prose" and not field.quoted:
        return _in_prose(value, field.how)
    if field.how == "key":
        return _key(value, field.quoted)
    return _password(field, settings or (field.name.isupper() and field.context == "line"))


def _is_code(value: str) -> bool:
    """Whether a bare value reads as an expression of a programming language."""
    if _CALL.re.match(value):
        return True
    pieces = value.replace("_", ".").split(".")
    return _IDENTIFIER.re.match(value) is not None and not any(
        looks_random(piece, 16) for piece in pieces
    )


def _weak(field: _Field) -> bool:
    """For `key`, `session` and the like only what looks generated counts, no hash and no id."""
    value = field.sample
    if " " in value or "," in value or "/" in value[:8] or _UUID.re.match(value):
        return False
    if (
        is_hex(value)
        and field.context != "query"
        and not field.name.strip("_").lower().startswith("auth")
    ):
        return False
    return len(value) >= 16 and looks_random(value.rstrip("="), 14)


def _key(value: str, quoted: bool) -> bool:
    """For keys and tokens: long enough, no blanks, letters and digits, and no name of a version."""
    value = value.removeprefix("base64:")
    if any(c.isspace() for c in value) or len(value) < 8 or _ALGORITHM.re.match(value):
        return False
    if looks_random(value) and (quoted or has_digit(value) or len(value) >= 20):
        return True
    if not has_digit(value):
        return classes(value) >= 3 and len(value) >= 16 and not value.isidentifier()
    return has_letter(value) and not (_IDENTIFIER.re.match(value) and len(value) < 16)


def _in_prose(value: str, how: Strength) -> bool:
    if _ALGORITHM.re.match(value) or value[0] in "-(":
        return False
    if how == "key":
        return looks_random(value, 12)
    value = value.rstrip(".,;:?")
    return len(value) >= 6 and has_digit(value) and has_letter(value)


def _password(field: _Field, settings: bool) -> bool:
    value = field.sample
    if any(c.isspace() for c in value):
        # Words in quotes next to `password` are mostly the text of a form.
        return settings and not field.name.islower()
    if field.name.lower() == "pass" and not field.quoted and not settings:
        return len(value) >= 8 and classes(value) >= 3 and value[0].isalpha()
    if value.isdigit():
        return len(value) >= 6
    if value.isalpha() or value.replace("_", "").replace("-", "").isalpha():
        same = value.lower().endswith(("password", "passwd", "passwort", "pass"))
        return settings and len(value) >= 6 and not same
    return len(value) >= (4 if field.quoted else 6) and not _ALGORITHM.re.match(value)
