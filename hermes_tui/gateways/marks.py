"""What a gateway keeps of how far it came: when it first began, where it has heard something."""

from __future__ import annotations

import json
import time

from hermes_tui.gateways.base import Desk

_SINCE, _PLACES = "since", "places"
_BEFORE_S = 600.0
_MOST_PLACES = 200


async def counts_from(desk: Desk) -> float:
    """From when on messages count, in Unix seconds: from shortly before the first start."""
    known = await desk.mark(_SINCE)
    if not known:
        known = f"{time.time() - _BEFORE_S:.6f}"
        await desk.keep_mark(known, _SINCE)
    return float(known)


async def places(desk: Desk) -> list[str]:
    """Channels and threads in which something was heard, the newest of them last."""
    kept = await desk.mark(_PLACES)
    found: list[str] = json.loads(kept) if kept else []
    return found


async def add_place(desk: Desk, place: str) -> None:
    """Something was heard in a channel or thread for the first time."""
    await desk.keep_mark(json.dumps([*await places(desk), place][-_MOST_PLACES:]), _PLACES)
