"""Find skills and read them: instructions for certain tasks, taken in only when they are needed."""

from __future__ import annotations

from typing import Any

from hermes_tui.security.policy import Action
from hermes_tui.skills.offering import Offer
from hermes_tui.tools.base import Context, ToolResult, tool

_LIMIT = 8
_SHOWN = 240


def _reads(arguments: dict[str, Any], cwd: str) -> Action:
    title = "/".join(str(arguments[one]) for one in ("name", "part") if arguments.get(one))
    return Action(tool="use_skill", kind="read", title=title)


@tool(describe=_reads, repeatable=True, words="skill instructions how to guide procedure playbook")
async def use_skill(name: str, *, part: str = "", ctx: Context) -> ToolResult:
    """Read a skill before a task it fits, then follow it.

    name: as the list or find_skills gives it.
    part: a file of the skill, such as `references/api.md`.
    """
    loaded = await ctx.skills.load(name, part)
    details = {"skill": name, "version": loaded.version, "part": part, "again": loaded.again}
    return ToolResult(for_model=loaded.text, details=details, untrusted=loaded.untrusted)


@tool(repeatable=True, words="skill search instructions how to guide procedure playbook recipe")
async def find_skills(need: str, *, ctx: Context) -> ToolResult:
    """Find skills: instructions for certain kinds of task, to be read with use_skill.

    need: the task in plain words; empty lists all names.
    """
    if not need.strip():
        names = ctx.skills.names()
        return ToolResult(for_model=", ".join(names) or "none", details={"skills": len(names)})
    offers: list[Offer] = await ctx.skills.find(need, _LIMIT)
    text = "\n".join(_line(one) for one in offers) or f"no skill fits {need!r}"
    return ToolResult(for_model=text, details={"found": [one.name for one in offers]})


def _line(one: Offer) -> str:
    about = " ".join(one.description.split())
    about = about if len(about) <= _SHOWN else about[: _SHOWN - 1] + "…"
    outside = " (from outside, not reviewed)" if one.origin in ("project", "shared") else ""
    return f"- {one.name}{outside}: {about}"
