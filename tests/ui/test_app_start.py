"""The first frame comes at once: what is not needed for it is not imported, and idle is idle."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermes_tui.errors import CoreError
from hermes_tui.events import CoreOutdated, Record
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.ui.app import Host
from tests.fakes.scripted_model import ScriptedModel, say
from tests.ui.conftest import Stage, config_for, eventually

ROOT = Path(__file__).resolve().parents[2]

FIRST_FRAME = """
import asyncio, sys
from hermes_tui.config import UiConfig
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, SessionInfo, SessionView
from hermes_tui.ui.app import HermesApp
from tests.fakes.canned_client import CannedClient

class App(HermesApp):
    done = False

    def _after_first_frame(self):
        print(*sorted(sys.modules), file=sys.__stdout__)
        self.done = True

async def main():
    client = CannedClient(SessionView(info=SessionInfo(id='s')))
    app = App(client, OpenSession(), Home(sys.argv[1]), UiConfig())
    async with app.run_test(size=(120, 35)) as pilot:
        while not app.done:
            await pilot.pause()

asyncio.run(main())
"""

TOO_HEAVY = {
    "pygments",
    "markdown_it",
    "watchfiles",
    "ruamel",
    "openai",
    "litellm",
    "httpx2",
    "apsw",
    "pydantic",
    "typer",
    "prompt_toolkit",
    "unittest",
    "multiprocessing",
    "textual.devtools",
    "textual.widgets._markdown",
    "textual.widgets._text_area",
    "hermes_tui.runtime.core",
}


def test_the_first_frame_needs_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME, str(tmp_path / "home")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "hermes_tui.ui.app" in loaded
    assert sorted(TOO_HEAVY & loaded) == []


async def test_an_idle_screen_does_not_tick(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script += [say("one", gate="g")]
        assert not screen.app.ticker.ticking
        await screen.enter("work")
        await screen.until(lambda: screen.app.ticker.ticking)
        stage.model.open("g")
        await screen.until(lambda: not screen.app.shown.busy)
        assert not screen.app.ticker.ticking


async def test_a_screen_nobody_looks_at_does_not_tick(stage: Stage) -> None:
    from textual import events

    async with stage.screen() as screen:
        stage.model.script += [say("one", gate="g")]
        await screen.enter("work")
        await screen.until(lambda: screen.app.ticker.ticking)
        screen.app.post_message(events.AppBlur())
        await screen.until(lambda: not screen.app.ticker.ticking)
        screen.app.post_message(events.AppFocus())
        await screen.until(lambda: screen.app.ticker.ticking)
        stage.model.open("g")
        await screen.until(lambda: not screen.app.shown.busy)


async def test_an_idle_screen_costs_nothing(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.pilot.pause(0.3)
        before = time.process_time()
        await asyncio.sleep(1.0)  # this second is what is measured
        assert time.process_time() - before < 0.05


async def test_seconds_pass_on_the_screen_while_a_tool_runs(stage: Stage) -> None:
    async with stage.screen() as screen:
        now = [1000.0]
        screen.app.clock = lambda: now[0]
        stage.model.script += [say("one", gate="g")]
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        turn = screen.app.shown.trace.turns[0]
        now[0] = turn.start + 75
        await screen.until(lambda: screen.shows("turn 1m 15s"))
        stage.model.open("g")
        await screen.until(lambda: not screen.app.shown.busy)


# --- themes ---


async def test_a_theme_is_shown_kept_and_previewed(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.enter("/theme hermes-paper")
        await screen.until(lambda: screen.app.look.name == "hermes-paper")
        await eventually(lambda: "hermes-paper" in stage.core.home.config.read_text())
        await screen.press("ctrl+p")
        await screen.type("high-contrast")
        await screen.until(lambda: screen.app.look.name == "high-contrast")
        await screen.press("escape")
        await screen.until(lambda: screen.app.look.name == "hermes-paper")
        await screen.enter("/theme nosuch")
        await screen.until(lambda: screen.shows("there is no theme"))


async def test_a_saved_theme_file_changes_the_screen_while_it_runs(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    home.themes.mkdir()
    mine = home.themes / "mine.yaml"
    text = 'name: mine\ndark: true\ncolors:\n  background: "#101010"\n  foreground: "#eeeeee"\n'
    mine.write_text(text)
    core = await Core(home, config_for(scripted.url)).start()
    stage = Stage(core, "local", scripted, tmp_path)
    async with stage.screen(theme="mine") as screen:
        assert screen.app.screen.styles.background.hex == "#101010"
        await screen.pilot.pause(0.2)
        mine.write_text(text.replace("#101010", "#303030"))
        await screen.until(lambda: screen.app.screen.styles.background.hex == "#303030")
        mine.write_text("colors: [")
        await screen.until(lambda: screen.shows("expected"))
        assert screen.app.screen.styles.background.hex == "#303030"
    await core.end("test over")


async def test_a_theme_that_can_not_be_read_is_told_and_the_default_shown(stage: Stage) -> None:
    async with stage.screen(theme="nosuch") as screen:
        await screen.until(lambda: screen.shows("there is no theme 'nosuch'"))
        assert screen.app.look.name == "hermes-night"


# --- a core that goes away ---


async def test_a_lost_core_is_found_again_and_nothing_is_missed(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    first = await Core(home, config_for(scripted.url)).start()
    stage = Stage(first, "socket", scripted, tmp_path)

    async def reconnect() -> SocketClient:
        return await SocketClient.connect(home)

    async with stage.screen(host=Host(reconnect=reconnect)) as screen:
        scripted.script += [say("before the cut"), say("after the cut")]
        await screen.enter("one")
        await screen.until(lambda: screen.shows("before the cut", "ready"))
        await first.end("restarting")
        await screen.until(lambda: screen.shows("restarting", "trying again"))
        second = await Core(home, config_for(scripted.url)).start()
        await screen.until(lambda: not screen.shows("trying again"))
        await screen.enter("two")
        await screen.until(lambda: screen.shows("before the cut", "after the cut"))
        assert [turn.number for turn in screen.app.shown.trace.turns] == [1, 2]
    await second.end("test over")


async def test_a_core_of_another_version_is_told_above_the_chat(stage: Stage) -> None:
    async with stage.screen() as screen:
        event = CoreOutdated(running="0.1.0", installed="0.2.0")
        screen.app.handle(Record(session="", n=0, ts=0.0, event=event))
        await screen.until(lambda: screen.shows("0.1.0 is running, 0.2.0 is installed"))


async def test_a_screen_that_fails_says_why_and_keeps_the_core(stage: Stage) -> None:
    async def fail() -> None:
        async with stage.screen() as screen:
            screen.app.call_later(lambda: 1 // 0)
            await eventually(lambda: screen.app._exception)
            assert screen.app.return_value is None

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert not stage.core.ended.is_set()


async def test_typing_while_the_core_is_gone_loses_nothing(stage: Stage) -> None:
    async def never() -> SocketClient:
        raise CoreError("still gone")

    async with stage.screen(host=Host(reconnect=never)) as screen:
        for client in stage.clients:
            await client.close()
        await screen.until(lambda: screen.shows("trying again"))
        screen.app.client.ask = gone
        await screen.enter("keep me")
        await screen.until(lambda: screen.shows("the line is cut"))
        assert screen.app.talk.prompt.text == "keep me"
        screen.app.leave("detach")


async def gone(intent: object) -> object:
    raise CoreError("the line is cut")


async def test_an_empty_chat_says_where_it_is_and_how_to_begin(stage: Stage) -> None:
    stage.model.script.append(say("done"))
    async with stage.screen() as screen:
        await screen.until(lambda: screen.shows("A new session in", "finds every command"))
        await screen.enter("go")
        await screen.until(lambda: screen.shows("done"))
        assert not screen.shows("A new session in")
    async with stage.screen((20, 5), which="new") as screen:
        assert not screen.shows("A new session in")
