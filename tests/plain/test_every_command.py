"""Every command of plain mode, typed to a real core over a pipe; each says what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui import commands
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from tests.fakes.scripted_model import ScriptedModel, say
from tests.plain.test_end_to_end import Pipe
from tests.runtime.conftest import settled

SAYS: dict[str, tuple[str, str]] = {
    "stop": ("/stop", "Nothing is running."),
    "queue": ("/queue water the plants", "The agent has it now: water the plants"),
    "steer": ("/steer use the small can", "The agent has it now: use the small can"),
    "approve": ("/approve once", "Nothing waits for an approval."),
    "new": ("/new Garden", "Session «Garden»."),
    "sessions": ("/sessions", "Tidy, idle"),
    "resume": ("/resume Tidy", "Session «Tidy»."),
    "fork": ("/fork Other way", "Session «Other way»."),
    "rewind": ("/rewind", "There is no turn to go back to."),
    "undo": ("/undo", "the agent has changed no file here"),
    "checkpoints": ("/checkpoints", "There is no checkpoint here yet"),
    "title": ("/title Spring", "The title is now Spring."),
    "export": ("/export", "tidy.jsonl"),
    "model": ("/model other", "The model is now other."),
    "mode": ("/mode plan", "The mode is now plan."),
    "tools": ("/tools", "`read_file`"),
    "skills": ("/skills", "write-commit-message:"),
    "memory": ("/memory marmalade", "0 messages found in all sessions."),
    "me": ("/me", "Nothing is noted about you yet."),
    "find": ("/find marmalade", "0 messages found in this session."),
    "bg": ("/bg water the plants", "background"),
    "btw": ("/btw what is up", "Asked beside the conversation"),
    "learned": ("/learned", "learned"),
    "compress": ("/compress", "Nothing was shortened"),
    "cron": ("/cron", "There are no jobs."),
    "context": ("/context", "| identity |"),
    "usage": ("/usage", "Usage of this session"),
    "processes": ("/processes", "No background process is running."),
    "mcp": ("/mcp", "No server of tools"),
    "settings": ("/settings ui.theme", "ui.theme"),
    "setup": ("/setup\n0", "Type a number"),
    "keys": ("/keys", "ctrl+d"),
    "effort": ("/effort", "The effort is auto, as the settings say"),
    "remember": ("/remember I like figs", "I like figs"),
    "forget": ("/remember I like figs\n/forget figs", "Forgot m"),
    "gateways": ("/gateways", "No gateway is set up"),
    "doctor": ("/doctor", "Doctor"),
    "status": ("/status", "mode ask"),
    "link": ("/link", "No chat is linked"),
    "handoff": ("/handoff", "Say where to"),
    "help": ("/help stop", "Stop the running turn"),
    "detach": ("/detach", ""),
    "quit": ("/quit", ""),
}
"""slash name -> (what is typed, what is said)."""
LEFT = {"detach": "detach"}


def test_the_table_has_every_command_of_plain_mode() -> None:
    wanted = {one.slash for one in commands.COMMANDS if one.slash and "plain" in one.surfaces}
    assert set(SAYS) == wanted


@pytest.mark.parametrize("slash", SAYS)
async def test_a_command_does_what_it_says(
    home: Home, scripted: ScriptedModel, tmp_path: Path, slash: str
) -> None:
    scripted.answer = lambda asked: say("Fine.")
    core = await Core(home, settled(home, scripted.url)).start()
    typed, said = SAYS[slash]
    pipe = Pipe()
    how = await pipe.run(core, tmp_path, f"{typed}\n".encode())
    text = pipe.seen.decode()
    await core.end("the test is over")
    assert said in text
    assert "That did not work" not in text
    assert "Traceback" not in text
    assert how == LEFT.get(slash, "quit")
