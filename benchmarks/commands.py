"""Commands from outside: start-up, one-shot answers, the same through a living core."""

from __future__ import annotations

from measure import Bench, Figure, medians


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    return [*_version(bench), *_cold(bench), *_living(bench), *_long(bench)]


def _version(bench: Bench) -> list[Figure]:
    wall, peak = medians([bench.run("--version") for _ in range(7)], "wall", "peak_mb")
    helped = medians([bench.run("--help") for _ in range(5)], "wall")[0]
    return [
        Figure("`hermes --version`, wall", wall, "s", 0.08),
        Figure("`hermes --version`, peak memory", peak, "MiB", 25),
        Figure("`hermes --help`, wall", helped, "s", 0.15),
    ]


def _cold(bench: Bench) -> list[Figure]:
    runs, firsts = [], []
    for _ in range(5):
        bench.new_home()
        runs.append(bench.run("-z", "hello"))
        firsts.append(bench.requests(runs[-1].began)[0]["t0"] - runs[-1].began)
    cpu, peak = medians(runs, "cpu", "peak_mb")
    body = len(bench.bodies(runs[-1].began)[0])
    return [
        Figure("one-shot hello, cold: CPU", cpu, "s", 0.45),
        Figure("one-shot hello, cold: time to first request", sorted(firsts)[2], "s", 0.40),
        Figure("one-shot hello, cold: peak memory", peak, "MiB", 60),
        Figure("first request for hello", body / 1024, "KiB", 12),
    ]


def _living(bench: Bench) -> list[Figure]:
    bench.new_home()
    bench.run("daemon", "start")
    bench.run("-z", "hello")
    cpu = medians([bench.run("-z", "hello") for _ in range(7)], "cpu")[0]
    bench.run("daemon", "stop")
    return [Figure("one-shot hello through a living core: CPU of the command", cpu, "s", 0.10)]


def _long(bench: Bench) -> list[Figure]:
    bench.new_home()
    runs = [bench.run("-z", "go [[tokens=20000 chunk=1]]") for _ in range(3)]
    cpu, peak = medians(runs, "cpu", "peak_mb")
    assert len(runs[0].out.split()) > 19_000
    return [
        Figure("20,000-token reply, one-shot: CPU in all", cpu, "s", 0.6),
        Figure("20,000-token reply, one-shot: peak memory", peak, "MiB"),
    ]
