"""Work that goes on in a session of its own, as the session it was begun in tells of it."""

from __future__ import annotations

from typing import Literal

from hermes_tui.events.base import Event, Usage

Aim = Literal["delegate", "bg"]
"""Who began it: the agent, for itself, or the person with `/bg`."""
Ending = Literal["done", "failed", "stopped", "timeout", "limit"]


class Delegated(Event, frozen=True, kw_only=True):
    """In a subagent's own session: who began it and what it may do.

    parent: the session that began it; account: the one it spends for; tools: all it may use;
    rounds: tool rounds of one turn. taint, said, found: what the other session had read and been
    told by then, so that the policy decides alike in both.
    """

    subagent: str
    parent: str
    account: str = ""
    depth: int = 1
    tools: tuple[str, ...] = ()
    rounds: int = 1
    taint: str = ""
    said: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


class SubagentStarted(Event, frozen=True, kw_only=True):
    """Work was begun in a session of its own. call_id: of the call that began it, if one did."""

    subagent: str
    session: str
    goal: str
    aim: Aim = "delegate"
    call_id: str = ""
    turn: int = 0


class SubagentEnded(Event, frozen=True, kw_only=True):
    """The one end of that work. text: its report, or what there was of it by then.

    why: what ended it, empty when it is done; steps: requests to the model; untrusted: where text
    came from that it had read; path: file with the whole report when it is longer than `text`.
    """

    subagent: str
    session: str
    goal: str
    aim: Aim = "delegate"
    call_id: str = ""
    state: Ending = "done"
    text: str = ""
    why: str = ""
    steps: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    untrusted: str = ""
    path: str = ""


class AsideAnswered(Event, frozen=True, kw_only=True):
    """A question beside the conversation was answered (`/btw`); the model hears nothing of it."""

    question: str
    text: str = ""
    error: str = ""
    usage: Usage = Usage()
