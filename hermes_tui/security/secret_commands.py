"""Finds passwords in command lines: `mysql -pX`, `curl -u me:X`, `sshpass -p X` and their like."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.security.secret_text import (
    Page,
    Pattern,
    Span,
    has_digit,
    is_placeholder,
    looks_random,
)

_WORD = r"(?P<word>[^\s\"'|;&<>]{4,})"
_TO = r"\b[^\n|;&]*? "


def _option(commands: str, option: str) -> Pattern:
    return Pattern(rf"\b(?:{commands}){_TO}{option}[\"']?{_WORD}")


_USER = r"[^\s:\"'$]+:"
# What must be in the text, the expressions that are tried on each line that has it.
_OPTIONS: tuple[tuple[bytes, tuple[Pattern, ...]], ...] = (
    (
        b" -p",
        (
            _option(r"mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mycli", "-p"),
            _option("sshpass", "-p ?"),
            _option("7z|7za|7zr|rar|unrar", "-h?p"),
            _option("docker|podman|helm|az|oc|mongo|mongosh|mongodump|cqlsh", "-p "),
            _option("sqlcmd|bcp|unzip|zip|mysqlsh", "-P "),
        ),
    ),
    (b"redis-cli", (_option("redis-cli", "-a "),)),
    (b" -w ", (_option("ldap(?:search|modify|add|delete|whoami|passwd)", "-w "),)),
    (b"curl", (_option("curl", rf"(?:-[A-Za-z]*u|--(?:proxy-)?user)[ =]?[\"']?{_USER}"),)),
    (b" -a ", (_option("http|https|xh", rf"-a [\"']?{_USER}"),)),
    (b" -u ", (_option("smbclient|rpcclient|net", r"-[uU] [\"']?[^\s%\"'$]+%"),)),
)
_PASS_OPTIONS = (
    (b"pass:", (Pattern(rf"[ =]pass:{_WORD}"),)),
    (b"htpasswd", (_option("htpasswd", r"-\w*b\w* \S+ \S+ "),)),
    (b"chpasswd", (Pattern(rf"echo [\"']?[\w.-]+:{_WORD}[\"']? *\| *(?:sudo )?chpasswd"),)),
)
_OTHERS = (
    (b"/p:", (_option(r"[xw]?freerdp\w*", "/p:"),)),
    (b"thin:", (Pattern(r"thin:[\w$]+/(?P<word>[^\s@\"']{4,})@"),)),
    (
        b"identified",
        (Pattern(r"(?i:identified\s+(?:with\s+\S+\s+)?by\s+)['\"](?P<word>[^'\"\n]{4,})['\"]"),),
    ),
)


def find(page: Page) -> Iterator[Span]:
    """Passwords in command lines."""
    if page.has(b" -"):
        yield from _find(page, _OPTIONS)
    if page.has(b"pass"):
        yield from _find(page, _PASS_OPTIONS)
    yield from _find(page, _OTHERS)


def _find(page: Page, options: tuple[tuple[bytes, tuple[Pattern, ...]], ...]) -> Iterator[Span]:
    tries = ((pattern, at) for hint, many in options for at in page.lines(hint) for pattern in many)
    for pattern, (start, end) in tries:
        for match in pattern.re.finditer(page.text, start, end):
            if _is_password(match["word"]):
                yield Span(match.start("word"), match.end("word"), "password option")


def _is_password(word: str) -> bool:
    if is_placeholder(word) or word.replace(":", "").isdigit():
        return False
    return has_digit(word) or not word.isalpha() or looks_random(word)
