"""The commands that the core answers with text: context, usage, tools, processes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hermes_tui.agent.context import BYTES_A_TOKEN
from hermes_tui.errors import HermesError
from hermes_tui.runtime.session import Session

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


_ELSEWHERE = {
    "usage": "handlers_spend:usage",
    "status": "answers_chats:status",
    "gateways": "answers_chats:gateways",
    "doctor": "answers_doctor:doctor",
    "remember": "answers_memory:remember",
    "forget": "answers_memory:forget",
    "link": "answers_chats:link",
    "handoff": "answers_chats:handoff",
    "cron": "answers_cron:cron",
    "checkpoints": "answers_checkpoints:checkpoints",
    "learned": "handlers_learning:learned",
    "memory": "answers_memory:memory",
    "me": "answers_memory:me",
}
"""command -> module of this package and function, imported when it is asked for."""


async def answer(core: Core, session: Session, command: str, args: str) -> str:
    """The Markdown answer of one command. Raises HermesError for a command it does not know."""
    match command:
        case "context":
            return await context(core, session)
        case "tools":
            return await tools(core, session)
        case "mcp":
            return await servers(core, session)
        case "processes":
            return processes(core)
        case "compress":
            return await compressed(core, session, args)
        case _ if command in _ELSEWHERE:
            module, _, name = _ELSEWHERE[command].partition(":")
            found: Any = import_module(f"hermes_tui.runtime.{module}")
            made: str = await getattr(found, name)(core, session, args)
            return made
        case _:
            raise HermesError(f"the core has no answer to /{command}")


async def context(core: Core, session: Session) -> str:
    """What the prompt is made of, and how full the window is."""
    asked = session.conversation.last_asked
    if asked is None:
        agent = await core.agent_for(session)
        parts, window = agent.prefix.parts, agent.model.window
    else:
        parts, window = asked.parts, asked.window
    rows = [f"| {name} | {size:,} | ~{round(size / BYTES_A_TOKEN):,} |" for name, size in parts]
    total = sum(size for _, size in parts)
    tokens = session.conversation.last_usage.prompt or round(total / BYTES_A_TOKEN)
    share = f", {100 * tokens // window} % of {window:,}" if window else ""
    head = f"**Context**: {tokens:,} tokens{share}\n\n| part | bytes | tokens |\n|---|--:|--:|\n"
    return head + "\n".join([*rows, f"| all | {total:,} | ~{round(total / BYTES_A_TOKEN):,} |"])


async def compressed(core: Core, session: Session, focus: str) -> str:
    """Shorten the conversation now, keeping in mind what the person names."""
    from hermes_tui.agent.compress import compress
    from hermes_tui.agent.context import budget_of, mask_old

    if session.conversation.in_turn:
        raise HermesError("the agent is at work", "shorten it when the turn has ended")
    agent = await core.agent_for(session)
    before = session.conversation.view.size
    room = min(budget_of(agent), max(before, 4000))
    await mask_old(session, room)
    made = await compress(session, agent, focus, room)
    after = session.conversation.view.size
    if made is None and after == before:
        return "Nothing was shortened: there is too little to shorten, or the summary failed."
    return (
        f"The model now sees {after:,} bytes of this conversation instead of {before:,}. "
        "Nothing is lost: the agent can read all of it again, and so can you."
    )


async def tools(core: Core, session: Session) -> str:
    """The tools, a line each: those the model sees, and those it finds."""
    from hermes_tui.tools.registry import build

    made = build(core.config.tools, "full", await core.outside.tools(session))
    lines = [f"- `{tool.name}` {tool.description}" for tool in made.shown.values()]
    found = [
        f"- `{name}` {made[name].description[:160]}" for name in made if name not in made.shown
    ]
    return "\n".join([*lines, "", "Found when needed:", "", *found] if found else lines)


async def servers(core: Core, session: Session) -> str:
    """The servers of tools, a line each."""
    await core.outside.tools(session)
    hub = core.outside.hub
    rows = hub.status() if hub is not None else []
    if not rows:
        return "No server of tools; `hermes mcp add NAME -- COMMAND` adds one."
    lines = [
        f"- `{one.name}` {one.state}, {one.tools} tools: {one.line}"
        + (f" ({one.problem})" if one.problem else "")
        for one in rows
    ]
    return "\n".join(lines)


def processes(core: Core) -> str:
    """The background processes, a line each."""
    running = core.running()
    return "\n".join(f"- {line}" for line in running) or "No background process is running."
