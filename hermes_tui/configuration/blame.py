"""Says which key of a configuration is wrong: file, line, what was expected, the nearest key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from hermes_tui.configuration import schema, yaml_file
from hermes_tui.errors import ConfigError


def explain(tree: dict[str, Any], text: str, path: Path) -> ConfigError:
    """The error for the first setting of a tree that the schema refuses."""
    name, why, hint = next(_problems(tree), ("", "it does not fit the schema", ""))
    line = lines(text, path).get(name, 1)
    return ConfigError(f"{path}:{line}: {why}", f"{hint}; `hermes config edit` opens the file")


def lines(text: str, path: Path) -> dict[str, int]:
    """The line of each section and dotted key of a file."""
    found: dict[str, int] = {}
    root = yaml_file.compose(text, path)
    for section, below in yaml_file.pairs(root):
        found.setdefault(section.value, section.start_mark.line + 1)
        for key, _ in yaml_file.pairs(below):
            found.setdefault(f"{section.value}.{key.value}", key.start_mark.line + 1)
    return found


def unknown(name: str) -> tuple[str, str]:
    """(what is wrong, what to do) for a key that does not exist."""
    near = schema.nearest(name)
    hint = f"did you mean {near}? `hermes config list` shows all keys"
    if any(word in name.lower() for word in ("api_key", "apikey", "token", "secret", "password")):
        hint = "keys never go into the configuration: put NAME=value into secrets.env; " + hint
    return f"unknown key {name} (nearest: {near})", hint


def wrong(key: schema.Key, value: Any) -> tuple[str, str]:
    """(what is wrong, what to do) for a value of the wrong type or range."""
    hint = f"{key.name}: {key.help}"
    if key.base is str and not isinstance(value, str) and not isinstance(value, (dict, list)):
        hint = f"put the value in quotes if it is meant as text; {hint}"
    return f"{key.name} must be {key.type}, not {_shown(value)}", hint


def _problems(tree: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for section, below in tree.items():
        if section not in schema.sections():
            yield str(section), *unknown(str(section))
        elif not isinstance(below, dict):
            yield section, f"{section} must hold settings, one a line below it", _section(section)
        else:
            yield from _in_section(section, cast("dict[Any, Any]", below))


def _in_section(section: str, below: dict[Any, Any]) -> Iterator[tuple[str, str, str]]:
    for name, value in below.items():
        dotted = f"{section}.{name}"
        key = schema.settings().get(dotted)
        if key is None:
            yield dotted, *unknown(dotted)
            continue
        try:
            msgspec.convert(value, key.annotation)
        except msgspec.ValidationError:
            yield dotted, *wrong(key, value)


def _section(section: str) -> str:
    first = next(key for key in schema.settings() if key.startswith(section + "."))
    return f"such as {first}; or remove the line"


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…") if text else "an empty text"
