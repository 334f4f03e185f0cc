"""`vision`: a question about a picture, answered by a model that sees."""

from __future__ import annotations

import asyncio
from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.security.policy import Action
from hermes_tui.security.taint import host_of
from hermes_tui.security.urls import Limits, Request
from hermes_tui.tools.base import Context, ToolResult, tool
from hermes_tui.tools.picture_files import keep_picture
from hermes_tui.tools.web import web_of

_LARGEST = 20_000_000


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    image = arguments["image"].strip()
    if _is_url(image):
        rule = f"vision {host_of(image)}"
        title = f"look at {image[:120]}"
        return Action(
            tool="vision", kind="fetch", title=title, detail=image, sends=(image,), rule=rule
        )
    real = paths.resolve(image, cwd)
    return Action(tool="vision", kind="read", title=f"look at {real}", paths=(real,))


@tool(
    describe=_describe,
    repeatable=True,
    words="image picture photo screenshot diagram chart scan ocr see look describe recognise "
    "visual png jpeg analyse 图片 看图 截图 识别",
)
async def vision(image: str, question: str, *, ctx: Context) -> ToolResult:
    """Look at a picture and answer a question about it.

    image: a file or the address of a picture.
    question: what to find out, such as "what does the sign say?".
    """
    if ctx.kit.eyes is None:
        raise ToolError("no model here can look at pictures")
    image = image.strip()
    content, source = await _content(image, ctx)
    picture, look = await asyncio.to_thread(keep_picture, content, ctx.outputs, image)
    answer = await ctx.kit.eyes.look(question, picture)
    details = {"image": picture.path, "about": str(look), "bytes": len(content)}
    return ToolResult(for_model=answer or "[no answer]", details=details, untrusted=source)


async def _content(image: str, ctx: Context) -> tuple[bytes, str]:
    """The bytes of a picture, and where they come from when that is the web."""
    if not _is_url(image):
        real = paths.resolve(image, ctx.cwd, ctx.env.get("HOME", ""))
        return await asyncio.to_thread(paths.read_bytes, real, ctx.protected, _LARGEST), ""
    web = web_of(ctx)
    limits = Limits(size=_LARGEST, seconds=web.config.timeout_s)
    request = Request(url=image, headers={"accept": "image/png,image/jpeg,image/*;q=0.8"})
    answer = await web.fetch(request, ctx, limits)
    if answer.status >= 400:
        raise ToolError(f"{host_of(image)} answered {answer.status}")
    return answer.body, host_of(answer.url)


def _is_url(image: str) -> bool:
    return image.lower().startswith(("http://", "https://"))
