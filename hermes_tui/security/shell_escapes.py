"""Backslash escapes of `$'…'`, `echo -e` and `printf` (Bash Reference Manual, 3.1.2.4)."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(0?[0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


def ansi_c(text: str) -> str:
    """A text with its escapes filled in; bytes above 127 stand for themselves."""
    return _ESCAPE.sub(_replace, text) if "\\" in text else text


def _replace(found: re.Match[str]) -> str:
    two, four, eight, octal, control, simple = found.groups()
    if two or four or eight:
        number = int(two or four or eight, 16)
        return chr(number) if number < 0x110000 else found.group()
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control) & 0x1F)
    return _SIMPLE.get(simple, found.group())
