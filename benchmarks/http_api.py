"""The HTTP API under load: chats at once with tool rounds in each, and what one chat costs."""

from __future__ import annotations

import asyncio
import os
import socket
import statistics
import time
from pathlib import Path

import httpx2
from measure import Bench, Figure, cpu_of, tree

AT_ONCE, RUNS = 20, 5
SCRIPT = '[[rounds=3 tool=todo args={"items":[{"text":"one"}]}]]'
KEY = "key-" + "of-a-benchmark-" * 3


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = int(found.getsockname()[1])
    folder = bench.folder / "http"
    home = bench.new_home(f"http:\n  port: {port}\n  folder: {folder}\n")
    (home / "secrets.env").write_text(f"HERMES_TUI_HTTP_KEY={KEY}\n")
    os.chmod(home / "secrets.env", 0o600)
    bench.run("daemon", "start")
    try:
        return asyncio.run(_measured(f"http://127.0.0.1:{port}", _core(home)))
    finally:
        bench.run("daemon", "stop")


def _core(home: Path) -> int:
    words = (home / "core.lock").read_text().replace(",", " ").split()
    return int(words[1])


async def _measured(url: str, pid: int) -> list[Figure]:
    head = {"authorization": f"Bearer {KEY}"}
    async with httpx2.AsyncClient(
        base_url=url, headers=head, trust_env=False, timeout=60
    ) as client:
        await _until_up(client)
        first = await _chat(client)
        alone = statistics.median([await _chat(client) for _ in range(RUNS)])
        before, worst = cpu_of(tree(pid)), 0.0
        for _ in range(RUNS):
            times = await asyncio.gather(*(_chat(client) for _ in range(AT_ONCE)))
            worst = max(worst, *times)
        cpu = (cpu_of(tree(pid)) - before) / (RUNS * AT_ONCE)
    name = f"{AT_ONCE} chats at once over HTTP, 3 tool rounds each"
    return [
        Figure("HTTP API: the first chat after a start, 3 tool rounds", first, "s"),
        Figure("HTTP API: one chat, 3 tool rounds", alone, "s"),
        Figure(f"{name}: the slowest of {RUNS} times {AT_ONCE}", worst, "s", 2.0),
        Figure(f"{name}: CPU of each", cpu, "s"),
    ]


async def _until_up(client: httpx2.AsyncClient) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            await client.get("/health")
            return
        except httpx2.TransportError:
            assert time.monotonic() < deadline, "nobody listens"
            await asyncio.sleep(0.01)


async def _chat(client: httpx2.AsyncClient) -> float:
    """Seconds until a chat is answered."""
    body = {"messages": [{"role": "user", "content": f"go {SCRIPT}"}]}
    began = time.monotonic()
    answer = await client.post("/v1/chat/completions", json=body)
    taken = time.monotonic() - began
    assert answer.status_code == 200, answer.text
    assert answer.json()["choices"][0]["finish_reason"] == "stop"
    return taken
