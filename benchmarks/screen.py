"""The full screen in a real terminal: start, streaming, echo of keys, long sessions."""

from __future__ import annotations

import json
import statistics
import time

from measure import Bench, Figure, Screen, cpu_of, memory_of, tree

PROMPT = "❯"
MESSAGES = 5_000


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    return [*_start(bench), *_stream(bench), *_open(bench)]


def _start(bench: Bench) -> list[Figure]:
    times, memories, launchers = [], [], []
    for _ in range(5):
        bench.new_home()
        screen = Screen(bench)
        times.append(screen.until(PROMPT))
        screen.type("Zq")
        screen.until("Zq")
        time.sleep(1.0)
        pids = tree(screen.pid)
        memories.append(memory_of(pids))
        launchers.append(memory_of(pids[:1]))
        screen.close()
    return [
        Figure("start to usable prompt, wall", statistics.median(times), "s", 0.6),
        Figure(
            "all memory after the start (core and launcher)", statistics.median(memories), "MB", 110
        ),
        Figure("memory of the launcher", statistics.median(launchers), "MB", 12),
    ]


AT_ONCE = "go [[tokens=20000 chunk=1 prose=md]]"
SLOWLY = "go [[tokens=20000 chunk=4 delay_ms=1 prose=md]]"


def _stream(bench: Bench) -> list[Figure]:
    """CPU of a reply that comes as fast as it can; echo of keys while one comes slowly."""
    bench.new_home()
    screen = Screen(bench)
    _ask(screen, AT_ONCE)
    before = screen.cpu()
    screen.key("Enter")
    while not _finished(bench, 1, screen.text()):
        time.sleep(0.1)
    time.sleep(1.0)
    cpu, memory = screen.cpu() - before, screen.memory()
    screen.close()
    lags = _echoes(bench)
    return [
        Figure("20,000-token Markdown reply in the UI: CPU", cpu, "s", 2.5),
        Figure("… memory after it", memory, "MB"),
        Figure("key echo meanwhile, median (with tmux)", 1000 * statistics.median(lags), "ms"),
        Figure("key echo meanwhile, worst", 1000 * max(lags), "ms", 100, f"{len(lags)} probes"),
    ]


def _ask(screen: Screen, text: str) -> None:
    screen.until(PROMPT)
    time.sleep(1.0)
    screen.type(text)
    screen.until("prose=md")


def _echoes(bench: Bench) -> list[float]:
    """Seconds from a key to its being on the screen, while a reply comes in."""
    bench.new_home()
    asked = len(bench.requests())
    screen = Screen(bench)
    _ask(screen, SLOWLY)
    screen.key("Enter")
    time.sleep(0.5)
    lags: list[float] = []
    text = ""
    while not _finished(bench, asked + 1, text) and len(lags) < 500:
        mark = f"Q{len(lags):02d}q"
        at = time.perf_counter()
        screen.type(mark)
        while mark not in (text := screen.text()) and time.perf_counter() - at < 5:
            time.sleep(0.002)
        lags.append(time.perf_counter() - at)
        for _ in mark:
            screen.key("BSpace")
    screen.close()
    return lags


def _finished(bench: Bench, count: int, text: str) -> bool:
    return len(bench.requests()) >= count and "esc stop" not in text


def _open(bench: Bench) -> list[Figure]:
    bench.new_home()
    lines = [json.dumps({"session": {"id": "long", "title": "long", "started_at": 1e9}})]
    for n in range(MESSAGES):
        role = "user" if n % 2 == 0 else "assistant"
        text = f"message {n}: a paragraph with **bold** words.\n\n- one item\n- another `item`\n"
        lines.append(json.dumps({"id": f"m{n}", "role": role, "text": text, "ts": 1e9 + n}))
    path = bench.folder / "long.jsonl"
    path.write_text("\n".join(lines))
    bench.run("sessions", "import", str(path))
    bench.run("daemon", "start")
    whole, empty = [], []
    for _ in range(3):
        for arguments, wanted, times in (
            (["--resume", "long"], f"message {MESSAGES - 1}", whole),
            (["--resume", "none"], PROMPT, empty),
        ):
            screen = Screen(bench, *arguments) if arguments[1] != "none" else Screen(bench)
            times.append(screen.until(wanted))
            pids = tree(screen.pid)
            cpu_of(pids)
            screen.close()
    bench.run("daemon", "stop")
    more = statistics.median(whole) - statistics.median(empty)
    return [
        Figure("open a session of 5,000 messages, beyond an empty one", more, "s", 0.4),
        Figure("attach to it, in all", statistics.median(whole), "s"),
    ]
