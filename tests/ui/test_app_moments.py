"""The moments between: typing before anything is open, events that arrive while leaving."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.screen import Screen as Textual

from hermes_tui.config import UiConfig
from hermes_tui.events import Record, SessionsChanged
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, RunCommand, Send, Sent, Standing, Text
from tests.fakes import story
from tests.fakes.canned_client import CannedClient
from tests.ui.conftest import Screen, eventually


class SlowClient(CannedClient):
    """Opens a session only when told to."""

    def __init__(self) -> None:
        super().__init__(story.view())
        self.gate = asyncio.Event()

    async def ask(self, intent: Any) -> Any:
        match intent:
            case OpenSession():
                await self.gate.wait()
            case Send():
                self.asked.append(intent)
                return Sent(input_id=intent.input_id, state="started")
            case RunCommand():
                self.asked.append(intent)
                return Text(text="tools")
        return await super().ask(intent)


def app_on(client: CannedClient, home: Home) -> Any:
    from hermes_tui.ui.app import HermesApp

    request = OpenSession(standing=Standing(cwd="/home/mia/blog"))
    return HermesApp(client, request, home, UiConfig(motion=False), embedded=True)


async def test_enter_before_the_session_is_open_sends_once_it_is(home: Home) -> None:
    client = SlowClient()
    app = app_on(client, home)
    async with app.run_test(size=(120, 35)) as pilot:
        screen = Screen(app, pilot)
        await screen.type("hello")
        await screen.press("enter")
        await screen.type("more")
        assert not [one for one in client.asked if isinstance(one, Send)]
        client.gate.set()
        await screen.until(lambda: [one for one in client.asked if isinstance(one, Send)])
        sent = next(one for one in client.asked if isinstance(one, Send))
        assert (sent.session, sent.text) == (story.ID, "hello")
        await screen.until(lambda: app.talk.prompt.text == "more")


async def test_a_command_before_the_session_is_open_is_done_once_it_is(home: Home) -> None:
    client = SlowClient()
    app = app_on(client, home)
    async with app.run_test(size=(120, 35)) as pilot:
        screen = Screen(app, pilot)
        await screen.enter("/tools")
        client.gate.set()
        await screen.until(lambda: [one for one in client.asked if isinstance(one, RunCommand)])
        assert any(one.session == story.ID for one in client.asked if isinstance(one, RunCommand))


async def test_events_that_arrive_while_the_screen_closes_are_no_failure(home: Home) -> None:
    client = CannedClient(story.view())
    app = app_on(client, home)
    async with app.run_test(size=(120, 35)) as pilot:
        await eventually(lambda: app.session)
        app.leave("detach")
        for _ in range(50):
            client.push(Record(session="", n=0, ts=0.0, event=SessionsChanged()))
        await pilot.pause()
    assert app._exception is None
    assert app.return_value == "detach"


async def test_a_resize_is_laid_out_once_and_then_only_what_changed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(CannedClient(story.view()), home)
    async with app.run_test(size=(200, 50)) as pilot:
        await eventually(lambda: app.session)
        await pilot.pause(0.1)
        sizes: list[object] = []
        lay_out = Textual._screen_resized
        monkeypatch.setattr(
            Textual, "_screen_resized", lambda s, size: (sizes.append(size), lay_out(s, size))
        )
        await pilot.resize_terminal(120, 35)
        await pilot.pause(0.1)
        assert [tuple(one) for one in sizes] == [(120, 35)]
        assert app.main.query_one("#chat").size.width == 72
