"""Propose a skill, or a new text for one: it waits for the person, who sees what would change."""

from __future__ import annotations

from typing import Any

from hermes_tui.security.policy import Action
from hermes_tui.skills.skill import FILE
from hermes_tui.tools.base import Context, ToolResult, tool


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="propose_skill", kind="state", title=str(arguments.get("name", "")))


@tool(describe=_describe, words="skill write learn keep procedure save create teach lesson edit")
async def propose_skill(name: str, text: str, reason: str, *, ctx: Context) -> ToolResult:
    """Propose a skill for the user to accept, so that a way of working is at hand next time.

    name: a-z, 0-9 and single hyphens; of an existing skill to change it.
    text: the whole SKILL.md, front matter with name and description first.
    reason: one sentence: why it will be needed again.
    """
    made = await ctx.skills.propose(name, text, reason)
    if made.version is not None:
        said = f"{FILE} of {made.version.name} is version {made.version.n} now"
        return ToolResult(for_model=said, details={"skill": made.version.name})
    like = f"; it repeats {made.like}, so it is a change to that one" if made.like else ""
    said = f"proposed; it counts when the user accepts it{like}"
    return ToolResult(for_model=said, details={"skill": name, "like": made.like})
