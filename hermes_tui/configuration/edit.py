"""Changes settings in the configuration file; comments stay, a broken file is never touched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from hermes_tui.config import Config
from hermes_tui.configuration import blame, files, load, schema, surgery, yaml_file
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home

_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


class Change(Struct, frozen=True, kw_only=True):
    """A setting before and after, and the configuration that now counts, environment included."""

    key: str
    old: Any
    new: Any
    config: Config


def get(home: Home, env: dict[str, str], key: str) -> Any:
    """The value that counts for a key, or the whole section under its name."""
    config = load.load(home, env).config
    section, _, name = find(key, sections=True).partition(".")
    below = getattr(config, section)
    return getattr(below, name) if name else msgspec.structs.asdict(below)


def put(home: Home, key: str, text: str) -> Change:
    """Set a key to the value a text means for its type. Raises ConfigError, file untouched.

    An empty key changes nothing and reads the file again.
    """
    if not key:
        return reread(home)
    _readable(home)
    known = schema.settings()[find(key)]
    return _change(home, known.name, parse(known, text))


def add(home: Home, key: str, item: str) -> Change:
    """Add one text to a list such as `policy.allow`; nothing happens when it is there already."""
    items = _items(home, key)
    return _change(home, find(key), items if item in items else (*items, item))


def remove(home: Home, key: str, item: str) -> Change:
    """Take one text out of a list. Raises ConfigError when it is not in it."""
    items = _items(home, key)
    if item not in items:
        raise ConfigError(f"{key} has no entry {item!r}", f"`hermes config get {key}` shows them")
    return _change(home, find(key), tuple(one for one in items if one != item))


def unset(home: Home, key: str) -> Change:
    """Take a key out of the file, so that its default counts again."""
    _readable(home)
    return _change(home, find(key), msgspec.UNSET)


def replace(home: Home, text: str) -> Config:
    """Put another text in place of the whole file, as a person wrote it, once it is checked."""
    home.ensure()
    tree = yaml_file.parse(text, home.config)
    config = load.check(tree, text, home.config)
    with files.locked(home.path / "config.lock"):
        files.write(home.config, text)
        load.accept(home, text, tree)
    return config


def reread(home: Home) -> Change:
    """The configuration as the file now has it. Raises ConfigError when it can't be used."""
    config = load.load(home, os.environ).config
    return Change(key="", old=None, new=None, config=config)


def find(key: str, sections: bool = False) -> str:
    """The key itself. Raises ConfigError naming the nearest one when it does not exist."""
    if key in schema.settings() or (sections and key in schema.sections()):
        return key
    why, hint = blame.unknown(key)
    raise ConfigError(why, hint)


def parse(key: schema.Key, text: str) -> Any:
    """A value from the command line: by the key's type, never by guessing at the text."""
    value: Any = text
    if key.base is bool:
        word = text.strip().lower()
        value = True if word in _TRUE else False if word in _FALSE else text
    elif key.base is not str:
        value = _decoded(text)
    try:
        return msgspec.convert(value, key.annotation)
    except msgspec.ValidationError as error:
        why, hint = blame.wrong(key, text)
        if key.base is tuple:
            hint = f'give a JSON list, or use `hermes config set --add {key.name} "{text}"`'
        raise ConfigError(why, hint) from error


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _items(home: Home, key: str) -> tuple[str, ...]:
    _readable(home)
    known = schema.settings()[find(key)]
    if known.base is not tuple:
        raise ConfigError(f"{key} is no list", f"use `hermes config set {key} VALUE`")
    section, _, name = key.partition(".")
    return getattr(getattr(load.load(home, {}).config, section), name)


def _readable(home: Home) -> None:
    """Raise ConfigError when the file is broken: that is said before anything about the key."""
    text = yaml_file.read(home.config) or ""
    load.check(yaml_file.parse(text, home.config), text, home.config)


def _change(home: Home, key: str, value: Any) -> Change:
    home.ensure()
    section, _, name = key.partition(".")
    with files.locked(home.path / "config.lock"):
        path = home.config
        text = yaml_file.read(path) or ""
        tree = yaml_file.parse(text, path)
        before = load.check(tree, text, path)
        load.refuse_cut(home, text, before)
        wanted = _wanted(tree, section, name, value)
        made = _made(text, path, key, value, wanted) if wanted != tree else text
        after = load.check(wanted, made, path)
        if made != text:
            files.write(path, made)
        load.accept(home, made, wanted)
    old, new = (getattr(getattr(config, section), name) for config in (before, after))
    return Change(key=key, old=old, new=new, config=load.overlay(after, os.environ))


def _made(text: str, path: Path, key: str, value: Any, wanted: dict[str, Any]) -> str:
    """The new text: by surgery if that gives what is wanted, else by round trip, else refused."""
    for made in _candidates(text, path, key, value):
        if made is not None and _is(made, path, wanted) and not _lost(text, made):
            return made
    raise ConfigError(
        f"{path}: {key} can't be changed without disturbing the rest of the file",
        "change it by hand: `hermes config edit`",
    )


def _candidates(text: str, path: Path, key: str, value: Any) -> Iterator[str | None]:
    if value is msgspec.UNSET:
        yield surgery.drop(text, path, key)
        yield surgery.round_trip(text, key, None)
    else:
        yield surgery.put(text, path, key, _plain(value))
        yield surgery.round_trip(text, key, _plain(value))


def _is(made: str, path: Path, wanted: dict[str, Any]) -> bool:
    try:
        return yaml_file.parse(made, path) == wanted
    except ConfigError:
        return False


def _wanted(tree: dict[str, Any], section: str, name: str, value: Any) -> dict[str, Any]:
    below = dict(tree.get(section, {}))
    if value is msgspec.UNSET:
        below.pop(name, None)
        rest = {key: one for key, one in tree.items() if key != section}
        return {**tree, section: below} if below else rest
    return {**tree, section: {**below, name: _plain(value)}}


def _plain(value: Any) -> Any:
    return list(cast("tuple[Any]", value)) if isinstance(value, tuple) else value


def _lost(old: str, new: str) -> bool:
    """Whether a comment line is gone."""
    comments = [line.strip() for line in old.splitlines() if line.lstrip().startswith("#")]
    there = [line.strip() for line in new.splitlines()]
    return any(there.count(one) < comments.count(one) for one in comments)
