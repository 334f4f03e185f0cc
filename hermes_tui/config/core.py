"""The screen and the core process."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class UiConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The full-screen UI."""

    theme: Annotated[
        str, doc("theme name; /theme lists them; auto: dark or light as the terminal is")
    ] = "auto"
    chat_width: Annotated[int, Meta(ge=40, le=400, description="widest chat text, in columns")] = (
        100
    )
    motion: Annotated[bool, doc("spinners and other movement")] = True
    mouse: Annotated[bool, doc("mouse clicks, scrolling and selection")] = True
    busy_enter: Annotated[
        Literal["steer", "queue"], doc("what Enter does while the agent works")
    ] = "steer"
    keys: Annotated[
        Literal["default", "emacs", "vim"],
        doc("how the prompt is edited; counts from the next screen on"),
    ] = "default"
    pictures: Annotated[
        bool, doc("draw images in the chat where the terminal can; counts from the next screen on")
    ] = True
    timestamps: Annotated[bool, doc("show the time of every message")] = True
    notify: Annotated[
        Literal["auto", "bell", "off"],
        doc(
            "how to call you when a turn has ended or something waits and you look elsewhere: "
            "auto = a desktop notification where the terminal can, else the bell"
        ),
    ] = "auto"


class CoreConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The core process."""

    log_bytes: Annotated[int, Meta(ge=10_000, description="size at which core.log starts anew")] = (
        5_000_000
    )
    loaded_sessions: Annotated[int, Meta(ge=1, description="idle sessions kept in memory")] = 20
