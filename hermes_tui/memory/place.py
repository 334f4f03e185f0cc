"""Where something is said, and what may be known there: person, project folder, chat."""

from __future__ import annotations

import os

import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import KINDS, Fact, Kind, Scope


class Place(Struct, frozen=True, kw_only=True):
    """Where a session takes place.

    person: who talks, empty for the owner of this home; folder: the project's; chat: id of a
    chat elsewhere; group: others read along, so nothing of one person alone may come up.
    """

    person: str = ""
    folder: str = ""
    chat: str = ""
    group: bool = False


def project_of(cwd: str) -> str:
    """The project folder of a working folder: the nearest one above with a `.git`, or itself."""
    folder = os.path.realpath(cwd) if cwd else ""
    at = folder
    while at and at != os.path.dirname(at):
        if os.path.exists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    return folder


def visible(fact: Fact, place: Place) -> bool:
    """Whether a statement may be used in a place."""
    match fact.scope:
        case "everyone":
            return True
        case "chat":
            return bool(fact.place) and fact.place == place.chat
        case "folder":
            own = fact.person == place.person and not place.group
            return own and inside(place.folder, fact.place)
        case "person":
            return fact.person == place.person and not place.group


def inside(folder: str, top: str) -> bool:
    """Whether a folder is another one or lies in it."""
    return bool(top) and (folder == top or folder.startswith(top.rstrip(os.sep) + os.sep))


def placed(fact: Fact, scope: str, place: Place, where: str = "") -> Fact:
    """A statement with the scope that was asked for; empty: the one that fits the place.

    where: another folder or chat than the place's own. Raises HermesError for one that can't be.
    """
    named = scope or ("chat" if place.group else "person")
    if named == "everyone" and (place.person or place.group):
        raise HermesError(
            "only the owner of this home, alone, can have something remembered for everyone",
            "scopes that can be used here: person, chat",
        )
    found = {"folder": where or place.folder, "chat": where or place.chat}.get(named, "")
    if named in ("folder", "chat") and not found:
        raise HermesError(f"there is no {named} here that it could be kept for", "name one")
    return msgspec.structs.replace(fact, scope=scope_named(named), place=found, person=place.person)


def scope_named(text: str) -> Scope:
    """The scope of a name. Raises HermesError."""
    match text:
        case "person" | "folder" | "chat" | "everyone":
            return text
        case _:
            raise HermesError(
                f"there is no scope {text!r}", "scopes: person, folder, chat, everyone"
            )


def kind_named(text: str) -> Kind:
    """The kind of a name. Raises HermesError."""
    for kind in KINDS:
        if kind == text:
            return kind
    raise HermesError(f"there is no kind {text!r}", f"kinds: {', '.join(KINDS)}")
