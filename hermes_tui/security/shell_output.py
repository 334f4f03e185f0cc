"""What harmless text commands print, worked out from their arguments and input.

Only for programs that do nothing but turn text into text, so that `$(printf …)` and
`echo … | base64 -d | sh` are read for what they run. None means: not known.
"""

from __future__ import annotations

import base64
import binascii
import posixpath
import re
from collections.abc import Callable, Sequence

from hermes_tui.security.shell_escapes import ansi_c
from hermes_tui.security.shell_options import names, parse, spec
from hermes_tui.security.shell_state import UNKNOWN

MAX_OUTPUT = 100_000


def output(name: str, argv: Sequence[str], stdin: str | None) -> str | None:
    """The text a command prints, when it can be known; `stdin` is None when that is not."""
    model = _MODELS.get(name)
    if stdin is not None and UNKNOWN in stdin and name not in ("cat", "tee", "head", "tail"):
        stdin = None
    if model is None or any(UNKNOWN in arg for arg in argv[1:]):
        return _echo_partly(name, argv)
    try:
        text = model(list(argv[1:]), stdin)
    except (ValueError, IndexError, TypeError, OverflowError, re.error):
        return None
    return text if text is None or len(text) <= MAX_OUTPUT else None


def _echo_partly(name: str, argv: Sequence[str]) -> str | None:
    """`echo` and `printf %s` keep unknown parts where they are."""
    if name == "echo":
        return _echo(list(argv[1:]), None)
    if name == "printf" and len(argv) > 1 and UNKNOWN not in argv[1]:
        return format_text(argv[1], argv[2:])
    return None


def format_text(layout: str, values: Sequence[str]) -> str | None:
    """What `printf` makes of a format and its arguments; None for conversions not modelled."""
    text, rest = "", list(values)
    while True:
        before = len(rest)
        piece = _format_once(layout, rest)
        if piece is None or len(text) > MAX_OUTPUT:
            return None
        text += piece
        if not rest or len(rest) == before:
            return text


def _format_once(layout: str, rest: list[str]) -> str | None:
    pieces: list[str] = []
    at = 0
    for found in re.finditer(r"%(?:%|([-0-9.*]*)([sbcdqxXoui]))", layout):
        pieces.append(ansi_c(layout[at : found.start()]))
        at = found.end()
        if found.group() == "%%":
            pieces.append("%")
            continue
        if "*" in found[1]:
            return None
        value = rest.pop(0) if rest else ""
        if found[2] == "s" and found[1]:
            value = f"%{found[1]}s" % value
        pieces.append(_converted(found[2], value))
    tail = layout[at:]
    return None if "%" in tail else "".join(pieces) + ansi_c(tail)


def _converted(kind: str, value: str) -> str:
    if UNKNOWN in value:
        return value
    if kind == "b":
        return ansi_c(value)
    if kind == "c":
        return value[:1]
    if kind in "di" or kind == "u":
        return str(int(value or "0", 0) if not value.startswith(("'", '"')) else ord(value[1]))
    if kind in "xXo":
        return format(int(value or "0", 0), kind)
    return value


def _echo(args: list[str], _stdin: str | None) -> str | None:
    escapes, end = False, "\n"
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags = args.pop(0)
        escapes = escapes or "e" in flags
        end = "" if "n" in flags else end
    text = " ".join(args)
    return (ansi_c(text) if escapes else text) + end


def _printf(args: list[str], _stdin: str | None) -> str | None:
    if args and args[0] == "--":
        args = args[1:]
    if not args or args[0] == "-v":
        return ""
    return format_text(args[0], args[1:])


def _cat(args: list[str], stdin: str | None) -> str | None:
    return stdin if all(arg.startswith("-") for arg in args) else None


def _bytes(text: str) -> bytes:
    return text.encode("latin-1") if text.isascii() else text.encode()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _base64(args: list[str], stdin: str | None) -> str | None:
    options = parse(args, spec("w:i:", "decode wrap= ignore-garbage"))
    if stdin is None or [one for one in options.operands if one != "-"]:
        return None
    if options.has("d", "D", "decode"):
        packed = re.sub(r"[^A-Za-z0-9+/]", "", stdin)
        return _text(base64.b64decode(packed + "=" * (-len(packed) % 4)))
    return base64.b64encode(_bytes(stdin)).decode() + "\n"


def _base32(args: list[str], stdin: str | None) -> str | None:
    if stdin is None or not any(arg in ("-d", "--decode", "-D") for arg in args):
        return None
    packed = re.sub(r"[^A-Z2-7]", "", stdin)
    return _text(base64.b32decode(packed + "=" * (-len(packed) % 8)))


def _xxd(args: list[str], stdin: str | None) -> str | None:
    joined = "".join(arg.lstrip("-") for arg in args if arg.startswith("-"))
    if stdin is None or "r" not in joined or "p" not in joined:
        return None
    return _text(binascii.unhexlify(re.sub(r"[^0-9A-Fa-f]", "", stdin)))


