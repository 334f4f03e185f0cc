r"""Formulas in a line of text: common LaTeX as Unicode, anything else as it was written.

Found are `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` where that can't be money or a variable.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hermes_tui.ui import markdown_math_table as table

if TYPE_CHECKING:
    from markdown_it.rules_inline.state_inline import StateInline

LONGEST = 2_000
_ENDS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
_FORMULA = re.compile(r"[\\^_={}<>+*/]|^[A-Za-z]$|^[\d.,]*\d$")


class _Unknown(Exception):
    """Something that has no plain form."""


def to_unicode(formula: str) -> str | None:
    """The formula as it can be read on one line; None when a part of it can't be told so."""
    if len(formula) > LONGEST:
        return None
    try:
        made, end = _Reader(formula).group(0, "")
    except (_Unknown, RecursionError):
        return None
    return " ".join(made.split()) if end == len(formula) and made.strip() else None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def group(self, at: int, end: str) -> tuple[str, int]:
        """What stands from `at` up to an end mark, or all of it; where it ended."""
        made: list[str] = []
        while at < len(self.text):
            char = self.text[at]
            if end and char == end:
                return "".join(made), at + 1
            if char == "}":
                raise _Unknown(char)
            part, at = self.part(at)
            made.append(part)
        if end:
            raise _Unknown(end)
        return "".join(made), at

    def part(self, at: int) -> tuple[str, int]:
        """One character, command, group or script."""
        char = self.text[at]
        if char == "{":
            return self.group(at + 1, "}")
        if char == "\\":
            return self.command(at + 1)
        if char in "^_":
            return self.script(at + 1, char)
        if char in "&$%#":
            raise _Unknown(char)
        return (
            "−" if char == "-" else "′" if char == "'" else " " if char in "~\n" else char
        ), at + 1

    def argument(self, at: int) -> tuple[str, int]:
        """What a command applies to: the next group or single part."""
        while at < len(self.text) and self.text[at] == " ":
            at += 1
        if at >= len(self.text):
            raise _Unknown("argument")
        return self.part(at)

    def script(self, at: int, kind: str) -> tuple[str, int]:
        """Something above or below the line."""
        inner, end = self.argument(at)
        signs = table.UP if kind == "^" else table.DOWN
        plain = inner.replace("−", "-").replace(" ", "")
        if plain and all(char in signs for char in plain):
            return "".join(signs[char] for char in plain), end
        if inner in ("′", "∘") and kind == "^":
            return ("°" if inner == "∘" else inner), end
        return (f"{kind}{inner}" if len(inner) == 1 else f"{kind}({inner})"), end

    def command(self, at: int) -> tuple[str, int]:
        """A command after its backslash."""
        match = re.compile(r"[A-Za-z]+").match(self.text, at)
        if match is None:
            mark = self.text[at : at + 1]
            if mark not in table.SPACES and (not mark or mark not in table.ESCAPED):
                raise _Unknown(mark)
            return table.SPACES.get(mark, mark), at + 1
        name, end = match[0], match.end()
        if name in table.SYMBOLS:
            return table.SYMBOLS[name], end
        if name in table.NAMES:
            return f"{name} " if self.text[end : end + 1].isalnum() else name, end
        if name in table.IGNORED:
            return "", end + (self.text[end : end + 1] == ".")
        return self.applied(name, end)

    def applied(self, name: str, at: int) -> tuple[str, int]:
        """A command with arguments."""
        if name in table.PLAIN:
            return self.argument(at)
        if name in ("frac", "dfrac", "tfrac"):
            top, at = self.argument(at)
            below, at = self.argument(at)
            return f"{_whole(top)}/{_whole(below)}", at
        if name == "sqrt":
            return self.root(at)
        if name == "mathbb":
            inner, at = self.argument(at)
            if inner not in table.DOUBLE:
                raise _Unknown(inner)
            return table.DOUBLE[inner], at
        if name in table.ACCENTS:
            inner, at = self.argument(at)
            if len(inner) != 1:
                raise _Unknown(inner)
            return inner + table.ACCENTS[name], at
        if name == "binom":
            top, at = self.argument(at)
            below, at = self.argument(at)
            return f"C({top}, {below})", at
        raise _Unknown(name)

    def root(self, at: int) -> tuple[str, int]:
        """A root, with its degree if one is given."""
        degree = ""
        if self.text[at : at + 1] == "[":
            degree, at = self.group(at + 1, "]")
            if not all(char in table.UP for char in degree):
                raise _Unknown(degree)
            degree = "".join(table.UP[char] for char in degree)
        inner, at = self.argument(at)
        return f"{degree}√{_whole(inner, root=True)}", at


def _whole(text: str, root: bool = False) -> str:
    """Text that is one thing beside a slash or under a root; in brackets where it is not."""
    text = text.strip()
    simple = text.isalnum() if root else re.fullmatch(r"[\w.′∂∇√∞°⁰-₟ᵃ-ᶿ]+", text)
    return text if simple else f"({text})"


def rule(state: StateInline, silent: bool) -> bool:
    """The inline rule for markdown-it: one `math` token with the source as its markup."""
    text, start = state.src, state.pos
    opening = next((mark for mark in _ENDS if text.startswith(mark, start)), "")
    if not opening:
        return False
    end = text.find(_ENDS[opening], start + len(opening), state.posMax)
    if end < 0 or end - start > LONGEST:
        return False
    inner = text[start + len(opening) : end]
    stop = end + len(_ENDS[opening])
    if not inner.strip() or (opening == "$" and not _is_formula(inner, text[stop : stop + 1])):
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content, token.markup = inner, text[start:stop]
    state.pos = stop
    return True


def _is_formula(inner: str, after: str) -> bool:
    """Whether what stands between two dollars can only be a formula."""
    if inner[0].isspace() or inner[-1].isspace() or after.isalnum() or "\n\n" in inner:
        return False
    return bool(_FORMULA.search(inner))
