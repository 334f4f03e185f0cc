"""Plain mode over a real core and a scripted model, down to the bytes that leave it."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from hermes_tui.config import Config
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Standing
from hermes_tui.plain import run_plain
from hermes_tui.plain.terminal import PlainLines
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.fake_lines import FakeLines
from tests.fakes.scripted_model import ScriptedModel, call, say


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    """A core whose model is scripted."""
    model = msgspec.structs.replace(Config().model, name="scripted", base_url=scripted.url)
    core = await Core(home, msgspec.structs.replace(Config(), model=model)).start()
    try:
        yield core
    finally:
        await core.end("the test is over")


def request(folder: Path) -> OpenSession:
    """A new session in a folder."""
    standing = Standing(cwd=str(folder), env={"PATH": "/usr/bin:/bin"})
    return OpenSession(which="new", standing=standing, title="Tidy", face="plain")


class Pipe:
    """Two pipes around plain mode."""

    def __init__(self) -> None:
        self.theirs_in, self.ours_in = os.pipe()
        self.ours_out, self.theirs_out = os.pipe()
        self.seen = b""

    async def run(self, core: Core, folder: Path, typed: bytes) -> str | None:
        """Give all input at once, and read everything until the end."""
        lines = PlainLines(self.theirs_in, self.theirs_out)
        os.close(self.theirs_in)
        os.close(self.theirs_out)
        os.write(self.ours_in, typed)
        os.close(self.ours_in)
        reading = asyncio.ensure_future(asyncio.to_thread(self._read_all))
        client = LocalClient(core, "plain", through_codec=True)
        async with asyncio.timeout(15):
            how = await run_plain(client, request(folder), embedded=True, lines=lines)
            await reading
        os.close(self.ours_out)
        return how

    def _read_all(self) -> None:
        while data := os.read(self.ours_out, 65536):
            self.seen += data


async def test_a_piped_conversation_has_every_event_and_no_escape_byte(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("\x1b[31mcaddy\x1b[0m ┌─┐\n")
    scripted.script = [call("read_file", path="notes.txt"), say("It says **caddy**.\n\n┌─┐ done")]
    pipe = Pipe()
    how = await pipe.run(core, tmp_path, b"what is in notes.txt?\r\n")
    text = pipe.seen.decode()
    assert how == "quit"
    for part in (
        "Session «Tidy».",
        "You: what is in notes.txt?",
        "Working.",
        "Tool read_file started: notes.txt.",
        "Tool read_file finished",
        "Hermes: It says **caddy**.",
        "+-+ done",
        "Done after",
    ):
        assert part in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f─-╿⠀-⣿]", text)
    assert text.count("It says") == 1


async def test_what_asks_after_the_input_has_ended_is_denied_and_the_turn_ends(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("run_command", command="touch made"), say("I may not.")]
    pipe = Pipe()
    await pipe.run(core, tmp_path, b"make a file\n")
    text = pipe.seen.decode()
    assert "Command: touch made" in text
    assert "Denied" in text
    assert "Hermes: I may not." in text
    assert not (tmp_path / "made").exists()


async def test_a_command_runs_once_it_is_approved_by_number(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("run_command", command="touch made"), say("Made.")]
    lines = FakeLines()
    client = LocalClient(core, "plain", through_codec=True)
    running = asyncio.ensure_future(run_plain(client, request(tmp_path), lines=lines))
    lines.type("make a file")
    await lines.until("Command: touch made")
    lines.type("1")
    await lines.until("Hermes: Made.")
    await lines.until("Done after")
    lines.type("/usage")
    await lines.until("Usage of this session")
    lines.type("/quit")
    async with asyncio.timeout(5):
        assert await running == "quit"
    assert (tmp_path / "made").exists()


async def test_an_edited_command_is_what_runs(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("run_command", command="touch wrong"), say("Made.")]
    lines = FakeLines()
    running = asyncio.ensure_future(
        run_plain(LocalClient(core, "plain"), request(tmp_path), lines=lines)
    )
    lines.type("make a file")
    await lines.until("Command: touch wrong")
    lines.type("5", "touch right")
    await lines.until("Done after")
    lines.type("/detach")
    async with asyncio.timeout(5):
        assert await running == "detach"
    assert (tmp_path / "right").exists()
    assert not (tmp_path / "wrong").exists()


async def test_a_text_for_a_running_turn_reaches_the_model_in_that_turn(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [say("thinking", gate="go"), say("port 8080 it is")]
    lines = FakeLines()
    running = asyncio.ensure_future(
        run_plain(LocalClient(core, "plain"), request(tmp_path), lines=lines)
    )
    lines.type("start the server")
    await lines.until("Working.")
    await scripted.until(1)
    lines.type("use port 8080")
    await lines.until("You, for the running turn: use port 8080")
    scripted.open("go")
    await lines.until("The agent has it now: use port 8080")
    await lines.until("Hermes: port 8080 it is")
    lines.type("/detach")
    async with asyncio.timeout(5):
        await running
