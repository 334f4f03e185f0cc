"""Since when each open question about a call waits, also when a new core has asked it anew."""

from __future__ import annotations

import time

from hermes_tui.events import ApprovalAnswered, ApprovalAsked, Event, TurnEnded

_About = tuple[str, str, str]
HOUR_S = 3600.0


class OpenAsks:
    """Feed it every event of a session in order, with its time."""

    def __init__(self) -> None:
        self._since: dict[_About, float] = {}
        self._asks: dict[str, _About] = {}

    def apply(self, event: Event, at: float) -> None:
        """Take one event in; at: when it happened, in Unix seconds."""
        match event:
            case ApprovalAsked() if not event.until:
                self._asks[event.ask_id] = _about(event)
                self._since.setdefault(_about(event), at)
            case ApprovalAnswered():
                about = self._asks.pop(event.ask_id, None)
                if about is not None and event.verdict != "expired":
                    self._since.pop(about, None)
            case TurnEnded():
                self._since.clear()
                self._asks.clear()
            case _:
                return

    def left(self, asked: ApprovalAsked, limit_s: float) -> float:
        """Seconds until a question has waited for so long."""
        now = time.time()
        return self._since.get(_about(asked), now) + limit_s - now


def _about(asked: ApprovalAsked) -> _About:
    return asked.call_id, asked.tool, asked.title


def unanswered(asked: ApprovalAsked, hours: float) -> ApprovalAnswered:
    """What stands for the answer when none came."""
    count = f"{hours:g} hours" if hours != 1 else "an hour"
    reason = f"nobody answered within {count}"
    return ApprovalAnswered(ask_id=asked.ask_id, verdict="expired", reason=reason)
