"""Takes wrappers off: from `sudo timeout 5 xargs rm` to what is run in the end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from hermes_tui.security.shell_options import Options, parse, spec
from hermes_tui.security.shell_state import NO_INPUT, UNKNOWN, Stream
from hermes_tui.security.shell_wrapper_table import SUBCOMMANDS, WRAPPERS, Wrapper, run_options

_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_MAX_ITEMS = 12


class Inner(Struct, frozen=True, kw_only=True):
    """What a wrapper runs: an argv, or shell text (None when that can't be known).

    place: "" here, `remote` or `container`; assigns: variables set for it.
    """

    argv: tuple[str, ...] = ()
    text: str | None = ""
    place: str = ""
    stdin: Stream | None = None
    assigns: tuple[tuple[str, str], ...] = ()


def unwrap(name: str, argv: Sequence[str], stdin: Stream) -> list[Inner]:
    """What a command runs besides itself; empty when it is no wrapper.

    name: the program's name without its folder; argv: with it.
    """
    special = _SPECIAL.get(name)
    if special:
        return special(argv, stdin)
    found = _subcommand(name, argv)
    if found:
        return found
    wrapper = WRAPPERS.get(name)
    if wrapper is None and name.startswith("ld-") and ".so" in name:
        wrapper = WRAPPERS["nohup"]
    return _wrapped(wrapper, argv[1:]) if wrapper else []


def _subcommand(name: str, argv: Sequence[str]) -> list[Inner]:
    name = {"podman": "docker", "nerdctl": "docker", "oc": "kubectl", "k": "kubectl"}.get(
        name, name
    )
    args = list(argv[1:])
    at = next((n for n, arg in enumerate(args) if (name, arg) in SUBCOMMANDS), None)
    if at is None or at > 6:
        return []
    wrapper = SUBCOMMANDS[(name, args[at])]
    tail = args[at + 1 :]
    if name == "kubectl" and "--" in tail:
        return [Inner(argv=tuple(tail[tail.index("--") + 1 :]), place="container")]
    return _wrapped(wrapper, tail)


def _wrapped(wrapper: Wrapper, args: Sequence[str]) -> list[Inner]:
    options = parse(args, wrapper.options)
    found = [Inner(text=text, place=wrapper.place) for text in options.every(*wrapper.texts)]
    rest = options.operands[wrapper.skip :]
    if wrapper.options is WRAPPERS["env"].options and found:
        return _split_string(found[0].text or "", rest)
    assigns: list[tuple[str, str]] = []
    while wrapper.assigns and rest and "=" in rest[0]:
        key, _, value = rest.pop(0).partition("=")
        assigns.append((key, value))
    if rest and rest[0] == "--":
        rest = rest[1:]
    elif wrapper.skip and rest and rest[0].startswith("-"):
        found, rest = _later_options(wrapper, rest)
    if not rest:
        return found
    if wrapper.joined:
        return [*found, Inner(text=_joined(rest), place=wrapper.place)]
    return [*found, Inner(argv=tuple(rest), place=wrapper.place, assigns=tuple(assigns))]


def _later_options(wrapper: Wrapper, args: Sequence[str]) -> tuple[list[Inner], list[str]]:
    """What stands after a wrapper's first operand and is no command: `flock FILE -c TEXT`."""
    options = parse(args, wrapper.options)
    texts = options.every(*wrapper.texts)
    if not texts and not options.operands:
        return [Inner(text=None)], []
    return [Inner(text=text, place=wrapper.place) for text in texts], options.operands


def _joined(words: Sequence[str]) -> str | None:
    text = " ".join(words)
    return None if UNKNOWN in text else text


def _split_string(text: str, rest: Sequence[str]) -> list[Inner]:
    if UNKNOWN in text:
        return [Inner(text=None)]
    return [Inner(text=" ".join([text, *(_quote(word) for word in rest)]))]


def _quote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _command_builtin(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], spec("", "", True))
    if options.has("v", "V") or not options.operands:
        return []
    return [Inner(argv=tuple(options.operands))]


