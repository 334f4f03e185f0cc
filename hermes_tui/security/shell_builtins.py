"""The builtins of bash that change what later commands mean, and those that run text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from hermes_tui.security.shell_call import Call
from hermes_tui.security.shell_options import parse, spec
from hermes_tui.security.shell_output import format_text, output
from hermes_tui.security.shell_scripts import opened
from hermes_tui.security.shell_state import NO_INPUT, UNKNOWN, Stream, Value, known
from hermes_tui.security.shell_walk import Walker


def _quiet(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    return Stream(text="", sources=frozenset({call.number}))


def _cd(walker: Walker, call: Call) -> Stream:
    operands = [arg for arg in call.argv[1:] if not re.fullmatch(r"-[LPen@]+", arg) and arg != "--"]
    walker.record(call)
    target = operands[0] if operands else call.state.home
    call.state.old, folders = call.state.cwds, call.state.old
    if target != "-":
        folders = tuple(posixpath.normpath(posixpath.join(cwd, target)) for cwd in call.state.cwds)
    call.state.cwds = folders
    return Stream(text="" if target != "-" else None)


def _popd(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    call.state.cwds, call.state.old = call.state.old, call.state.cwds
    return Stream(text=None)


def _pwd(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    return Stream(text=call.state.cwds[-1] + "\n", sources=frozenset({call.number}))


def _declare(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    for arg in call.argv[1:]:
        name, equals, value = arg.partition("=")
        if equals and name.removesuffix("+").isidentifier():
            old = call.state.value(name.removesuffix("+"))
            before = old.text if old and name.endswith("+") else ""
            if re.fullmatch(r"\((.*)\)", value, re.DOTALL):
                call.state.set(name, Value(items=tuple(value[1:-1].split()), array=True))
            else:
                call.state.set_text(name.removesuffix("+"), before + value, call.sources)
    for name, _ in call.assigns:
        call.state.set_text(name, UNKNOWN)
    _exported(call)
    reference = any(re.fullmatch(r"-\w*n\w*", arg) for arg in call.argv[1:])
    if reference and call.argv[0] != "export":
        walker.doubt("a variable stands for another one")
    return Stream(text="", sources=frozenset({call.number}))


def _exported(call: Call) -> None:
    """Note what shells that are started from here will have."""
    flags = "".join(arg[1:] for arg in call.argv[1:] if re.fullmatch(r"-[a-zA-Z]+", arg))
    if call.argv[0] == "export" or "x" in flags:
        mark = "()" if "f" in flags else ""
        added = {arg.partition("=")[0] + mark for arg in call.argv[1:] if arg[:1] != "-"}
        call.state.exported |= added


def _compgen(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    options = parse(call.argv[1:], spec("A:o:G:W:F:C:P:S:X:"))
    for text in options.every("C", "F"):
        walker.within(call, f"{text} {UNKNOWN}", call.state.copy(), NO_INPUT)
    for text in options.every("W"):
        walker.words(call).here_document(text)
    return Stream()


def _unset(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    for name in call.argv[1:]:
        call.state.variables.pop(name, None)
        if name in call.state.functions and "-v" not in call.argv:
            del call.state.functions[name]
    return Stream(text="")


def _read(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    options = parse(call.argv[1:], spec("a:d:i:n:N:p:t:u:"))
    names = [name for name in options.operands if name.isidentifier()] or ["REPLY"]
    text = call.stdin.text if call.stdin.given and not options.has("u") else None
    sources = call.stdin.sources | {call.number}
    array = options.value("a")
    if array:
        items = tuple((text or UNKNOWN).split())
        call.state.set(array, Value(items=items, sources=sources, array=True))
        return Stream(text="")
    if text is None or text.count("\n") > 1:
        for name in names:
            call.state.set_text(name, UNKNOWN, sources)
        return Stream(text="")
    ifs = call.state.value("IFS")
    marks = ifs.text if ifs else ""
    line = text.split("\n")[0]
    parts = [line.strip(marks)]
    if marks and len(names) > 1:
        parts = re.split(f"[{re.escape(marks)}]+", parts[0], maxsplit=len(names) - 1)
    for at, name in enumerate(names):
        call.state.set_text(name, parts[at] if at < len(parts) else "", sources)
    return Stream(text="")


def _set(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    args = call.argv[1:]
    if args == ["-"] or not args:
        return Stream(text=None, sources=frozenset({call.number}))
    if any(re.fullmatch(r"-\w*a\w*|allexport", arg) for arg in args):
        call.state.exported |= set(call.state.variables)
    at = 0
    while at < len(args) and re.fullmatch(r"[-+][A-Za-z]+", args[at]):
        at += 2 if args[at].endswith("o") else 1
    if at < len(args) and args[at] == "--":
        call.state.positional = tuple(args[at + 1 :])
    elif at < len(args):
        call.state.positional = tuple(args[at:])
    return Stream(text="")


def _shift(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    count = int(call.argv[1]) if len(call.argv) > 1 and call.argv[1].isdigit() else 1
    if call.state.positional is not None:
        call.state.positional = call.state.positional[count:]
    return Stream(text="")


def _printf(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    mine = frozenset({call.number}) | call.sources
    args = call.argv[1:]
    if len(args) > 2 and args[0] == "-v":
        try:
            made = format_text(args[2], args[3:]) if known(args[2]) else None
        except (ValueError, IndexError):
            made = None
        call.state.set_text(args[1], UNKNOWN if made is None else made, mine)
        return Stream(text="")
    return Stream(text=output("printf", call.argv, None), sources=mine)


def _eval(walker: Walker, call: Call) -> Stream:
    text = " ".join(call.argv[1:])
    if not known(text):
        call.opaque = "the commands it runs can't be known"
    walker.record(call, wraps=known(text))
    call.sources |= call.stdin.sources
    with call.assigned():
        out = walker.within(call, text.replace(UNKNOWN, " "), call.state, call.stdin)
    return Stream(text=out.text, sources=out.sources | {call.number})


def _source(walker: Walker, call: Call) -> Stream:
    operands = [arg for arg in call.argv[1:] if arg != "--"]
    stream = opened(walker, call, operands[0]) if operands else None
    if stream is None:
        walker.record(call)
        return Stream(sources=frozenset({call.number}))
    call.sources |= stream.sources
    if stream.text is None or not known(stream.text):
        call.opaque = "the commands it runs can't be known"
        walker.record(call)
        return Stream(sources=frozenset({call.number}))
    walker.record(call, wraps=True)
    with call.assigned():
        return walker.within(call, stream.text, call.state, NO_INPUT)


def _trap(walker: Walker, call: Call) -> Stream:
    args = [arg for arg in call.argv[1:] if arg != "--"]
    runs = bool(args) and not args[0].startswith("-") and len(args) > 1
    if runs and not known(args[0]):
        call.opaque = "the commands it runs can't be known"
    walker.record(call, wraps=runs and known(args[0]))
    if runs:
        walker.within(call, args[0].replace(UNKNOWN, " "), call.state.copy(), NO_INPUT)
    return Stream(text="")


def _alias_builtin(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    for arg in call.argv[1:]:
        name, equals, value = arg.partition("=")
        if equals:
            call.state.aliases[name] = value
    return Stream(text="")


def _exec(walker: Walker, call: Call) -> Stream:
    options = parse(call.argv[1:], spec("a:", "", True))
    walker.record(call, wraps=bool(options.operands))
    if not options.operands:
        return Stream(text="")
    inner = call.within(walker.number(), tuple(options.operands), "exec")
    return walker.start(walker, inner)


def _mapfile(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    options = parse(call.argv[1:], spec("d:n:O:s:u:C:c:"))
    if options.has("C"):
        text = f"{options.value('C')} {UNKNOWN}"
        walker.within(call, text, call.state.copy(), NO_INPUT)
    name = options.operands[0] if options.operands else "MAPFILE"
    text = call.stdin.text if call.stdin.given else None
    items = tuple(text.splitlines()) if text is not None else (UNKNOWN,)
    sources = call.stdin.sources | {call.number}
    call.state.set(name, Value(items=items, sources=sources, array=True))
    return Stream(text="")


def _let(walker: Walker, call: Call) -> Stream:
    walker.record(call)
    words = walker.words(call)
    for arg in call.argv[1:]:
        words.arithmetic(arg)
    return Stream(text="")


def _doubtful(walker: Walker, call: Call) -> Stream:
    call.opaque = f"{call.argv[0]} changes what later commands mean"
    walker.record(call)
    return Stream(text="")


def _hash(walker: Walker, call: Call) -> Stream:
    return _doubtful(walker, call) if "-p" in call.argv else _quiet(walker, call)


BUILTINS: dict[str, Callable[[Walker, Call], Stream]] = {
    "cd": _cd,
    "pushd": _cd,
    "popd": _popd,
    "pwd": _pwd,
    **dict.fromkeys(("export", "declare", "local", "typeset", "readonly"), _declare),
    "unset": _unset,
    "read": _read,
    "set": _set,
    "shift": _shift,
    "printf": _printf,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    "alias": _alias_builtin,
    "exec": _exec,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "let": _let,
    "hash": _hash,
    "enable": _doubtful,
    "compgen": _compgen,
    "complete": _doubtful,
    "bind": _doubtful,
}
"""What each builtin does to a walk."""