def _openssl(args: list[str], stdin: str | None) -> str | None:
    if stdin is None or "-d" not in args or not {"base64", "-base64", "-a"} & set(args):
        return None
    return None if "-in" in args else _base64(["-d"], stdin)


def _rev(args: list[str], stdin: str | None) -> str | None:
    if stdin is None or args:
        return None
    return "".join(line[::-1] + "\n" for line in stdin.split("\n")[: stdin.count("\n") or 1])


def _tac(args: list[str], stdin: str | None) -> str | None:
    if stdin is None or args:
        return None
    return "".join(line + "\n" for line in reversed(stdin.rstrip("\n").split("\n")))


_CLASSES = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
    "[:digit:]": "0123456789",
    "[:space:]": " \t\n\r\f\v",
}


def _characters(text: str) -> str:
    for name, chars in _CLASSES.items():
        text = text.replace(name, chars)
    text = ansi_c(text)
    return re.sub(
        r"(.)-(.)",
        lambda m: "".join(chr(n) for n in range(ord(m[1]), ord(m[2]) + 1)),
        text,
        flags=re.DOTALL,
    )


def _tr(args: list[str], stdin: str | None) -> str | None:
    flags = "".join(arg[1:] for arg in args if arg.startswith("-") and len(arg) > 1)
    sets = [arg for arg in args if not arg.startswith("-") or len(arg) == 1]
    if stdin is None or not sets or any(flag not in "d" for flag in flags):
        return None
    old = _characters(sets[0])
    if "d" in flags:
        return stdin.translate({ord(char): None for char in old})
    new = _characters(sets[1])
    table = {ord(char): new[min(at, len(new) - 1)] for at, char in reversed([*enumerate(old)])}
    return stdin.translate(table)


def _which(args: list[str], _stdin: str | None) -> str | None:
    names = [arg for arg in args if not arg.startswith("-")]
    return f"/usr/bin/{names[0]}\n" if len(names) == 1 and "/" not in names[0] else None


def _command(args: list[str], stdin: str | None) -> str | None:
    return _which(args, stdin) if args and args[0] in ("-v", "-p") else None


def _basename(args: list[str], _stdin: str | None) -> str | None:
    names = [arg for arg in args if not arg.startswith("-")]
    if not names or len(names) > 2:
        return None
    base = posixpath.basename(names[0].rstrip("/"))
    return base.removesuffix(names[1] if len(names) == 2 else "") + "\n"


def _dirname(args: list[str], _stdin: str | None) -> str | None:
    return (posixpath.dirname(args[0].rstrip("/")) or ".") + "\n" if len(args) == 1 else None


def _same(args: list[str], stdin: str | None) -> str | None:
    """Programs that pass short input on: head, tail, sort, uniq, tee with one line."""
    if stdin is None or stdin.count("\n") > 1:
        return None
    plain = all(re.fullmatch(r"-[nru]?\d*|\d+", arg) for arg in args)
    return stdin if plain else None


def _tee(args: list[str], stdin: str | None) -> str | None:
    return stdin


def _sed(args: list[str], stdin: str | None) -> str | None:
    """One `s/old/new/g` with nothing special in it."""
    if stdin is None or len(args) != 1:
        return None
    found = re.fullmatch(r"s(.)([\w /.-]*)\1([\w /.-]*)\1(g?)", args[0])
    if not found or found[1] in found[2] + found[3] or "." in found[2]:
        return None
    return stdin.replace(found[2], found[3], -1 if found[4] else 1)


def _cut(args: list[str], stdin: str | None) -> str | None:
    options = parse(args, spec("c:b:f:d:"))
    wanted = options.value("c", "b")
    found = re.fullmatch(r"(\d+)(-)?(\d+)?", wanted)
    if stdin is None or not found or options.operands:
        return None
    start = int(found[1]) - 1
    end = (int(found[3]) if found[3] else None) if found[2] else start + 1
    return "".join(line[start:end] + "\n" for line in stdin.rstrip("\n").split("\n"))


def _nothing(_args: list[str], _stdin: str | None) -> str | None:
    return ""


_MODELS: dict[str, Callable[[list[str], str | None], str | None]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "base64": _base64,
    "gbase64": _base64,
    "base32": _base32,
    "xxd": _xxd,
    "openssl": _openssl,
    "rev": _rev,
    "tac": _tac,
    "tr": _tr,
    "which": _which,
    "command": _command,
    "basename": _basename,
    "dirname": _dirname,
    "head": _same,
    "tail": _same,
    "sort": _same,
    "uniq": _same,
    "tee": _tee,
    "sed": _sed,
    "cut": _cut,
    **dict.fromkeys(
        names("true : cd set shift export mkdir touch sleep false unset"),
        _nothing,
    ),
}
