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
from hermes_tui.tools.base import Context, ToolResult, tool
from hermes_tui.tools.edit import Edited, edit
from hermes_tui.tools.file_pages import read_page
from hermes_tui.tools.file_text import FileText

_DIFFED = 2_000_000
_LONGEST = 50_000_000
_SHOWN_CHARS = 30_000
_DETAIL_CHARS = 10_000
_SAID_CHARS = 300


@tool(repeatable=True)
async def read_file(
    path: str, *, offset: int = 1, limit: int = 0, column: int = 0, ctx: Context
) -> ToolResult:
    """Read a text file. Long ones come in pages; the last line says how to go on.

    path: relative paths start in the working folder.
    offset: first line to read, counted from 1; negative counts from the end.
    limit: how many lines; 0 for as many as fit.
    column: characters of the first line to skip.
    """
    real = paths.resolve(path, ctx.cwd, ctx.env.get("HOME", ""))
    part = (offset, limit, column)
    return await asyncio.to_thread(_read, real, part, ctx.window_chars, ctx.protected)


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
    real = paths.resolve_for_writing(path, ctx.cwd, ctx.env.get("HOME", ""))
    return await asyncio.to_thread(_write, real, content, ctx.protected)


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
    real = paths.resolve_for_writing(path, ctx.cwd, ctx.env.get("HOME", ""))
    made = await asyncio.to_thread(_edit, real, (old, new), replace_all, ctx.protected)
    seen = diff.shorten(_diff(*made.change, real), ctx.window_chars - _SAID_CHARS)
    return ToolResult(for_model=f"{made.said}\n{seen}", details=_details(real, *made.change))


def _read(
    real: str, part: tuple[int, int, int], window: int, protected: tuple[str, ...]
) -> ToolResult:
    if os.path.isdir(real):
        return ToolResult(for_model=_listing(real, window), details={"path": real})
    page = read_page(real, part, window, protected)
    details = {"path": real, "first": page.first, "last": page.last, "bytes": page.size}
    return ToolResult(for_model=page.text, details=details)


def _write(real: str, content: str, protected: tuple[str, ...]) -> ToolResult:
    paths.refuse_protected(real, protected)
    old = _before(real)
    file = old or FileText(text="")
    text = file.line_ends(content)
    data = file.to_bytes(text)
    paths.replace_file(real, data, protected)
    verb = "created" if old is None else "wrote"
    return ToolResult(
        for_model=f"{verb} {real}: {len(data):,} bytes, {text.count(chr(10)):,} lines",
        details=_details(real, file.text, text),
    )


class _Done(Struct, frozen=True):
    """An edit that was made: what to say of it, text before and after."""

    said: str
    change: tuple[str, str]


def _edit(
    real: str, change: tuple[str, str], replace_all: bool, protected: tuple[str, ...]
) -> _Done:
    file = _read_text(real, protected)
    made = edit(file.text, *change, replace_all)
    paths.replace_file(real, file.to_bytes(made.text), protected)
    return _Done(_said(made, real), (file.text, made.text))


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


def _listing(real: str, limit: int) -> str:
    """What a folder holds, folders with a slash."""
    names: list[str] = []
    try:
        with os.scandir(real) as entries:
            names = sorted(entry.name + "/" * entry.is_dir() for entry in entries)
    except OSError as error:
        raise ToolError(f"{real}: {error.strerror}") from error
    text = "\n".join(names)
    if len(text) > limit:
        text = text[: limit - 100].rpartition("\n")[0] + "\n[… more]"
    return f"{real} is a folder of {len(names)} entries:\n{text}"
