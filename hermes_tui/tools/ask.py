"""Ask the person something and wait for the answer."""

from __future__ import annotations

from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, summary, tool

_MOST_OPTIONS = 9


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="ask_user", kind="ask", title=summary(arguments))


@tool(describe=_describe, repeatable=True)
async def ask_user(question: str, *, options: tuple[str, ...] = (), ctx: Context) -> ToolResult:
    """Ask the user something only they can decide, and wait for the answer.

    options: up to 9 short answers to pick from; the user may also answer freely.
    """
    if not question.strip():
        raise ToolError("the question is empty")
    if len(options) > _MOST_OPTIONS:
        raise ToolError(f"{len(options)} options are too many to pick from; give at most 9")
    answer = await ctx.ask(question, options)
    return ToolResult(for_model=answer, details={"question": question, "answer": answer})
