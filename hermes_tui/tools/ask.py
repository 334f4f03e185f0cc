"""Ask the person something and wait for the answer: one question, choices, or a form."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, summary, tool

_MOST_OPTIONS = 9
_MOST_FIELDS = 12


class Field(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a form: what is asked, and what may be picked."""

    label: str
    options: tuple[str, ...] = ()


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="ask_user", kind="ask", title=summary(arguments))


@tool(describe=_describe, repeatable=True)
async def ask_user(
    question: str,
    *,
    options: tuple[str, ...] = (),
    fields: tuple[Field, ...] = (),
    ctx: Context,
) -> ToolResult:
    """Ask the user something only they can decide, and wait for the answer.

    options: up to 9 short answers to pick from; the user may also answer freely.
    fields: several things at once, as a form; each is answered in its turn.
    """
    if not question.strip():
        raise ToolError("the question is empty")
    for picks in (options, *(one.options for one in fields)):
        if len(picks) > _MOST_OPTIONS:
            raise ToolError(f"{len(picks)} options are too many to pick from; give at most 9")
    if not fields:
        answer = await ctx.ask(question, options)
        return ToolResult(for_model=answer, details={"question": question, "answer": answer})
    if len(fields) > _MOST_FIELDS:
        raise ToolError(f"{len(fields)} fields are too many for one form; give at most 12")
    return await _form(question, fields, ctx)


async def _form(question: str, fields: tuple[Field, ...], ctx: Context) -> ToolResult:
    answers: dict[str, str] = {}
    for number, field in enumerate(fields, 1):
        place = f"({number} of {len(fields)}) {field.label}"
        answers[field.label] = await ctx.ask(f"{question}\n{place}", field.options)
        ctx.progress(f"{field.label}: {answers[field.label]}\n")
    text = "\n".join(f"{label}: {answer}" for label, answer in answers.items())
    return ToolResult(for_model=text, details={"question": question, "answers": answers})
