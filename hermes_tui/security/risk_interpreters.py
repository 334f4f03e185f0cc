"""Finds the code that is given to an interpreter: options, input, scripts of awk, sed, vim."""

from __future__ import annotations

import re
from itertools import pairwise

from hermes_tui.security.risk_code import judge_code, shell_lines, strings
from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.risk_sql import task
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse, spec
from hermes_tui.security.shell_state import UNKNOWN
from hermes_tui.security.shell_wrapper_table import SHELLS

# Program: (short options that take code, long ones, short options that take another value).
_INLINE: dict[str, tuple[str, tuple[str, ...], str]] = {
    "python": ("c", (), "WXQ"),
    "node": ("ep", ("--eval", "--print", "-pe"), "rC"),
    "perl": ("eE", (), "IMmxFCD"),
    "ruby": ("e", (), "rICEFKx"),
    "php": ("rBRE", ("--run",), "dcfzF"),
    "lua": ("e", (), "l"),
    "Rscript": ("e", (), ""),
    "R": ("e", (), "fg"),
    "julia": ("eE", ("--eval", "--print"), "Lpt"),
    "osascript": ("e", (), "ls"),
    "pwsh": (
        "c",
        ("-Command", "-command", "-EncodedCommand", "-enc", "-ec", "-e", "-encodedcommand"),
        "fF",
    ),
    "groovy": ("e", (), ""),
    "elixir": ("e", ("--eval",), "rS"),
    "erl": ("", ("-eval",), ""),
    "ghc": ("e", (), ""),
    "emacs": ("", ("--eval", "-eval", "--execute"), "lfqL"),
    "deno": ("", ("eval",), ""),
    "expect": ("c", (), "f"),
    "scala": ("e", (), ""),
    "octave": ("", ("--eval",), ""),
    "racket": ("e", ("--eval",), "lrtu"),
    "guile": ("c", (), "lLs"),
    "sbcl": ("", ("--eval",), ""),
    "clojure": ("e", ("--eval",), ""),
}
_ALIASES = {
    **dict.fromkeys(
        names("python2 python3 pypy pypy3 ipython ipython3 bpython micropython xonsh"),
        "python",
    ),
    **dict.fromkeys(("nodejs", "bun", "ts-node", "tsx", "qjs"), "node"),
    **dict.fromkeys(("luajit", "texlua"), "lua"),
    **dict.fromkeys(("powershell", "powershell.exe"), "pwsh"),
    "octave-cli": "octave",
    **dict.fromkeys(("clj", "bb"), "clojure"),
    "runghc": "ghc",
    "jruby": "ruby",
    "irb": "ruby",
    "emacsclient": "emacs",
}
_STDIN_ONLY = frozenset(
    {"tclsh", "wish", "bc", "dc", "m4", "gnuplot", "sage", "swift", "irb", "erl"}
)


def language(name: str) -> str:
    """The interpreter a program's name stands for; empty when it is none we know."""
    plain = re.sub(r"[\d.]+$", "", name) if name not in _ALIASES else name
    for one in (name, plain):
        if one in _INLINE or one in _STDIN_ONLY:
            return one
        if one in _ALIASES:
            return _ALIASES[one]
    return ""


def inline_code(command: Command, kind: str) -> tuple[list[str], list[str]]:
    """(codes given as options, operands after the options)."""
    takes, longs, others = _INLINE.get(kind, ("", (), ""))
    codes: list[str] = []
    args = list(command.argv[1:])
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        name, equals, value = arg.partition("=")
        if name in longs:
            codes.append(value if equals else " ".join(args[at : at + 1]))
            at += not equals
            continue
        if not re.match(r"-[A-Za-z0-9]", arg) or arg.startswith("--"):
            if not arg.startswith("-") or arg in ("-", "--"):
                return codes, args[at - 1 :]
            continue
        at, ends = _cluster(arg, args, at, (takes, others), codes, kind)
        if ends:
            return codes, args[at:]
    return codes, args[at:]


def _cluster(
    arg: str, args: list[str], at: int, letters: tuple[str, str], codes: list[str], kind: str
) -> tuple[int, bool]:
    """Read joined short options; the next position, and whether operands follow."""
    takes, others = letters
    for place in range(1, len(arg)):
        letter = arg[place]
        if kind == "perl" and letter in "iI0lF" and letter not in takes:
            if letter == "i" and not re.match(r"i[.~]", arg[place:]):
                continue
            if letter in "0l" and not arg[place + 1 : place + 2].isdigit():
                continue
            return at, False
        if letter in takes:
            rest = arg[place + 1 :]
            codes.append(rest or " ".join(args[at : at + 1]))
            return at + (not rest), kind == "python"
        if kind == "python" and letter == "m":
            return at - 1, True
        if letter in others:
            return at + (place + 1 == len(arg)), False
    return at, False


