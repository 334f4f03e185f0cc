"""Other ways to write a command that do the same, and ways to speak of it that do nothing."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable

Change = Callable[[str], str]


def quoted(text: str) -> str:
    """One word for the shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def in_double(text: str) -> str:
    """The same in double quotes."""
    for sign in ("\\", '"', "$", "`"):
        text = text.replace(sign, "\\" + sign)
    return f'"{text}"'


def on_name(change: Change) -> Change:
    """A change of the program's name alone."""

    def changed(command: str) -> str:
        name, space, rest = command.partition(" ")
        return change(name) + space + rest

    return changed


def octal(name: str) -> str:
    """A word as numbers of its letters."""
    return "$'" + "".join(f"\\{ord(one):03o}" for one in name) + "'"


def made_of_hex(text: str) -> str:
    """Text that a program puts together again."""
    return f"echo {text.encode().hex()} | xxd -r -p | sh"


def in_base64(text: str) -> str:
    """The same by another program."""
    return f"echo {base64.b64encode(text.encode()).decode()} | base64 --decode | bash"


NAMES: tuple[Change, ...] = tuple(
    map(
        on_name,
        (
            lambda n: n[0] + "''" + n[1:],
            lambda n: "\\" + n,
            lambda n: f'"{n}"',
            octal,
            lambda n: n[:1] + "${nothing}" + n[1:],
            lambda n: f"$(echo {n})",
            lambda n: f"`printf %s {n}`",
            lambda n: f"command {n}",
        ),
    )
)
BEFORE: tuple[Change, ...] = (
    lambda c: f"LANG=C {c}",
    lambda c: f"A=1 B='x y' {c}",
    lambda c: f"env -i PATH=$PATH {c}",
    lambda c: f"env -u X -- {c}",
    lambda c: f"nice -n 5 {c}",
    lambda c: f"timeout -k 3 20s {c}",
    lambda c: f"nohup {c} &",
    lambda c: f"setsid -w {c}",
    lambda c: f"time -p {c}",
    lambda c: f"stdbuf -oL {c}",
    lambda c: f"ionice -c3 {c}",
    lambda c: f"chronic {c}",
)
AROUND: tuple[Change, ...] = (
    lambda c: f"bash -lc {quoted(c)}",
    lambda c: f"bash -c {in_double(c)}",
    lambda c: f"bash <<'Z'\n{c}\nZ",
    lambda c: f"bash <<< {quoted(c)}",
    lambda c: f"bash <(echo {quoted(c)})",
    lambda c: f'c={quoted(c)}; eval "$c"',
    lambda c: f"trap {quoted(c)} EXIT",
    lambda c: f"while :; do\n{c}\nbreak; done",
    lambda c: f"case x in x)\n{c}\n;; esac",
    lambda c: f"g() {{\n{c}\n}}\ng",
    lambda c: f"[ -d . ] && {{\n{c}\n}} || true",
    lambda c: f"x=$(\n{c}\n)",
    lambda c: f"cat <(\n{c}\n)",
    lambda c: f"python3 -c {quoted('import os; os.system(' + repr(c) + ')')}",
    lambda c: f"node -e {quoted('require(`child_process`).execSync(' + repr(c) + ')')}",
    lambda c: f"printf %s {quoted(c)} | sh",
    in_base64,
    made_of_hex,
    lambda c: f"watch -n1 {quoted(c)}",
    lambda c: f"flock /tmp/l -c {quoted(c)}",
    lambda c: f"sg staff -c {quoted(c)}",
    lambda c: f"su -c {quoted(c)}",
    lambda c: f"script -qc {quoted(c)} /dev/null",
    lambda c: f"find . -exec bash -c {quoted(c)} {{}} +",
    lambda c: f"echo 1 | xargs -n1 sh -c {quoted(c)}",
    lambda c: f"ssh a.invalid -- {quoted(c)}",
    lambda c: f"ls\n# x\n{c}\necho done",
    lambda c: f"alias z={quoted(c)}; z",
    lambda c: f"tmux new -d {quoted(c)}",
    lambda c: f"systemd-run --user sh -c {quoted(c)}",
    lambda c: f"start-stop-daemon --start --exec /bin/sh -- -c {quoted(c)}",
)
HARMLESS_AROUND: tuple[Change, ...] = (
    lambda c: f"bash -c {quoted(c)}",
    lambda c: f"bash <<'Z'\n{c}\nZ",
    lambda c: f"ls && {{\n:\n{c}\n}}",
    lambda c: f"for i in 1 2; do\n:\n{c}\ndone",
    lambda c: f"(\n:\n{c}\n)",
    lambda c: f"if true; then\n:\n{c}\nfi",
    lambda c: f"set -e\n# note\n{c}",
    lambda c: f"cd src && (\n:\n{c}\n)",
    lambda c: f"flock /tmp/l -c {quoted(c)}",
)
MENTIONS: tuple[Change, ...] = (
    lambda c: f"echo {quoted(c)}",
    lambda c: f"echo {in_double(c)}",
    lambda c: f"git commit -m {quoted('fix: ' + c)}",
    lambda c: f"grep -rn -F -- {quoted(c)} .",
    lambda c: f"rg -F -- {quoted(c)} docs | head",
    lambda c: f"cat > doc.md <<'E_'\n{c}\nE_",
    lambda c: f"tee -a notes.txt <<'E_'\n{c}\nE_",
    lambda c: "# " + c.replace("\n", " ") + "\ntrue",
    lambda c: f"git log --grep={quoted(c)}",
)
_NO_PROGRAM = frozenset(
    [
        "if",
        "for",
        "while",
        "until",
        "case",
        "function",
        "select",
        "exec",
        "alias",
        "trap",
        "cd",
        "export",
    ]
)


def starts_with_program(command: str) -> bool:
    """Whether something may stand before a command: it is one, and begins with its name."""
    first = command.split()[0]
    plain = first.isascii() and first[0].isalpha() and not {"=", "(", "{"} & set(first)
    return plain and first not in _NO_PROGRAM and "\n" not in command


def disguised(command: str, chance: random.Random) -> str:
    """The same command in another form, sometimes in two."""
    simple = starts_with_program(command)
    kinds = (NAMES, BEFORE, AROUND, AROUND) if simple else (AROUND,)
    if simple and not command.split()[0].isalnum():
        kinds = kinds[1:]
    made = chance.choice(chance.choice(kinds))(command)
    return chance.choice(AROUND)(made) if chance.random() < 0.3 else made


def dressed(command: str, chance: random.Random) -> str:
    """A harmless command in another form."""
    if starts_with_program(command) and chance.random() < 0.4:
        return chance.choice(BEFORE[:-1])(command)
    return chance.choice(HARMLESS_AROUND)(command)
