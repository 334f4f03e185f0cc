"""Theme files: the bundled ones and those in the home's `themes/`, read strictly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from hermes_tui.bundled import bundled
from hermes_tui.errors import ConfigError, HermesError
from hermes_tui.home import Home
from hermes_tui.ui.theme import ANSI, COLORS, STYLES, SYNTAX, ThemeSpec, builtin, style

_KEYS = ("name", "dark", "ansi", "colors", "styles", "syntax")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def load(home: Home, name: str) -> ThemeSpec:
    """The theme of that name; one in the home goes before the bundled one.

    Raises ConfigError, which names the file and the line, or says which themes there are.
    """
    own = home.themes / f"{name}.yaml"
    if own.is_file():
        return read(own)
    spec = builtin(name)
    if spec is None:
        known, _ = load_all(home)
        if name in known:
            return known[name]
        raise ConfigError(f"there is no theme {name!r}", f"themes: {', '.join(sorted(known))}")
    return spec


def load_all(home: Home) -> tuple[dict[str, ThemeSpec], list[HermesError]]:
    """All themes by name, and what is wrong with the files that could not be read."""
    specs: dict[str, ThemeSpec] = {}
    problems: list[HermesError] = []
    for path in sorted(bundled("themes").glob("*.yaml")):
        spec = builtin(path.stem) or read(path)
        specs[spec.name] = spec
    for path in sorted(home.themes.glob("*.yaml")):
        try:
            spec = read(path)
        except ConfigError as error:
            problems.append(error)
            continue
        specs[spec.name] = spec
    return specs, problems


def read(path: Path) -> ThemeSpec:
    """One theme file. Raises ConfigError with file and line for anything it does not know."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        raw: Any = YAML(typ="rt", pure=True).load(path.read_text("utf-8"))
    except MarkedYAMLError as error:
        mark = cast("Any", getattr(error, "problem_mark", None))
        line = int(mark.line) + 1 if mark else 1
        raise ConfigError(f"{path}:{line}: {error.problem}") from error
    except (YAMLError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}:1: {error}") from error
    if not isinstance(raw, Mapping):
        raise ConfigError(f"{path}:1: a theme is a list of `key: value` lines")
    return _Reader(path).spec(cast("Mapping[str, Any]", raw))


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path

    def spec(self, raw: Mapping[str, Any]) -> ThemeSpec:
        self.known(raw, raw, _KEYS)
        name = raw.get("name", self.path.stem)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise self.wrong(raw, "name", "a name is lower-case letters, digits, - and _")
        for key in ("dark", "ansi"):
            if not isinstance(raw.get(key, True), bool):
                raise self.wrong(raw, key, f"{key} is true or false")
        colors = dict(self.section(raw, "colors", COLORS))
        syntax = dict(self.section(raw, "syntax", SYNTAX))
        styles = dict(self.section(raw, "styles", tuple(STYLES)))
        for key in ("styles", "syntax"):
            self.words(raw, key, colors)
        return ThemeSpec(
            name=name,
            dark=raw.get("dark", True),
            ansi=raw.get("ansi", False),
            colors=colors,
            styles=styles,
            syntax=syntax,
        )

    def section(
        self, raw: Mapping[str, Any], key: str, known: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        part: Any = raw.get(key) or {}
        if not isinstance(part, Mapping):
            raise self.wrong(raw, key, f"{key} is a list of `name: value` lines")
        values = cast("Mapping[str, Any]", part)
        self.known(raw, values, known)
        for name, value in values.items():
            text = "" if value is None else str(value)
            ansi = raw.get("ansi") is True
            if key == "colors" and not (text in ANSI if ansi else _COLOR.fullmatch(text)):
                such = "bright_blue, one of the terminal's own" if ansi else '"#93b4ff"'
                raise self.wrong(values, name, f"{name} is a colour such as {such}")
            yield name, text

    def words(self, raw: Mapping[str, Any], key: str, colors: dict[str, str]) -> None:
        part = cast("Mapping[str, Any]", raw.get(key) or {})
        for name, value in part.items():
            try:
                style(str(value or ""), colors)
            except ConfigError as error:
                raise self.wrong(part, name, error.message, error.hint) from error

    def known(self, raw: Any, part: Mapping[Any, Any], names: tuple[str, ...]) -> None:
        for key in part:
            if key in names:
                continue
            near = get_close_matches(str(key), names, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names)}"
            raise self.wrong(part, key, f"unknown key {key!r}", hint)

    def wrong(self, part: Any, key: Any, what: str, hint: str = "") -> ConfigError:
        places: dict[Any, list[int]] = getattr(getattr(part, "lc", None), "data", None) or {}
        line = places[key][0] + 1 if key in places else 1
        return ConfigError(f"{self.path}:{line}: {what}", hint)
