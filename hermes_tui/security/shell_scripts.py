"""Shells that are given their commands: as an argument, a file or a stream."""

from __future__ import annotations

import re

from hermes_tui.security.shell_call import Call
from hermes_tui.security.shell_options import parse, spec
from hermes_tui.security.shell_state import NO_INPUT, UNKNOWN, Stream, known
from hermes_tui.security.shell_walk import Walker


def run_shell(walker: Walker, call: Call) -> Stream:
    """`bash -c TEXT`, `bash FILE`, `… | bash`."""
    args = call.argv[1:]
    options = parse(
        args, spec("O:o:", "rcfile= init-file= version help noprofile norc posix login", True)
    )
    if options.has("n", "version", "help", "dump-strings"):
        walker.record(call)
        return Stream(sources=frozenset({call.number}))
    if options.has("c", "command"):
        return _text_of(walker, call, options.operands)
    operands = [one for one in options.operands if one != "-"]
    for rcfile in options.every("rcfile", "init-file"):
        if rcfile in walker.files:
            run_script(walker, call, walker.files[rcfile], ())
    if operands and not options.has("s"):
        stream = opened(walker, call, operands[0])
        if stream is not None:
            return run_script(walker, call, stream, tuple(operands[1:]))
        walker.record(call)
        return Stream(sources=frozenset({call.number}))
    if call.stdin.given:
        return run_script(walker, call, call.stdin, tuple(operands))
    walker.record(call)
    return Stream(sources=frozenset({call.number}))


def opened(walker: Walker, call: Call, path: str) -> Stream | None:
    """The text behind a file name that stands for a stream; None for ordinary files."""
    if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return call.stdin
    if not known(path):
        return Stream()
    return walker.files.get(path) or walker.file(path, call.state)


def is_script(stream: Stream | None) -> bool:
    """Whether a file the text has written itself is run by a shell."""
    if stream is None or stream.text is None:
        return False
    first = stream.text.split("\n", 1)[0]
    return not first.startswith("#!") or bool(re.search(r"\b(?:ba|z|da|k|a)?sh\b", first))


def _text_of(walker: Walker, call: Call, operands: list[str]) -> Stream:
    if not operands:
        walker.record(call)
        return Stream()
    if not known(operands[0]):
        call.opaque = "the commands it runs can't be known"
        walker.record(call)
        partly = operands[0].replace(UNKNOWN, " ")
        walker.within(call, partly, call.state.child(call.assigns), call.stdin)
        return Stream(sources=frozenset({call.number}))
    if operands[0].strip() in ("$0", '"$0"') and walker.endless and walker.parallel:
        walker.swarm = True
    walker.record(call, wraps=True)
    state = call.state.child(call.assigns)
    state.positional = tuple(operands[2:])
    state.zero = operands[1] if len(operands) > 1 else "bash"
    out = walker.within(call, operands[0], state, call.stdin)
    return Stream(text=out.text, sources=out.sources | {call.number})


def run_script(walker: Walker, call: Call, stream: Stream, args: tuple[str, ...]) -> Stream:
    """A shell that reads its commands from a stream."""
    call.sources |= stream.sources
    if stream.text is None or not known(stream.text):
        call.opaque = "the commands it runs can't be known"
        walker.record(call)
        if stream.text:
            walker.within(call, stream.text.replace(UNKNOWN, " "), call.state.copy(), NO_INPUT)
        return Stream(sources=frozenset({call.number}) | stream.sources)
    walker.record(call, wraps=True)
    state = call.state.child(call.assigns)
    state.positional = args
    out = walker.within(call, stream.text, state, NO_INPUT)
    return Stream(text=out.text, sources=out.sources | {call.number})
