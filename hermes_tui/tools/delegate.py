"""Give work to subagents, and look after them."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, tool


class Wanted(Struct, frozen=True, kw_only=True):
    """What a call wants begun. tools: all that each may use, none for those it can have."""

    call_id: str
    goals: tuple[str, ...]
    context: str = ""
    tools: tuple[str, ...] = ()


def _delegates(arguments: dict[str, Any], cwd: str) -> Action:
    goals = arguments["goals"]
    first = " ".join(goals[0].split())[:100] if goals else ""
    title = first if len(goals) < 2 else f"{len(goals)} subagents: {first}"
    return Action(tool="delegate", kind="state", title=title)


def _looks_after(arguments: dict[str, Any], cwd: str) -> Action:
    title = f"{arguments['action']} {arguments['id']}".strip()
    return Action(tool="subagents", kind="state", title=title)


@tool(
    describe=_delegates,
    repeatable=True,
    words="subagent helper parallel worker background at once split research task agents",
)
async def delegate(
    goals: tuple[str, ...],
    *,
    context: str = "",
    tools: tuple[str, ...] = (),
    wait: bool = False,
    ctx: Context,
) -> ToolResult:
    """Give work to subagents, one for each goal; they work at once, each with a clean context.

    A subagent sees its goal and your context, nothing of this conversation. They work in the
    background: go on with something else or end your turn; you are told when all have ended.

    goals: what each is to do, whole and clear in itself.
    context: what all of them need to know: paths, constraints, what was found so far.
    tools: names of the only tools they may use; none for all of yours.
    wait: wait here for their reports instead.
    """
    wait = wait or ctx.subagents.waits
    wanted = Wanted(call_id=ctx.call_id, goals=goals, context=context, tools=tools)
    begun = await ctx.subagents.begin(wanted, ctx.tool_names(), wait)
    if wait:
        return _reported(ctx, await ctx.subagents.wait(ctx.call_id, own=True))
    lines = [f"- {row.id}: {' '.join(row.goal.split())[:120]}" for row in begun]
    text = "These work now; you are told when all have ended, don't ask for it:"
    details = {"subagents": [row.id for row in begun]}
    return ToolResult(for_model="\n".join([text, *lines]), details=details)


@tool(describe=_looks_after, repeatable=True, words="subagent list wait stop cancel steer message")
async def subagents(
    action: Literal["list", "wait", "stop", "steer"],
    *,
    id: str = "",
    text: str = "",
    ctx: Context,
) -> ToolResult:
    """List your subagents, wait for one and those begun with it, stop one, or tell it more.

    id: of the subagent.
    text: what to tell it, for steer.
    """
    mine = await ctx.subagents.list()
    if action == "list":
        lines = [f"- {one.id} {one.state}: {' '.join(one.goal.split())[:120]}" for one in mine]
        return ToolResult(for_model="\n".join(lines) or "You have no subagents.")
    one = next((row for row in mine if row.id == id), None)
    if one is None:
        raise ToolError(f"you have no subagent {id!r}; `list` shows them")
    if action == "wait":
        return _reported(ctx, await ctx.subagents.wait(one.call_id))
    if action == "stop":
        await ctx.subagents.stop(id)
        return ToolResult(for_model=f"{id} is stopped; its report so far comes as a message")
    if not text.strip():
        raise ToolError("there is nothing to tell it")
    await ctx.subagents.steer(id, text)
    return ToolResult(for_model=f"{id} is told")


def _reported(ctx: Context, ended: list[Any]) -> ToolResult:
    tainted = next((row.untrusted for row in ended if row.untrusted), "")
    return ToolResult(
        for_model=ctx.subagents.report_of(ended),
        details={"subagents": [row.id for row in ended]},
        failed=bool(ended) and all(row.state == "failed" for row in ended),
        untrusted=tainted,
    )
