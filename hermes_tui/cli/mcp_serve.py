"""`hermes mcp serve`: this agent as a server on standard input and output.

Whoever starts it can look through the sessions, search, read the memory, and send. What is sent
is answered as if nobody were there to approve anything: what would ask is refused.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from hermes_tui import __version__, intents
from hermes_tui.cli import output, sessions_find
from hermes_tui.cli.connect import within_core
from hermes_tui.errors import HermesError
from hermes_tui.events import CoreEnding, InputTaken, ReplyReceived, TurnEnded
from hermes_tui.intents.memory import ListFacts
from hermes_tui.runtime import standing
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.export import records, said

if TYPE_CHECKING:
    import mcp_types

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_MOST = 200
_LONGEST = 200_000

Work = Callable[[CoreClient, dict[str, Any]], Awaitable[str]]


def run() -> None:
    """Serve until standard input ends. Raises HermesError when the SDK is not there."""
    from hermes_tui.mcp.faults import need_sdk

    need_sdk()
    asyncio.run(_serve())


async def _serve() -> None:
    from mcp.server import Server
    from mcp.server.stdio import stdio_server

    async def list_tools(context: Any, params: Any) -> Any:
        return _listed()

    async def call_tool(context: Any, params: mcp_types.CallToolRequestParams) -> Any:
        return await _called(params.name, params.arguments or {})

    about = "A personal agent: its sessions, a search over all of them, its memory, and the agent."
    made = Server(
        "hermes-tui",
        version=__version__,
        instructions=about,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (reader, writer):
        await made.run(reader, writer, made.create_initialization_options())


def _listed() -> mcp_types.ListToolsResult:
    import mcp_types

    tools = [
        mcp_types.Tool(
            name=name,
            description=about,
            input_schema={"type": "object", "properties": fields, "required": required},
            annotations=mcp_types.ToolAnnotations(read_only_hint=name != "send"),
        )
        for name, (about, fields, required, _) in _TOOLS.items()
    ]
    return mcp_types.ListToolsResult(tools=tools)


async def _called(name: str, arguments: dict[str, Any]) -> mcp_types.CallToolResult:
    """One call, each with a core of its own or the one that lives; an error is an answer."""
    import mcp_types

    known = _TOOLS.get(name)
    if known is None:
        text, failed = f"there is no tool {name!r}", True
    else:
        try:
            text, failed = await within_core(lambda client: known[3](client, arguments)), False
        except HermesError as error:
            text, failed = str(error), True
        except (KeyError, TypeError, ValueError) as error:
            text, failed = f"bad arguments: {error}", True
    block = mcp_types.TextContent(type="text", text=text[:_LONGEST])
    return mcp_types.CallToolResult(content=[block], is_error=failed)


# --- the tools -----------------------------------------------------------------------------


async def _list_sessions(client: CoreClient, given: dict[str, Any]) -> str:
    asked = intents.ListSessions(query=str(given.get("query", "")), limit=_count(given, 20))
    found = (await client.ask(asked)).sessions
    lines = [f"{s.id}  {output.when(s.updated)}  {s.state}  {output.clean(s.title)}" for s in found]
    return "\n".join(lines) or "no sessions"


async def _read_session(client: CoreClient, given: dict[str, Any]) -> str:
    info = await sessions_find.find(client, str(given["session"]))
    messages = list(said(info.id, await records(client, info)))[-_count(given, 50) :]
    return "\n\n".join(f"{one.role}  {output.when(one.ts)}\n{one.text}" for one in messages)


async def _search(client: CoreClient, given: dict[str, Any]) -> str:
    asked = intents.Search(query=str(given["query"]), limit=_count(given, 10))
    hits = (await client.ask(asked)).hits
    lines = [
        f"{output.when(hit.ts)}  {hit.session}  {hit.role}: {output.clean(hit.text)[:500]}"
        for hit in hits
    ]
    return "\n".join(lines) or "nothing found"


async def _read_memory(client: CoreClient, given: dict[str, Any]) -> str:
    asked = ListFacts(query=str(given.get("query", "")), limit=_count(given, 50))
    facts = (await client.ask(asked)).facts
    lines = [f"{one.id}  {one.kind}  {one.state}: {output.clean(one.text)}" for one in facts]
    return "\n".join(lines) or "nothing is remembered"


async def _send(client: CoreClient, given: dict[str, Any]) -> str:
    which = str(given.get("session") or "new")
    if which != "new":
        which = (await sessions_find.find(client, which)).id
    here = standing.here()
    view = await client.ask(intents.OpenSession(which=which, standing=here, tail=0, face="mcp"))
    input_id = os.urandom(16).hex()
    await client.ask(
        intents.Send(
            session=view.info.id,
            text=str(given["text"]),
            how="queue",
            input_id=input_id,
            standing=here,
            attended=False,
            face="mcp",
        )
    )
    return f"{await _answer(client, view.info.id, input_id)}\n\n[session {view.info.id}]"


async def _answer(client: CoreClient, session: str, input_id: str) -> str:
    """The last words of the turn that took an input. Raises HermesError when it failed."""
    turn, text = 0, ""
    async for record in client.events():
        event = record.event
        if isinstance(event, CoreEnding):
            break
        if record.session != session:
            continue
        match event:
            case InputTaken(input_id=taken) if taken == input_id:
                turn = event.turn
            case ReplyReceived() if event.turn == turn:
                text = event.text or text
            case TurnEnded() if turn and event.turn == turn:
                if event.outcome != "done":
                    raise HermesError(event.error or f"the turn was {event.outcome}", event.hint)
                return text
            case _:
                continue
    raise HermesError("the agent ended before the answer was complete")


def _count(given: dict[str, Any], usual: int) -> int:
    return max(1, min(int(given.get("limit", usual)), _MOST))


_TOOLS: dict[str, tuple[str, dict[str, Any], list[str], Work]] = {
    "list_sessions": (
        "List the agent's conversations, newest first.",
        {"query": _TEXT, "limit": _NUMBER},
        [],
        _list_sessions,
    ),
    "read_session": (
        "Read the last messages of one conversation, by its id or title.",
        {"session": _TEXT, "limit": _NUMBER},
        ["session"],
        _read_session,
    ),
    "search": (
        "Search everything that was ever said, best match first.",
        {"query": _TEXT, "limit": _NUMBER},
        ["query"],
        _search,
    ),
    "read_memory": (
        "Read what the agent remembers, all or what fits a query.",
        {"query": _TEXT, "limit": _NUMBER},
        [],
        _read_memory,
    ),
    "send": (
        "Say something to the agent and wait for its answer, in a new conversation or in one of "
        "an id. Nobody is there to approve anything, so what would need that is refused.",
        {"text": _TEXT, "session": _TEXT},
        ["text"],
        _send,
    ),
}
"""Each tool: what it does, its fields, those it needs, the work."""
