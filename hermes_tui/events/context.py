"""What of the conversation the model no longer sees in full; the record itself never changes."""

from __future__ import annotations

from hermes_tui.events.base import Event, Usage


class ResultsMasked(Event, frozen=True, kw_only=True):
    """From here on the model sees a line instead of these calls' results."""

    turn: int
    call_ids: tuple[str, ...] = ()


class Compacted(Event, frozen=True, kw_only=True):
    """From here on the model sees a digest instead of a stretch of the conversation.

    start, end: the stretch, as places in the list of all messages. turns: the first and the last
    it touches. said: what the person said in it, word for word; done: a line for each turn;
    found: what its results held; digest: a model's summary of it. retired: so many of the oldest
    stretches are shown without their digest and findings from now on. before, after: bytes of
    the conversation as the model sees it. focus: what the person asked to keep in mind.
    """

    turn: int
    start: int
    end: int
    turns: tuple[int, int] = (0, 0)
    said: str = ""
    done: str = ""
    found: str = ""
    digest: str = ""
    retired: int = 0
    before: int = 0
    after: int = 0
    model: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    focus: str = ""
