"""The process that holds the embedded model: llama.cpp's own server on a loopback port.

Run as `python -m hermes_tui.models.embedded_child`. The first line of its input is a `Start`
as JSON; when the model is loaded it prints a line `ready PORT`. After that it reads `busy`
and `idle` lines, ends when it was idle for long enough, and at once when its input ends:
that is how it goes when its parent does, however the parent goes. It ends without unloading,
because unloading may hang.
"""

from __future__ import annotations

import importlib
import os
import select
from typing import Any

import msgspec
from msgspec import Struct

READY = b"\nready "


class Start(Struct, frozen=True, kw_only=True):
    """What to load and how. key: what every request must carry; idle_s: end after so long."""

    file: str
    key: str
    threads: int
    context: int
    idle_s: float


def main() -> None:
    """Load, serve, and end with the parent or when idle."""
    lines = _Lines()
    first = lines.next(None)
    if first is None:
        os._exit(0)
    start = msgspec.json.decode(first, type=Start)
    os.nice(5)
    server = _serve(start)
    port = int(str(server.listening_address).rsplit(":", 1)[-1])
    os.write(1, READY + str(port).encode() + b"\n")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    _live(lines, start.idle_s)


def _serve(start: Start) -> Any:
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params: Any = xllamacpp.CommonParams()
    params.model.path = start.file
    params.n_ctx = start.context
    params.n_parallel = 1
    params.cpuparams.n_threads = start.threads
    params.cpuparams_batch.n_threads = start.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_threads_http = 2
    params.api_keys = [start.key]
    params.use_jinja = True
    params.warmup = False
    params.fit_params = False
    params.cache_prompt = True
    params.cache_ram_mib = 128
    return xllamacpp.Server(params)


def _live(lines: _Lines, idle_s: float) -> None:
    busy = 0
    while True:
        line = lines.next(None if busy else idle_s)
        if line is None:
            os._exit(0)
        busy = max(0, busy + (1 if line == b"busy" else -1))


class _Lines:
    """Lines of the standard input, without a thread and without buffering behind our back."""

    def __init__(self) -> None:
        self._rest = b""

    def next(self, timeout_s: float | None) -> bytes | None:
        """The next line; None at the end of input or when nothing came in time."""
        while b"\n" not in self._rest:
            ready, _, _ = select.select([0], [], [], timeout_s)
            data = os.read(0, 65_536) if ready else b""
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line


if __name__ == "__main__":
    main()
