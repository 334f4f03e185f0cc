"""What an idle core costs: headless, and after its screen was left."""

from __future__ import annotations

import json
import time

from measure import Bench, Figure, Screen, cpu_of, memory_of, tree

SETTLE_S, WATCH_S = 5.0, 30.0


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    return [*_headless(bench), *_detached(bench)]


def _core(bench: Bench) -> int:
    return int(json.loads(bench.run("daemon", "status", "--json").out)["pid"])


def _watch(pid: int) -> tuple[float, float]:
    """(memory in MB, CPU milliseconds a minute)."""
    time.sleep(SETTLE_S)
    before = cpu_of(tree(pid))
    time.sleep(WATCH_S)
    pids = tree(pid)
    return memory_of(pids), 1000 * (cpu_of(pids) - before) * 60 / WATCH_S


def _headless(bench: Bench) -> list[Figure]:
    bench.new_home()
    bench.run("daemon", "start")
    bench.run("-z", "hello")
    memory, cpu = _watch(_core(bench))
    bench.run("daemon", "stop")
    return [
        Figure("idle core, headless: memory", memory, "MB", 60),
        Figure("idle core, headless: CPU a minute", cpu, "ms", 20),
    ]


def _detached(bench: Bench) -> list[Figure]:
    bench.new_home()
    screen = Screen(bench)
    screen.until("❯")
    screen.type("hello")
    screen.until("hello")
    screen.key("Enter")
    time.sleep(2.0)
    shown, before = _watch(screen.pid)
    screen.key("C-q")
    memory, cpu = _watch(_core(bench))
    screen.close()
    bench.run("daemon", "stop")
    return [
        Figure("idle with the screen open: memory", shown, "MB"),
        Figure("idle with the screen open: CPU a minute", before, "ms", 20),
        Figure("idle core after a detach: memory", memory, "MB", 90),
        Figure("idle core after a detach: CPU a minute", cpu, "ms", 20),
    ]
