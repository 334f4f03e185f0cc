"""A server of our own for tests: `python own_server.py FOLDER [http PORT]`.

It speaks the protocol by the SDK. FOLDER/tool.txt, when there, is the description of `greet`;
`greet` says so when it changed while the server runs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

FOLDER = Path(sys.argv[1])
BUS = InMemorySubscriptionBus()
_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


def described() -> str:
    file = FOLDER / "tool.txt"
    return file.read_text() if file.exists() else "Greets somebody by name."


def tools() -> list[types.Tool]:
    name = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    made = [types.Tool(name="greet", description=described(), input_schema=name)]
    for other, about in (
        ("die", "Ends the server in the middle of the call."),
        ("hang", "Never answers."),
        ("environment", "Names of the variables the server sees."),
        ("ask_model", "Has the client's model answer."),
        ("ask_person", "Asks the person for a colour and a count."),
        ("picture", "A tiny picture."),
        ("long", "A very long text."),
        ("fail", "Fails."),
        ("grow", "Gets a new tool."),
        ("slow", "Tells of its progress."),
        ("fetch", "Fetches an address."),
        ("keep", "Writes a file."),
    ):
        made.append(types.Tool(name=other, description=about, input_schema=_OBJECT))
    if (FOLDER / "grown").exists():
        made.append(types.Tool(name="grown", description="New.", input_schema=_OBJECT))
    return made


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=tools())


def text(value: str, error: bool = False) -> types.CallToolResult:
    block = types.TextContent(type="text", text=value)
    return types.CallToolResult(content=[block], is_error=error)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> Any:
    with (FOLDER / "calls.txt").open("a") as log:
        log.write(f"{params.name}\n")
    arguments = params.arguments or {}
    match params.name:
        case "greet":
            return text(f"Hello {arguments['name']}!")
        case "die":
            print("out of memory, said the server", file=sys.stderr, flush=True)
            os._exit(3)
        case "hang":
            await asyncio.sleep(3600)
        case "environment":
            return text(" ".join(sorted(os.environ)))
        case "picture":
            data = "iVBORw0KGgo="
            block = types.ImageContent(type="image", data=data, mime_type="image/png")
            return types.CallToolResult(content=[block])
        case "long":
            return text("word " * 20_000)
        case "fail":
            return text("it did not work out", error=True)
        case "grow":
            (FOLDER / "grown").touch()
            await BUS.publish(ToolsListChanged())
            return text("grown")
        case "slow":
            for n in range(1, 4):
                await ctx.session.report_progress(n, 3, f"step {n}")
            return text("done")
        case "fetch":
            return text(await asyncio.to_thread(fetched, arguments["url"]))
        case "keep":
            return text(await asyncio.to_thread(kept, arguments["path"]))
        case "ask_model" | "ask_person":
            return ask(params)
    return text(f"there is no {params.name}", error=True)


def kept(path: str) -> str:
    """Writes a file."""
    try:
        Path(path).write_text("kept")
    except OSError as error:
        return f"not kept: {error.strerror}"
    return "kept"


def fetched(url: str) -> str:
    """What an address says, by the proxy of the environment, or why it says nothing."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
    except OSError as error:
        return f"not fetched: {error}"


def ask(params: types.CallToolRequestParams) -> types.CallToolResult | types.InputRequiredResult:
    answer = (params.input_responses or {}).get("q")
    if isinstance(answer, types.CreateMessageResult):
        return text(f"the model says {answer.content.text}")  # type: ignore[union-attr]
    if isinstance(answer, types.ElicitResult):
        return text(f"{answer.action} {answer.content}")
    return types.InputRequiredResult(input_requests={"q": question(params.name)})


def question(what: str) -> types.CreateMessageRequest | types.ElicitRequest:
    if what == "ask_model":
        message = types.SamplingMessage(
            role="user", content=types.TextContent(type="text", text="Name a colour.")
        )
        asked = types.CreateMessageRequestParams(messages=[message], max_tokens=50)
        return types.CreateMessageRequest(params=asked)
    schema = {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "count": {"type": "integer", "minimum": 1},
        },
        "required": ["colour"],
    }
    form = types.ElicitRequestFormParams(message="What shall it be?", requested_schema=schema)
    return types.ElicitRequest(params=form)


def server() -> Server:
    return Server(
        "own",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=ListenHandler(BUS),
    )


async def over_pipes() -> None:
    print("this line is noise, no message", flush=True)
    made = server()
    async with stdio_server() as (reader, writer):
        await made.run(reader, writer, made.create_initialization_options())


if __name__ == "__main__":
    if len(sys.argv) > 3:
        import uvicorn

        app = server().streamable_http_app()
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[3]), log_level="error")
    else:
        asyncio.run(over_pipes())
