"""You can stop it at once, and undo what it did to files."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hermes_tui.events import ToolStarted
from hermes_tui.intents import Rewind, Send, Stop
from tests.cli.conftest import comes_true
from tests.fakes.scripted_model import calls, say
from tests.promises.conftest import World, agrees, shell

pytestmark = pytest.mark.sandbox

STUBBORN = """trap '' TERM INT HUP
(trap '' TERM; sleep 271828) &
setsid sleep 271828 &
nohup sleep 271828 &
while :; do sleep 271828; done"""

DESTRUCTIVE = """
rm -rf src
rm notes.txt
find . -name '*.py' -delete
echo gone > notes.txt
chmod -R 555 src
mv src elsewhere
truncate -s 0 src/main.py
sed -i s/print/exit/ src/main.py
ln -sf /etc/passwd notes.txt
cp notes.txt src/main.py
"""


def sleepers() -> int:
    """How many of the test's own commands still run."""
    count = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        count += b"271828" in text
    return count


async def test_stop_ends_every_process_within_two_seconds(world: World) -> None:
    world.model.script = [calls(shell(STUBBORN)), say("done")]
    await world.client.ask(Send(session=world.session, text="go"))
    async with asyncio.timeout(8):
        async for record in world.client.events():
            if isinstance(record.event, ToolStarted):
                break
            if type(record.event).__name__ == "ApprovalAsked":
                await world.answer(record.event, "once")  # type: ignore[arg-type]
    assert await asyncio.to_thread(comes_true, lambda: sleepers() >= 3)
    began = time.monotonic()
    await world.client.ask(Stop(session=world.session))
    assert await asyncio.to_thread(comes_true, lambda: sleepers() == 0, 2.0)
    assert time.monotonic() - began < 2.0


def picture(folder: Path) -> str:
    """A digest of names, modes, links and contents of a folder."""
    made = hashlib.sha256()
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted([*files, *folders]):
            one = Path(place, name)
            content = os.readlink(one).encode() if one.is_symlink() else b""
            with suppress(PermissionError):
                whole = stat.S_ISREG(one.lstat().st_mode)
                content = one.read_bytes() if whole else content
            made.update(f"{one.relative_to(folder)} {one.lstat().st_mode}".encode() + content)
    return made.hexdigest()


async def test_the_files_come_back_byte_for_byte_after_each_destructive_command(
    world: World,
) -> None:
    (world.work / "src").mkdir()
    (world.work / "src" / "main.py").write_text("print('hello')\n")
    (world.work / "src" / "run.sh").write_text("#!/bin/sh\n")
    (world.work / "src" / "run.sh").chmod(0o755)
    (world.work / "link").symlink_to("src/main.py")
    before = picture(world.work)
    for turn, command in enumerate(DESTRUCTIVE.strip().splitlines(), 1):
        await world.turn(shell(command), owner=agrees)
        assert picture(world.work) != before, command
        back = await world.client.ask(Rewind(session=world.session, turn=turn, what="files"))
        assert back.problem == "", command
        assert picture(world.work) == before, command
