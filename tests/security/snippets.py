"""Makes harmless shell snippets of every grammatical kind, and runs them in a throw-away sandbox.

The only programs there are stand-ins that write down how they were called. Which snippets come
out is decided by a seed, so that a failure can be repeated.
"""

from __future__ import annotations

import random
import shlex
import shutil
import subprocess
from pathlib import Path

STAND_INS = tuple(f"c{number}" for number in range(8))
WRAPPERS = ("env", "xargs", "timeout", "nice", "nohup", "bash", "sh", "cat", "tr", "rev", "base64")
_STAND_IN = """#!/bin/bash
printf '%s\\0' "${0##*/}" "$@" $'\\1' >> "$CALLS"
[[ ${0##*/} != c7 ]]
"""
_DRIVER = """
for file in /snippets/*; do
  export CALLS=/calls/${file##*/}
  : > "$CALLS"
  /usr/bin/rm -rf /tmp/* /place/*
  cd /place
  PATH=/stand-ins /usr/bin/timeout -s KILL 3 /usr/bin/bash "$file" </dev/null >/dev/null 2>&1
done
exit 0
"""


class Snippets:
    """Random snippets from one seed."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)

    def program(self, depth: int) -> str:
        """A word that names a stand-in."""
        name = self.pick.choice(STAND_INS)
        letter, digit = name
        forms = [
            name,
            name,
            name,
            name,
            f"'{name}'",
            f'"{name}"',
            f"{letter}\\{digit}",
            f"{letter}''{digit}",
            f"$'\\x63'{digit}",
            f"{letter}$'\\x3{digit}'",
            f"${{unset_:-{name}}}",
            f"$(echo {name})",
            f"`echo {name}`",
            f"$(printf %s {name})",
            f"{letter}{{{digit},}}",
            f"${{h_:={name}}}",
            f"$(echo {digit}{letter} | rev)",
            f"${{IFS:3}}{name}",
            f'"$(echo {name})"',
        ]
        return self.pick.choice(forms if depth else forms[:9])

    def word(self, depth: int) -> str:
        """Any argument."""
        plain = [
            "a",
            "x=y",
            "-n",
            "'a b'",
            '"a b"',
            "a\\ b",
            "$HOME",
            "~",
            "*",
            '"$@"',
            "$1",
            "${#v}",
            "$((1+2))",
            "{a,b}",
            "a{1..3}",
            "$'\\t'",
            '""',
            "'#'",
            "a#b",
            "$v",
            '"$v"',
            "${v:-d}",
            "${v/a/b}",
            "${v%x}",
            "\\;",
            "'$(c1)'",
            "'`c2`'",
            '"\\$(c3)"',
            "\\`",
            "-",
            "--",
            "=",
            "[a]",
            "a[1]",
            "!",
            "}",
            "]]",
            "then",
            "${v^^}",
        ]
        if depth <= 0:
            return self.pick.choice(plain)
        inner = self.command(depth - 1)
        nested = [
            f"$({inner})",
            f'"$({inner})"',
            f"<({inner})",
            f"${{v:-$({inner})}}",
            f"${{v:=x$({inner})}}",
            f"$(( $({inner}) + 1 ))",
            f'"${{v#$({inner})}}"',
            f"${{v/$({inner})/b}}",
            f"a$({inner})b",
            f"${{v:$({inner})}}",
            f'"a ${{u:-"$({inner})"}}"',
            f"${{arr[$({inner})]}}",
            f">({inner})",
        ]
        if "`" not in inner and "\\" not in inner and "'" not in inner:
            nested += [f"`{inner}`", f'"`{inner}`"', f"${{w:=`{inner}`}}"]
        return self.pick.choice(plain + nested * 2)

    def simple(self, depth: int) -> str:
        """A simple command."""
        words = [self.program(depth), *(self.word(depth) for _ in range(self.pick.randint(0, 3)))]
        if self.pick.random() < 0.15:
            words.insert(0, f"v={self.word(depth)}")
        if self.pick.random() < 0.15:
            place = self.pick.randint(0, len(words))
            words.insert(
                place,
                self.pick.choice(
                    [">/tmp/o", "2>&1", ">>/tmp/o", "</dev/null", "&>/tmp/o", "2>/dev/null"]
                ),
            )
        return " ".join(words)

    def command(self, depth: int) -> str:
        """Any command."""
        if depth <= 0:
            return self.simple(0)
        kinds = [
            self.simple,
            self.simple,
            self.simple,
            self.joined,
            self.compound,
            self.loop,
            self.wrapped,
            self.assigned,
            self.document,
            self.strange,
        ]
        return self.pick.choice(kinds)(depth - 1)

    def joined(self, depth: int) -> str:
        """Two commands, one after or into the other."""
        mark = self.pick.choice([" | ", " && ", " || ", "; ", "\n", " |& ", " & ", "|", "&&", ";"])
        return f"{self.command(depth)}{mark}{self.command(depth)}"

    def compound(self, depth: int) -> str:
        """Groups, branches, functions, tests."""
        a, b, c = (self.command(depth) for _ in range(3))
        word = self.word(depth)
        return self.pick.choice(
            [
                f"{{ {a}; }}",
                f"( {a} )",
                f"({a};{b})",
                f"if {a}; then {b}; else {c}; fi",
                f"if {a}\nthen {b}\nelif {c}\nthen {a}\nfi",
                f"! {a}",
                f"time {a}",
                f"case {word} in a) {a};; *) {b};; esac",
                f"case x in (x) {a};& y) {b};;& *) {c}\nesac",
                f"f() {{ {a}; }}; f",
                f"function g {{ {a}\n}}; g",
                f"f() ( {a} ); f 2>&1",
                f"[[ -n {word} ]] && {a}",
                f"[[ $v == {word} ]] || {a}",
                f"(( 1 + $({a}) )) ; {b}",
                f"coproc {{ {a}; }}",
                f"[ x = {word} ] || {a}",
                f"{{ {a}; }} > /tmp/o",
                f"{a} # {b}",
                f"# {a}\n{b}",
                f"f() {{ {a}; }} ; {b}",
                f"if [[ a < b ]]; then {a}; fi",
            ]
        )

    def loop(self, depth: int) -> str:
        """Loops that end."""
        a, b = self.command(depth), self.command(depth)
        word = self.word(depth)
        return self.pick.choice(
            [
                f"for i in a b; do {a}; done",
                f"for i in {word} x\ndo {a} $i\ndone",
                f"while {a}; do {b}; break; done",
                f"until {a}; do {b}; break; done",
                f"for ((i=0;i<2;i++)); do {a}; done",
                f"for i in c1 c2; do $i; {a}; done",
                f"echo c3 | while read -r l; do $l; {a}; done",
                f"for i; do {a}; done; {b}",
                f"select i in a; do {a}; break; done <<< 1",
                f"for ((;;)) {{ {a}; break; }}",
                f"n=c4; for i in 1 2; do $n; n=c5; done; {a}",
            ]
        )

    def wrapped(self, depth: int) -> str:
        """Commands that other commands run."""
        inner = self.command(depth)
        quoted = shlex.quote(inner)
        name = self.pick.choice(STAND_INS)
        return self.pick.choice(
            [
                f"env {name} a",
                f"env -i PATH=$PATH CALLS=$CALLS {name}",
                f"timeout 2 {name}",
                f"nice -n 1 {name} b",
                f"nohup {name}",
                f"command {name}",
                f"builtin eval {quoted}",
                f"eval {quoted}",
                f"bash -c {quoted}",
                f"sh -c {shlex.quote(name)}",
                f"bash -ec {quoted} x y",
                f"echo {name} | xargs env",
                f"xargs {name} <<< 'a b'",
                f"echo {quoted} | bash",
                f"bash <<< {quoted}",
                f"bash <(echo {quoted})",
                f"source <(echo {quoted})",
                f"trap {quoted} EXIT",
                f"(exec {name} z)",
                f'x={quoted}; eval "$x"',
                f". /dev/stdin <<< {quoted}",
                f"printf '%s\\n' {quoted} > /tmp/s; bash /tmp/s",
                f"bash -c '\"$@\"' _ {name} q",
                f"alias {name}=zzz; {name}",
                f"env timeout 2 nice {name}",
                f"env -S {shlex.quote(name + ' a')}",
                f"export -f f; {inner}",
                f"echo {name} | tr a b | bash",
                f"bash -c '$0 a' {name}",
                f"xargs -I_ {name} _ <<< a",
            ]
        )

    def assigned(self, depth: int) -> str:
        """Commands that hide in variables."""
        name, other = self.pick.sample(STAND_INS, 2)
        inner = self.command(depth)
        return self.pick.choice(
            [
                f"v={name}; $v a",
                f"v=c; ${{v}}{name[1]}",
                f'v="{name} a b"; $v',
                f'arr=({name} a); "${{arr[@]}}"',
                f'set -- {name} a; "$@"',
                f"v={name}; w=v; ${{!w}}",
                f"printf -v v %s {name}; $v",
                f"read v <<< {name}; $v",
                f"v=x{name}; ${{v#x}} a",
                f"v={name}x; ${{v%x}}",
                f"v={name.upper()}; ${{v,,}}",
                f"IFS=,; v={name},a; $v",
                f"declare v={name}; $v",
                f"export v={name}; $v",
                f"local_=({other} {name}); ${{local_[1]}}",
                f"echo {name} >/dev/null; $_",
                f"v=$({inner}); {name}",
                f"v=({inner}) ; {name}" if inner.isalnum() else f"{name}",
                f"v+={name}; $v; {inner}",
                f"true && v={name}; $v",
                f"if {other}; then v={name}; else v={other}; fi; $v",
                f"mapfile -t m <<< {name}; ${{m[0]}}",
                f"unset v; ${{v-{name}}}",
                f"v={name}; f() {{ $v; }}; f",
                f"v={other}; v={name} {inner}; $v",
                f": ${{q:={name}}}; $q",
                f"readonly r={name}; $r",
                f"v=`echo {name}`; $v",
                f"let 'n=1+1'; {name}$n 2>/dev/null; {inner}",
                f"v='a b'; {name} $v",
            ]
        )

    def document(self, depth: int) -> str:
        """Here-documents."""
        name = self.pick.choice(STAND_INS)
        inner = self.command(depth)
        if "\n" in inner or "E" in inner.split():
            inner = name
        return self.pick.choice(
            [
                f"{name} <<E\ntext $({inner})\nE",
                f"cat <<'E'\n$({inner})\nE",
                f"{name} <<-E\n\ttext `{name}`\n\tE",
                f"bash <<'E'\n{inner}\nE",
                f"bash <<E\n{name} \\$v\nE",
                f"{name} <<E | {self.pick.choice(STAND_INS)}\nx\nE",
                f"cat <<E > /tmp/d\n{name}\nE\nbash /tmp/d",
                f"{name} <<A <<B\na\nA\nb $({inner})\nB",
                f'{name} <<"E"\n`{inner}`\nE\n{name}',
                f"( cat <<E\n$({name})\nE\n)",
                f"v=$(cat <<E\n{name}\nE\n); $v",
                f"{name} <<E && {inner}\n${{v:-`{name}`}}\nE",
                f"{name} <<'E E'\n$({inner})\nE E",
                f"{name} << E\n\\$({name}) \\`{name}\\`\nE",
            ]
        )

    def strange(self, depth: int) -> str:
        """Forms in which bash runs code that is easy to overlook."""
        name = self.pick.choice(STAND_INS)
        return self.pick.choice(
            [
                f"a[$({name})]=1",
                f"x='a[$({name})]'; echo $((x))",
                f"[[ -v 'a[$({name})]' ]]",
                f"let 'a[$({name})]=1'",
                f"declare -i n='a[$({name})]'",
                f"x='$({name})'; echo ${{x@P}}",
                f"echo $[ $({name}) ]",
                f"echo ${{v:-${{w:-$({name})}}}}",
                f"printf -v 'a[$({name})]' x",
                f"read 'a[$({name})]' <<< 1",
                f"unset 'a[$({name})]'",
                f"test -v 'a[$({name})]'",
                f"v=$'a\\'b'; {name}",
                f'echo "$(echo "$({name})")"',
                f"echo $(case x in x) {name};; esac)",
                f"echo $(echo ')' # )\n{name})",
                f"{name}\\\n a",
                f"c\\\n{name[1]}",
                f'echo "a\\\n$({name})"',
                f"if true;then {name};fi",
                f"{{ {name};}}",
                f"({name})",
                f"f()({name}); f",
                f"echo a;{name}",
                f"echo a&{name}",
                f"!  {name}",
                f"time -p {name}",
                f"2>/dev/null {name}",
                f">/tmp/o {name} a",
                f"v=1 {name}",
                f"v=$({name}) w=`{name}` {name}",
                f"echo $(<<E cat\n$({name})\nE\n)",
                f"echo ${{#v}} '#' # '\n{name}",
                f"echo $# #\n{name}",
                f"mapfile -C {name} -c 1 m <<< a",
                f"enable -n echo; echo {name}",
                f"f() {{ {name}; }}; trap f EXIT",
                f"PS4='$({name})'; set -x; true",
                f"PROMPT_COMMAND={name}",
                f"exec 3>&1; {name} >&3",
                f"{name} >&2 | {name}",
                f"coproc {name}",
                f"coproc N {{ {name}; }}",
                f"for v in $({name}); do :; done; {name}",
                f"case $({name}) in *) {name};; esac",
                f"[[ $({name}) =~ x(y) ]]; {name}",
                f"(( $({name}) > 1 )) || {name}",
                f"echo {{$({name}),b}}",
                f"echo a{{b,`{name}`}}",
                f"x=({name} $({name})); :",
                f"declare x=$({name})",
                f"declare -a x=($({name}))",
                f'echo "${{x[@]:$({name})}}"',
                f"echo ${{x//$({name})/}}",
                f"while :; do {name}; break; done",
                f"hash -p /stand-ins/{name} zz; zz",
                f"shopt -s expand_aliases\nalias zz={name}\nzz",
                f"declare -n r=v; v={name}; $r",
                f"$'{name}' a",
                f'$"{name}" a',
                f"echo ${{v:+`{name}`}}",
                f"v=1; echo ${{v:+$({name})}}",
                f"compgen -C {name} x",
                f"complete -F f zz; {name}",
                f"command -p {name}",
                f"command -v {name}",
                f"type {name}",
                f"exec {name}",
                f"echo '{name}' | (read x; $x)",
                f"wait $({name})",
                f"bash -c 'bash -c {name}'",
                f'bash -c "$(echo {name})"',
                f"env bash -c {name}",
                f"echo {name} > /tmp/z; . /tmp/z",
                f"cd /tmp; echo {name} > z; bash z",
                f"cd /tmp && printf {name} > y && cd / && bash tmp/y",
                f'g() {{ "$@"; }}; g {name} a',
                f"g() {{ $1; }}; g {name}",
                f"set -- {name}; for i; do $i; done",
                f'a=({name}); for i in "${{a[@]}}"; do $i; done',
                f"declare -A m=([k]={name}); ${{m[k]}}",
                f'v={name}; echo "${{v}}" | bash',
                f"${{v:-{name}}} ${{w:=a b}}",
                f"select i in {name}; do $i; break; done <<< 1",
                f"getopts a: o -a {name}; $OPTARG",
                f"eval '{name}' '&&' {name}",
                f'eval "\\$({name})"',
                f"x={name} bash -c '$x'",
                f"bash -c '{name}' &\nwait",
                f"{name} & wait",
                f"echo $({name} &)",
                f"trap '{name}' DEBUG; :",
                f"trap '{name}' ERR; false",
                f"set -e; c7; {name}",
                f"declare -f {name} || {name}",
                f"unset -f zz; {name}",
                f"return 2>/dev/null; {name}",
                f"f() {{ return; {name}; }}; f; {name}",
                f"printf '%q' {name}; {name}",
            ]
        )


def run_all(snippets: list[str], folder: Path) -> list[list[list[str]]]:
    """Run each snippet in bash inside a sandbox; the calls (argv) each one made."""
    for name in ("snippets", "calls", "stand-ins"):
        (folder / name).mkdir()
    for name in STAND_INS:
        made = folder / "stand-ins" / name
        made.write_text(_STAND_IN)
        made.chmod(0o755)
    for name in WRAPPERS:
        (folder / "stand-ins" / name).symlink_to(f"/usr/bin/{name}")
    for number, text in enumerate(snippets):
        (folder / "snippets" / f"{number:06}").write_text(text)
    subprocess.run(_sandboxed(folder), check=True, timeout=300)
    return [_calls(folder / "calls" / f"{number:06}") for number in range(len(snippets))]


def _calls(file: Path) -> list[list[str]]:
    if not file.exists():
        return []
    records = file.read_bytes().split(b"\1\0")[:-1]
    return [[word.decode("utf-8", "replace") for word in one.split(b"\0")[:-1]] for one in records]


def _sandboxed(folder: Path) -> list[str]:
    limits = ["prlimit", "--nproc=2000", "--cpu=200", "--fsize=10000000"]
    return [
        *limits,
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
        "--setenv",
        "HOME",
        "/home/user",
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/bin",
        "/bin",
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
        "--tmpfs",
        "/place",
        "--dir",
        "/home/user",
        "--ro-bind",
        str(folder / "snippets"),
        "/snippets",
        "--ro-bind",
        str(folder / "stand-ins"),
        "/stand-ins",
        "--bind",
        str(folder / "calls"),
        "/calls",
        "/usr/bin/bash",
        "-c",
        _DRIVER,
    ]


def sandbox_works() -> bool:
    """Whether bwrap is there and may be used."""
    if not (shutil.which("bwrap") and shutil.which("prlimit")):
        return False
    probe = [
        "bwrap",
        "--unshare-all",
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
        "/usr/bin/true",
    ]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0
