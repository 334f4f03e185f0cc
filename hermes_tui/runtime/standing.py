"""Where a face stands: its folder, a whitelist of its environment and the size of its terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_tui.intents import Standing

NAMES = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "SSH_AUTH_SOCK",
        "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "TMPDIR",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "DBUS_SESSION_BUS_ADDRESS",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "PYENV_ROOT",
        "NVM_DIR",
        "GOPATH",
        "CARGO_HOME",
        "JAVA_HOME",
    ]
)
"""What tools see of a person's environment. Keys and tokens are never on this list."""


def chosen(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that travels with a session."""
    return {
        name: value
        for name, value in environment.items()
        if name in NAMES or name.startswith("LC_")
    }


def plain() -> dict[str, Any]:
    """Where this process stands, as the wire writes it; needs nothing but the standard library."""
    columns, rows = _size()
    return {"cwd": folder(), "env": chosen(os.environ), "columns": columns, "rows": rows}


def here() -> Standing:
    """Where this process stands."""
    from hermes_tui.intents import Standing

    return Standing(**plain())


def folder() -> str:
    """The working folder as the shell names it; home when the folder is gone."""
    try:
        real = os.getcwd()
    except FileNotFoundError:
        return os.path.expanduser("~")
    named = os.environ.get("PWD", "")
    same = os.path.isabs(named) and os.path.realpath(named) == real
    return named if same else real


def _size() -> tuple[int, int]:
    for fd in (1, 2, 0):
        try:
            size = os.get_terminal_size(fd)
        except OSError:
            continue
        return size.columns, size.lines
    return 0, 0
