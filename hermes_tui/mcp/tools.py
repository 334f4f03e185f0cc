"""A server's tools as tools of ours: same policy, same approvals, same log."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, cast

import msgspec

from hermes_tui.errors import ToolError
from hermes_tui.mcp import results
from hermes_tui.mcp.accepted import Definition
from hermes_tui.mcp.link import Link
from hermes_tui.models.base import ToolSchema
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, Tool, ToolResult, summary
from hermes_tui.tools.plain_text import clean

USE = "use it as it is now"
_LONGEST = 4000
Accept = Callable[[Definition], None]


class McpTool(Tool):
    """One tool of a server, as it was accepted. It is reached with the first call."""

    def __init__(self, link: Link, definition: Definition, accept: Accept) -> None:
        self.name = f"{link.name}.{definition.name}"
        self.origin = link.name
        self.words = link.name
        self.description = clean(definition.description)[:_LONGEST]
        self.schema = ToolSchema(
            name=self.name, description=self.description, parameters=definition.schema
        )
        self.reads = link.server.only_reads(definition.name)
        self.repeatable = self.reads
        self._link = link
        self._definition = definition
        self._accept = accept

    def parse(self, arguments: str) -> dict[str, Any]:
        """The arguments as an object that has what the schema wants at least."""
        try:
            made: Any = msgspec.json.decode(arguments or "{}")
        except msgspec.DecodeError as error:
            raise ToolError(f"bad arguments for {self.name}: {error}") from error
        if not isinstance(made, dict):
            raise ToolError(f"bad arguments for {self.name}: give an object")
        given = cast("dict[str, Any]", made)
        required: list[str] = list(self._definition.schema.get("required") or ())
        missing = [name for name in required if name not in given]
        if missing:
            raise ToolError(f"bad arguments for {self.name}: {', '.join(missing)} is missing")
        return given

    def action(self, arguments: dict[str, Any], cwd: str) -> Action:
        """What is sent to the server. Only a person's word makes it a harmless read."""
        target = f"mcp:{self._link.name}"
        encoded = msgspec.json.encode(arguments)
        return Action(
            tool=self.name,
            kind="read" if self.reads else "send",
            title=f"{self.name} {summary(arguments)}".strip(),
            detail=msgspec.json.format(encoded, indent=2).decode(),
            sends=(target,),
            undo="only the server knows whether it can be undone",
            rule=f"{self.name} {target}",
        )

    def resource(self, arguments: dict[str, Any], cwd: str) -> str | None:
        """Calls that change something run one after the other on one server."""
        return None if self.reads else f"mcp:{self._link.name}"

    async def run(self, arguments: dict[str, Any], ctx: Context) -> ToolResult:
        """Call it, once it is sure that it is what was accepted."""
        await self._link.ready()
        await self._still_as_accepted(ctx)
        with self._link.asking.during(ctx):
            result = await self._link.call(self._definition.name, arguments, ctx.progress)
        return await results.to_result(self._link.name, result, ctx)

    async def _still_as_accepted(self, ctx: Context) -> None:
        now = self._link.offer.tool(self._definition.name)
        if now is None:
            raise ToolError(f"the server {self._link.name} has no {self._definition.name} any more")
        if now.digest == self._definition.digest:
            return
        text = (
            f"The server {self._link.name} describes its tool {now.name} otherwise than when you "
            f"accepted it:\n{changes(self._definition, now)}"
        )
        if await ctx.ask(clean(text), (USE, "refuse")) != USE:
            raise ToolError(f"the person did not accept what {self.name} has become")
        self._accept(now)
        self._definition = now


class ResourceTool(McpTool):
    """Reading what a server has to read: its resources, or one of its prompts."""

    def __init__(self, link: Link, definition: Definition, accept: Accept) -> None:
        super().__init__(link, definition, accept)
        self.reads = self.repeatable = True

    async def run(self, arguments: dict[str, Any], ctx: Context) -> ToolResult:
        """List or read."""
        work = _WORK[self._definition.name]
        with self._link.asking.during(ctx):
            result = await self._link.do(lambda client: work(client, arguments), self.name)
        return await results.to_result(self._link.name, result, ctx)


async def _list_resources(client: Any, arguments: dict[str, Any]) -> Any:
    listed = (await client.list_resources(cursor=arguments.get("cursor"))).resources
    made = (await client.list_resource_templates()).resource_templates
    lines = [f"{one.uri}  {one.name}  {one.description or ''}".rstrip() for one in listed]
    lines += [f"{one.uri_template}  {one.name}  {one.description or ''}".rstrip() for one in made]
    return results.texts(lines or ["it has no resources"])


async def _read_resource(client: Any, arguments: dict[str, Any]) -> Any:
    return results.contents(await client.read_resource(arguments["uri"]))


async def _list_prompts(client: Any, arguments: dict[str, Any]) -> Any:
    listed = (await client.list_prompts()).prompts
    lines = [f"{one.name}  {one.description or ''}".rstrip() for one in listed]
    return results.texts(lines or ["it has no prompts"])


async def _get_prompt(client: Any, arguments: dict[str, Any]) -> Any:
    values: dict[str, Any] = arguments.get("arguments") or {}
    given = {name: str(value) for name, value in values.items()}
    prompt = await client.get_prompt(arguments["name"], given)
    return results.Blocks([one.content for one in prompt.messages])


_WORK: dict[str, Any] = {
    "list_resources": _list_resources,
    "read_resource": _read_resource,
    "list_prompts": _list_prompts,
    "get_prompt": _get_prompt,
}


def _object(required: tuple[str, ...] = (), **kinds: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": list(required)}


RESOURCES = (
    Definition(
        name="list_resources",
        description="List what this server has to read: documents, records, files.",
        schema=_object(cursor="string"),
    ),
    Definition(
        name="read_resource",
        description="Read one resource of this server by its URI.",
        schema=_object(("uri",), uri="string"),
    ),
)
PROMPTS = (
    Definition(
        name="list_prompts",
        description="List the ready-made prompts of this server.",
        schema=_object(),
    ),
    Definition(
        name="get_prompt",
        description="Get one of the ready-made prompts of this server, filled in.",
        schema=_object(("name",), name="string", arguments="object"),
    ),
)


def changes(before: Definition, now: Definition) -> str:
    """What differs between two descriptions of a tool, line by line."""
    lines = difflib.unified_diff(_lines(before), _lines(now), "accepted", "now", lineterm="", n=1)
    return "\n".join(lines)[:_LONGEST]


def _lines(one: Definition) -> list[str]:
    schema = msgspec.json.format(msgspec.json.encode(one.schema, order="sorted"), indent=1)
    return [*one.description.splitlines(), *schema.decode().splitlines()]
