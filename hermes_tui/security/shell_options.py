"""Command-line options by the rules of getopt: joined short ones, `--long=value`, abbreviations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec import Struct


def names(text: str) -> tuple[str, ...]:
    """The words of a text; for tables of program and option names."""
    return tuple(text.split())


class Spec(Struct, frozen=True, kw_only=True):
    """Which options of a program take a value.

    stop: options end at the first operand (as for programs that run another one).
    long_single: long options begin with one dash (as for find, openssl, java).
    """

    values: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    longs: tuple[str, ...] = ()
    long_values: frozenset[str] = frozenset()
    stop: bool = False


@cache
def spec(short: str = "", long: str = "", stop: bool = False) -> Spec:
    """A Spec from getopt's notation: `u:` takes a value, `i::` may have one joined to it.

    long: names with spaces between, `name=` takes a value.
    """
    names = long.split()
    values = {char for char, after in zip(short, short[1:] + " ", strict=False) if after == ":"}
    optional = {short[at] for at in range(len(short) - 2) if short[at + 1 : at + 3] == "::"}
    return Spec(
        values=frozenset(values - optional - {":"}),
        optional=frozenset(optional),
        longs=tuple(name.rstrip("=") for name in names),
        long_values=frozenset(name[:-1] for name in names if name.endswith("=")),
        stop=stop,
    )


class Options:
    """Options found in an argv: `flags` (names without dashes), `values`, `operands`."""

    __slots__ = ("flags", "operands", "rest", "values")

    def __init__(self) -> None:
        self.flags: set[str] = set()
        self.values: dict[str, list[str]] = {}
        self.operands: list[str] = []
        self.rest = 0

    def has(self, *names: str) -> bool:
        """Whether one of the options is there."""
        return any(name in self.flags for name in names)

    def value(self, *names: str) -> str:
        """The last value given to one of the options; empty when none is."""
        return next((self.values[name][-1] for name in names if self.values.get(name)), "")

    def every(self, *names: str) -> list[str]:
        """All values given to the options."""
        return [one for name in names for one in self.values.get(name, [])]

    def _add(self, name: str, value: str | None) -> None:
        self.flags.add(name)
        if value is not None:
            self.values.setdefault(name, []).append(value)


def parse(args: Sequence[str], how: Spec) -> Options:
    """Sort arguments (without the program's name) into options and operands."""
    found = Options()
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg == "--":
            found.operands += args[at:]
            found.rest = found.rest or at
            break
        if arg.startswith("--"):
            at = _long(arg, args, at, how, found)
        elif arg.startswith("-") and len(arg) > 1:
            at = _short(arg, args, at, how, found)
        else:
            found.operands.append(arg)
            if how.stop:
                found.operands += args[at:]
                found.rest = at - 1
                break
    else:
        found.rest = found.rest or len(args)
    return found


def _long(arg: str, args: Sequence[str], at: int, how: Spec, found: Options) -> int:
    name, has_value, value = arg[2:].partition("=")
    name = full_name(name, how.longs)
    if has_value:
        found._add(name, value)
    elif name in how.long_values and at < len(args):
        found._add(name, args[at])
        return at + 1
    else:
        found._add(name, None)
    return at


def _short(arg: str, args: Sequence[str], at: int, how: Spec, found: Options) -> int:
    for place in range(1, len(arg)):
        name, rest = arg[place], arg[place + 1 :]
        if name in how.optional:
            found._add(name, rest)
            return at
        if name in how.values:
            if not rest and at < len(args):
                found._add(name, args[at])
                return at + 1
            found._add(name, rest.removeprefix("="))
            return at
        found._add(name, None)
    return at


def full_name(name: str, longs: tuple[str, ...]) -> str:
    """The long option an abbreviation stands for; the name itself when it stands for none."""
    if name in longs:
        return name
    meant = [long for long in longs if long.startswith(name)]
    return meant[0] if name and len(meant) == 1 else name
