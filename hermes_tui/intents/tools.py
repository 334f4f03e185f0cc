"""Tools from outside a conversation: call one, under the same policy."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.intents.base import Intent, Standing


class ToolCalled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a call of a tool came out.

    status: `ok`, `error` (the tool failed), `denied` (the policy refused it), `needs-approval`
    (a person would have been asked; it was not run) or `misused` (no such tool, bad arguments).
    decision, reason: what the policy said. output: what a model would read; details: what a
    screen would show.
    """

    tool: str
    status: Literal["ok", "error", "denied", "needs-approval", "misused"]
    decision: str = ""
    reason: str = ""
    output: str = ""
    details: dict[str, Any] = {}
    seconds: float = 0.0
    output_path: str = ""
    output_bytes: int = 0
    audit: str = ""


class CallTool(Intent[ToolCalled], frozen=True, kw_only=True):
    """Run one tool as the loop would, with nobody there to approve it. arguments: as JSON."""

    reply: ClassVar[Any] = ToolCalled
    tool: str
    arguments: str = "{}"
    standing: Standing = Standing()
