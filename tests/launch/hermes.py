"""The command under test as a process of its own, and looking after what it leaves running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from hermes_tui.cli import quick
from hermes_tui.cli.daemon import CODE
from hermes_tui.errors import CoreError
from hermes_tui.home import ENV, Home
from tests.fakes.scripted_model import ScriptedModel

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 10.0
T = TypeVar("T")


def command(*arguments: str, root: Path = ROOT) -> list[str]:
    """The command line of `hermes` as it is in this tree, or in a copy of it."""
    return [sys.executable, "-P", "-c", CODE, str(root), *arguments]


@dataclass
class Place:
    """A home, a scripted model, and the environment that points at both."""

    home: Home
    model: ScriptedModel
    folder: Path
    more: dict[str, str] = field(default_factory=dict)
    root: Path = ROOT

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of a command that is run here."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.folder),
            "TERM": "xterm-256color",
            ENV: str(self.home.path),
            "HERMES_TUI_BASE_URL": self.model.url,
            "HERMES_TUI_MODEL": self.model.name,
            "HERMES_TUI_API_KEY": "none",
            **self.more,
        }

    def run(self, *arguments: str, stdin: str = "", cwd: Path | None = None) -> Ran:
        """Run `hermes` to its end."""
        done = subprocess.run(
            command(*arguments, root=self.root),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=self.env,
            cwd=cwd or self.folder,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start `hermes` and leave it running."""
        return subprocess.Popen(
            command(*arguments, root=self.root),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
            cwd=self.folder,
        )

    def core(self) -> int:
        """The pid of the living core, 0 when there is none."""
        if not quick.held(self.home):
            return 0
        words = self.home.lock.read_text().replace(",", " ").split()
        return int(words[1]) if len(words) > 1 else 0

    def status(self) -> dict[str, object]:
        """What the living core says about itself."""
        line = quick.connect(self.home, "test")
        assert line is not None, "no core lives"
        try:
            return line.ask("get_status", wait_s=5)
        finally:
            line.close()

    def restarted(self, before: dict[str, object]) -> bool:
        """Whether another core than the one of that status has come up."""
        line = quick.connect(self.home, "test")
        if line is None:
            return False
        try:
            return line.ask("get_status", wait_s=5)["started"] != before["started"]
        except CoreError:
            return False
        finally:
            line.close()

    def end(self) -> None:
        """End the core that lives here, if one does; the tests leave none behind."""
        pid = self.core()
        if not pid:
            return
        os.kill(pid, signal.SIGTERM)
        if not quick.wait_until_free(self.home, 5):
            os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Ran:
    """A command that has ended."""

    code: int
    out: str
    err: str


def until(
    true: Callable[[], T],
    seconds: float = PATIENCE_S,
    every: float = 0.01,
    what: Callable[[], object] = str,
) -> T:
    """Wait until a question has an answer that is true, and return it; `what` tells why not."""
    deadline = time.monotonic() + seconds
    while not (got := true()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {true}: {what()}"
        time.sleep(every)
    return got


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in (b"Z", b"X")
