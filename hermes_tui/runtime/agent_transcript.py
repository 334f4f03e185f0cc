"""The session of a subagent as a short text, for a pane that looks in while it works."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hermes_tui.events import (
    ApprovalAsked,
    InputTaken,
    ModelFailed,
    Record,
    ReplyReceived,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)

_MARKS = {"ok": "✔", "stopped": "■"}


def transcript(records: Sequence[Record], partial: str, limit: int) -> str:
    """What it has said and done, the last `limit` characters from the start of a line."""
    lines = [line for record in records for line in _lines(record)]
    if partial:
        lines.append(partial)
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    return "…\n" + text[-limit:].partition("\n")[2]


def _lines(record: Record) -> Iterable[str]:
    match record.event:
        case InputTaken(turn=turn) if turn > 1:
            yield "▌ told something more"
        case ReplyReceived(text=text) if text.strip():
            yield text.strip()
        case ToolStarted(tool=tool, summary=summary):
            yield f"  → {tool} {summary}"
        case ToolEnded(tool=tool, status=status, seconds=seconds):
            yield f"  {_MARKS.get(status, '✘')} {tool} {status} · {seconds:.1f} s"
        case ApprovalAsked(title=title, reason=reason):
            yield f"  ⚠ waits for you: {title} ({reason})"
        case ModelFailed(message=message):
            yield f"  ✘ {message}"
        case TurnEnded(outcome=outcome, error=error):
            yield f"[{outcome}{f': {error}' if error else ''}]"
        case _:
            return
