"""Reads shell text into a tree of commands, the way bash does.

The grammar is that of the Bash Reference Manual, section 3.2. It is held against a second,
independent reader (`shell_second`), because a clean parse alone proves nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import structs

from hermes_tui.security.shell_lexer import META, Lexer, ShellTextError
from hermes_tui.security.shell_tree import (
    Branches,
    Function,
    Group,
    HereDoc,
    Loop,
    Node,
    Pipeline,
    Redirect,
    Script,
    Sequence,
    Simple,
    Step,
    Test,
)

MAX_TEXT = 200_000
_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|select|do|done|case|esac|in|function|time|coproc"
    r"|\{|\}|!|\[\[)(?=[\s;&|()<>]|\Z)"
)
_REDIRECT = re.compile(r"(\d+|\{\w+\})?(<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\()|&>>|&>)")
_FUNCTION = re.compile(r"([^\s;&|()<>'\"`$\\={}]+)[ \t]*\([ \t]*\)")
_ASSIGN = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_FOREVER = frozenset({("true",), (":",), ("[", "1", "]"), ("/bin/true",), ("test", "1")})
_NEVER = frozenset({("false",), ("/bin/false",), ("[", "]")})


@lru_cache(maxsize=256)
def read_shell(text: str, depth: int = 0) -> Script:
    """Read a whole text. What comes before an error is kept, and `problem` says what it is."""
    if len(text) > MAX_TEXT:
        return Script(body=Sequence(steps=()), problem="it is too long to be read")
    reader = Reader(text, 0, min(depth, 33)) if depth <= 32 else None
    if reader is None:
        return Script(body=Sequence(steps=()), problem="it is nested too deeply")
    steps: list[Step] = []
    problem = ""
    try:
        reader.sequence(frozenset(), steps)
        if reader.at < len(text):
            problem = f"{text[reader.at]} stands where no command can"
    except ShellTextError as error:
        problem = str(error)
    return Script(body=Sequence(steps=tuple(steps)), problem=problem, doubts=tuple(reader.doubts))


class Reader(Lexer):
    """Recursive descent over the grammar; every method takes what it is named for."""

    def __init__(self, text: str, at: int = 0, depth: int = 0) -> None:
        super().__init__(text, at, depth)
        self._waiting: list[HereDoc] = []

    def commands_end(self, start: int) -> int:
        """The position after the `)` that ends the commands beginning at `start`."""
        inner = Reader(self.text, start, self.depth + 1)
        inner.nested = self.nested
        inner.sequence(frozenset(), [])
        if not inner._starts(")"):
            raise ShellTextError("a ( is never closed")
        if inner._waiting:
            raise ShellTextError("a here-document reaches out of its parentheses")
        self.doubts += inner.doubts
        return inner.at + 1

    def sequence(self, stops: frozenset[str], steps: list[Step] | None = None) -> Sequence:
        """A list of pipelines up to `)`, `;;`, the end, or one of the reserved words `stops`."""
        steps = [] if steps is None else steps
        join = ""
        while True:
            self._lines()
            if self._ends(stops):
                break
            node = self._pipeline()
            mark = self._joint()
            steps.append(Step(node=node, join=join, background=mark == "&"))  # pyright: ignore[reportArgumentType]
            join = mark if mark in ("&&", "||") else ""
            if not mark:
                break
        if join:
            raise ShellTextError(f"nothing follows {join}")
        return Sequence(steps=tuple(steps))

    def _ends(self, stops: frozenset[str]) -> bool:
        return (
            self.at >= len(self.text)
            or self._starts(")")
            or self._starts(";;")
            or self._starts(";&")
            or self._reserved() in stops
        )

    def _joint(self) -> str:
        """Take what separates two pipelines; empty when nothing does."""
        self._blanks()
        for mark in ("&&", "||"):
            if self._starts(mark):
                self.at += 2
                return mark
        if self._starts("&") and not self._starts("&>"):
            self.at += 1
            return "&"
        if self._starts(";") and not (self._starts(";;") or self._starts(";&")):
            self.at += 1
            return ";"
        if self._starts("\n"):
            self._lines()
            return "\n"
        if self.at < len(self.text) and not self._starts(")") and not self._starts(";"):
            raise ShellTextError(f"{self.text[self.at]!r} is not expected")
        return ""

    def _prefixes(self) -> None:
        """Skip `!` and `time`, which change nothing about what is run."""
        while self._reserved() in ("!", "time"):
            timed = self._reserved() == "time"
            self._reserved_word()
            while timed and re.match(r"-p?-?(?=\s)", self.text[self.at : self.at + 4]):
                self.word()
                self._blanks()

    def _pipeline(self) -> Node:
        start = self.at
        self._prefixes()
        if self.at > start and (self._ends(frozenset()) or self.text[self.at] in ";\n"):
            return Simple()
        stages = [self._command()]
        while True:
            self._blanks()
            if not self._starts("|") or self._starts("||"):
                break
            self.at += 2 if self._starts("|&") else 1
            self._lines()
            self._prefixes()
            stages.append(self._command())
        return stages[0] if len(stages) == 1 else Pipeline(stages=tuple(stages))

    def _command(self) -> Node:
        self._blanks()
        if self.at >= len(self.text):
            raise ShellTextError("a command is missing")
        self.depth += 1
        if self.depth > 40:
            raise ShellTextError("it is nested too deeply")
        try:
            node = self._compound()
            if node is None:
                return self._simple()
            return structs.replace(node, redirects=self._redirects())
        finally:
            self.depth -= 1

    def _compound(self) -> Node | None:
        if self._starts("(("):
            end = self.arithmetic_end(self.at + 2)
            if end:
                text, self.at = self.text[self.at + 2 : end - 2], end
                return Test(text=text, arithmetic=True)
        if self._starts("("):
            self.at += 1
            body = self.sequence(frozenset())
            self._take(")")
            return Group(body=body, own_shell=True)
        word = self._reserved()
        kind = _COMPOUNDS.get(word)
        if kind:
            self._reserved_word()
            return kind(self)
        if word and word not in ("in",):
            raise ShellTextError(f"{word} stands where no command can")
        defined = _FUNCTION.match(self.text, self.at)
        if not defined:
            return None
        self.at = defined.end()
        return self._body_of(defined.group(1))

    def _body_of(self, name: str) -> Node:
        self._lines()
        body = self._compound()
        if body is None:
            raise ShellTextError("a function has no body")
        return Function(name=name, body=structs.replace(body, redirects=self._redirects()))

    def _brace(self) -> Node:
        body = self.sequence(frozenset("}"))
        self._expect("}")
        return Group(body=body)

    def _if(self) -> Node:
        conditions = [self.sequence(frozenset({"then"}))]
        self._expect("then")
        bodies: list[Sequence] = []
        while True:
            bodies.append(self.sequence(frozenset({"elif", "else", "fi"})))
            word = self._reserved()
            self._expect("elif", "else", "fi")
            if word == "fi":
                return Branches(conditions=tuple(conditions), bodies=tuple(bodies))
            if word == "elif":
                conditions.append(self.sequence(frozenset({"then"})))
                self._expect("then")

    def _while(self, until: bool = False) -> Node:
        condition = self.sequence(frozenset({"do"}))
        words = [step.node.words for step in condition.steps if isinstance(step.node, Simple)]
        endless = bool(words) and words[-1] in (_NEVER if until else _FOREVER)
        return Loop(condition=condition, body=self._do(), endless=endless)

    def _until(self) -> Node:
        return self._while(until=True)

    def _for(self) -> Node:
        self._blanks()
        if self._starts("(("):
            end = self.arithmetic_end(self.at + 2)
            if not end:
                raise ShellTextError("a for (( is never closed")
            text, self.at = self.text[self.at + 2 : end - 2], end
            empty = len(text.split(";")) == 3 and not text.split(";")[1].strip()
            self._separator()
            return Loop(arithmetic=text, body=self._loop_body(), endless=empty)
        name = self.word()
        self._lines()
        items: tuple[str, ...] = ('"$@"',)
        if self._reserved() == "in":
            self._reserved_word()
            items = self._words()
        self._separator()
        return Loop(variable=name, items=items, body=self._loop_body())

    def _case(self) -> Node:
        self._blanks()
        words = [self.word()]
        self._lines()
        self._expect("in")
        bodies: list[Sequence] = []
        while True:
            self._lines()
            if self._reserved() == "esac":
                self._reserved_word()
                return Branches(words=tuple(words), bodies=tuple(bodies))
            if self._starts("("):
                self.at += 1
            words += self._patterns()
            bodies.append(self.sequence(frozenset({"esac"})))
            mark = re.compile(r";;&|;;|;&").match(self.text, self.at)
            if mark:
                self.at = mark.end()
            elif self._reserved() != "esac":
                raise ShellTextError("a case is never closed")

    def _patterns(self) -> list[str]:
        found: list[str] = []
        while True:
            self._blanks()
            word = self.word()
            self._blanks()
            if not word or self.at >= len(self.text):
                raise ShellTextError("a case is never closed")
            found.append(word)
            mark, self.at = self.text[self.at], self.at + 1
            if mark == ")":
                return found
            if mark != "|":
                raise ShellTextError("a case has no )")

    def _function(self) -> Node:
        self._blanks()
        name = self.word()
        self._blanks()
        empty = re.compile(r"\([ \t]*\)").match(self.text, self.at)
        if empty:
            self.at = empty.end()
        return self._body_of(name)

    def _coproc(self) -> Node:
        self._blanks()
        named = re.compile(r"[A-Za-z_]\w*[ \t]+(?=[{(])").match(self.text, self.at)
        if named:
            self.at = named.end()
        body = self._command()
        return Group(body=Sequence(steps=(Step(node=body, background=True),)), own_shell=True)

    def _test(self) -> Node:
        start = self.at
        while True:
            self._lines()
            if self.at >= len(self.text):
                raise ShellTextError("a [[ is never closed")
            if self._starts("]]"):
                self.at += 2
                return Test(text=self.text[start : self.at - 2])
            self.at = self.at + 1 if self.text[self.at] in META else self.skip(self.at)

    def _do(self) -> Sequence:
        self._expect("do")
        body = self.sequence(frozenset({"done"}))
        self._expect("done")
        return body

    def _loop_body(self) -> Sequence:
        if self._reserved() != "{":
            return self._do()
        self._reserved_word()
        body = self.sequence(frozenset("}"))
        self._expect("}")
        return body

    def _simple(self) -> Node:
        assigns: list[str] = []
        words: list[str] = []
        redirects: list[Redirect] = []
        while True:
            self._blanks()
            redirect = self._redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            word = self.word()
            if not word:
                break
            (words if words or not _ASSIGN.match(word) else assigns).append(word)
        if not (assigns or words or redirects):
            raise ShellTextError(f"{self.text[self.at : self.at + 1]!r} is not expected")
        return Simple(assigns=tuple(assigns), words=tuple(words), redirects=tuple(redirects))

    def _words(self) -> tuple[str, ...]:
        found: list[str] = []
        while True:
            self._blanks()
            word = self.word()
            if not word:
                return tuple(found)
            found.append(word)

    def _redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        while True:
            self._blanks()
            redirect = self._redirect()
            if redirect is None:
                return tuple(found)
            found.append(redirect)

    def _redirect(self) -> Redirect | None:
        mark = _REDIRECT.match(self.text, self.at)
        if not mark:
            return None
        self.at = mark.end()
        op = mark.group(2)
        self._blanks()
        target = self.word()
        if not target:
            raise ShellTextError(f"{op} has no target")
        here = None
        if op in ("<<", "<<-"):
            literal = any(char in target for char in "'\"\\")
            here = HereDoc(re.sub(r"\$?['\"]|\\", "", target), op == "<<-", literal)
            self._waiting.append(here)
        return Redirect(fd=mark.group(1) or "", op=op, target=target, here=here)

    def _here_documents(self) -> None:
        for here in self._waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line, self.at = self.text[self.at : end], min(end + 1, len(self.text))
                line = line.lstrip("\t") if here.strip else line
                if line == here.delimiter:
                    break
                rest = line.removeprefix(here.delimiter)
                if self.depth and rest != line and rest.lstrip().startswith(")"):
                    raise ShellTextError("a here-document may end in the middle of a line")
                lines.append(line + "\n")
            here.body = "".join(lines)
        self._waiting.clear()

    def _blanks(self) -> None:
        blanks = _BLANKS.match(self.text, self.at)
        if blanks:
            self.at = blanks.end()
        if self._starts("#") and (self.at == 0 or self.text[self.at - 1] in META):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def _lines(self) -> None:
        """Skip blanks, comments and line ends; here-documents are read on the way."""
        while True:
            self._blanks()
            if not self._starts("\n"):
                return
            self.at += 1
            if self._waiting:
                self._here_documents()

    def _separator(self) -> None:
        self._blanks()
        if self._starts(";"):
            self.at += 1
        self._lines()

    def _starts(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def _reserved(self) -> str:
        found = _RESERVED.match(self.text, self.at)
        return found.group() if found else ""

    def _reserved_word(self) -> None:
        self.at += len(self._reserved())
        self._blanks()

    def _expect(self, *words: str) -> None:
        self._lines()
        if self._reserved() not in words:
            raise ShellTextError(f"{words[-1]} is missing")
        self.at += len(self._reserved())

    def _take(self, mark: str) -> None:
        self._lines()
        if not self._starts(mark):
            raise ShellTextError(f"{mark} is missing")
        self.at += len(mark)


_COMPOUNDS = {
    "{": Reader._brace,
    "if": Reader._if,
    "while": Reader._while,
    "until": Reader._until,
    "for": Reader._for,
    "select": Reader._for,
    "case": Reader._case,
    "function": Reader._function,
    "coproc": Reader._coproc,
    "[[": Reader._test,
}
