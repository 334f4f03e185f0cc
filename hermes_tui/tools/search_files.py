"""Search files by content or by name: with ripgrep where there is one, else by a walk."""

from __future__ import annotations

import asyncio
import fnmatch
import os
import re
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from hermes_tui.backends import process
from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, summary, tool
from hermes_tui.tools.file_walk import Walk
from hermes_tui.tools.output import fit, to_text

_LONGEST_LINE = "300"
_COMMON = ("--no-config", "--hidden", "--no-require-git", "--no-messages", "--color=never")
_IN_LINES = ("--line-number", "--with-filename", "--no-heading", "--max-columns", _LONGEST_LINE)


class Query(Struct, frozen=True, kw_only=True):
    """What to look for, below (or in) `root`, a real path; `programs`: where ripgrep may be."""

    pattern: str
    root: str
    programs: str = ""
    glob: str = ""
    names: bool = False
    exact: bool = False


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    real = paths.resolve(arguments["path"], cwd)
    return Action(tool="search_files", kind="read", title=summary(arguments), paths=(real,))


@tool(describe=_describe, repeatable=True)
async def search_files(
    pattern: str,
    *,
    path: str = ".",
    glob: str = "",
    names: bool = False,
    limit: int = 100,
    ctx: Context,
) -> ToolResult:
    """Search file contents, or file names, below a folder. Skips what .gitignore names.

    pattern: regular expression.
    glob: only files like this, such as *.py.
    names: match file names instead of contents; * and ? work too.
    limit: most results to show.
    """
    root = paths.resolve(path, ctx.cwd, ctx.env.get("HOME", ""))
    if not pattern or not await asyncio.to_thread(os.path.exists, root):
        raise ToolError("the pattern is empty" if not pattern else f"there is no folder {root}")
    programs = ctx.env.get("PATH", os.defpath)
    query = Query(pattern=pattern, root=root, programs=programs, glob=glob, names=names)
    hits, note = await _search(query, max(1, limit), ctx.protected)
    shown = [_as_seen_from(ctx.cwd, root, hit) for hit in hits[:limit]]
    if len(hits) > limit:
        note += f"\n[… more than {limit} results; narrow the search or raise the limit]"
    found = "\n".join(shown) or "nothing found"
    return await fit(found + note, ctx, {"results": len(shown), "more": len(hits) > limit})


async def _search(query: Query, limit: int, protected: tuple[str, ...]) -> tuple[list[str], str]:
    r"""(hits as `path` or `path\0line:text`, a note); at most one hit over the limit."""
    ripgrep = find_ripgrep(query.programs)
    if not ripgrep:
        return await _walk(query, limit, protected)
    hits, problem = await _ripgrep(ripgrep, query, limit, protected)
    if not problem:
        return hits, ""
    literal = msgspec.structs.replace(query, exact=True)
    hits, again = await _ripgrep(ripgrep, literal, limit, protected)
    if again:
        raise ToolError(f"the search failed: {again}")
    return hits, "\n[not a regular expression, so the exact text was looked for]"


@cache
def find_ripgrep(path: str) -> str:
    """The ripgrep of a search path, empty when there is none."""
    files = (os.path.join(folder, "rg") for folder in path.split(":") if folder)
    return next((file for file in files if os.access(file, os.X_OK)), "")


async def _ripgrep(
    ripgrep: str, query: Query, limit: int, protected: tuple[str, ...]
) -> tuple[list[str], str]:
    """(hits, what ripgrep complained of if it found nothing)."""
    folder, target = _place(query.root)
    environment = {"PATH": query.programs, "LC_ALL": "C.UTF-8"}
    run = await process.start(
        [ripgrep, *_arguments(query), "--", target], cwd=folder, env=environment
    )
    allowed = _allowed(query.root, protected)
    wanted = name_matcher(query.pattern) if query.names else None
    hits: list[str] = []
    complaints: list[str] = []
    try:
        async for line in _lines(run):
            name, zero, _ = line.removeprefix("./").partition("\0")
            if not zero and not query.names:
                complaints.append(line)
            elif allowed(name) and (wanted is None or wanted(name)):
                hits.append(line.removeprefix("./"))
            if len(hits) > limit:
                return hits, ""
        failed = await run.wait() == 2 and not hits
        return hits, " ".join(complaints)[:300] if failed else ""
    finally:
        await run.kill()
        run.close()


def _arguments(query: Query) -> list[str]:
    globs = ["--glob=!.git", *([f"--glob={query.glob}"] if query.glob else [])]
    if query.names:
        return [*_COMMON, *globs, "--sort=path", "--files"]
    fixed = ["--fixed-strings"] if query.exact else []
    return [
        *(*_COMMON, *_IN_LINES, "--max-columns-preview", "--null", "--sort=path"),
        *(*globs, *fixed, f"--regexp={query.pattern}"),
    ]


def _place(root: str) -> tuple[str, str]:
    """(folder to run in, what to search there)."""
    return (root, ".") if os.path.isdir(root) else os.path.split(root)


async def _lines(run: process.Process) -> AsyncIterator[str]:
    rest = b""
    while chunk := await run.read():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")


def _allowed(root: str, protected: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a hit below the root may be shown: not from files that no tool may read."""
    from hermes_tui.security import file_places

    folder = _place(root)[0]
    known: dict[str, bool] = {}

    def allowed(name: str) -> bool:
        if name not in known:
            real = os.path.realpath(os.path.join(folder, name))
            known[name] = paths.is_open(real, protected) and not file_places.secret(real)
        return known[name]

    return allowed


def name_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path matches a regular expression, or its last part a shell pattern."""
    try:
        expression = re.compile(pattern)
    except re.error:
        expression = re.compile(re.escape(pattern))
    shell = re.compile(fnmatch.translate(pattern))
    return lambda name: bool(expression.search(name) or shell.match(os.path.basename(name)))


async def _walk(query: Query, limit: int, protected: tuple[str, ...]) -> tuple[list[str], str]:
    """The same without ripgrep, in a thread that stops when it is no longer wanted."""
    folder, target = _place(query.root)
    note = ""
    try:
        expression = re.compile(query.pattern)
    except re.error:
        expression = re.compile(re.escape(query.pattern))
        note = "\n[not a regular expression, so the exact text was looked for]"
    walk = Walk(folder, query.glob, _allowed(query.root, protected))
    only = "" if target == "." else target
    try:
        if query.names:
            return await asyncio.to_thread(walk.names, name_matcher(query.pattern), limit), ""
        return await asyncio.to_thread(walk.lines, expression, limit, only), note
    finally:
        walk.stop()


def _as_seen_from(cwd: str, root: str, hit: str) -> str:
    """A hit with a path that read_file takes, and its text made harmless."""
    name, zero, text = hit.partition("\0")
    real = os.path.normpath(os.path.join(_place(root)[0], name))
    here = os.path.realpath(cwd)
    shown = os.path.relpath(real, here) if real.startswith(here + os.sep) else real
    return shown + (":" + to_text(text.encode(errors="replace")) if zero else "")
