"""What faces say when a conversation was shortened or held against the record: the same words."""

from __future__ import annotations

from hermes_tui.events import ClaimsChecked, Compacted, ResultsMasked


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


def evidence(event: ClaimsChecked) -> tuple[str, str]:
    """(the line, its level) about what an answer says was done."""
    bare = [one.text for one in event.claims if not one.calls]
    matched = len(event.claims) - len(bare)
    if not bare:
        if matched == 1:
            return "✔ evidence: what it says was done is in the record", "info"
        return f"✔ evidence: all {matched} things it says were done are in the record", "info"
    told = "; ".join(f"“{one}”" for one in bare)
    return f"no matching action: {told}", "warning"
