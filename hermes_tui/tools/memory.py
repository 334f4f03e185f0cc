"""Remember, forget, and ask what is known of the person."""

from __future__ import annotations

from typing import Any, Literal

from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, summary, tool

Kind = Literal[
    "", "fact", "about", "preference", "instruction", "pattern", "expertise", "relation", "project"
]
Scope = Literal["", "person", "folder", "everyone"]


def _remembers(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="remember", kind="state", title=summary(arguments))


def _forgets(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="forget", kind="state", title=summary(arguments))


@tool(
    describe=_remembers,
    repeatable=True,
    words="note keep memorize save preference fact correct update profile learn about me",
)
async def remember(
    text: str, *, kind: Kind = "", scope: Scope = "", replaces: str = "", ctx: Context
) -> ToolResult:
    """Keep one lasting statement about the user or their world, for all later sessions.

    Only what will still matter in weeks: preferences, standing instructions, corrections, facts
    that were hard to find. Not tasks, not passing states.

    text: one sentence that stands alone, such as "The user deploys on Fridays".
    scope: `folder` when it holds for this project only.
    replaces: id such as m12 of a statement it corrects.
    """
    said, batch = await ctx.memory.remember(text, kind, scope, replaces)
    return ToolResult(for_model=said, details={"said": said, "batch": batch})


@tool(describe=_forgets, words="delete remove memory wrong outdated")
async def forget(which: str, *, ctx: Context) -> ToolResult:
    """Forget a remembered statement that the user disowns or that proved wrong.

    which: its id such as m12, or its exact text.
    """
    said, batch = await ctx.memory.forget(which)
    return ToolResult(for_model=said, details={"said": said, "batch": batch})


@tool(repeatable=True, words="profile who preferences habits memory recall what do you know")
async def ask_user_model(question: str, *, ctx: Context) -> ToolResult:
    """Ask what is known about the user or was noted earlier: an answer with sources, or not known.

    question: in plain words, such as "Which editor do they use?"
    """
    said = await ctx.memory.ask(question)
    text = said or "Not known: nothing noted answers that. Search the sessions, or ask the user."
    return ToolResult(for_model=text, details={"known": bool(said)})
