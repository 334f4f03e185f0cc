"""The agent's to-do list, which the person sees too."""

from __future__ import annotations

from typing import Any

from hermes_tui.events import TodoItem
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, tool

_MARKS = {"open": "[ ]", "doing": "[>]", "done": "[x]"}


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="todo", kind="state", title=f"{len(arguments['items'])} to-do items")


@tool(describe=_describe, repeatable=True)
async def todo(items: list[TodoItem], *, ctx: Context) -> ToolResult:
    """Replace your to-do list, which the user sees. Use it for work of 3 steps or more.

    items: the whole list in order; keep one item `doing`.
    """
    await ctx.set_todo(tuple(items))
    lines = [f"{_MARKS[item.state]} {item.text}" for item in items]
    done = sum(item.state == "done" for item in items)
    return ToolResult(
        for_model="\n".join(lines) or "the list is empty",
        details={"items": len(items), "done": done},
    )
