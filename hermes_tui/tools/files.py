"""Read, write and edit files, one approved change at a time."""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import suppress
from typing import Any

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.security.policy import Action
from hermes_tui.tools import diff, file_text
from hermes_tui.tools.base import Context, ToolResult, summary, tool
from hermes_tui.tools.edit import Edited, edit
from hermes_tui.tools.file_memory import FileMemory
from hermes_tui.tools.file_read import Reading, read, readable
from hermes_tui.tools.file_text import FileText

_DIFFED = 2_000_000
_LONGEST = 50_000_000
_SHOWN_CHARS = 30_000
_DETAIL_CHARS = 10_000
_SAID_CHARS = 300


def _describe_read(arguments: dict[str, Any], cwd: str) -> Action:
    real = paths.resolve(arguments["path"], cwd)
    return Action(tool="read_file", kind="read", title=summary(arguments), paths=(real,))


@tool(describe=_describe_read, repeatable=True)
async def read_file(
    path: str, *, offset: int = 1, limit: int = 0, column: int = 0, ctx: Context
) -> ToolResult:
    """Read a file: text, PDF, office document, notebook or picture. Long ones come in pages; the
    last line says how to go on.

    path: relative paths start in the working folder.
    offset: first line to read, counted from 1; negative counts from the end.
    limit: how many lines; 0 for as many as fit.
    column: characters of the first line to skip.
    """
    real = paths.resolve(path, ctx.cwd, ctx.env.get("HOME", ""))
    wanted = Reading(
        real=real,
        part=(offset, limit, column),
        window=ctx.window_chars,
        outputs=ctx.outputs,
        protected=ctx.protected,
    )
    return await asyncio.to_thread(read, wanted, ctx.kit.files)


def _resource(arguments: dict[str, Any], cwd: str) -> str | None:
    """The file itself: two writes to it run one after the other, whatever name they use."""
    with suppress(ToolError):
        return paths.resolve(arguments["path"], cwd)
    return None


def _describe_write(arguments: dict[str, Any], cwd: str) -> Action:
    real = paths.resolve(arguments["path"], cwd)
    old = _before(real, _DIFFED)
    text = (old or FileText(text="")).line_ends(arguments["content"])
    verb = "create" if old is None else "overwrite"
    return _write_action("write_file", verb, real, (old.text if old else "", text))


@tool(describe=_describe_write, resource=_resource)
async def write_file(path: str, content: str, *, ctx: Context) -> ToolResult:
    """Write a whole file, new or in place of an old one; missing folders are made.

    content: the complete new content. To change a part, use edit_file.
    """
    real = paths.resolve_for_writing(path, ctx.cwd, ctx.env.get("HOME", ""), ctx.paths)
    return await asyncio.to_thread(_write, real, content, ctx.protected, ctx.kit.files)


def _describe_edit(arguments: dict[str, Any], cwd: str) -> Action:
    real = paths.resolve(arguments["path"], cwd)
    change = (arguments["old"], arguments["new"])
    with suppress(ToolError):
        old = _read_text(real, (), _DIFFED).text
        change = (old, edit(old, *change, arguments["replace_all"]).text)
    # Where that fails the call will too, with a better sentence than a card could show.
    return _write_action("edit_file", "edit", real, change)


@tool(describe=_describe_edit, resource=_resource)
async def edit_file(
    path: str, old: str, new: str, *, replace_all: bool = False, ctx: Context
) -> ToolResult:
    """Replace a piece of a file by another. Returns the diff.

    old: the text to replace, exactly as in the file, with enough around it to be the only one.
    new: what goes in its place.
    replace_all: replace every occurrence.
    """
    real = paths.resolve_for_writing(path, ctx.cwd, ctx.env.get("HOME", ""), ctx.paths)
    change = _Change(real, old, new, replace_all)
    made = await asyncio.to_thread(_edit, change, ctx.protected, ctx.kit.files)
    seen = diff.shorten(_diff(*made.change, real), ctx.window_chars - _SAID_CHARS)
    return ToolResult(for_model=f"{made.said}\n{seen}", details=_details(real, *made.change))


