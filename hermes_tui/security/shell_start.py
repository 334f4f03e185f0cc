"""What a simple command with known words does: builtins, functions, wrappers, shells."""

from __future__ import annotations

import re

from hermes_tui.security.shell_builtins import BUILTINS
from hermes_tui.security.shell_call import Call, program_name
from hermes_tui.security.shell_command import Reading, Target
from hermes_tui.security.shell_options import names
from hermes_tui.security.shell_output import output
from hermes_tui.security.shell_scripts import is_script, run_script, run_shell
from hermes_tui.security.shell_state import NO_INPUT, UNKNOWN, State, Stream, known
from hermes_tui.security.shell_walk import Walker
from hermes_tui.security.shell_words import matches_pattern
from hermes_tui.security.shell_wrapper_table import SHELLS
from hermes_tui.security.shell_wrappers import Inner, unwrap

_CODE = re.compile(r"\$\(|`|\$\{")
_EVALUATING = frozenset(
    names(
        "let declare typeset local export readonly read unset printf test [ wait mapfile "
        "readarray getopts"
    )
)
# Names a glob in command position is held against, most harmful first.
_GLOBBED = (
    "rm", "dd", "mkfs", "shred", "mkfs.ext4", "wipefs", "rmdir", "unlink", "bash", "sh", "cat",
    "chmod", "chown", "curl", "nc", "find", "python3", "mv", "cp", "sudo", "shutdown", "reboot",
)  # fmt: skip


def follow(text: str, cwd: str, home: str) -> Reading:
    """List every simple command a shell text would run, as far as that can be known."""
    walker = Walker(start)
    state = State(cwd, home)
    walker.text(text, state)
    for name, body in list(state.functions.items()):
        if name not in walker.called:
            walker.called.add(name)
            apart = state.copy()
            apart.positional = None
            walker.node(body, apart, NO_INPUT)
    return walker.reading()


def start(walker: Walker, call: Call) -> Stream:
    """Run a simple command on paper: list it, follow what it runs, return what it prints."""
    name = program_name(call.argv[0])
    if not known(call.argv[0]) or not name:
        call.opaque = "which program runs can't be known"
        walker.record(call)
        return Stream(sources=frozenset({call.number}) | call.stdin.sources)
    if any(char in call.argv[0] for char in "*?[") and name not in ("[", "[["):
        name = _globbed(call, name)
    body = (
        None
        if call.wrappers and call.wrappers[-1] in _NO_FUNCTIONS
        else call.state.functions.get(call.argv[0])
    )
    if body is not None:
        return _function(walker, call, name)
    alias = call.state.aliases.get(call.argv[0])
    if alias is not None and name not in walker.active:
        _alias(walker, call, alias)
    _subscripts(walker, call)
    if "/" in call.argv[0] and is_script(walker.file(call.argv[0], call.state)):
        return run_script(
            walker, call, walker.file(call.argv[0], call.state) or Stream(), tuple(call.argv[1:])
        )
    builtin = BUILTINS.get(name)
    if builtin is not None and "/" not in call.argv[0]:
        return builtin(walker, call)
    if name in SHELLS:
        return run_shell(walker, call)
    return _program(walker, call, name)


_NO_FUNCTIONS = frozenset({"command", "env", "sudo", "timeout", "xargs", "nohup", "find"})


def _globbed(call: Call, name: str) -> str:
    """A program named by a pattern: the most harmful one it may stand for."""
    call.opaque = "which program runs can't be known"
    for candidate in _GLOBBED:
        if matches_pattern(candidate, name):
            call.argv[0] = call.argv[0][: len(call.argv[0]) - len(name)] + candidate
            return candidate
    return name


def _function(walker: Walker, call: Call, name: str) -> Stream:
    running = walker.active.get(name)
    walker.called.add(call.argv[0])
    if running is not None:
        call.opaque = "a function calls itself"
        walker.swarm = walker.parallel > running
        walker.endless += walker.swarm
        walker.parallel += walker.swarm
        walker.record(call)
        walker.endless -= walker.swarm
        walker.parallel -= walker.swarm
        return Stream()
    walker.active[name] = walker.parallel
    saved, call.state.positional = call.state.positional, tuple(call.argv[1:])
    try:
        with call.assigned():
            return walker.node(call.state.functions[call.argv[0]], call.state, call.stdin)
    finally:
        call.state.positional = saved
        del walker.active[name]


def _alias(walker: Walker, call: Call, alias: str) -> None:
    """Follow what an alias stands for, which not every shell expands, besides the program."""
    walker.active[call.argv[0]] = walker.parallel
    words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in call.argv[1:])
    walker.text(f"{alias} {words}", call.state.copy(), call.stdin)
    del walker.active[call.argv[0]]


def _subscripts(walker: Walker, call: Call) -> None:
    """Builtins evaluate `name[…]` in their arguments, code and all."""
    if call.argv[0] in _EVALUATING and any("[" in w and _CODE.search(w) for w in call.argv[1:]):
        walker.doubt("a subscript runs code")


def _program(walker: Walker, call: Call, name: str) -> Stream:
    if name == "tee":
        _tee(walker, call)
    inners = unwrap(name, call.argv, call.stdin)
    walker.record(call, wraps=bool(inners))
    mine = frozenset({call.number}) | call.stdin.sources | call.sources
    if not inners:
        text = output(name, call.argv, call.stdin.text if call.stdin.given else None)
        return Stream(text=text, sources=mine)
    out: Stream = Stream(text=None)
    sources = mine
    for inner in inners:
        out = _inner(walker, call, name, inner)
        sources |= out.sources
    return Stream(text=out.text if len(inners) == 1 and name != "find" else None, sources=sources)


def _tee(walker: Walker, call: Call) -> None:
    """Remember what `tee` writes."""
    op = ">>" if "-a" in call.argv or "--append" in call.argv else ">"
    files = [word for word in call.argv[1:] if not word.startswith("-")]
    targets = tuple(Target(fd="", op=op, path=word) for word in files)
    walker.save(targets, call.state, call.stdin)


def _inner(walker: Walker, call: Call, name: str, inner: Inner) -> Stream:
    stdin = call.stdin if inner.stdin is None else inner.stdin
    if inner.argv:
        made = call.within(walker.number(), inner.argv, name)
        made.place = inner.place or call.place
        made.stdin, made.assigns = stdin, inner.assigns
        if name in ("xargs", "parallel"):
            made.sources |= call.stdin.sources
        if made.place:
            made.state = State("/", "/root")
        return start(walker, made)
    if inner.text is None:
        call.opaque = call.opaque or "the commands it runs can't be known"
        made = call.within(walker.number(), (UNKNOWN,), name)
        made.opaque = "the commands it runs can't be known"
        walker.record(made)
        return Stream()
    outer = call.within(call.number, tuple(call.argv), name)
    outer.wrappers, outer.place = call.wrappers, inner.place or call.place
    state = State("/", "/root") if outer.place else call.state.child(call.assigns)
    return walker.within(outer, inner.text, state, stdin)
