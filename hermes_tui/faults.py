"""Named points at which tests kill the process, to prove that nothing is lost there.

Armed by `HERMES_TUI_FAULT=K` (kill -9 at the K-th point passed) or `HERMES_TUI_FAULT=count:FILE`
(append each point's name to a file, to learn how many there are). In production `point` is an
empty function.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

ENV = "HERMES_TUI_FAULT"
_passed = 0


def _nothing(name: str) -> None:
    """Production: no fault."""


def _count(name: str) -> None:
    path = os.environ[ENV].partition(":")[2]
    with open(path, "a", encoding="utf-8") as file:
        file.write(name + "\n")


def _kill(name: str) -> None:
    global _passed
    _passed += 1
    if _passed == int(os.environ[ENV]):
        os.kill(os.getpid(), signal.SIGKILL)


def _armed() -> Callable[[str], None]:
    wanted = os.environ.get(ENV, "")
    if wanted.startswith("count:"):
        return _count
    return _kill if wanted.isdigit() else _nothing


point = _armed()
