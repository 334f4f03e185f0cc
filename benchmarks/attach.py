"""How soon a screen is there: of this machine's agent, over ssh, and over a slow, lossy line."""

from __future__ import annotations

import getpass
import os
import statistics
import sys
import time
from pathlib import Path

from measure import Bench, Figure, Screen

SHOWN = "Say what to do"
RUNS = 5


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    home = bench.new_home()
    bench.run("daemon", "start")
    here, work = map(
        statistics.median, zip(*(_paint(bench, "attach") for _ in range(RUNS)), strict=True)
    )
    try:
        rows = _far(bench, home)
    finally:
        bench.env["HERMES_TUI_HOME"] = str(home)
        bench.run("daemon", "stop")
    return [
        Figure("attach to the first frame, this machine", here, "s", 0.5),
        Figure("attach to the first frame, this machine: CPU", work, "s", 0.5),
        *rows,
    ]


def _far(bench: Bench, home: Path) -> list[Figure]:
    sys.path.insert(1, str(Path(__file__).parents[1]))
    from tests.fakes.ssh_server import Link, SshServer, Weather

    os.environ["HERMES_TUI_HOME"] = str(home)
    server = SshServer(bench.folder, home).start()
    server.install()
    slow = Link(server.port, Weather(delay=0.1, loss=0.02))
    server.trust(slow.port)
    near = {"HOME": str(bench.folder / "near"), "HERMES_TUI_HOME": str(bench.folder / "near-home")}
    bench.env.update(near)
    me = f"{getpass.getuser()}@127.0.0.1"
    try:
        painted = [_paint(bench, "attach", f"{me}:{server.port}") for _ in range(RUNS)]
        over_ssh, work = map(statistics.median, zip(*painted, strict=True))
        over_slow, key = _slow(bench, f"{me}:{slow.port}")
    finally:
        slow.close()
        server.stop()
    note = "200 ms there and back, 2 % lost"
    return [
        Figure("attach to the first frame, over ssh on loopback", over_ssh, "s"),
        Figure("attach to the first frame, over ssh on loopback: CPU", work, "s"),
        Figure("attach to the first frame, over ssh", over_slow, "s", note=note),
        Figure("a typed word is on the screen, over ssh", key, "s", 0.2, note=note),
    ]


def _paint(bench: Bench, *arguments: str) -> tuple[float, float]:
    """(seconds to the first frame, CPU seconds until then)."""
    screen = Screen(bench, *arguments)
    try:
        return screen.until(SHOWN), screen.cpu()
    finally:
        screen.close()


def _slow(bench: Bench, target: str) -> tuple[float, float]:
    """(seconds to the first frame, median seconds until a typed word is seen)."""
    screen = Screen(bench, "attach", target)
    try:
        shown = screen.until(SHOWN)
        took: list[float] = []
        for word in ("alpha", "bravo", "charlie", "delta", "echo"):
            began = time.perf_counter()
            screen.type(word)
            screen.until(word)
            took.append(time.perf_counter() - began)
        return shown, statistics.median(took)
    finally:
        screen.close()
