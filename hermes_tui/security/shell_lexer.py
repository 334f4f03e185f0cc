"""Where shell words, quotes and substitutions end, by the rules of bash.

Follows the Bash Reference Manual, sections 3.1.2 (quoting), 3.5 (expansions) and 3.6
(redirections). What is left open raises ShellTextError; what bash might read otherwise is
noted in `doubts`.
"""

from __future__ import annotations

import re

MAX_DEPTH = 32
MAX_NESTED = 64
_PLAIN = re.compile(r"[^\s;&|()<>\\'\"`$]+")
_PLAIN_QUOTED = re.compile(r"[^\\\"`$]+")
_ASSIGNING = re.compile(r"[A-Za-z_]\w*\+?=\Z")
META = frozenset(" \t\n;&|()<>")


class ShellTextError(ValueError):
    """The text is not complete or not shell; str() says why."""


class Lexer:
    """A position in shell text, and how to get past what begins there."""

    def __init__(self, text: str, at: int = 0, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise ShellTextError("it is nested too deeply")
        self.text = text
        self.at = at
        self.depth = depth
        self.nested = 0
        self.doubts: list[str] = []

    def commands_end(self, start: int) -> int:
        """The position after the `)` that ends the commands beginning at `start`."""
        raise NotImplementedError

    def word(self) -> str:
        """Take the word that begins here, as it is written; empty when none does."""
        text, start, end = self.text, self.at, len(self.text)
        at = start
        while at < end:
            char = text[at]
            if char in META:
                after = self._inside_word(start, at)
                if after == at:
                    break
                at = after
            else:
                at = self.skip(at)
        self.at = at
        return text[start:at]

    def _inside_word(self, start: int, at: int) -> int:
        """Past a `<(…)` or an array `=(…)`; `at` itself when the word ends here."""
        if self.text[at] in "<>" and self.text[at + 1 : at + 2] == "(":
            return self.commands_end(at + 2)
        if self.text[at] != "(":
            return at
        if _ASSIGNING.match(self.text[start:at]):
            return self._array_end(at + 1)
        if at > start and self.text[at - 1] in "?*+@!":
            raise ShellTextError("it uses extended patterns")
        return at

    def skip(self, at: int) -> int:
        """The position after the piece of an unquoted word that begins at `at`."""
        self.nested += 1
        if self.nested > MAX_NESTED:
            raise ShellTextError("it is nested too deeply")
        end = self._skip(at)
        self.nested -= 1
        return end

    def _skip(self, at: int) -> int:
        char = self.text[at]
        if char == "\\":
            return min(at + 2, len(self.text))
        if char == "'":
            return self.find("'", at + 1) + 1
        if char == '"':
            return self.quoted_end(at + 1)
        if char == "`":
            return self.backtick_end(at + 1)
        if char == "$":
            return self.dollar_end(at)
        plain = _PLAIN.match(self.text, at)
        return plain.end() if plain else at + 1

    def find(self, mark: str, start: int) -> int:
        """Where the next `mark` is; raises ShellTextError when there is none."""
        found = self.text.find(mark, start)
        if found < 0:
            raise ShellTextError(f"a {mark} is never closed")
        return found

    def backtick_end(self, start: int) -> int:
        """The position after the backtick that closes the one before `start`."""
        at = start
        while True:
            at = self.find("`", at)
            slashes = len(self.text[start:at]) - len(self.text[start:at].rstrip("\\"))
            at += 1
            if slashes % 2 == 0:
                return at

    def quoted_end(self, start: int) -> int:
        """The position after the double quote that closes the one before `start`."""
        text, at = self.text, start
        while at < len(text):
            if text[at] == '"':
                return at + 1
            at = self.skip_quoted(at)
        raise ShellTextError('a " is never closed')

    def skip_quoted(self, at: int) -> int:
        """The position after the piece of double-quoted text that begins at `at`."""
        self.nested += 1
        if self.nested > MAX_NESTED:
            raise ShellTextError("it is nested too deeply")
        end = self._skip_quoted(at)
        self.nested -= 1
        return end

    def _skip_quoted(self, at: int) -> int:
        char = self.text[at]
        if char == "\\":
            return min(at + 2, len(self.text))
        if char == "`":
            return self.backtick_end(at + 1)
        if char == "$":
            return self.dollar_end(at, quoted=True)
        plain = _PLAIN_QUOTED.match(self.text, at)
        return plain.end() if plain else at + 1

    def dollar_end(self, at: int, quoted: bool = False) -> int:
        """The position after the expansion whose `$` is at `at` (or after a lone `$`)."""
        following = self.text[at + 1 : at + 2]
        if following == "(":
            arithmetic = self.arithmetic_end(at + 3) if self.text[at + 2 : at + 3] == "(" else 0
            return arithmetic or self.commands_end(at + 2)
        if following == "{":
            return self._brace_end(at + 2, quoted)
        if following == "[":
            return self._old_arithmetic_end(at + 2)
        if following == "'" and not quoted:
            return self._ansi_end(at + 2)
        if following == '"' and not quoted:
            return self.quoted_end(at + 2)
        name = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!_-])?").match(self.text, at)
        return name.end() if name else at + 1

    def _ansi_end(self, start: int) -> int:
        at = start
        while at < len(self.text):
            if self.text[at] == "'":
                return at + 1
            at += 2 if self.text[at] == "\\" else 1
        raise ShellTextError("a $' is never closed")

    def _brace_end(self, start: int, quoted: bool) -> int:
        text, at = self.text, start
        if re.match(r"[ \t\n|]", text[start : start + 1]):
            raise ShellTextError("it uses ${ commands; }")
        while at < len(text):
            char = text[at]
            if char == "}":
                return at + 1
            if char == "'" and quoted:
                self.doubts.append("a quote inside a quoted ${…} can be read two ways")
            at = self.skip(at) if char in "\\'\"`$" and not (char == "'" and quoted) else at + 1
        raise ShellTextError("a ${ is never closed")

    def _old_arithmetic_end(self, start: int) -> int:
        at = start
        while at < len(self.text):
            if self.text[at] == "]":
                return at + 1
            at = self.skip(at)
        raise ShellTextError("a $[ is never closed")

    def _array_end(self, start: int) -> int:
        at = start
        while at < len(self.text):
            if self.text[at] == ")":
                return at + 1
            if self.text[at] == "#" and self.text[at - 1] in " \t\n(":
                raise ShellTextError("a comment in an array")
            at = self.skip(at)
        raise ShellTextError("an array is never closed")

    def arithmetic_end(self, start: int) -> int:
        """The position after the `))` of arithmetic beginning at `start`; 0 when it is none."""
        text, at, open_ = self.text, start, 2
        while at < len(text):
            char = text[at]
            if char == ")":
                if open_ == 2:
                    return at + 2 if text[at + 1 : at + 2] == ")" else 0
                open_ -= 1
            elif char == "(":
                open_ += 1
            at = self.skip(at)
        return 0
