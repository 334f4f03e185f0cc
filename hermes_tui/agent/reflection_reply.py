"""What a model made of a turn: nothing, a new skill, or changes to one."""

from __future__ import annotations

import re

from msgspec import Struct

from hermes_tui.errors import HermesError

_HEAD = re.compile(r"^(NEW|EDIT)\s+`?([a-z0-9-]+)`?\s*$", re.M)
_WHY = re.compile(r"^BECAUSE:?\s+(.+)$", re.M)
_FENCE = re.compile(r"\A```[\w-]*\n(.*)\n```\s*\Z", re.DOTALL)
_BLOCK = re.compile(
    r"^<{4,}[^\n]*\n(?P<old>.*?)^={4,}[ \t]*\n(?P<new>.*?)^>{4,}[^\n]*$", re.DOTALL | re.M
)


class Swap(Struct, frozen=True):
    """Lines of a skill and those to stand in their place; no old lines: added at the end."""

    old: str
    new: str


class Lesson(Struct, frozen=True, kw_only=True):
    """What should be kept. text: of a new skill; swaps: changes to an existing one."""

    name: str
    why: str
    text: str = ""
    swaps: tuple[Swap, ...] = ()


def read_reply(reply: str) -> Lesson | None:
    """The lesson in a reply; None for nothing. Raises HermesError when it has no known form."""
    text = reply.strip()
    if (fenced := _FENCE.match(text)) is not None:
        text = fenced[1]
    head = _HEAD.search(text)
    if head is None:
        if not text or re.search(r"\bNOTHING\b", text[:200]):
            return None
        raise HermesError("the answer has no known form")
    rest = text[head.end() :]
    why = _WHY.search(rest)
    if why is None:
        raise HermesError("the answer gives no reason")
    reason, body = why[1].strip()[:300], rest[why.end() :]
    if head[1] == "EDIT":
        return Lesson(name=head[2], why=reason, swaps=_swaps(body))
    start = body.find("---")
    if start < 0:
        raise HermesError("the answer has no skill in it")
    whole = body[start:].removesuffix("```").rstrip() + "\n"
    return Lesson(name=head[2], why=reason, text=whole)


def _swaps(body: str) -> tuple[Swap, ...]:
    found = tuple(Swap(one["old"], one["new"]) for one in _BLOCK.finditer(body))
    if not found:
        raise HermesError("the answer has no changes in it")
    return found


def applied(text: str, swaps: tuple[Swap, ...]) -> str:
    """A skill with changes made. Raises HermesError when lines are not there, or there twice."""
    for swap in swaps:
        old = swap.old.strip("\n")
        if not old.strip():
            text = f"{text.rstrip()}\n{swap.new.rstrip()}\n"
            continue
        if (count := _lines_in(text, old)) != 1:
            raise HermesError(f"lines to change were found {count} times")
        new = swap.new.strip("\n")
        at = _place(text, old)
        end = at + len(old)
        if not new and text[end : end + 1] == "\n":
            end += 1
        text = text[:at] + new + text[end:]
    return text


def _lines_in(text: str, old: str) -> int:
    return f"\n{text}\n".count(f"\n{old}\n")


def _place(text: str, old: str) -> int:
    return f"\n{text}\n".index(f"\n{old}\n")
