"""The real thing: bytes into a terminal, the prompt's text out."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
APP = textwrap.dedent(
    """
    import pathlib, sys
    from hermes_tui.ui.paste_input import TerminalDriver
    from tests.fakes.prompt_app import PromptApp

    class App(PromptApp):
        def on_mount(self):
            super().on_mount()
            self.set_timer(0.01, lambda: print("READY", file=sys.__stdout__, flush=True))

        def on_prompt_submitted(self, message):
            out = pathlib.Path(sys.argv[1])
            out.with_suffix(".new").write_text(message.how + ":" + message.text)
            out.with_suffix(".new").rename(out)
            self.exit()

    app = App()
    app.driver_class = TerminalDriver
    app.run()
    """
)


def typed(out: Path, *parts: bytes) -> str:
    """What the prompt sends when these bytes come from the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.environ.update(TERM="xterm-256color", PYTHONPATH=str(ROOT), LC_ALL="C.UTF-8")
        os.execv(sys.executable, [sys.executable, "-c", APP, str(out)])
    deadline = time.monotonic() + 8
    seen, left = b"", list(parts)
    try:
        while not out.exists() and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.05)[0]:
                with suppress(OSError):
                    seen += os.read(terminal, 65536)
            if b"READY" in seen and left:
                os.write(terminal, left.pop(0))
        return out.read_text()
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def test_a_paste_with_escape_sequences_and_returns_is_text_and_presses_nothing(
    tmp_path: Path,
) -> None:
    paste = (
        b"\x1b[200~echo \x1b[31mred\x1b[0m\rsecond line \x1b[<35;101;48M and a long tail\x1b[201~"
    )
    assert typed(tmp_path / "out", paste, b"!\r") == (
        "auto:echo red\nsecond line  and a long tail!"
    )


def test_alt_enter_queues_on_terminals_that_send_escape_return(tmp_path: Path) -> None:
    assert typed(tmp_path / "out", "分析".encode() + b"\xff", b"\x1b\r") == "queue:分析\ufffd"
