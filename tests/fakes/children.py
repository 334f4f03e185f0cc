"""Looking at child processes and the files they write, for tests."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path


def content(path: str) -> bytes:
    """What is in a file."""
    return Path(path).read_bytes()


def size(path: str) -> int:
    """How long a file is; -1 when there is none."""
    return os.path.getsize(path) if os.path.exists(path) else -1


async def until(true: Callable[[], bool], seconds: float = 1.5) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true in time"
        await asyncio.sleep(0.01)


def state(pid: int) -> str:
    """The state letter of a process; empty when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def lives(pid: int) -> bool:
    return state(pid) not in ("", "Z", "X")


async def pid_in(file: Path) -> int:
    await until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(content(str(file)))
