"""Brace expansion, the first thing bash does to a word (Bash Reference Manual, 3.5.1)."""

from __future__ import annotations

import re

from hermes_tui.security.shell_lexer import Lexer, ShellTextError

MAX_WORDS = 200
_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?\Z")


def expand_braces(word: str, lexer: type[Lexer]) -> list[str]:
    """The words one word as written becomes; just itself when it has no braces to expand.

    lexer: finds the ends of quotes and substitutions. Raises ShellTextError when there are
    too many words.
    """
    if "{" not in word:
        return [word]
    if word.count("{") > MAX_WORDS:
        raise ShellTextError("it has too many braces")
    done: list[str] = []
    todo = [(word, 0)]
    while todo:
        current, start = todo.pop()
        found = _first(current, start, lexer)
        if found is None:
            done.append(current)
        else:
            head, choices, tail = found
            todo.extend((head + choice + tail, len(head)) for choice in reversed(choices))
        if len(done) + len(todo) > MAX_WORDS:
            raise ShellTextError("its braces make too many words")
    return done


def _first(word: str, start: int, lexer: type[Lexer]) -> tuple[str, list[str], str] | None:
    at = start
    reader = lexer(word)
    while at < len(word):
        if word[at] == "{":
            inside = _inside(word, at, reader)
            if inside is not None:
                return inside
            at += 1
        elif word[at] in "\\'\"`$":
            at = reader.skip(at)
        elif word[at] in "<>" and word[at + 1 : at + 2] == "(":
            at = reader.commands_end(at + 2)
        else:
            at += 1
    return None


def _inside(word: str, start: int, reader: Lexer) -> tuple[str, list[str], str] | None:
    """Split `{a,b}` or `{1..3}` beginning at `start`; None when it is neither."""
    at, level = start + 1, 0
    cuts = [start]
    while at < len(word):
        char = word[at]
        if char in "\\'\"`$":
            at = reader.skip(at)
            continue
        if char == "}" and level == 0:
            break
        level += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and level == 0:
            cuts.append(at)
        at += 1
    if at >= len(word):
        return None
    if len(cuts) == 1:
        choices = _range(word[start + 1 : at])
        return (word[:start], choices, word[at + 1 :]) if choices else None
    ends = [*cuts[1:], at]
    choices = [word[cut + 1 : end] for cut, end in zip(cuts, ends, strict=True)]
    return word[:start], choices, word[at + 1 :]


def _range(text: str) -> list[str]:
    found = _RANGE.match(text)
    if not found:
        return []
    low, high, step = found.groups()
    if low.lstrip("-").isdigit() != high.lstrip("-").isdigit():
        return []
    numbers = low.lstrip("-").isdigit()
    first, last = (int(low), int(high)) if numbers else (ord(low), ord(high))
    stride = abs(int(step or 1)) or 1
    if abs(last - first) // stride > MAX_WORDS:
        raise ShellTextError("its braces make too many words")
    values = range(first, last + (1 if last >= first else -1), stride if last >= first else -stride)
    return [str(value) if numbers else chr(value) for value in values]
