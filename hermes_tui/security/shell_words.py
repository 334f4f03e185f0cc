"""What shell words become: quotes removed, variables and substitutions filled in, split.

Bash Reference Manual, section 3.5. What can't be known becomes the character UNKNOWN; the
commands that substitutions run are followed by `run`.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable

from hermes_tui.security.shell_braces import expand_braces
from hermes_tui.security.shell_escapes import ansi_c
from hermes_tui.security.shell_lexer import ShellTextError
from hermes_tui.security.shell_parameters import Parameter, apply, split_parameter
from hermes_tui.security.shell_state import (
    BREAK,
    NO_SOURCES,
    NOTHING,
    UNKNOWN,
    Sources,
    State,
    Stream,
    Value,
)
from hermes_tui.security.shell_syntax import Reader

Run = Callable[[str, State, str], Stream]
"""Follows the text of a substitution; the last argument is `$`, `<` or `>`."""
Pieces = list[tuple[str, bool]]
_RUNS_CODE = re.compile(r"\$\(|`|\$\{|[<>]\(")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Words:
    """Expands words in one state; gathers where the texts come from and what is doubtful."""

    def __init__(self, state: State, run: Run) -> None:
        self.state = state
        self.run = run
        self.sources: Sources = NO_SOURCES
        self.opaque: list[str] = []

    def fields(self, word: str) -> list[str]:
        """The arguments a word becomes: braces, expansion, splitting."""
        found: list[str] = []
        for one in expand_braces(word, Reader):
            found += self._split(self._pieces(one))
        return found

    def text(self, word: str) -> str:
        """A word that is not split: an assignment's value, a redirection's target."""
        joined = "".join(text for text, _ in self._pieces(word))
        return joined.replace(BREAK, " ").replace(NOTHING, "")

    def here_document(self, body: str) -> str:
        """The text of a here-document whose delimiter is not quoted."""
        joined = "".join(text for text, _ in self._quoted(body, 0, len(body), here=True))
        return joined.replace(BREAK, " ").replace(NOTHING, "")

    def substitutions(self, text: str) -> None:
        """Follow what is substituted in a text that is otherwise not looked at."""
        at = 0
        reader = Reader(text)
        while at < len(text):
            try:
                end = reader.skip(at)
            except ShellTextError as error:
                self.opaque.append(str(error))
                return
            if text[at] in '$`"':
                self._pieces(text[at:end])
            elif text[at] in "<>" and text[at + 1 : at + 2] == "(":
                end = reader.commands_end(at + 2)
                self._process(text, at, end)
            at = end

    def arithmetic(self, text: str) -> str:
        """The value of arithmetic, UNKNOWN unless it is a plain number; code in it is followed."""
        self._quoted(text, 0, len(text), here=True)
        if _has_plain_quote(text):
            self.opaque.append("quotes in arithmetic can be read two ways")
        for name in _NAME.findall(text):
            value = self.state.value(name)
            if value and any(_RUNS_CODE.search(item) for item in value.items):
                self.opaque.append("arithmetic runs the code a variable holds")
        if _RUNS_CODE.search(text.replace("$((", "")) and "[" in text:
            self.opaque.append("a subscript in arithmetic runs code")
        return text.strip() if text.strip().isdigit() else UNKNOWN

    def _pieces(self, word: str) -> Pieces:
        """(text, whether it may be split) of each piece of an unquoted word."""
        pieces: Pieces = []
        reader = Reader(word)
        at = self._tilde(word, pieces)
        while at < len(word):
            char = word[at]
            if char in "<>" and word[at + 1 : at + 2] == "(":
                end = reader.commands_end(at + 2)
                pieces.append((self._process(word, at, end), False))
            else:
                end = reader.skip(at)
                pieces += self._piece(word, at, end)
            at = end
        return pieces

    def _piece(self, word: str, at: int, end: int) -> Pieces:
        char, following = word[at], word[at + 1 : at + 2]
        if char == "\\":
            return [] if following == "\n" else [(following, False)]
        if char == "'":
            return [(word[at + 1 : end - 1], False)]
        if char == '"':
            return self._list_in_quotes(self._quoted(word, at + 1, end - 1))
        if char == "$" and following == "'":
            return [(ansi_c(word[at + 2 : end - 1]), False)]
        if char == "$" and following == '"':
            return [*self._quoted(word, at + 2, end - 1), ("", False)]
        if char in "$`":
            return [(self._dollar(word[at:end], quoted=False), True)]
        if char in "\t\n ":
            return [(char, True)]
        return [(word[at:end], False)]

    @staticmethod
    def _list_in_quotes(pieces: Pieces) -> Pieces:
        """Quoted text is a word even when it is empty, but for a list without items."""
        empty = "".join(text for text, _ in pieces)
        return [] if empty and not empty.strip(NOTHING) else [*pieces, ("", False)]

    def _quoted(self, word: str, start: int, end: int, here: bool = False) -> Pieces:
        pieces: Pieces = []
        reader = Reader(word)
        at = start
        while at < end:
            if here and word[at] == '"':
                after = at + 1
                pieces.append(('"', False))
            else:
                after = min(reader.skip_quoted(at), end)
                pieces.append((self._quoted_piece(word, at, after, here), False))
            at = after
        return pieces

    def _quoted_piece(self, word: str, at: int, end: int, here: bool) -> str:
        char, following = word[at], word[at + 1 : at + 2]
        if char == "\\":
            if following == "\n":
                return ""
            special = "$`\\" if here else '$`"\\'
            return following if following and following in special else char + following
        if char in "$`":
            return self._dollar(word[at:end], quoted=True)
        return word[at:end]

    def _tilde(self, word: str, pieces: Pieces) -> int:
        """Fill in a leading `~`; the position after it."""
        found = re.match(r"~([\w.+-]*)(?=[/:]|\Z)", word)
        if not found:
            return 0
        name = found.group(1)
        home = self.state.value("HOME")
        folder = home.text if home else self.state.home
        special = {"": folder, "+": self.state.cwds[-1], "-": self.state.old[-1], "root": "/root"}
        pieces.append((special.get(name, f"/home/{name}"), False))
        return found.end()

    def _process(self, word: str, at: int, end: int) -> str:
        """The file name that stands for `<(…)` or `>(…)`."""
        stream = self.run(word[at + 2 : end - 1], self.state.copy(), word[at])
        self.sources |= stream.sources
        return stream.text or UNKNOWN

    def _dollar(self, text: str, quoted: bool) -> str:
        if text.startswith("`"):
            inner = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", text[1:-1])
            return self._substitute(inner)
        if text.startswith("$((") and text.endswith("))") and Reader(text).arithmetic_end(3):
            return self.arithmetic(text[3:-2])
        if text.startswith("$("):
            return self._substitute(text[2:-1])
        if text.startswith("$["):
            return self.arithmetic(text[2:-1])
        if text == "$":
            return "$"
        if text.startswith("${"):
            return self._braced(text[2:-1], quoted)
        return self._plain(text[1:], quoted)

    def _substitute(self, inner: str) -> str:
        stream = self.run(inner, self.state.copy(), "$")
        self.sources |= stream.sources
        return UNKNOWN if stream.text is None else stream.text.rstrip("\n")

    def _plain(self, name: str, quoted: bool) -> str:
        value = self.lookup(name)
        if value is None:
            return ""
        self.sources |= value.sources
        if name == "@" or (name == "*" and not quoted):
            return BREAK.join(value.items) or (NOTHING if not value.items else "")
        return " ".join(value.items) if name == "*" else value.text

    def lookup(self, name: str) -> Value | None:
        """What a parameter holds; UNKNOWN for what comes from outside, None for unset ones."""
        if name in ("@", "*"):
            given = self.state.positional
            return Value(items=(UNKNOWN,) if given is None else given, array=True)
        if name.isdigit():
            return self._positional(int(name))
        if name in ("?", "$", "!", "#", "-"):
            return Value(items=("himBHs" if name == "-" else UNKNOWN,))
        value = self.state.value(name)
        if value is None:
            return Value(items=(UNKNOWN,), sources=frozenset({name}))
        return value

    def _positional(self, number: int) -> Value | None:
        if number == 0:
            return Value(items=(self.state.zero,))
        given = self.state.positional
        if given is None:
            return Value(items=(UNKNOWN,))
        return Value(items=(given[number - 1],)) if number <= len(given) else None

    def _braced(self, inner: str, quoted: bool) -> str:
        parameter = split_parameter(inner)
        if parameter is None:
            self.opaque.append("an expansion is not understood")
            self.substitutions(inner)
            return UNKNOWN
        if parameter.subscript:
            self.arithmetic(parameter.subscript)
        if parameter.op == "@P" or (
            parameter.op.startswith("@") and parameter.op not in ("@Q", "@U", "@u", "@L", "@E")
        ):
            self.opaque.append("an expansion runs the text of a variable")
        if parameter.op in (":-", "-", ":=", "=", ":+", "+", ":?", "?"):
            return self._default(parameter, quoted)
        value = self._named(parameter)
        if value is None:
            return ""
        self.sources |= value.sources
        argument = self._argument(parameter)
        results = [apply(item, parameter.op, argument, parameter.prefix) for item in value.items]
        if parameter.subscript in ("@", "*") or parameter.name in ("@", "*"):
            star = quoted and "*" in (parameter.subscript, parameter.name)
            return (" " if star else BREAK).join(results) if results else NOTHING
        return results[0] if results else ""

    def _argument(self, parameter: Parameter) -> str:
        if not parameter.argument:
            return ""
        if parameter.op == ":":
            if _RUNS_CODE.search(parameter.argument) or _NAME.search(parameter.argument):
                self.arithmetic(parameter.argument)
            return parameter.argument
        return self.text(parameter.argument)

    def _named(self, parameter: Parameter) -> Value | None:
        value = self.lookup(parameter.name)
        if value is None or parameter.prefix == "#":
            return value
        if parameter.prefix == "!":
            return (
                self.lookup(value.text) if _NAME.fullmatch(value.text) else Value(items=(UNKNOWN,))
            )
        if value.array and parameter.subscript not in ("", "@", "*") and parameter.name != "@":
            at = parameter.subscript
            inside = at.lstrip("-").isdigit() and -len(value.items) <= int(at) < len(value.items)
            return Value(
                items=(value.items[int(at)] if inside else UNKNOWN,), sources=value.sources
            )
        return value

    def _default(self, parameter: Parameter, quoted: bool) -> str:
        """`${x:-word}` and its kin; of two possible texts the one that is written here."""
        op, is_set = parameter.op, parameter.name.isdigit() or parameter.name in ("@", "*")
        value = self.lookup(parameter.name)
        from_here = is_set or self.state.value(parameter.name) is not None
        instead = self.text(parameter.argument)
        if quoted and "'" in parameter.argument:
            # Inside double quotes a single quote is a plain character.
            self._quoted(parameter.argument, 0, len(parameter.argument))
            instead = UNKNOWN
        if op in (":+", "+"):
            return instead if value is not None else ""
        if value is not None and from_here and (value.text or op in ("-", "=", "?")):
            self.sources |= value.sources
            return BREAK.join(value.items) if value.array else value.text
        if op in (":=", "="):
            self.state.set_text(parameter.name, instead, self.sources)
        if op in (":?", "?"):
            return UNKNOWN
        return instead

    def _split(self, pieces: Pieces) -> list[str]:
        ifs_value = self.state.value("IFS")
        ifs = ifs_value.text if ifs_value else " \t\n"
        fields: list[str] = []
        if UNKNOWN in ifs and any(splits and text for text, splits in pieces):
            self.opaque.append("where words end can't be known")
        current, exists = "", False
        for whole, splits in pieces:
            text = whole.replace(NOTHING, "")
            parts = re.split(f"([{re.escape((ifs if splits else '') + BREAK)}])", text)
            for at, part in enumerate(parts):
                if at % 2 == 0:
                    current, exists = current + part, exists or bool(part)
                    continue
                if exists or part not in " \t\n" + BREAK:
                    fields.append(current)
                current, exists = "", False
            exists = exists or not splits
        return [*fields, current] if exists else fields


def _has_plain_quote(text: str) -> bool:
    """Whether a single quote stands outside of any substitution."""
    if "'" not in text:
        return False
    reader, at = Reader(text), 0
    while at < len(text):
        end = reader.skip_quoted(at)
        if text[at] not in "$`\\" and "'" in text[at:end]:
            return True
        at = end
    return False


def matches_pattern(name: str, pattern: str) -> bool:
    """Whether a glob as bash has it may stand for a name."""
    return fnmatch.fnmatchcase(name, pattern.replace("[^", "[!"))
