"""What a server's tool returned, as the model reads it: text, with pictures and files put aside."""

from __future__ import annotations

import asyncio
import base64
import binascii
from typing import Any

import msgspec
from msgspec import Struct

from hermes_tui.security import paths
from hermes_tui.tools.base import Context, ToolResult
from hermes_tui.tools.output import fit

_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "application/pdf": "pdf",
    "application/gzip": "gz",
}
_LARGEST = 50_000_000


async def to_result(server: str, result: Any, ctx: Context) -> ToolResult:
    """A `CallToolResult` for the model. All of it counts as text that others wrote."""
    parts = await asyncio.to_thread(_parts, result.content, ctx)
    structured = getattr(result, "structured_content", None)
    if structured is not None and not any(part.strip() for part in parts):
        parts = [msgspec.json.format(msgspec.json.encode(structured), indent=1).decode()]
    text = "\n".join(parts) or "[nothing]"
    made = await fit(text, ctx, {"server": server})
    return msgspec.structs.replace(
        made, failed=bool(getattr(result, "is_error", False)), untrusted=f"the server {server}"
    )


def _parts(content: list[Any], ctx: Context) -> list[str]:
    """Each block as text. Blocks: text, image, audio, resource_link, resource."""
    made: list[str] = []
    for number, block in enumerate(content, 1):
        match block.type:
            case "text":
                made.append(block.text)
            case "image" | "audio":
                made.append(_kept(block.data, block.mime_type, number, ctx))
            case "resource_link":
                about = f": {block.description}" if block.description else ""
                made.append(f"[resource {block.uri}{about}]")
            case "resource":
                made.append(_resource(block.resource, number, ctx))
            case _:
                made.append(f"[{block.type}]")
    return made


def _resource(resource: Any, number: int, ctx: Context) -> str:
    text = getattr(resource, "text", None)
    if text is not None:
        return f"[resource {resource.uri}]\n{text}"
    kept = _kept(resource.blob, resource.mime_type or "", number, ctx)
    return f"[resource {resource.uri}] {kept}"


def _kept(data: str, mime: str, number: int, ctx: Context) -> str:
    """Binary content as a file of this session, and a word about it."""
    try:
        content = base64.b64decode(data, validate=False)
    except (binascii.Error, ValueError):
        return f"[{mime or 'binary content'} that can't be decoded]"
    if len(content) > _LARGEST:
        return f"[{mime}, {len(content):,} bytes: too large to keep]"
    name = f"{ctx.call_id}-{number}.{_ENDINGS.get(mime, 'bin')}"
    file, path = paths.create_private(ctx.outputs, name)
    with file:
        file.write(content)
    return f"[{mime or 'binary content'}, {len(content):,} bytes, kept in {path}]"


class Block(Struct, frozen=True):
    """A block of our own making: text, or a resource that was read."""

    type: str
    text: str = ""
    resource: Any = None


class Blocks(Struct, frozen=True):
    """Blocks in the shape of a tool's result."""

    content: list[Any]
    is_error: bool = False
    structured_content: Any = None


def texts(lines: list[str]) -> Blocks:
    """Lines of text as a result."""
    return Blocks([Block("text", text="\n".join(lines))])


def contents(result: Any) -> Blocks:
    """The contents of a read resource as a result."""
    return Blocks([Block("resource", resource=one) for one in result.contents])
