"""What all benchmarks share: a model server, a temporary home, commands and screens measured.

CPU seconds are those of the whole finished process tree; memory is the peak of one process or,
for what goes on running, the sum of the resident memory of its tree.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
HERMES = str(Path(sys.executable).parent / "hermes")
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Figure:
    """One measured figure beside its limit. limit None: shown, not judged."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the limit holds."""
        return None if self.limit is None else self.value <= self.limit


@dataclass(frozen=True)
class Run:
    """One finished command."""

    code: int
    wall: float
    cpu: float
    peak_mb: float
    began: float
    out: str = ""


@dataclass
class Bench:
    """A temporary home with a model server that does what the prompt says."""

    folder: Path
    server: subprocess.Popen[str]
    url: str
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls) -> Bench:
        """Start the server and make the home."""
        folder = Path(tempfile.mkdtemp(prefix="hermes-bench-"))
        (folder / "dump").mkdir()
        argv = [sys.executable, str(HERE / "fake_model.py"), "--port", "0"]
        argv += ["--log", str(folder / "log.jsonl"), "--dump", str(folder / "dump")]
        server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = re.search(r"http://[^\s]+", server.stdout.readline())
        assert url, "the model server did not say where it listens"
        bench = cls(folder, server, url.group())
        bench.env = {
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONDONTWRITEBYTECODE" and not name.startswith("HERMES_")
        }
        bench.new_home()
        return bench

    def new_home(self, more: str = "") -> Path:
        """A fresh home that knows the server. more: settings, as text of the file."""
        home = self.folder / f"home-{uuid.uuid4().hex[:6]}"
        home.mkdir(mode=0o700)
        settings = f"model:\n  name: bench-model\n  base_url: {self.url}\n"
        (home / "config.yaml").write_text(settings + "agent:\n  mode: yolo\n" + more)
        self.env["HERMES_TUI_HOME"] = str(home)
        return home

    def close(self) -> None:
        """End the server and remove the folder."""
        self.server.terminate()
        self.server.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments: str, stdin: str = "", cwd: Path | None = None) -> Run:
        """Run `hermes` with these arguments to its end, in a folder (its own by default)."""
        began, clock = time.time(), time.perf_counter()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as given:
            given.write(stdin.encode())
            given.seek(0)
            child = subprocess.Popen(
                [HERMES, *arguments],
                env=self.env,
                stdin=given,
                stdout=output,
                stderr=subprocess.DEVNULL,
                cwd=cwd or self.folder,
                start_new_session=True,
            )
            _, status, used = os.wait4(child.pid, 0)
            wall = time.perf_counter() - clock
            child.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            text = output.read().decode(errors="replace")
        cpu = used.ru_utime + used.ru_stime
        return Run(child.returncode, wall, cpu, used.ru_maxrss / 1024, began, text)

    def requests(self, since: float = 0.0) -> list[dict[str, float]]:
        """The chat requests the server has seen, in order."""
        log = self.folder / "log.jsonl"
        rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [row for row in rows if row["kind"] == "chat" and row["t0"] >= since]

    def bodies(self, since: float = 0.0) -> list[bytes]:
        """The bodies of those requests."""
        names = [f"{int(row['seq']):06d}.json" for row in self.requests(since)]
        return [(self.folder / "dump" / name).read_bytes() for name in names]


def median(of: Callable[[], float], runs: int = 5) -> float:
    """The median of several runs."""
    return statistics.median(of() for _ in range(runs))


def medians(runs: list[Run], *names: str) -> list[float]:
    """The median of each named field."""
    return [statistics.median(getattr(run, name) for run in runs) for name in names]


def tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (stat := _stat(int(name))):
            children.setdefault(int(stat[1]), []).append(int(name))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def _stat(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return []
    return text[text.rindex(")") + 2 :].split()


def cpu_of(pids: list[int]) -> float:
    """CPU seconds used so far by living processes and the children they have reaped."""
    stats = [stat for pid in pids if (stat := _stat(pid))]
    return sum(sum(map(int, stat[11:15])) for stat in stats) / TICK


def memory_of(pids: list[int]) -> float:
    """Resident memory in MB."""
    stats = [stat for pid in pids if (stat := _stat(pid))]
    return sum(int(stat[21]) * PAGE for stat in stats) / 1e6


class Screen:
    """`hermes` in a terminal of its own."""

    def __init__(self, bench: Bench, *arguments: str, size: tuple[int, int] = (120, 35)) -> None:
        self._socket = f"bench-{uuid.uuid4().hex[:8]}"
        self.began = time.perf_counter()
        env = [f"{k}={v}" for k, v in bench.env.items() if k in ("HERMES_TUI_HOME", "PATH", "HOME")]
        command = " ".join(["exec", "env", *env, "LANG=C.UTF-8", HERMES, *arguments])
        shape = ["-x", str(size[0]), "-y", str(size[1]), "-c", str(bench.folder)]
        self.tmux("-f", "/dev/null", "new-session", "-d", *shape, command)
        self.tmux("set", "-g", "remain-on-exit", "on")
        self.pid = int(self.tmux("list-panes", "-F", "#{pane_pid}").split()[0])

    def tmux(self, *arguments: str) -> str:
        """One tmux command; what it printed."""
        argv = ["tmux", "-L", self._socket, *arguments]
        return subprocess.run(argv, capture_output=True, text=True, check=False).stdout

    def text(self) -> str:
        """What is on the screen."""
        return self.tmux("capture-pane", "-p")

    def until(self, pattern: str, limit: float = 60.0, step: float = 0.01) -> float:
        """Seconds since the start when a pattern is on the screen; raises TimeoutError."""
        wanted = re.compile(pattern, re.MULTILINE)
        end = time.perf_counter() + limit
        while time.perf_counter() < end:
            if wanted.search(self.text()):
                return time.perf_counter() - self.began
            time.sleep(step)
        raise TimeoutError(f"{pattern!r} did not show:\n{self.text()}")

    def type(self, text: str) -> None:
        """Type a text."""
        self.tmux("send-keys", "-l", text)

    def key(self, name: str) -> None:
        """Press a key, by tmux's name for it."""
        self.tmux("send-keys", name)

    def cpu(self) -> float:
        """CPU seconds of the screen's process tree so far."""
        return cpu_of(tree(self.pid))

    def memory(self) -> float:
        """Resident memory of the tree in MB."""
        return memory_of(tree(self.pid))

    def close(self) -> None:
        """End the terminal, and the core that would outlive it."""
        pids = tree(self.pid)
        self.tmux("kill-server")
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
