"""The configuration schema as a table of dotted keys, for help, editing and messages."""

from __future__ import annotations

import difflib
import types
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from hermes_tui.config import Config


class Key(Struct, frozen=True, kw_only=True):
    """One setting. type: what it must be, in words; choices: all values, where there are few."""

    name: str
    type: str
    default: Any
    help: str
    annotation: Any
    choices: tuple[str, ...] = ()

    @property
    def base(self) -> type:
        """The plain Python type: `str`, `bool`, `int`, `float` or `tuple`."""
        return _base(self.annotation)


@cache
def settings() -> dict[str, Key]:
    """Every setting by its dotted name, in the order of the schema."""
    found: dict[str, Key] = {}
    for section, cls in sections().items():
        for field in msgspec.structs.fields(cls):
            name = f"{section}.{field.name}"
            found[name] = _key(name, get_type_hints(cls, include_extras=True), field)
    return found


@cache
def sections() -> dict[str, type[Struct]]:
    """The struct of each section."""
    return dict(get_type_hints(Config))


def nearest(name: str) -> str:
    """The setting most like a mistyped name; a section for a mistyped section."""
    section, _, tail = name.rpartition(".")

    def likeness(key: str) -> float:
        head, _, last = key.rpartition(".")
        return max(_alike(name, key), _alike(tail, last)) + 0.1 * (head == section)

    return max([*sections(), *settings()], key=likeness)


def show(value: Any) -> str:
    """A setting's value as `config get` prints it."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _alike(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a.lower(), b.lower()).ratio()


def _key(name: str, hints: dict[str, Any], field: Any) -> Key:
    annotation = hints[field.name]
    plain, metas = annotation, ()
    if get_origin(annotation) is Annotated:
        plain, *metas = get_args(annotation)
    choices = tuple(map(str, get_args(plain))) if get_origin(plain) is Literal else ()
    return Key(
        name=name,
        type=_words(plain, choices, metas),
        default=field.default,
        help=next((meta.description for meta in metas if meta.description), ""),
        annotation=annotation,
        choices=choices,
    )


def _base(annotation: Any) -> type:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    origin = get_origin(annotation)
    if origin is Literal:
        return int if isinstance(get_args(annotation)[0], int) else str
    if origin in (Union, types.UnionType):
        return _base(next(one for one in get_args(annotation) if one is not type(None)))
    return origin or annotation


def _words(plain: Any, choices: tuple[str, ...], metas: Any) -> str:
    if choices:
        return "one of " + ", ".join(choices)
    names = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
    words = names.get(_base(plain), "a list of texts")
    if _base(plain) is tuple and any(get_origin(one) is Annotated for one in get_args(plain)):
        words = "a list of rules, each a tool's name, a space and what it covers"
    for meta in metas:
        words += f" above {meta.gt}" if meta.gt is not None else ""
        words += f" of at least {meta.ge}" if meta.ge is not None else ""
        words += f" and at most {meta.le:,.0f}" if meta.le is not None else ""
        words += " like http://host/v1" if meta.pattern else ""
    return words + (" or nothing" if type(None) in get_args(plain) else "")