def _interpreter(command: Command, scene: Scene) -> None:
    kind = language(command.name)
    if any(arg in ("--help", "--version", "-V", "-h") for arg in command.argv[1:2]):
        return
    codes, operands = inline_code(command, kind)
    if kind == "python" and operands[:1] == ["-m"]:
        _module(operands[1:], command, scene)
        return
    if kind == "pwsh" and re.search(
        r"-e(?:nc|c|ncodedcommand)\b", " ".join(command.argv), re.IGNORECASE
    ):
        scene.opaque.append("its code is encoded")
    for code in codes:
        judge_code(code, command, scene, kind)
        if kind == "pwsh":
            shell_lines(code, command, scene)
        if command.name.startswith(("ipython", "xonsh")):
            shell_lines(
                "\n".join(re.findall(r"(?m)^\s*!+(.*)|%(?:sx|system)\s", code)), command, scene
            )
    if kind == "perl":
        _in_place(command, operands, scene)
    script = operands[0] if operands else ""
    if not codes and (script in ("", "-", "/dev/stdin") or kind in _STDIN_ONLY):
        _from_input(command, scene)
    elif not codes:
        _script(operands, command, scene, kind)


def _from_input(command: Command, scene: Scene) -> None:
    stdin = command.stdin
    if not stdin.given:
        return
    if stdin.text is None:
        scene.opaque.append("it runs code nobody has read")
        return
    judge_code(stdin.text, command, scene, language(command.name))
    if command.name in ("dc", "bc"):
        shell_lines("\n".join(re.findall(r"(?m)^\s*!(.*)", stdin.text)), command, scene)
    if re.search(r"(?m)^\s*(?:exec|spawn)\s+(.*)", stdin.text) and command.name in (
        "tclsh",
        "wish",
        "expect",
    ):
        shell_lines(
            "\n".join(re.findall(r"(?m)\b(?:exec|spawn)\s+([^\]\n;]*)", stdin.text)), command, scene
        )


def _in_place(command: Command, operands: list[str], scene: Scene) -> None:
    if any(re.match(r"-[A-Za-z]*i", arg) for arg in command.argv[1:] if not arg.startswith("-M")):
        scene.facts[command.number].writes += scene.paths(operands, command)
        if any(char in one for one in operands for char in "*?["):
            scene.find("overwrite", "it rewrites many files in place")


def _script(operands: list[str], command: Command, scene: Scene, kind: str) -> None:
    """A script by name: judged when the same text has written it."""
    for path in scene.resolve(operands[0], command):
        if path in scene.texts:
            judge_code(scene.texts[path], command, scene, kind)
    if operands[0].rpartition("/")[2] in ("manage.py", "artisan", "console", "rails", "rake"):
        task(operands[1:], scene)


def _module(words: list[str], command: Command, scene: Scene) -> None:
    """`python -m NAME …`."""
    name, rest = (words[0] if words else ""), words[1:]
    if name in (
        "http.server",
        "SimpleHTTPServer",
        "pyftpdlib",
        "smtpd",
        "aiosmtpd",
        "uploadserver",
        "xmlrpc.server",
        "wsgidav",
    ) and not {"--help", "-h"} & set(rest):
        scene.find("network", "it offers files to the network")
    elif name in (
        "pip",
        "hermes_tui",
        "hermes_tui.launcher",
        "uv",
        "pipx",
        "twine",
        "IPython",
        "poetry",
        "pre_commit",
    ):
        renamed = {
            "hermes_tui.launcher": "hermes",
            "hermes_tui": "hermes",
            "IPython": "ipython",
        }.get(name, name)
        scene.judge(
            " ".join([renamed, *("'" + one.replace("'", "'\\''") + "'" for one in rest)]), command
        )
    elif name in ("pty", "code", "pdb", "cProfile", "runpy", "timeit", "trace", "profile") and rest:
        text = rest[-1] if name == "timeit" else ""
        judge_code(text, command, scene)


