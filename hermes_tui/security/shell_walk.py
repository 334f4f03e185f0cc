"""Follows a tree of shell commands the way bash runs it, and lists every simple command.

Both sides of a condition are followed, loops at least twice, functions where they are called
(and once when they never are); a budget bounds all of it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from hermes_tui.security.shell_assign import (
    after_tildes,
    appended,
    array_words,
    assignment,
    declared,
    declares,
)
from hermes_tui.security.shell_call import Call, program_name
from hermes_tui.security.shell_command import Command, Reading, Target
from hermes_tui.security.shell_lexer import ShellTextError
from hermes_tui.security.shell_options import names
from hermes_tui.security.shell_state import (
    NO_INPUT,
    NO_SOURCES,
    UNKNOWN,
    Sources,
    State,
    Stream,
    Value,
)
from hermes_tui.security.shell_syntax import read_shell
from hermes_tui.security.shell_tree import (
    Branches,
    Function,
    Group,
    Loop,
    Node,
    Pipeline,
    Redirect,
    Sequence,
    Simple,
    Test,
)
from hermes_tui.security.shell_words import Words

# Variables whose text is expanded each time the shell shows a prompt or a trace.
PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT_COMMAND", "ENV", "BASH_ENV"})
MAX_COMMANDS = 1000
MAX_WORDS = 1000
_MAX_DEPTH = 60
_MAX_ITEMS = 24
# Programs that leave the files they are given as they are.
_LOOKERS = frozenset(
    names(
        "cat less head tail ls test [ chmod bash sh dash zsh ksh source . wc grep stat "
        "file echo printf python python3 node perl ruby php lua cd shellcheck diff chown "
        "sudo env exec command time bat"
    )
)
Starter = Callable[["Walker", Call], Stream]


class Walker:
    """Lists commands; `start` decides what a simple command with known words does."""

    def __init__(self, start: Starter) -> None:
        self.start = start
        self.commands: list[Command] = []
        self.opaque: list[str] = []
        self.files: dict[str, Stream] = {}
        self.parallel = 0
        self.endless = 0
        self.active: dict[str, int] = {}
        self.called: set[str] = set()
        self.swarm = False
        self._numbers = 0
        self._depth = 0
        self._context: list[Call] = []

    def reading(self) -> Reading:
        """What has been found."""
        texts = {path: one.text for path, one in self.files.items() if one.text is not None}
        return Reading(
            commands=tuple(self.commands), opaque=tuple(dict.fromkeys(self.opaque)), files=texts
        )

    def number(self) -> int:
        """A new command's number."""
        self._numbers += 1
        return self._numbers

    def doubt(self, reason: str) -> None:
        """Note why commands may be missing from the list."""
        self.opaque.append(reason)

    def text(self, text: str, state: State, stdin: Stream = NO_INPUT) -> Stream:
        """Follow shell text in a state; raises nothing."""
        script = read_shell(text, min(self._depth, 33))
        if script.problem:
            self.doubt(script.problem)
        for doubt in script.doubts:
            self.doubt(doubt)
        return self.node(script.body, state, stdin)

    def within(self, call: Call, text: str, state: State, stdin: Stream) -> Stream:
        """Follow the text a command runs; what is found there has that command as parent."""
        self._context.append(call)
        try:
            return self.text(text, state, stdin)
        finally:
            self._context.pop()

    def node(self, node: Node, state: State, stdin: Stream = NO_INPUT) -> Stream:
        """Follow one node and return what it prints, as far as that can be known."""
        if self._depth >= _MAX_DEPTH or len(self.commands) >= MAX_COMMANDS:
            self.doubt("it is too long or too deep to be followed")
            return Stream()
        self._depth += 1
        try:
            return self._node(node, state, stdin)
        except ShellTextError as error:
            self.doubt(str(error))
            return Stream()
        finally:
            self._depth -= 1

    def _node(self, node: Node, state: State, stdin: Stream) -> Stream:
        if isinstance(node, Simple):
            return self._simple(node, state, stdin)
        if isinstance(node, Sequence):
            return self._sequence(node, state, stdin)
        if isinstance(node, Pipeline):
            return self._pipeline(node, state, stdin)
        if isinstance(node, Function):
            state.functions[node.name] = node.body
            return Stream(text="")
        targets: tuple[Target, ...] = ()
        if node.redirects:
            targets, stdin = self._redirected(node, state, stdin)
        out = self._compound(node, state, stdin)
        self.save(targets, state, out)
        return _after(targets, out)

    def _redirected(
        self, node: Node, state: State, stdin: Stream
    ) -> tuple[tuple[Target, ...], Stream]:
        """The redirections of a compound command, listed as a command without words."""
        call = Call(self.number(), [], state, stdin)
        words = self.words(call)
        self.redirect(call, node.redirects, words)
        call.sources = words.sources
        self.record(call, name="{")
        given = call.stdin
        return call.redirects, Stream(
            text=given.text, sources=given.sources | {call.number}, given=given.given
        )

    def _compound(self, node: Node, state: State, stdin: Stream) -> Stream:
        if isinstance(node, Group):
            return self.node(node.body, state.copy() if node.own_shell else state, stdin)
        if isinstance(node, Branches):
            return self._branches(node, state, stdin)
        if isinstance(node, Loop):
            return self._loop(node, state, stdin)
        if isinstance(node, Test):
            self._test(node, state)
        return Stream(text="")

    def _test(self, node: Test, state: State) -> None:
        call = Call(self.number(), [], state, NO_INPUT)
        words = self.words(call)
        words.arithmetic(node.text) if node.arithmetic else words.substitutions(node.text)
        if not node.arithmetic and any(
            mark in node.text
            for mark in (" -eq ", " -ne ", " -lt ", " -gt ", " -le ", " -ge ", "-v ")
        ):
            words.arithmetic(node.text)

    def _sequence(self, node: Sequence, state: State, stdin: Stream) -> Stream:
        text: str | None = ""
        sources: Sources = NO_SOURCES
        chain: State | None = None
        for step in node.steps:
            if not step.join:
                _end_chain(chain, state)
                chain = None
            elif chain is None or step.join == "||":
                if chain is not None:
                    state.blur(chain, state)
                chain = state.copy()
            if step.background:
                self.parallel += 1
                out = self.node(step.node, state.copy(), stdin)
                self.parallel -= 1
            else:
                out = self.node(step.node, state, stdin)
            unsure = text is None or out.text is None or bool(step.join)
            text = None if unsure else f"{text}{out.text}"
            sources |= out.sources
        _end_chain(chain, state)
        return Stream(text=text, sources=sources)

    def _pipeline(self, node: Pipeline, state: State, stdin: Stream) -> Stream:
        self.parallel += 1
        out = stdin
        for stage in node.stages:
            out = self.node(stage, state.copy(), out)
        self.parallel -= 1
        return out

    def _branches(self, node: Branches, state: State, stdin: Stream) -> Stream:
        words = self.words(Call(self.number(), [], state, stdin))
        for word in node.words:
            words.text(word)
        sources: Sources = NO_SOURCES
        before = state.copy()
        merged = state.copy()
        for number, body in enumerate(node.bodies):
            if number < len(node.conditions):
                sources |= self.node(node.conditions[number], state, stdin).sources
            branch = state.copy()
            sources |= self.node(body, branch, stdin).sources
            merged.blur(merged.copy(), branch)
        state.blur(before, merged)
        return Stream(sources=sources)

    def _loop(self, node: Loop, state: State, stdin: Stream) -> Stream:
        words = self.words(Call(self.number(), [], state, stdin))
        if node.arithmetic:
            words.arithmetic(node.arithmetic)
        items = [field for word in node.items or () for field in words.fields(word)]
        self.endless += node.endless
        sources: Sources = words.sources
        text: str | None = ""
        for item in self._rounds(node, items):
            before = state.copy()
            if node.variable:
                state.set_text(node.variable, item, words.sources)
            if node.condition:
                sources |= self.node(node.condition, state, stdin).sources
            out = self.node(node.body, state, stdin)
            sources |= out.sources
            text = None if text is None or out.text is None else text + out.text
            if node.items is None:
                state.blur(before, state)
        self.endless -= node.endless
        return Stream(text=text if node.items is not None else None, sources=sources)

    @staticmethod
    def _rounds(node: Loop, items: list[str]) -> list[str]:
        """What the variable is in each round that is followed."""
        if node.items is None:
            return [UNKNOWN, UNKNOWN]
        if len(items) > _MAX_ITEMS:
            items = [*items[:_MAX_ITEMS], UNKNOWN]
        several = len(items) == 1 and any(char in items[0] for char in f"*?[{UNKNOWN}")
        return items * 2 if several else items

    def words(self, call: Call) -> Words:
        """Expansion in the call's state; commands in substitutions are followed."""

        def run(text: str, state: State, kind: str) -> Stream:
            if kind == ">":
                fed = Stream(sources=call.stdin.sources | {call.number})
                self.text(text, state, fed)
                return Stream(text=None, sources=NO_SOURCES)
            out = self.text(text, state, call.stdin if kind == "$" else NO_INPUT)
            if kind == "$":
                return out
            name = f"/dev/fd/{len(self.files) + 63}"
            self.files[name] = out
            return Stream(text=name, sources=out.sources)

        words = Words(call.state, run)
        words.opaque = self.opaque
        return words

    def _simple(self, node: Simple, state: State, stdin: Stream) -> Stream:
        call = Call(self.number(), [], state, stdin)
        if self._context:
            outer = self._context[-1]
            call.parent, call.place = outer.number, outer.place
            call.wrappers = (*outer.wrappers, *outer.argv[:1])
        words = self.words(call)
        assigned = [(*assignment(one), one) for one in node.assigns]
        self.redirect(call, node.redirects, words)
        if not node.words:
            self._assign(call, assigned, words)
            call.sources = words.sources
            if node.redirects or call.assigns:
                self.record(call)
            # `$(<file)` prints the file.
            return _after(call.redirects, Stream(sources=frozenset({call.number}) | words.sources))
        call.assigns = tuple((name, words.text(written)) for name, written, _ in assigned if name)
        for word in node.words:
            call.argv += declared(word, words) if declares(call.argv) else words.fields(word)
        call.sources = words.sources
        if not call.argv:
            return Stream(text="")
        if len(call.argv) > MAX_WORDS:
            self.doubt("it has too many arguments to be checked")
            del call.argv[MAX_WORDS:]
        cwds = state.cwds
        self._guess(node, call, stdin)
        out = self.start(self, call)
        self.save(call.redirects, state, out, cwds)
        state.set_text("_", call.argv[-1], call.sources)
        return _after(call.redirects, out)

    def _guess(self, node: Simple, call: Call, stdin: Stream) -> None:
        """List a command with unknown words also as it is if all conditions before it held."""
        if not any(UNKNOWN in word for word in call.argv):
            return
        state = call.state.guessed()
        if state is None:
            return
        guess = Call(self.number(), [], state, stdin)
        guess.parent, guess.place, guess.wrappers = call.parent, call.place, call.wrappers
        words = self.words(guess)
        for word in node.words:
            guess.argv += words.fields(word)
        if guess.argv and guess.argv != call.argv:
            guess.sources = words.sources
            self.start(self, guess)

    def _assign(self, call: Call, assigned: list[tuple[str, str, str]], words: Words) -> None:
        kept: list[tuple[str, str]] = []
        for name, written, whole in assigned:
            if not name:
                words.arithmetic(whole.partition("]")[0])
                words.text(whole.partition("=")[2])
                continue
            value = self._value(written, words)
            if whole.partition("=")[0].endswith("+"):
                old = call.state.value(name)
                value = appended(old, value) if old else value
            if name in PROMPTS:
                words.here_document(value.text)
            call.state.set(name, value)
            kept.append((name, value.text))
        call.assigns = tuple(kept)

    def _value(self, written: str, words: Words) -> Value:
        before = words.sources
        words.sources = NO_SOURCES
        if written.startswith("(") and written.endswith(")"):
            items = [field for word in array_words(written[1:-1]) for field in words.fields(word)]
            value = Value(items=tuple(items), sources=words.sources, array=True)
        else:
            text = words.text(after_tildes(written, call_home=words.state.home))
            value = Value(items=(text,), sources=words.sources)
        words.sources |= before
        return value

    def redirect(self, call: Call, redirects: tuple[Redirect, ...], words: Words) -> None:
        """Fill in a call's redirections, and its input where one of them gives it."""
        targets: list[Target] = []
        for one in redirects:
            before = words.sources
            words.sources = NO_SOURCES
            text = self._redirect(call, one, words)
            if one.here is None and one.op != "<<<":
                targets.append(Target(fd=one.fd, op=one.op, path=text, sources=words.sources))
            words.sources |= before
        call.redirects = tuple(targets)

    def _redirect(self, call: Call, one: Redirect, words: Words) -> str:
        if one.here is not None:
            body = one.here.body
            text = body if one.here.literal else words.here_document(body)
        else:
            text = words.text(one.target) + ("\n" if one.op == "<<<" else "")
        if one.fd not in ("", "0") or one.op not in ("<", "<>", "<<", "<<-", "<<<"):
            return text
        if one.here is not None or one.op == "<<<":
            unknown = UNKNOWN in text
            call.stdin = Stream(text=None if unknown else text, sources=words.sources)
        else:
            stream = self.files.get(text)
            call.stdin = stream or Stream(sources=words.sources | {call.number})
        return text

    def save(
        self,
        targets: tuple[Target, ...],
        state: State,
        out: Stream,
        cwds: tuple[str, ...] | None = None,
    ) -> None:
        """Remember what a command writes to files, for when they are run."""
        for one in targets:
            if not one.writes or one.fd not in ("", "1") or UNKNOWN in one.path:
                continue
            path = posixpath.normpath(posixpath.join((cwds or state.cwds)[-1], one.path))
            before = self.files.get(path, Stream(text="")) if one.op in (">>", "&>>") else None
            text = out.text
            if before is not None and text is not None:
                text = None if before.text is None else before.text + text
            if not path.startswith("/dev/"):
                self.files[path] = Stream(text=text, sources=out.sources)

    def file(self, path: str, state: State) -> Stream | None:
        """What is in a file the text has written itself; None for all others."""
        return self.files.get(posixpath.normpath(posixpath.join(state.cwds[-1], path)))

    def _forget(self, call: Call) -> None:
        """A file that another program may have changed is no longer known."""
        if not self.files or (call.argv and program_name(call.argv[0]) in _LOOKERS):
            return
        for word in call.argv[1:]:
            path = posixpath.normpath(posixpath.join(call.state.cwds[-1], word))
            if path in self.files and not path.startswith("/dev/"):
                self.files[path] = Stream(sources=self.files[path].sources)

    def record(self, call: Call, *, wraps: bool = False, name: str = "") -> Command:
        """List a command."""
        argv = tuple(call.argv)
        self._forget(call)
        command = Command(
            number=call.number,
            argv=argv,
            name=program_name(argv[0]) if argv else name,
            cwds=call.state.cwds,
            redirects=call.redirects,
            stdin=call.stdin,
            sources=call.sources,
            assigns=call.assigns,
            wrappers=call.wrappers,
            parent=call.parent,
            wraps=wraps,
            place=call.place,
            opaque=call.opaque,
            swarm=self.endless > 0 and self.parallel > 0,
        )
        self.commands.append(command)
        return command


def _end_chain(chain: State | None, state: State) -> None:
    """After `a && b`: the later parts may not have run; a change of folder counts as done."""
    if chain is not None:
        folders = state.cwds
        state.blur(chain, state)
        state.cwds = folders


def _after(targets: tuple[Target, ...], out: Stream) -> Stream:
    """What is left of an output when it may be redirected to a file."""
    away = any(one.writes and one.fd in ("", "1") for one in targets)
    away = away or any(one.op == ">&" and one.fd in ("", "1") for one in targets)
    return Stream(text="" if away else out.text, sources=out.sources) if targets else out
