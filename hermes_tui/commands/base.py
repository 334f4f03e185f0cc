"""What one action of a person is."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Surface = Literal["ui", "plain", "cli", "chat"]


class Command(Struct, frozen=True, kw_only=True):
    """One action.

    id: what key bindings name; slash: what is typed after `/`, empty for none; args: how its
    arguments read in help; keys: default keys, `ctrl+x n` is n after the leader; by: `face` when
    the face does it itself, `core` when the core answers with text (`RunCommand`); surfaces:
    where it exists.
    """

    id: str
    title: str
    help: str
    slash: str = ""
    args: str = ""
    keys: tuple[str, ...] = ()
    by: Literal["face", "core"] = "face"
    surfaces: tuple[Surface, ...] = ("ui", "plain")


UI: tuple[Surface, ...] = ("ui",)
CORE: tuple[Surface, ...] = ("ui", "plain", "cli")
TALK: tuple[Surface, ...] = ("ui", "plain", "chat")
