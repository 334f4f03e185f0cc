"""What an idle core costs with six gateways connected and ten jobs; their servers are in here.

python benchmarks/idle_gateways.py [SECONDS]
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from measure import Bench, Figure, cpu_of, memory_of, tree

WATCH_S, SETTLE_S = 150.0, 10.0
JOBS = 10
SECRETS = {"HOOK_SECRET": "signed with this " + "word", "HERMES_TUI_HTTP_KEY": "k" * 40}


HOOK = """webhook:
  enabled: true
  hooks:
    - {name: deploy, secret_env: HOOK_SECRET, template: "{status}", deliver: [telegram]}"""


@contextmanager
def platforms() -> Generator[list[Any]]:
    """One server of each platform, on a loop of their own."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.gateways.contract import RIGS

    rigs: list[Any] = []
    there, over = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with AsyncExitStack() as stack:
            for name, module in RIGS.items():
                if "_" not in name:
                    rigs.append(await stack.enter_async_context(import_module(module).rig()))
            there.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    there.wait(30)
    try:
        yield rigs
    finally:
        loops[0].call_soon_threadsafe(over.set)
        thread.join(10)


def settings(rigs: list[Any]) -> str:
    """The settings of a home that is connected with all of them."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    lines = [f"http:\n  port: {port}"]
    for rig in rigs:
        if hasattr(rig, "listening"):
            rig.port = port
        lines.append(f"{rig.platform}:\n  enabled: true\n  owners: ['{rig.owner}']")
        lines += [f"  {line}" for line in rig.settings()]
    lines.append(HOOK)
    return "\n".join(lines) + "\n"


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    return measured(bench, WATCH_S)


def measured(bench: Bench, seconds: float) -> list[Figure]:
    """Connect, wait, look."""
    with platforms() as rigs:
        bench.new_home(settings(rigs))
        bench.env.update(SECRETS)
        for rig in rigs:
            bench.env.update(rig.environment())
        bench.run("daemon", "start")
        try:
            for number in range(JOBS):
                bench.run("cron", "add", f"0 {number} 1 1 *", "say good morning")
            pid = int(json.loads(bench.run("daemon", "status", "--json").out)["pid"])
            connected = _connected(bench)
            time.sleep(SETTLE_S)
            before = cpu_of(tree(pid))
            time.sleep(seconds)
            pids = tree(pid)
            cpu = 1000 * (cpu_of(pids) - before) * 60 / seconds
            memory = memory_of(pids)
            assert _connected(bench) == connected
        finally:
            bench.run("daemon", "stop")
    what = f"idle core, {len(connected)} gateways connected and {JOBS} jobs"
    return [
        Figure(f"{what}: memory", memory, "MB", 130),
        Figure(f"{what}: CPU a minute", cpu, "ms", 60),
    ]


def _connected(bench: Bench) -> list[str]:
    """The gateways that are on, all that are enabled being so."""
    end = time.monotonic() + 60
    rows: list[dict[str, Any]] = []
    while time.monotonic() < end:
        rows = json.loads(bench.run("gateway", "list", "--json").out)["gateways"]
        wanted = [one for one in rows if one["enabled"] and one["name"] != "cli"]
        if len(wanted) == 6 and all(one["state"] == "on" for one in wanted):
            return [one["name"] for one in wanted]
        time.sleep(0.5)
    raise SystemExit(f"not all are connected: {rows}")


if __name__ == "__main__":
    bench = Bench.open()
    try:
        for one in measured(bench, float(sys.argv[1]) if len(sys.argv) > 1 else WATCH_S):
            print(f"{one.name}: {one.value:.1f} {one.unit} (at most {one.limit:g})")
    finally:
        bench.close()