def _write(real: str, content: str, protected: tuple[str, ...], memory: FileMemory) -> ToolResult:
    paths.refuse_protected(real, protected)
    before = _bytes_before(real, memory)
    file = _as_text(before or b"", real)
    text = file.line_ends(content)
    data = file.to_bytes(text)
    paths.replace_file(real, data, protected)
    memory.saw(real, data, text)
    verb = "created" if before is None else "wrote"
    said = f"{verb} {real}: {len(data):,} bytes, {text.count(chr(10)):,} lines"
    return ToolResult(
        for_model=_warned(said, real, (file.text, text)), details=_details(real, file.text, text)
    )


def _bytes_before(real: str, memory: FileMemory) -> bytes | None:
    """The file to be overwritten, None when there is none; refused when it has changed."""
    if not os.path.lexists(real):
        memory.refuse_gone(real)
        return None
    try:
        content = paths.read_bytes(real, (), _LONGEST)
    except ToolError:
        return b""  # too long or unreadable: what is written says whether it may be
    memory.refuse_changed(real, content, readable(content))
    return content


def _as_text(content: bytes, real: str) -> FileText:
    """The text of a file; what is no text counts as empty."""
    try:
        return file_text.decode(content, real)
    except ToolError:
        return FileText(text="")


class _Change(Struct, frozen=True):
    """An edit that is wanted."""

    real: str
    old: str
    new: str
    replace_all: bool


class _Done(Struct, frozen=True):
    """An edit that was made: what to say of it, text before and after."""

    said: str
    change: tuple[str, str]


def _edit(change: _Change, protected: tuple[str, ...], memory: FileMemory) -> _Done:
    real = change.real
    memory.refuse_gone(real)
    content = paths.read_bytes(real, protected, _LONGEST)
    file = file_text.decode(content, real)
    memory.refuse_changed(real, content, file.text)
    made = edit(file.text, change.old, change.new, change.replace_all)
    data = file.to_bytes(made.text)
    paths.replace_file(real, data, protected)
    memory.saw(real, data, made.text)
    before_after = (file.text, made.text)
    return _Done(_warned(_said(made, real), real, before_after), before_after)


def _warned(said: str, real: str, change: tuple[str, str]) -> str:
    """What was done, and a warning when the file is not well-formed now."""
    from hermes_tui.tools.syntax import warning

    found = warning(real, *change)
    return f"{said}\n[{found}]" if found else said


def _said(made: Edited, real: str) -> str:
    where = f" in {made.places} places" if made.places > 1 else ""
    how = f" (matched but for {made.tolerance})" if made.tolerance else ""
    return f"edited {real}{where}{how}"


def _details(real: str, old: str, new: str) -> dict[str, Any]:
    change = _diff(old, new, real)
    added, removed = diff.count(change)
    shown = diff.shorten(change, _DETAIL_CHARS)
    return {"path": real, "diff": shown, "added": added, "removed": removed}


def _diff(old: str, new: str, real: str) -> str:
    if len(old) + len(new) > _DIFFED:
        return f"--- {real}\n+++ {real}\n[too long to show: {len(old):,} → {len(new):,} characters]"
    return diff.unified(old, new, real)


def _before(real: str, limit: int = _LONGEST) -> FileText | None:
    """The text of the file to be overwritten, None when there is none.

    What can't be read as text, or is longer than `limit` bytes, counts as empty.
    """
    if not os.path.lexists(real):
        return None
    try:
        return _read_text(real, (), limit)
    except ToolError:
        return FileText(text="")


def _read_text(real: str, protected: tuple[str, ...], limit: int = _LONGEST) -> FileText:
    return file_text.decode(paths.read_bytes(real, protected, limit), real)


def _write_action(tool_name: str, verb: str, real: str, change: tuple[str, str]) -> Action:
    """A change to a file; its detail is the diff, and stands for exactly this new text."""
    detail = diff.shorten(_diff(*change, real), _SHOWN_CHARS)
    if len(detail) > _SHOWN_CHARS or len(change[0]) + len(change[1]) > _DIFFED:
        digest = hashlib.sha256(change[1].encode(errors="surrogatepass")).hexdigest()
        detail += f"\n[SHA-256 of the new text: {digest}]"
    undo = "delete the file" if verb == "create" else "put the old lines back as the diff shows"
    return Action(
        tool=tool_name,
        kind="write",
        title=f"{verb} {real}",
        detail=detail,
        detail_kind="diff",
        paths=(real,),
        undo=undo,
        rule=f"{tool_name} {real}",
    )