def _xargs(argv: Sequence[str], stdin: Stream) -> list[Inner]:
    options = parse(
        argv[1:],
        spec(
            "I:i::n:L:l::P:s:d:E:e::a:",
            "replace= max-args= max-lines= max-procs= max-chars= delimiter= eof= arg-file= null "
            "no-run-if-empty verbose interactive exit open-tty",
            True,
        ),
    )
    command = tuple(options.operands) or ("echo",)
    mark = options.value("I", "replace") or ("{}" if options.has("i") else "")
    items = _items(options, stdin, bool(mark))
    if mark:
        argvs = [tuple(word.replace(mark, item) for word in command) for item in items or [UNKNOWN]]
    else:
        argvs = [(*command, *(items or [UNKNOWN]))]
    return [Inner(argv=one, stdin=NO_INPUT) for one in argvs[:_MAX_ITEMS]]


def _items(options: Options, stdin: Stream, lines: bool) -> list[str]:
    """The words xargs reads; empty when they can't be known."""
    if stdin.text is None or not stdin.given or options.has("a", "arg-file"):
        return []
    text = stdin.text
    if options.has("0", "null"):
        return [item for item in text.split("\0") if item]
    delimiter = options.value("d", "delimiter").replace("\\n", "\n").replace("\\t", "\t")
    if delimiter:
        return [item for item in text.split(delimiter[0]) if item]
    if lines:
        return [line.strip() for line in text.splitlines() if line.strip()]
    return [word.strip("'\"").replace("\\", "") for word in text.split()]


def _parallel(argv: Sequence[str], stdin: Stream) -> list[Inner]:
    options = parse(
        argv[1:],
        spec(
            "j:P:I:a:S:N:n:L:C:",
            "jobs= max-procs= arg-file= sshlogin= colsep= joblog= results= delay= timeout= "
            "retries= tmpdir= workdir= max-args= halt= keep-order bar pipe",
            True,
        ),
    )
    words = options.operands
    cut = next((n for n, word in enumerate(words) if word in (":::", "::::", ":::+")), len(words))
    command, given = words[:cut], [w for w in words[cut + 1 :] if not w.startswith(":::")]
    files = cut < len(words) and words[cut] == "::::"
    items = given if given and not files else _items(options, stdin, True)
    if not command:
        return [Inner(text="\n".join(items) if items else None)]
    text = " ".join(command)
    if UNKNOWN in text:
        return [Inner(text=None)]
    text = text if "{}" in text or options.has("pipe") else f"{text} {{}}"
    chosen = [_quote(item) for item in items[:_MAX_ITEMS]] or ["$HERMES_UNKNOWN_ITEM"]
    return [Inner(text=text.replace("{}", item)) for item in chosen]


