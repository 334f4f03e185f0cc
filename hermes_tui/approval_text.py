"""What an approval must not hide, and what of it can be edited, for every face."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from hermes_tui.events import ApprovalAsked

# What does not show on a screen but changes what a command means or how it reads.
_HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]"
)
HEADER = re.compile(r"^--- ([^\t\n]*).*\n\+\+\+ ([^\t\n]*).*\n?", re.MULTILINE)


def revealed(text: str) -> str:
    """`text` with every invisible character named."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def files(ask: ApprovalAsked) -> list[str]:
    """The files a diff changes, as its headers name them."""
    if ask.detail_kind != "diff":
        return []
    return list(dict.fromkeys(file_of(found) for found in HEADER.finditer(ask.detail)))


def file_of(found: re.Match[str]) -> str:
    """The file a diff header is about: the new name, or the old one of a deleted file."""
    old, new = found[1], found[2]
    return old.removeprefix("a/") if new == "/dev/null" else new.removeprefix("b/")


def editable(ask: ApprovalAsked) -> str:
    """What `e` edits: the command itself where it is one argument, else the arguments."""
    arguments = _arguments(ask)
    name = _command(ask, arguments)
    if name:
        return str(arguments[name])
    return msgspec.json.format(msgspec.json.encode(arguments), indent=2).decode()


def edited(ask: ApprovalAsked, text: str) -> str:
    """The call's arguments as JSON after an edit; raises msgspec.DecodeError."""
    arguments = _arguments(ask)
    name = _command(ask, arguments)
    made = {**arguments, name: text} if name else msgspec.json.decode(text, type=dict[str, Any])
    return msgspec.json.encode(made).decode()


def _arguments(ask: ApprovalAsked) -> dict[str, Any]:
    try:
        return msgspec.json.decode(ask.arguments, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _command(ask: ApprovalAsked, arguments: dict[str, Any]) -> str:
    if ask.detail_kind != "command":
        return ""
    same = [name for name, value in arguments.items() if value == ask.detail]
    return "command" if "command" in arguments else next(iter(same), "")
