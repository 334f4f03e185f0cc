"""The call that is meant: `use_tool` only carries another tool's name and arguments."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from hermes_tui.events.base import ToolCall

CARRIER = "use_tool"


def meant(call: ToolCall) -> ToolCall:
    """The call itself, or the one it carries: same id, the real tool, its own arguments.

    Models forget to nest the arguments, or send them as a text of JSON; both are understood. A
    carrier that names no tool stays as it is.
    """
    if call.tool != CARRIER:
        return call
    try:
        sent = msgspec.json.decode(call.arguments or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        return call
    name = sent.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        return call
    carried = _carried(sent)
    if carried is None:
        return call
    return msgspec.structs.replace(call, tool=name.strip(), arguments=carried)


def _carried(sent: dict[str, Any]) -> str | None:
    """The arguments inside as JSON text; None when they can't be read."""
    inner = sent.get("arguments", sent)
    if inner is None or inner == "":
        return "{}"
    if isinstance(inner, str):
        try:
            inner = msgspec.json.decode(inner)
        except msgspec.MsgspecError:
            return None
    if not isinstance(inner, dict):
        return None
    return msgspec.json.encode(cast("dict[str, Any]", inner)).decode()