def _awk(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:], spec("F:v:f:i:e:", "field-separator= assign= file= include= source=")
    )
    programs = options.every("e", "source") or (
        [] if options.has("f", "file") else options.operands[:1]
    )
    for code in programs:
        if UNKNOWN in code:
            scene.opaque.append("the code it runs can't be known")
        if "/inet/" in code:
            scene.find(
                "remote-execution",
                "it hands its input and output to another machine",
                floor=True,
                outside=True,
            )
        for text in re.findall(
            r"system\s*\(\s*(.*?)\)\s*(?:[;}\n]|\Z)|\|&?\s*(\"[^\"]*\")"
            r"|(\"[^\"]*\")\s*\|&?\s*getline",
            code,
            re.DOTALL,
        ):
            argument = next((one for one in text if one), "")
            words = strings(argument)
            left = re.sub(r"\"[^\"]*\"", "", argument).strip()
            if words and words[0].split()[:1] and words[0].split()[0].rpartition("/")[2] in SHELLS:
                scene.opaque.append("its code feeds a shell")
            _escapes(
                ("".join(words) + (UNKNOWN if left else "")) if words else UNKNOWN, command, scene
            )
        if re.search(
            r"system\s*\(\s*\$|\|\s*\w+\s*(?:[;}]|\Z)|\$\d+\s*\|\s*getline|print.*\|\s*cmd", code
        ):
            scene.opaque.append("its code starts programs that can't be known")
        for path in re.findall(r"(?:print|printf)[^;}|]*>>?\s*\"([^\"]+)\"", code):
            if not path.startswith("/dev/std"):
                scene.facts[command.number].writes += scene.paths([path], command)
        if re.search(r"ENVIRON(?!\s*\[\s*\"(?:HOME|PATH|USER|PWD|LANG))", code):
            scene.find("secret-reading", "its code reads the environment")


_SED_EXEC = re.compile(
    r"(?:\A|[;\n{}])\s*(?:\d+|\$|/(?:[^/\\]|\\.)*/)?(?:,(?:\d+|\$|/(?:[^/\\]"
    r"|\\.)*/))?\s*!?\s*e(?:[ \t]+([^\n}]*)|\s*(?:\Z|[;\n}]))"
)
_SED_WRITE = re.compile(r"(?:\A|[;\n{}/])\s*(?:\d+|\$|/(?:[^/\\]|\\.)*/)?\s*[wW]\s+([^\n;}]+)")


def _sed(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec("e:f:i::l:E", "expression= file= in-place regexp-extended quiet sandbox posix"),
    )
    if options.has("sandbox"):
        return
    scripts = options.every("e", "expression")
    if not scripts and not options.has("f", "file"):
        scripts = options.operands[:1]
    for script in scripts:
        for text in _SED_EXEC.findall(script):
            _escapes(text or UNKNOWN, command, scene)
        for flags, target in _substitutions(script):
            if "e" in flags:
                _escapes(target if re.fullmatch(r"[^\\&]+", target) else UNKNOWN, command, scene)
            if "w" in flags:
                scene.facts[command.number].writes += scene.paths(
                    [flags.partition("w")[2].strip()], command
                )
        for path in _SED_WRITE.findall(script):
            if not path.startswith("/dev/std"):
                scene.facts[command.number].writes += scene.paths([path.strip()], command)


def _substitutions(script: str) -> list[tuple[str, str]]:
    """(flags, replacement) of each `s` command of a sed script."""
    found: list[tuple[str, str]] = []
    for start in re.finditer(r"(?:\A|[;\n{}\s\d$/])s([^\w\s\\;])", script):
        mark = re.escape(start[1])
        rest = re.match(
            rf"((?:\\.|(?!{mark}).)*){mark}((?:\\.|(?!{mark}).)*){mark}([^;\n}}]*)",
            script[start.end() :],
            re.DOTALL,
        )
        if rest:
            found.append((rest[3], rest[2]))
    return found


def _vim(command: Command, scene: Scene) -> None:
    silent = any(re.fullmatch(r"-[eEs]+|-es", arg) and arg != "-s" for arg in command.argv[1:])
    short = "c:S:u:i:T:w:" if silent else "c:s:S:u:i:T:w:"
    options = parse(command.argv[1:], spec(short, "cmd= version help startuptime="))
    texts = options.every("c", "cmd") + [
        word[1:] for word in options.operands if word.startswith("+")
    ]
    if command.stdin.given and command.name in ("ex", "ed", "vi", "vim"):
        texts += (command.stdin.text or "").splitlines()
        if command.stdin.text is None and options.has("s", "e", "es"):
            scene.opaque.append("it runs editor commands nobody has read")
    if options.has("S", "u") and not {"NONE", "NORC", "DEFAULTS"} & set(options.every("u")):
        scene.opaque.append("it runs editor commands from a file nobody has read")
    for text in texts:
        _editor_command(text, command, scene)


