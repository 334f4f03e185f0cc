"""Every command of the screen, driven as a person drives it; one nobody drives is a failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from hermes_tui import commands
from hermes_tui.cli import main
from tests.fakes.scripted_model import call, say
from tests.ui.conftest import Screen, Stage

True_ = Callable[[Screen], object]


class Drive(NamedTuple):
    """line: typed with Enter, else keys are pressed; seen: words on the screen, or a condition."""

    line: str = ""
    keys: tuple[str, ...] = ()
    seen: str | True_ = ""


def focused(pane: str) -> True_:
    return lambda screen: screen.app.frame.focused() == pane


QUIET: dict[str, Drive] = {
    "session.title": Drive("/title Garden", seen="▸ Garden"),
    "session.pin": Drive(keys=("ctrl+x", "i"), seen="Pinned"),
    "session.archive": Drive(keys=("ctrl+p", *"archive", "enter"), seen="archived"),
    "mode": Drive("/mode plan", seen=lambda s: s.app.shown.info.mode == "plan"),
    "mode.cycle": Drive(keys=("shift+tab",), seen=lambda s: s.app.shown.info.mode != "ask"),
    "model": Drive("/model scripted", seen="scripted"),
    "tools": Drive("/tools", seen="use_tool"),
    "context": Drive("/context", seen="Context"),
    "compress": Drive("/compress", seen="Nothing was shortened"),
    "usage": Drive("/usage", seen="Usage of this session"),
    "processes": Drive("/processes", seen="No background process"),
    "cron": Drive("/cron next every day at 9", seen="comes:"),
    "jobs": Drive("/jobs", seen="there are no jobs"),
    "bg": Drive("/bg tidy up", seen="in a session of its own"),
    "btw": Drive("/btw what was that", seen="Asked beside the conversation"),
    "status": Drive("/status", seen="model scripted, mode"),
    "link": Drive("/link", seen="No chat is linked"),
    "handoff": Drive("/handoff", seen="Say where to"),
    "gateways": Drive("/gateways", seen="No gateway is set up"),
    "doctor": Drive("/doctor", seen="Doctor"),
    "remember": Drive("/remember I like figs", seen="I like figs"),
    "forget": Drive("/forget xylophone", seen="no statement is"),
    "effort": Drive("/effort high", seen="scripted · high"),
    "mcp": Drive("/mcp", seen="No server of tools"),
    "undo": Drive("/undo", seen="the agent has changed no file here"),
    "checkpoints": Drive("/checkpoints", seen="There is no checkpoint here yet"),
    "skills": Drive("/skills", seen=focused("skills")),
    "memory": Drive("/memory xylophone", seen="nothing found"),
    "me": Drive("/me", seen="/me edit ID TEXT"),
    "learned": Drive("/learned", seen="No skill was learned yet"),
    "trace": Drive("/trace", seen=focused("trace")),
    "find": Drive("/find word", seen="nothing found"),
    "theme": Drive("/theme hermes-paper", seen=lambda s: s.app.themes.shown == "hermes-paper"),
    "settings": Drive("/settings motion", seen="spinners and other movement"),
    "setup": Drive("/setup", seen="esc"),
    "keys": Drive("/keys", seen="In the prompt"),
    "help": Drive("/help model", seen="/model [NAME]"),
    "session.list": Drive("/sessions", seen="open a session"),
    "session.export": Drive("/export out.jsonl", seen="exported to"),
    "palette": Drive(keys=("ctrl+p",), seen="a command, session, setting"),
    "jump": Drive(keys=("ctrl+o",), seen=lambda s: len(s.app.screen_stack) == 2),
    "leader": Drive(keys=("ctrl+x",), seen="Put the draft away"),
    "prompt.history": Drive(keys=("ctrl+r",), seen="what you typed before"),
    "prompt.stash": Drive(keys=(*"draft", "ctrl+s"), seen="put away"),
    "prompt.editor": Drive(keys=("ctrl+g",), seen="step aside for an editor"),
    "prompt.attach": Drive(keys=("ctrl+v",), seen=""),
    "shell": Drive(
        keys=("ctrl+p", *"shell", "enter"), seen=lambda s: s.app.talk.prompt.shell == "!"
    ),
    "interrupt": Drive(keys=("ctrl+c",), seen="ctrl+c again to quit"),
    "rail": Drive(keys=("ctrl+b",), seen=lambda s: not s.app.frame.now.rail),
    "inspector": Drive(keys=("ctrl+t",), seen=lambda s: not s.app.frame.now.inspector),
    "zoom": Drive(keys=("alt+z",), seen=lambda s: s.app.frame.wanted.zoomed),
    "pane.1": Drive(keys=("alt+1",), seen=focused("chat")),
    "pane.2": Drive(keys=("alt+2",), seen=focused("trace")),
    "pane.3": Drive(keys=("alt+3",), seen=focused("memory")),
    "pane.4": Drive(keys=("alt+4",), seen=focused("skills")),
    "pane.5": Drive("/agents", seen="nothing runs in the background"),
    "pane.narrower": Drive(keys=("ctrl+x", "left"), seen=lambda s: s.app.frame.wanted.share),
    "pane.wider": Drive(keys=("ctrl+x", "right"), seen=lambda s: s.app.frame.wanted.share),
    "waiting": Drive(keys=("ctrl+x", "w"), seen="nothing waits"),
    "waiting.earlier": Drive(keys=("alt+shift+up",), seen="nothing waits"),
    "waiting.later": Drive(keys=("alt+shift+down",), seen="nothing waits"),
    "approve": Drive("/approve", seen="nothing waits for an answer"),
    "session.new": Drive("/new Second", seen="▸ Second"),
    "session.previous": Drive(keys=("ctrl+pageup",), seen=""),
    "session.next": Drive(keys=("ctrl+pagedown",), seen=""),
    "session.resume": Drive("/resume Garden", seen="▸ Garden"),
}
TALKING = {"stop", "queue", "steer", "block.previous", "block.next", "session.fork", "rewind"}
LEAVING = {"detach", "quit"}


def test_every_command_of_the_screen_is_driven() -> None:
    on_screen = {one.id for one in commands.COMMANDS if "ui" in one.surfaces}
    assert set(QUIET) | TALKING | LEAVING == on_screen


def test_every_command_of_the_command_line_is_there() -> None:
    named = [one for one in commands.COMMANDS if "cli" in one.surfaces]
    assert named
    for one in named:
        assert main.OLD_NAMES.get(one.slash, one.slash) in main.GROUPS, one.id


async def drive(screen: Screen, one: Drive) -> None:
    app = screen.app
    app.talk.prompt.focus()
    if one.line:
        await screen.enter(one.line)
    else:
        await screen.press(*one.keys)
    if callable(one.seen):
        await screen.until(lambda: callable(one.seen) and one.seen(screen))
    elif one.seen:
        await screen.until(lambda: screen.shows(str(one.seen)))


async def clear(screen: Screen) -> None:
    """Back to a prompt with nothing in it, all panes shown."""
    while len(screen.app.screen_stack) > 1:
        await screen.press("escape")
    for _ in range(2):
        if screen.app.focused is not screen.app.talk.prompt:
            await screen.press("escape")
    screen.app.talk.prompt.clear()
    screen.app.talk.prompt.shell = ""
    screen.app.frame.settle(zoomed=False, inspector=True, rail=True)
    await screen.pilot.pause()


@pytest.mark.parametrize("part", range(4))
async def test_commands_do_what_they_say(
    stage: Stage, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stage.kind != "local":
        pytest.skip("the line to the core makes no difference to keys")
    monkeypatch.setenv("EDITOR", "sh -c 'printf edited > \"$0\"'")
    monkeypatch.setenv("VISUAL", "")
    async with stage.screen((200, 50)) as screen:
        await screen.enter("/title Garden")
        await screen.until(lambda: screen.shows("▸ Garden", "✓ Garden"))
        for name in list(QUIET)[part::4]:
            try:
                await drive(screen, QUIET[name])
                await clear(screen)
            except AssertionError as error:
                raise AssertionError(f"{name} did not do what it says") from error
        assert screen.app._exception is None


async def test_commands_of_a_running_turn_do_what_they_say(stage: Stage) -> None:
    stage.model.script += [say("never", gate="g"), say("fine"), say("fine")]
    async with stage.screen((200, 50)) as screen:
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        await drive(screen, Drive("/steer harder", seen="harder"))
        await drive(screen, Drive("/queue later", seen="later"))
        await drive(screen, Drive("/stop", seen=lambda s: not s.app.shown.busy))
        screen.app.talk.prompt.clear()
        await drive(
            screen,
            Drive(keys=("alt+up",), seen=lambda s: s.app.focused is s.app.transcript),
        )
        await drive(
            screen,
            Drive(keys=("alt+down",), seen=lambda s: s.app.focused is s.app.transcript),
        )
        await screen.press("escape")
        session = screen.app.session
        await drive(screen, Drive("/fork", seen=lambda s: s.app.session != session))
        await drive(screen, Drive("/rewind", seen=lambda s: len(s.app.screen_stack) == 2))


@pytest.mark.parametrize(("line", "left"), [("/detach", "detach"), ("/quit", "quit")])
async def test_commands_that_leave_leave(stage: Stage, line: str, left: str) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.enter(line)
        assert screen.app.return_value == left


async def test_an_approval_is_answered_by_command(stage: Stage) -> None:
    stage.model.script += [call("run_command", command="true"), say("done")]
    async with stage.screen((120, 35)) as screen:
        await screen.enter("run it")
        await screen.until(lambda: screen.app.shown.approvals)
        await drive(screen, Drive("/approve once", seen=lambda s: not s.app.shown.approvals))
