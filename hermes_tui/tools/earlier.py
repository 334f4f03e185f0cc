"""Reading again what has left the view: nothing of a conversation is ever out of reach."""

from __future__ import annotations

from hermes_tui.tools.base import Context, ToolResult, tool


@tool(repeatable=True, words="earlier past before again old output result left out shortened said")
async def read_earlier(
    *, call: str = "", turn: int = -1, find: str = "", offset: int = 0, ctx: Context
) -> ToolResult:
    """Read again what was said or returned earlier in this conversation, exactly as it was.

    call: id of the call whose result is wanted.
    turn: number of the turn to show whole; 0 is what was there before the first.
    find: show only the places where this text stands, in all turns when none is named.
    offset: characters to skip.
    """
    text = ctx.earlier(turn, call, find)
    room = ctx.window_chars - 200
    shown = text[offset : offset + room]
    left = len(text) - offset - len(shown)
    more = f"\n[{left:,} characters more: offset={offset + len(shown)}]" if left > 0 else ""
    return ToolResult(for_model=shown + more, details={"characters": len(text)})
