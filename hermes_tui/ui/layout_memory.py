"""How a person left the panes: widths for each shape of screen, what was shown; in `ui.json`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from hermes_tui.ui.layout import RAIL, Wanted


class Split(Struct, frozen=True, omit_defaults=True):
    """rail: columns; chat: its share of the room beside the rail in thousandths, 0: as designed."""

    rail: int = RAIL
    chat: int = 0


class Remembered(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All of it. splits: by the shape of the screen; folded: headings of the rail."""

    splits: dict[str, Split] = {}
    pane: Literal["trace", "memory", "skills", "agents"] = "trace"
    rail: bool = True
    inspector: bool = True
    zoomed: bool = False
    folded: tuple[str, ...] = ()

    def of(self, shape: str) -> Split:
        """The widths for a shape of screen."""
        return self.splits.get(shape, Split())

    def with_split(self, shape: str, split: Split) -> Remembered:
        """The same with other widths for one shape."""
        return msgspec.structs.replace(self, splits={**self.splits, shape: split})

    def with_choices(self, wanted: Wanted) -> Remembered:
        """The same with what is shown now. A zoomed chat is remembered, another pane is not:
        a screen always begins with its prompt.
        """
        return msgspec.structs.replace(
            self,
            pane=wanted.pane if wanted.pane != "chat" else "trace",
            rail=wanted.rail,
            inspector=wanted.inspector,
            zoomed=wanted.zoomed and wanted.shown == "chat",
        )


def load(path: Path) -> Remembered:
    """What was kept; a file that is missing or broken says nothing."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Remembered)
    except (OSError, msgspec.DecodeError):
        return Remembered()


def save(path: Path, remembered: Remembered) -> None:
    """Keep it, whole or not at all. Raises OSError."""
    handle, name = tempfile.mkstemp(prefix=".ui-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(remembered))
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
