"""The configuration that counts: defaults, then the home's file, then the environment.

Strict: a broken file, an unknown key, a wrong type or a value out of range is refused, so
that a typo never loosens anything. A file that was cut short and would loosen the policy is
refused too: the last good text is remembered beside it, together with its parsed tree, which
also spares a start the YAML parser as long as the text is the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from hermes_tui.config import Config, ModelConfig, PolicyConfig, SandboxConfig
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home

ENVIRONMENT = {"HERMES_TUI_MODEL": "name", "HERMES_TUI_BASE_URL": "base_url"}
"""Environment variables that override a setting of `model`, for scripts."""

_PROFILES = ("read-only", "workspace", "full")
_MODES = ("plan", "ask", "auto-edit", "yolo")


class Loaded(Struct, frozen=True, kw_only=True):
    """The configuration, and where each setting that is no default comes from."""

    config: Config
    sources: dict[str, str] = {}


class _Good(Struct, frozen=True):
    """The last text that was accepted, and its tree."""

    text: str
    tree: dict[str, Any]


def load(home: Home, env: Mapping[str, str]) -> Loaded:
    """Load the configuration of a home. Raises ConfigError with file, line and nearest key."""
    text = _read(home.config)
    tree: dict[str, Any] = {}
    if text is not None:
        tree = _tree(home, text)
    config = check(tree, text or "", home.config)
    sources = {f"{s}.{key}": home.config.name for s, below in tree.items() for key in below}
    given = _given(env)
    sources |= {f"model.{field}": name for name, field in ENVIRONMENT.items() if field in given}
    return Loaded(config=overlay(config, env), sources=sources)


def overlay(config: Config, env: Mapping[str, str]) -> Config:
    """A configuration with the overrides of an environment."""
    given = _given(env)
    if not given:
        return config
    model = config.model
    # an address given for this run means: ask there, even if the file says embedded
    provider = "auto" if "base_url" in given and model.provider == "embedded" else model.provider
    fields = {**msgspec.structs.asdict(model), **given, "provider": provider}
    try:
        return msgspec.structs.replace(config, model=msgspec.convert(fields, ModelConfig))
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"HERMES_TUI_BASE_URL is not an address: {given.get('base_url')!r}",
            "it reads like http://127.0.0.1:11434/v1",
        ) from error


def check(tree: dict[str, Any], text: str, path: Path) -> Config:
    """The configuration a tree describes. Raises ConfigError for the first thing wrong."""
    try:
        return msgspec.convert(tree, Config)
    except msgspec.ValidationError:
        from hermes_tui.configuration.blame import explain

        raise explain(tree, text, path) from None


def accept(home: Home, text: str, tree: dict[str, Any]) -> None:
    """Remember a text as good, because a person wrote it on purpose."""
    from hermes_tui.configuration import files

    data = msgspec.json.encode(_Good(text, tree)).decode()
    with contextlib.suppress(OSError):  # a read-only home has no memory, and works
        files.write(_good_path(home), data)


def refuse_cut(home: Home, text: str, config: Config) -> None:
    """Raise ConfigError when the text is the last good one cut short, and loosens the policy."""
    good = _remembered(home)
    if good is None or good.text == text or not good.text.startswith(text):
        return
    with contextlib.suppress(msgspec.ValidationError):
        if not weaker(config, msgspec.convert(good.tree, Config)):
            return
        line = text.count("\n") + 1
        raise ConfigError(
            f"{home.config}:{line}: the file ends here, but was longer when last read, "
            "and what is missing would loosen the policy",
            "put the missing lines back; if you removed them on purpose, "
            "run `hermes config edit` and save",
        )


def weaker(new: Config, old: Config) -> bool:
    """Whether a configuration allows anything without asking that the old one did not."""
    return (
        _MODES.index(new.agent.mode) > _MODES.index(old.agent.mode)
        or _looser(new.policy, old.policy)
        or _wider(new.sandbox, old.sandbox)
    )


def _looser(new: PolicyConfig, old: PolicyConfig) -> bool:
    return not set(old.deny) <= set(new.deny) or not set(new.allow) <= set(old.allow)


def _wider(new: SandboxConfig, old: SandboxConfig) -> bool:
    """Whether commands could do more: `full` has no sandbox to hold what a person approves."""
    return (
        _PROFILES.index(new.profile) > _PROFILES.index(old.profile)
        or new.level < old.level
        or (new.ssh_agent and not old.ssh_agent)
        or any(
            not set(getattr(new, name)) <= set(getattr(old, name))
            for name in ("read", "write", "env")
        )
    )


def _read(path: Path) -> str | None:
    if not path.exists() and not path.is_symlink():
        return None
    from hermes_tui.configuration import yaml_file

    return yaml_file.read(path)


def _tree(home: Home, text: str) -> dict[str, Any]:
    good = _remembered(home)
    if good is not None and good.text == text:
        return good.tree
    from hermes_tui.configuration import yaml_file

    tree = yaml_file.parse(text, home.config)
    refuse_cut(home, text, check(tree, text, home.config))
    accept(home, text, tree)
    return tree


def _good_path(home: Home) -> Path:
    return home.path / "config.good.json"


def _remembered(home: Home) -> _Good | None:
    try:
        return msgspec.json.decode(_good_path(home).read_bytes(), type=_Good)
    except (OSError, msgspec.MsgspecError):
        return None


def _given(env: Mapping[str, str]) -> dict[str, str]:
    return {field: env[name] for name, field in ENVIRONMENT.items() if env.get(name)}
