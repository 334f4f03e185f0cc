"""Which files no tool may read because they hold secrets, and which ones make programs run code.

The same names count for commands (`risk_paths`) and for what the sandbox masks (`grants_names`).
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from hermes_tui.security import risk_paths
from hermes_tui.security.grants_names import holds_secret, is_frozen_folder, sort_of_file
from hermes_tui.security.risk_paths import Places

# Settings files that may have a token in them: what is inside decides.
_SETTINGS = re.compile(
    r"(?:\.npmrc|\.pypirc|\.yarnrc(?:\.yml)?|pip\.conf|auth\.json|\.terraformrc)\Z", re.IGNORECASE
)
_HOME = re.compile(r"/root|/(?:home|Users)/[^/]+(?:/\.config(?:/[^/]+)?|/\.pip)?")
_FOLDERS = tuple(f"/{one}/" for one in risk_paths._SECRET_FOLDERS)
_PUBLIC = (risk_paths._NOT_SECRET, risk_paths._NOT_KEYS)
_NOWHERE = "/\N{REPLACEMENT CHARACTER}"


def secret(real: str) -> str:
    """Why a file must not be read by a tool, in words; empty when it may be. Reads settings files.

    real: the real absolute path.
    """
    name = os.path.basename(real)
    if any(one.match(real) for one in _PUBLIC):
        return ""
    if any(one in f"{real}/" for one in _FOLDERS):
        return f"{real} is where secrets are kept"
    if _SETTINGS.match(name) and not _in_a_home(real) and os.path.exists(real):
        return f"{real} has a password or token in it" if holds_secret(real) else ""
    if sort_of_file(name) == "secret" or _places(os.path.expanduser("~")).secret(real):
        return f"{real} holds secrets"
    return ""


def trap(real: str, workspace: str) -> str:
    """Why writing a file asks also where files may be written freely; empty when it does not.

    Hooks, editor tasks, start files of shells and instructions for agents are followed later by
    programs that ask nobody.
    """
    name = os.path.basename(real)
    below = os.path.relpath(real, os.path.realpath(workspace)) if workspace else real
    folders = below.split(os.sep)[:-1]
    if sort_of_file(name) == "frozen":
        return f"{name} tells agents or shells what to do"
    if folder := next((one for one in folders if is_frozen_folder(one)), ""):
        return f"programs take orders from what is in {folder}"
    if _places(os.path.expanduser("~")).starts_code(real):
        return "other programs run what is written there"
    return ""


def _in_a_home(real: str) -> bool:
    """Whether a file lies in somebody's home itself, where logins are kept."""
    folder = os.path.dirname(real)
    return folder == os.path.realpath(os.path.expanduser("~")) or bool(_HOME.fullmatch(folder))


@lru_cache(maxsize=4)
def _places(home: str) -> Places:
    return Places(_NOWHERE, home, _NOWHERE)
