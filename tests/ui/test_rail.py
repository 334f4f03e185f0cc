"""The sessions rail: who works, who waits, how old, and always up to date."""

from __future__ import annotations

from hermes_tui.events import Record, SessionsChanged
from hermes_tui.intents import DeleteSession, ListSessions, OpenSession, SessionInfo, Standing
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.rail_rows import session_row
from tests.fakes.scripted_model import call
from tests.ui.conftest import Stage


def words(info: SessionInfo, current: str = "") -> str:
    row = session_row(info, current, now=10_000.0)
    return "".join(span.text for span in (*row.left, *row.right))


def test_a_state_is_a_glyph_and_a_word() -> None:
    assert words(SessionInfo(id="a", title="T", state="working")) == "  ◐ Tworking "
    assert words(SessionInfo(id="a", title="T", state="waiting")) == "  ⚠ Twaiting "
    assert words(SessionInfo(id="a", title="T", updated=9_900.0)) == "  ✓ T1 min "


def test_the_shown_session_is_marked() -> None:
    assert words(SessionInfo(id="a", title="T", updated=9_990.0), "a").startswith("▸ ")


def test_a_title_can_not_break_the_line() -> None:
    assert "\n" not in words(SessionInfo(id="a", title="two\nlines\x1b[31m"))
    assert "\x1b" not in words(SessionInfo(id="a", title="two\nlines\x1b[31m"))


# --- on a running screen ---


async def test_the_rail_follows_what_other_screens_do(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        other = await stage.client()
        view = await other.ask(
            OpenSession(which="new", title="From afar", standing=Standing(cwd="/elsewhere"))
        )
        await screen.until(lambda: screen.shows("From afar"))
        await other.ask(DeleteSession(session=view.info.id))
        await screen.until(lambda: not screen.shows("From afar"))


async def test_a_session_that_waits_for_you_says_so(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        stage.model.script.append(call("run_command", command="true"))
        await screen.enter("run it")
        await screen.until(lambda: screen.shows("⚠ run it", "waiting"))


async def test_a_click_opens_a_session(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await screen.enter("/new Second")
        await screen.until(lambda: screen.app.shown.info.title == "Second")
        rail = screen.app.query_one(Rail)
        await screen.until(lambda: len(rail.sessions) == 2)
        other = next(i for i in rail.sessions if i.id != screen.app.session)
        at = [info.id for info in rail.sessions].index(other.id)
        await screen.pilot.click("#rail-rows", offset=(5, at))
        await screen.until(lambda: screen.app.session == other.id)


async def test_many_changes_are_asked_for_a_few_times(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        asked = []
        ask = screen.app.client.ask

        async def count(intent: object) -> object:
            asked.append(isinstance(intent, ListSessions))
            return await ask(intent)

        screen.app.client.ask = count
        for _ in range(200):
            screen.app.handle(Record(session="", n=0, ts=0.0, event=SessionsChanged()))
        await screen.until(lambda: sum(asked))
        assert sum(asked) <= 2


async def test_a_new_title_is_in_the_rail_at_once(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await screen.enter("/title Tax receipts")
        rail = screen.app.query_one(Rail)
        await screen.until(lambda: any(i.title == "Tax receipts" for i in rail.sessions))
