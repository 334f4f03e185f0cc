"""What faces say when a conversation was shortened: the same words everywhere."""

from __future__ import annotations

from hermes_tui.events import Compacted, ResultsMasked


def shortened(event: Compacted | ResultsMasked) -> str:
    """One sentence about what the model no longer sees in full."""
    if isinstance(event, ResultsMasked):
        count = len(event.call_ids)
        things = "one old result stands" if count == 1 else f"{count} old results stand"
        return f"{things} aside to make room; the agent can read them again"
    first, last = event.turns
    turns = f"turn {first}" if first == last else f"turns {first} to {last}"
    return (
        f"{turns} shortened for the model, {_size(event.before)} to {_size(event.after)};"
        " your words are kept, and all of it can be read again"
    )


def _size(count: int) -> str:
    return f"{count / 1000:,.0f} kB" if count >= 1000 else f"{count} B"
