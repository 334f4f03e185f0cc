"""`hermes daemon logs`: the last lines of the core's log, and what is added to it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import BinaryIO

from hermes_tui.cli.start_log import last_lines
from hermes_tui.errors import HermesError

_POLL_S = 0.2


def show(path: Path, arguments: list[str]) -> int:
    """Print the end of the log; `-f` goes on until ctrl+c, across a file that starts anew."""
    follow, count = _read(arguments)
    at = path.stat().st_size if path.exists() else 0
    for line in last_lines(path, count, at_most=max(65536, count * 400)):
        print(line)
    if follow:
        _follow(path, at)
    return 0


def _read(arguments: list[str]) -> tuple[bool, int]:
    follow, count = False, 50
    left = list(arguments)
    while left:
        match left:
            case ["-f" | "--follow", *left]:
                follow = True
            case ["-n", number, *left] if number.isdigit():
                count = int(number)
            case _:
                raise HermesError(f"not understood: {' '.join(left)}", "hermes daemon --help")
    return follow, count


def _follow(path: Path, at: int) -> None:
    file: BinaryIO | None = None
    while True:
        if file is None and path.exists():
            file = path.open("rb")
            file.seek(at)
            at = 0
        if file is not None:
            sys.stdout.write(file.read().decode(errors="replace"))
            sys.stdout.flush()
            if _replaced(file, path):
                file.close()
                file = None
                continue
        time.sleep(_POLL_S)


def _replaced(file: BinaryIO, path: Path) -> bool:
    try:
        return os.fstat(file.fileno()).st_ino != path.stat().st_ino
    except FileNotFoundError:
        return True
