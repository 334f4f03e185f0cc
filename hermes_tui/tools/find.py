"""`find_tools` and `use_tool`: any number of tools behind two schemas that never change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hermes_tui.errors import ToolError
from hermes_tui.tools.base import Context, Tool, ToolResult, tool

BEST = 5
_SCHEMA_BYTES = 2_500
_DESCRIPTION_CHARS = 700
_NAMES = 200


def find_tools_in(tools: Callable[[], Mapping[str, Tool]]) -> Tool:
    """`find_tools` over these tools."""

    @tool(repeatable=True)
    async def find_tools(need: str, *, ctx: Context) -> ToolResult:
        """Find tools beyond the ones you see: the web, pages and pictures, memory and past talks,
        skills, schedules, messages, helpers, scripts, and all connected servers and packages.

        need: what the tool shall do, as its author would say, such as `list calendar events`;
        empty lists the names of all.
        """
        return await asyncio.to_thread(found, need, tools())

    return find_tools


@tool()
async def use_tool(name: str, arguments: dict[str, Any], *, ctx: Context) -> ToolResult:
    """Call a tool that find_tools named.

    arguments: as its schema says.
    """
    if name == "use_tool":
        raise ToolError("use_tool can't call itself; give the name of another tool")
    raise ToolError('nothing was called; give {"name": "a tool", "arguments": {…}}')


def found(need: str, tools: Mapping[str, Tool]) -> ToolResult:
    """What `find_tools` answers: the best few with their schemas, or the names of all."""
    if not need.strip():
        return ToolResult(for_model=_all(tools), details={"tools": len(tools)})
    from hermes_tui.tools.find_rank import Catalogue

    names = Catalogue(tools.values()).best(need, BEST)
    if not names:
        text = f"no tool fits {need!r}; {len(tools)} there are, an empty need lists them"
        return ToolResult(for_model=text, details={"found": []})
    shown: Mapping[str, Tool] = getattr(tools, "shown", {})
    text = "\n\n".join(_described(tools[name], name in shown) for name in names)
    return ToolResult(for_model=text, details={"found": names})


def unknown(name: str, tools: Mapping[str, Tool]) -> str:
    """What to tell a model that called a tool that is not there."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(tools), n=3, cutoff=0.6)
    shown: Mapping[str, Tool] = getattr(tools, "shown", tools)
    if not near:
        return f"there is no tool {name!r}; tools: {', '.join(shown)}"
    return f"there is no tool {name!r}; did you mean {', '.join(near)}? find_tools finds others"


def _all(tools: Mapping[str, Tool]) -> str:
    sets: dict[str, list[str]] = {}
    for one in tools.values():
        sets.setdefault(one.origin, []).append(one.name)
    lines: list[str] = []
    for origin, names in sets.items():
        more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
        lines.append(f"{origin or 'hermes'}: {', '.join(names[:_NAMES])}{more}")
    return "\n".join(lines)


def _described(one: Tool, shown: bool) -> str:
    if shown:
        return f"{one.name}: you see this one already; call it directly"
    origin = f" (from {one.origin})" if one.origin else ""
    said = one.description
    said = said if len(said) <= _DESCRIPTION_CHARS else said[:_DESCRIPTION_CHARS] + "…"
    schema = msgspec.json.encode(one.schema.parameters)
    if len(schema) > _SCHEMA_BYTES:
        schema = msgspec.json.encode(_short(one.schema.parameters))[: 2 * _SCHEMA_BYTES]
    return f"{one.name}{origin}: {said}\narguments: {schema.decode('utf-8', 'replace')}"


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    """A long schema without its remarks: names, types and choices only."""
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    kept: dict[str, dict[str, Any]] = {
        name: {key: part[key] for key in ("type", "enum", "items") if key in part}
        for name, part in properties.items()
    }
    return {"type": "object", "properties": kept, "required": schema.get("required", [])}
