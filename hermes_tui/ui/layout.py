"""Which parts of the screen are shown, and how wide: one pure function of the terminal's size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pane = Literal["chat", "trace", "memory", "skills", "agents"]
PANES: tuple[Pane, ...] = ("chat", "trace", "memory", "skills", "agents")
Shape = Literal["wide", "medium", "narrow"]

RAIL, RAIL_LEAST = 29, 18
CHAT_LEAST, SIDE_LEAST = 40, 24
WIDE, MEDIUM = 160, 100
_MARGIN = 6
"""Columns a chat line needs beside its text: block margins, the rule and the scrollbar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the person chose. pane: the inspector's (or, on narrow screens, the shown) pane.

    rail_width: columns; share: the chat's part of the room beside the rail in thousandths, 0 for
    the designed one.
    """

    pane: Pane = "trace"
    shown: Pane = "chat"
    rail: bool = True
    rail_over: bool = False
    inspector: bool = True
    zoomed: bool = False
    chat_width: int = 100
    rail_width: int = RAIL
    share: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where everything goes. Widths in columns, 0 for not shown.

    rail_over: the rail lies over the chat instead of beside it; side: the inspector's pane.
    """

    shape: Shape
    chat: int = 0
    rail: int = 0
    rail_over: bool = False
    inspector: int = 0
    side: Pane = "trace"
    title: bool = True
    tabs: bool = False
    hints: bool = True


def shape_of(columns: int) -> Shape:
    """The shape of a screen of so many columns."""
    if columns >= WIDE:
        return "wide"
    return "medium" if columns >= MEDIUM else "narrow"


def arrange(columns: int, rows: int, wanted: Wanted) -> Layout:
    """Lay the screen out."""
    shape = shape_of(columns)
    side: Pane = wanted.pane if wanted.pane != "chat" else "trace"
    hints, title = rows >= 24, rows >= 18
    if shape == "narrow":
        return _narrow(columns, wanted, title, hints)
    if wanted.zoomed:
        chat = columns if wanted.shown == "chat" else 0
        return Layout(
            shape=shape,
            chat=chat,
            inspector=columns - chat,
            side=side,
            title=title,
            hints=hints,
        )
    rail = max(RAIL_LEAST, min(wanted.rail_width, columns // 3))
    beside = rail if shape == "wide" and wanted.rail else 0
    chat = _chat(columns - beside, shape, wanted)
    return Layout(
        shape=shape,
        chat=chat,
        rail=beside or (rail if wanted.rail_over and shape == "medium" else 0),
        rail_over=shape == "medium",
        inspector=columns - beside - chat,
        side=side,
        title=title,
        hints=hints,
    )


def _chat(columns: int, shape: Shape, wanted: Wanted) -> int:
    if not wanted.inspector:
        return columns
    if wanted.share:
        return max(CHAT_LEAST, min(columns * wanted.share // 1000, columns - SIDE_LEAST))
    if shape == "medium":
        return columns * 60 // 100
    return min(wanted.chat_width + _MARGIN, columns * 60 // 100)


def _narrow(columns: int, wanted: Wanted, title: bool, hints: bool) -> Layout:
    chat = columns if wanted.shown == "chat" else 0
    return Layout(
        shape="narrow",
        chat=chat,
        inspector=columns - chat,
        side=wanted.shown if wanted.shown != "chat" else "trace",
        title=False,
        tabs=title,
        hints=hints,
    )