def _find(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    starts = find_starts(argv)
    names = [word for flag, word in pairwise(argv) if flag in ("-name", "-iname")]
    wanted = names[0] if len(names) == 1 else UNKNOWN
    inner: list[Inner] = []
    at = 1
    while at < len(argv):
        if argv[at] not in _FIND_RUNS:
            at += 1
            continue
        end = at + 1
        while end < len(argv) and argv[end] not in (";", "+"):
            end += 1
        for start in starts[:3]:
            found = start.rstrip("/") + "/" + wanted
            words = tuple(word.replace("{}", found) for word in argv[at + 1 : end])
            if words:
                inner.append(Inner(argv=words))
        at = end
    return inner


def find_starts(argv: Sequence[str]) -> list[str]:
    """The folders `find` begins in."""
    starts: list[str] = []
    at = 1
    while at < len(argv) and argv[at] in ("-H", "-L", "-P", "-E", "-X", "-x", "-s", "-d"):
        at += 1
    for word in argv[at:]:
        if word.startswith(("-", "(", "!", ",")):
            break
        starts.append(word)
    return starts or ["."]


def _fd(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    for at, word in enumerate(argv):
        if word in ("-x", "-X", "--exec", "--exec-batch"):
            words = [one.replace("{}", UNKNOWN) for one in argv[at + 1 :] if one != ";"]
            filled = words if any(UNKNOWN in one for one in words) else [*words, UNKNOWN]
            return [Inner(argv=tuple(filled))] if words else []
    return []


_SSH = spec("B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", "", True)


def ssh_options(argv: Sequence[str]) -> Options:
    """The options of `ssh`; the first operand is the host, the rest the remote command."""
    options = parse(argv[1:], _SSH)
    after = parse(options.operands[1:], _SSH)
    options.flags |= after.flags
    for name, values in after.values.items():
        options.values.setdefault(name, []).extend(values)
    options.operands = [*options.operands[:1], *after.operands]
    return options


def _ssh(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = ssh_options(argv)
    inner: list[Inner] = []
    for setting in options.every("o"):
        key, _, value = setting.replace(" ", "=", 1).partition("=")
        if key.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            inner.append(Inner(text=None if UNKNOWN in value else value))
    if len(options.operands) > 1:
        inner.append(Inner(text=_joined(options.operands[1:]), place="remote"))
    return inner


def _docker(argv: Sequence[str], stdin: Stream) -> list[Inner]:
    args = list(argv[1:])
    if args and args[0] in ("compose", "container"):
        args = args[1:]
    at = next((n for n, arg in enumerate(args[:6]) if arg in ("run", "create", "exec")), None)
    if at is None:
        return []
    if args[at] == "exec":
        return _subcommand("docker", ("docker", *args[at:]))
    options = parse(args[at + 1 :], run_options())
    command = options.operands[1:]
    entry = options.value("entrypoint")
    if entry:
        command = [entry, *command]
    return [Inner(argv=tuple(command), place="container")] if command else []


def _xterm(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    for at, word in enumerate(argv):
        if word in ("-e", "-x", "--", "--command"):
            rest = argv[at + 1 :]
            return [Inner(text=_joined(rest))] if rest else []
    return []


def _screen(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], spec("S:c:e:h:p:s:t:T:X:", "", True))
    if options.has("X"):
        return [Inner(text=_joined([w for w in options.operands if w != "stuff"]))]
    return [Inner(argv=tuple(options.operands))] if options.operands else []


def _nix(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    for at, word in enumerate(argv):
        if word in ("-c", "--command") and argv[at + 1 :]:
            return [Inner(argv=tuple(argv[at + 1 :]))]
    return []


def _gdb(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    if "--args" in argv:
        return [Inner(argv=tuple(argv[argv.index("--args") + 1 :]))]
    return []


def _watch(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], WRAPPERS["watch"].options)
    if not options.operands:
        return []
    if options.has("x", "exec"):
        return [Inner(argv=tuple(options.operands))]
    return [Inner(text=_joined(options.operands))]


def _entr(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], spec("", "", True))
    words = [word.replace("/_", UNKNOWN) for word in options.operands]
    return [Inner(text=_joined(words)) if options.has("s") else Inner(argv=tuple(words))]


def _hyperfine(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], WRAPPERS["hyperfine"].options)
    texts = [*options.operands, *options.every(*WRAPPERS["hyperfine"].texts)]
    return [Inner(text=None if UNKNOWN in text else text) for text in texts]


def _daemon(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], WRAPPERS["start-stop-daemon"].options)
    program = options.value("x", "exec") or options.value("a", "startas")
    whole = (program, *options.operands) if program else tuple(options.operands)
    return [Inner(argv=whole)] if whole else []


def _taskset(argv: Sequence[str], _stdin: Stream) -> list[Inner]:
    options = parse(argv[1:], spec("", "", True))
    return [] if options.has("p") else _wrapped(WRAPPERS["taskset"], argv[1:])


def _script(argv: Sequence[str], stdin: Stream) -> list[Inner]:
    found = _wrapped(WRAPPERS["script"], argv[1:])
    return found or [Inner(argv=("sh",), stdin=stdin)]


_SPECIAL = {
    "command": _command_builtin,
    "xargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "gfind": _find,
    "fd": _fd,
    "fdfind": _fd,
    "ssh": _ssh,
    "autossh": _ssh,
    "docker": _docker,
    "podman": _docker,
    "nerdctl": _docker,
    "docker-compose": _docker,
    "xterm": _xterm,
    "gnome-terminal": _xterm,
    "konsole": _xterm,
    "alacritty": _xterm,
    "screen": _screen,
    "nix": _nix,
    "gdb": _gdb,
    "watch": _watch,
    "entr": _entr,
    "hyperfine": _hyperfine,
    "start-stop-daemon": _daemon,
    "taskset": _taskset,
    "script": _script,
}