def _escapes(text: str, command: Command, scene: Scene) -> None:
    """Judge a command that a tool for other things is made to run."""
    scene.opaque.append(f"it has {command.name} run a program")
    shell_lines(text, command, scene)


def _editor_command(text: str, command: Command, scene: Scene) -> None:
    shell = re.match(
        r"\s*:*\s*(?:silent!?\s+|exe(?:cute)?\s+['\"])?(?:\d*,?\d*|%|\.)?(?:r(?:ead)?\s*"
        r"|w(?:rite)?\s*)?!\s*(.+)",
        text,
    )
    if shell:
        _escapes(shell[1].rstrip("'\""), command, scene)
    called = re.search(
        r"\b(?:system|systemlist|term_start|job_start|jobstart|os\.execute"
        r"|io\.popen)\s*\(\s*(['\"])(.*?)\1",
        text,
    )
    if called:
        _escapes(called[2], command, scene)
    elif re.search(r"\b(?:py(?:thon)?3?x?|lua|perl|ruby|luado)\b\s+(.*)", text):
        judge_code(text, command, scene)
    elif re.search(r"\b(?:terminal|term|te)\b\s*\S|delete\(", text):
        scene.opaque.append("an editor runs a program")
    written = re.match(r"\s*:*\s*(?:\d*,?\d*|%)?(?:w|wq|x|sav\w*|write)!?\s+(?!!)(\S+)", text)
    if written:
        scene.facts[command.number].writes += scene.paths([written[1]], command)


def _ed(command: Command, scene: Scene) -> None:
    if not command.stdin.given:
        return
    if command.stdin.text is None:
        scene.opaque.append("it runs editor commands nobody has read")
        return
    for line in command.stdin.text.splitlines():
        _editor_command(line, command, scene)


def _debugger(command: Command, scene: Scene) -> None:
    args = list(command.argv[1:])
    for flag, text in pairwise(args):
        if flag in ("-ex", "-iex", "--eval-command", "-o", "-eval-command", "--one-line"):
            shell = re.match(r"\s*(?:shell|!|platform shell|make)\s*(.*)", text)
            called = re.search(r"system\s*\(\s*\"(.*?)\"", text)
            if shell:
                _escapes(shell[1], command, scene)
            elif called:
                _escapes(called[1], command, scene)
            elif text.startswith(("python", "py ", "script", "source")):
                judge_code(text, command, scene)
        elif flag in ("-x", "--command", "-ix"):
            scene.opaque.append("it runs debugger commands nobody has read")


def _runs_program(pattern: str) -> Handler:
    """A handler for programs with an option that names a program to run."""
    compiled = re.compile(pattern)

    def judge(command: Command, scene: Scene) -> None:
        args = command.argv[1:]
        for at, arg in enumerate(args):
            found = compiled.match(arg)
            if found:
                joined = arg[found.end() :].lstrip("=")
                text = joined or " ".join(args[at + 1 : at + 2])
                scene.find("remote-execution", f"{command.name} runs a program ({text[:40]})")

    return judge


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys((*_INLINE, *_ALIASES, *_STDIN_ONLY), _interpreter),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(names("vim vi nvim ex view gvim rvim"), _vim),
    "ed": _ed,
    "red": _ed,
    **dict.fromkeys(("gdb", "lldb"), _debugger),
    **dict.fromkeys(
        ("rg", "ack"), _runs_program(r"--pre(?!-|f|t)(?:=|\Z)|--hostname-bin|--pager=")
    ),
    "sort": _runs_program(r"--compress-prog\w*"),
    "split": _runs_program(r"--filter"),
    "man": _runs_program(r"-P|--pager|-H.|--html="),
    "nmap": _runs_program(r"--script(?:=|\Z)"),
    "tcpdump": _runs_program(r"-z|--postrotate"),
    "scp": _runs_program(r"-S|-oProxyCommand|ProxyCommand"),
    "sftp": _runs_program(r"-S|-oProxyCommand|ProxyCommand"),
    "ld": _runs_program(r"-plugin"),
    "run-parts": _runs_program(r"(?!--(?:test|list))/"),
    "less": _runs_program(r"\+!|--lesskey"),
    "wget": _runs_program(r"--use-askpass"),
}
