"""`send_message`: a text or files to a chat, here or elsewhere."""

from __future__ import annotations

import asyncio
from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, tool

_LARGEST = 50_000_000


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    """To the chat one is in it is only said; elsewhere it is sent."""
    to, text = arguments["to"].strip(), arguments["text"]
    real = tuple(paths.resolve(one, cwd) for one in arguments["files"])
    what = ", ".join(real) or "a text"
    detail = "\n".join([*(f"to: {to}" for _ in [1] if to), *real, text])
    return Action(
        tool="send_message",
        kind="send" if to else "read",
        title=f"send {what} to {to}" if to else f"send {what} here",
        detail=detail,
        paths=real,
        sends=(to,) if to else (),
        rule=f"send_message {to}" if to else "",
        undo="" if not to else "what was sent can't be taken back",
    )


@tool(
    describe=_describe,
    words="message chat send tell notify deliver telegram discord slack whatsapp signal file "
    "attach picture document upload phone 发送 消息 通知 文件",
)
async def send_message(
    text: str = "", *, to: str = "", files: tuple[str, ...] = (), ctx: Context
) -> ToolResult:
    """Send a text or files to a chat; your answers in a chat go there by themselves.

    to: such as telegram (the user's own chat) or telegram:12345; empty: the chat you are in.
    files: paths of files to send.
    """
    if not text.strip() and not files:
        raise ToolError("there is nothing to send")
    home = ctx.env.get("HOME", "")
    real = [paths.resolve(one, ctx.cwd, home) for one in files]
    contents = [
        (one, await asyncio.to_thread(paths.read_bytes, one, ctx.protected, _LARGEST))
        for one in real
    ]
    said: str = await ctx.chats.send(to.strip(), text, contents, ctx.call_id)
    return ToolResult(for_model=said)
