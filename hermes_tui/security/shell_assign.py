"""Assignments: taking them apart, arrays, and those that stand as arguments of `export`."""

from __future__ import annotations

from hermes_tui.security.shell_state import Value
from hermes_tui.security.shell_syntax import read_shell
from hermes_tui.security.shell_tree import Simple
from hermes_tui.security.shell_words import Words


def assignment(word: str) -> tuple[str, str]:
    """(name, value as written) of an assignment; empty for an element of an array."""
    name, _, written = word.partition("=")
    name = name.removesuffix("+")
    return ("", "") if "[" in name else (name, written)


def appended(old: Value, new: Value) -> Value:
    """What `+=` makes of two values."""
    sources = old.sources | new.sources
    if old.array or new.array:
        return Value(items=(*old.items, *new.items), sources=sources, array=True)
    return Value(items=(old.text + new.text,), sources=sources)


def array_words(inner: str) -> list[str]:
    """The words between the parentheses of an array."""
    script = read_shell(f"array {' '.join(inner.split(chr(10)))}") if inner.strip() else None
    if script is None:
        return []
    node = script.body.steps[0].node
    words = node.words[1:] if isinstance(node, Simple) else ()
    return [
        word.partition("]=")[2] if word.startswith("[") and "]=" in word else word for word in words
    ]


def after_tildes(written: str, call_home: str) -> str:
    """A `~` after a colon in an assignment is a home folder too."""
    return (
        written.replace(":~/", f":{call_home}/")
        if ":~/" in written and "'" not in written
        else written
    )


_DECLARING = frozenset({"export", "declare", "local", "typeset", "readonly"})


def declares(argv: list[str]) -> bool:
    """Whether a command takes assignments as arguments."""
    return bool(argv) and argv[0] in _DECLARING


def declared(word: str, words: Words) -> list[str]:
    """An argument of `export` and the like: an assignment is not split."""
    name, equals, written = word.partition("=")
    if equals and name.removesuffix("+").isidentifier():
        return [f"{name}={words.text(written)}"]
    return words.fields(word)
