"""`${…}`: taking one apart, and what its operators make of a known value.

Bash Reference Manual, section 3.5.3.
"""

from __future__ import annotations

import fnmatch
import re

from msgspec import Struct

from hermes_tui.security.shell_escapes import ansi_c
from hermes_tui.security.shell_state import UNKNOWN, known

_PARAMETER = re.compile(
    r"(?P<prefix>[!#](?=[\w@*]))?(?P<name>[A-Za-z_]\w*|\d+|[@*#?$!_-])"
    r"(?:\[(?P<subscript>(?:[^\[\]]|\[[^\[\]]*\])*)\])?"
    r"(?P<op>:[-=+?]|[-=+?]|##?|%%?|//|/#|/%|/|\^\^?|,,?|@[A-Za-z]|:|@\Z|\*\Z)?(?P<argument>.*)\Z",
    re.DOTALL,
)


class Parameter(Struct, frozen=True, kw_only=True):
    """The parts of `${prefix name [subscript] op argument}`."""

    prefix: str
    name: str
    subscript: str
    op: str
    argument: str


def split_parameter(inner: str) -> Parameter | None:
    """Take apart what stands between `${` and `}`; None when it is no expansion."""
    found = _PARAMETER.match(inner)
    if not found or (found["argument"] and not found["op"]):
        return None
    return Parameter(
        prefix=found["prefix"] or "",
        name=found["name"],
        subscript=found["subscript"] or "",
        op=found["op"] or "",
        argument=found["argument"],
    )


def apply(value: str, op: str, argument: str, prefix: str) -> str:
    """What an operator makes of one value; UNKNOWN when that can't be known."""
    if prefix == "#":
        return str(len(value)) if known(value) else UNKNOWN
    if not op:
        return value
    if not known(value) or not known(argument):
        return UNKNOWN
    if op == ":":
        return _part(value, argument)
    if op in ("#", "##", "%", "%%"):
        return _trim(value, op, argument)
    if op.startswith("/"):
        return _replace(value, op, argument)
    return _change(value, op)


def _part(value: str, argument: str) -> str:
    found = re.fullmatch(r"\s*\(?(-?\d+)\)?\s*(?::\s*\(?(-?\d+)\)?\s*)?", argument)
    if not found:
        return UNKNOWN
    start = int(found[1])
    start = max(0, start + len(value)) if start < 0 else start
    if found[2] is None:
        return value[start:]
    length = int(found[2])
    return value[start : start + length] if length >= 0 else value[start:length]


def _trim(value: str, op: str, pattern: str) -> str:
    cuts = range(len(value) + 1)
    longest = len(op) == 2
    if op[0] == "#":
        for cut in reversed(cuts) if longest else cuts:
            if fnmatch.fnmatchcase(value[:cut], pattern):
                return value[cut:]
        return value
    for cut in cuts if longest else reversed(cuts):
        if fnmatch.fnmatchcase(value[cut:], pattern):
            return value[:cut]
    return value


def _replace(value: str, op: str, argument: str) -> str:
    pattern, _, new = argument.partition("/")
    if not pattern or "\\" in pattern:
        return UNKNOWN if pattern else value
    body = fnmatch.translate(pattern).removesuffix("\\Z").removesuffix("\\z")
    if op == "/#":
        body = rf"\A{body}"
    if op == "/%":
        body = rf"{body}\Z"
    return re.sub(body, lambda _: new, value, count=0 if op == "//" else 1)


def _change(value: str, op: str) -> str:
    first, rest = value[:1], value[1:]
    changed = {
        "^^": value.upper(), ",,": value.lower(), "^": first.upper() + rest,
        ",": first.lower() + rest, "@U": value.upper(), "@u": first.upper() + rest,
        "@L": value.lower(), "@E": ansi_c(value),
    }  # fmt: skip
    return changed.get(op, UNKNOWN)
