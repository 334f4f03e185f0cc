"""The two ways of reading and writing lines, over real pipes and a real terminal."""

from __future__ import annotations

import asyncio
import itertools
import os
import pty
import re
import select
import signal
import sys
import termios
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.paste import clean
from hermes_tui.plain.terminal import PlainLines, choose

READY = r"\x1b\[\?2004h"  # bracketed paste is on: the prompt is there
DONE = f"Done after.*?{READY}"
ROOT = Path(__file__).parents[2]
APP = textwrap.dedent(
    """
    import asyncio, pathlib, sys
    from hermes_tui.intents import Lines, OpenSession, PromptHistory, Send
    from hermes_tui.events import TurnStarted, TurnEnded
    from hermes_tui.plain import run_plain
    from tests.fakes.fake_client import FakeClient

    class Client(FakeClient):
        async def ask(self, intent):
            if isinstance(intent, Send):
                with pathlib.Path(sys.argv[1]).open("a") as out:
                    out.write(repr(intent.text) + chr(10))
                self.happen(TurnStarted(turn=1), TurnEnded(turn=1))
            return await super().ask(intent)

    client = Client()
    client.answers[PromptHistory] = Lines(lines=("earlier words",))
    print("LEFT", asyncio.run(run_plain(client, OpenSession())))
    """
)


def terminal(out: Path, steps: list[tuple[str, bytes]], term: str = "xterm") -> bytes:
    """Run plain mode on a terminal; each step waits for a pattern, then types. All output."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.environ.update(TERM=term, PYTHONPATH=str(ROOT), LC_ALL="C.UTF-8")
        os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
        os.execv(sys.executable, [sys.executable, "-c", APP, str(out)])
    termios.tcsetwinsize(fd, (24, 80))
    seen, at, end = b"", 0, time.monotonic() + 8
    try:
        while b"\n" not in seen.partition(b"LEFT")[2] and time.monotonic() < end:
            if select.select([fd], [], [], 0.02)[0]:
                with suppress(OSError):
                    seen += os.read(fd, 65536)
            found = steps and re.compile(steps[0][0].encode(), re.DOTALL).search(seen, at)
            if found:
                at = found.end()
                os.write(fd, steps.pop(0)[1])
        return seen
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)


def sent(out: Path) -> list[str]:
    return [eval(line) for line in out.read_text().splitlines()]


def test_a_paste_of_many_lines_is_one_text_on_a_real_terminal(tmp_path: Path) -> None:
    paste = b"\x1b[200~one\r\ntwo \x1b[31mred\x1b[0m\rthree\x1b[201~"
    out = tmp_path / "out"
    seen = terminal(out, [(READY, paste + b"!\r"), (DONE, b"\x04")])
    assert sent(out) == ["one\ntwo red\nthree!"]
    assert b"LEFT None" in seen


def test_lines_can_be_added_completed_and_recalled_on_a_real_terminal(tmp_path: Path) -> None:
    out = tmp_path / "out"
    steps = [
        (READY, b"a\\\rb\x1b\rc\r"),
        (DONE, b"\x1b[A\x1b[A\x1b[A\x1b[A\r"),
        (DONE, b"/usa\t"),
        ("/usage", b"\x03"),
        (f"Press ctrl.c again.*?{READY}", b"\x03"),
    ]
    seen = terminal(out, steps)
    assert sent(out)[0] == "a\nb\nc"
    assert sent(out)[1] == "earlier words"
    assert b"LEFT None" in seen


def test_a_dumb_terminal_gets_not_one_escape_byte(tmp_path: Path) -> None:
    out = tmp_path / "out"
    steps = [("Type and press Enter", b"hello\n"), ("Done after", b"/help\n"), ("/quit", b"\x04")]
    seen = terminal(out, steps, term="dumb")
    assert sent(out) == ["hello"]
    assert b"\x1b" not in seen
    assert b"LEFT None" in seen


def test_ctrl_c_on_a_dumb_terminal_does_not_kill(tmp_path: Path) -> None:
    steps = [("Type and press Enter", b"\x03"), (r"Press ctrl\+c again", b"\x03")]
    seen = terminal(tmp_path / "out", steps, term="dumb")
    assert b"LEFT None" in seen


async def test_without_a_terminal_lines_are_plain() -> None:
    lines = choose({"TERM": "xterm-256color", "NO_COLOR": "1"})
    try:
        assert isinstance(lines, PlainLines)
    finally:
        lines.close()


async def read_all(data: bytes, cuts: list[int]) -> list[str]:
    """What comes out when data comes in these pieces."""
    ours_in, theirs = os.pipe()
    lines = PlainLines(ours_in, os.open(os.devnull, os.O_WRONLY))
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for start, end in itertools.pairwise(edges):
        os.write(theirs, data[start:end])
    os.close(theirs)
    got: list[str] = []
    while (line := await lines.read()) is not None:
        got.append(line)
    lines.close()
    os.close(ours_in)
    return got


@given(st.lists(st.text(max_size=30), max_size=5), st.lists(st.integers(0, 90), max_size=4))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_lines_are_kept_however_the_pipe_cuts_them(texts: list[str], cuts: list[int]) -> None:
    texts = [one.replace("\n", "").removesuffix("\r") for one in texts]
    data = "".join(f"{one}\n" for one in texts).encode(errors="replace")
    got = asyncio.run(read_all(data, cuts))
    assert got == [clean(one.encode(errors="replace").decode()) for one in texts]


async def test_input_from_a_file_is_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "script"
    await asyncio.to_thread(file.write_bytes, b"one\r\ntwo\xff\nlast")
    with await asyncio.to_thread(file.open, "rb") as source:
        lines = PlainLines(source.fileno(), source.fileno())
        got = [await lines.read() for _ in range(4)]
        lines.close()
    assert got == ["one", "two\ufffd", "last", None]


async def test_a_reader_that_went_away_is_the_end_of_input() -> None:
    hear, say = os.pipe()
    keep, talk = os.pipe()
    lines = PlainLines(keep, say)
    os.close(hear)
    os.close(say)
    lines.write("anybody?")
    async with asyncio.timeout(5):
        assert await lines.read() is None
    lines.close()
    os.close(keep)
    os.close(talk)


async def test_a_terminal_that_does_not_read_holds_nothing_up() -> None:
    hear, say = os.pipe()
    keep, talk = os.pipe()
    lines = PlainLines(keep, say)
    began = time.monotonic()
    for _ in range(3000):
        lines.write("x" * 100)
    assert time.monotonic() - began < 1
    os.close(hear)
    lines.close()
    for fd in (say, keep, talk):
        os.close(fd)


@pytest.mark.parametrize("module", ["textual", "rich", "prompt_toolkit"])
def test_plain_lines_need_no_screen_library(module: str) -> None:
    import subprocess

    code = f"import sys, hermes_tui.plain.commands as c; sys.exit({module!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0
