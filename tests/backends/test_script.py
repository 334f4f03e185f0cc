"""A script's process: how it ends, what it leaves behind (nothing), and calls that are too long."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from hermes_tui.backends.script import LINE_BYTES, Answer, Script, start_script
from tests.fakes.children import lives, until

ENV = {"PATH": "/usr/bin:/bin"}


async def begin(code: str, folder: Path) -> Script:
    return await start_script(code, {}, cwd=str(folder), env=ENV)


async def ran(code: str, folder: Path) -> tuple[int | None, str, list[str]]:
    """Exit code, output, and the names of the tools it called."""
    called: list[str] = []
    output: list[bytes] = []

    async def answer(name: str, arguments: str) -> Answer:
        called.append(name)
        return Answer(status="ok", text=f"{name} {len(arguments)}")

    async def take(chunk: bytes) -> None:
        output.append(chunk)

    script = await begin(code, folder)
    try:
        async with asyncio.timeout(8):
            await script.run(answer, take)
    finally:
        await script.end()
    return script.exit_code, b"".join(output).decode(), called


@pytest.mark.parametrize(
    ("code", "ends", "says"),
    [
        ("print('x')", 0, "x\n"),
        ("import sys; sys.exit()", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no such thing')", 1, "no such thing\n"),
        ("raise KeyboardInterrupt", 1, "KeyboardInterrupt"),
        ("import os; os._exit(7)", 7, ""),
        ("import os; os.kill(os.getpid(), 9)", -9, ""),
        ("import sys; sys.stdout.write('no end of line')", 0, "no end of line"),
        ("import atexit; atexit.register(print, 'last words')", 0, "last words\n"),
        ("import sys; sys.stdout.close(); sys.stdout = None", 0, ""),
        (
            "import threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.1), print('slow'))).start()",
            0,
            "slow\n",
        ),
    ],
)
async def test_it_ends_as_python_would(code: str, ends: int, says: str, tmp_path: Path) -> None:
    exit_code, output, _ = await ran(code, tmp_path)
    assert exit_code == ends
    assert says in output if says else output == ""


async def test_what_it_started_ends_with_it_and_may_finish_a_word(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "one = subprocess.Popen(['sleep', '60'])\n"
        "subprocess.Popen(['echo', 'a word'])\n"
        "print(one.pid)\n"
    )
    began = time.monotonic()
    exit_code, output, _ = await ran(code, tmp_path)
    assert exit_code == 0
    assert "a word" in output
    pid = next(int(line) for line in output.splitlines() if line.isdigit())
    assert not lives(pid)
    assert time.monotonic() - began < 5


async def test_a_fork_that_ends_does_not_end_the_script(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "if os.fork() == 0:\n"
        "    sys.exit(9)\n"
        "os.wait()\n"
        "import hermes_tools\n"
        "print(hermes_tools.call('after', x=1))\n"
    )
    exit_code, output, called = await ran(code, tmp_path)
    assert (exit_code, called) == (0, ["after"])
    assert output == "after 8\n"


async def test_a_call_that_is_too_long_fails_and_the_next_one_works(tmp_path: Path) -> None:
    code = (
        "from hermes_tools import call, ToolFailed\n"
        "try:\n"
        f"    call('long', text='x' * {LINE_BYTES + 100_000})\n"
        "except ToolFailed as error:\n"
        "    print(error)\n"
        "print(call('short'))\n"
    )
    exit_code, output, called = await ran(code, tmp_path)
    assert (exit_code, called) == (0, ["short"])
    assert output == f"a call takes at most {LINE_BYTES:,} bytes\nshort 2\n"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
async def test_it_dies_with_all_it_started_when_the_line_is_gone(tmp_path: Path) -> None:
    code = (
        "import subprocess, time\n"
        "print(subprocess.Popen(['sleep', '60']).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    script = await begin(code, tmp_path)
    child = int(await script.process.read())
    script._let_go()  # as the kernel does when the agent is killed
    async with asyncio.timeout(5):
        assert await script.process.wait() == -9
        await until(lambda: not lives(child))
    await script.end()


async def test_it_can_be_ended_before_it_says_anything(tmp_path: Path) -> None:
    script = await begin("while True: pass", tmp_path)
    await script.end()
    assert script.exit_code is not None
