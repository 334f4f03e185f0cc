"""The sessions rail: who works, who waits, how old, and always up to date."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import Record, SessionsChanged
from hermes_tui.intents import DeleteSession, ListSessions, OpenSession, SessionInfo, Standing
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.rail_rows import grouped, rail_rows, session_row
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


# --- groups, order, background ---

NOW = 1_796_000_000.0
DAY = 86_400.0


def info(name: str, age: float = 0.0, **more: Any) -> SessionInfo:
    return SessionInfo(id=name, title=f"about {name}", updated=NOW - age, **more)


def test_sessions_are_grouped_by_what_they_need_from_you() -> None:
    sessions = [
        info("fresh"),
        info("days", 3 * DAY),
        info("old", 40 * DAY),
        info("kept", 60 * DAY, pinned=True),
        info("asks", 5 * DAY, state="waiting", archived=True),
        info("gone", 1 * DAY, archived=True),
    ]
    found = {name: [one.id for one in got] for name, got in grouped(sessions, NOW).items()}
    assert found == {
        "At work": ["asks"],
        "Pinned": ["kept"],
        "Today": ["fresh"],
        "This week": ["days"],
        "Older": ["old"],
    }
    assert list(grouped(sessions, NOW, archived=True))[-1] == "Archived"


@given(
    st.lists(
        st.builds(
            SessionInfo,
            id=st.uuids().map(str),
            updated=st.floats(0, NOW * 2),
            state=st.sampled_from(["idle", "working", "waiting"]),
            pinned=st.booleans(),
            archived=st.booleans(),
        ),
        max_size=20,
    )
)
def test_every_session_is_in_exactly_one_group(sessions: list[SessionInfo]) -> None:
    found = grouped(sessions, NOW, archived=True)
    assert sorted(one.id for got in found.values() for one in got) == sorted(
        one.id for one in sessions
    )


def test_typing_finds_by_title_and_folder_and_archived_ones_too() -> None:
    sessions = [info("a", cwd="/home/mia/blog"), info("gone", archived=True), info("c")]
    assert [one.id for got in grouped(sessions, NOW, "BLOG").values() for one in got] == ["a"]
    assert [one.id for got in grouped(sessions, NOW, "gone").values() for one in got] == ["gone"]


def test_what_there_is_none_of_has_no_heading() -> None:
    rows = rail_rows(grouped([info("a")], NOW), "a", NOW)
    assert [row.key for row in rows] == ["a"]


async def test_a_session_is_pinned_renamed_and_archived_in_the_rail(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await screen.enter("/new Second")
        await screen.until(lambda: screen.shows("Second", "new session"))
        rail = screen.app.main.query_one(Rail)
        second = screen.app.session
        await screen.press("ctrl+b", "ctrl+b")
        rows = screen.app.main.query_one("#rail-rows")
        assert rows.select(second) or rows.key == second
        await screen.press("p")
        await screen.until(lambda: screen.shows("Pinned"))
        await screen.press("r")
        await screen.press(*["backspace"] * len("Second"))
        await screen.type("Taxes")
        await screen.press("enter")
        await screen.until(lambda: any(one.title == "Taxes" for one in rail.sessions))
        await screen.until(lambda: rows.key == second)
        await screen.press("p", "a")
        await screen.until(lambda: next(one.archived for one in rail.sessions if one.id == second))
        await screen.until(lambda: not screen.shows("✓ Taxes"))
        await screen.press("A")
        await screen.until(lambda: screen.shows("Archived", "✓ Taxes"))


async def test_typing_narrows_the_rail_and_escape_shows_all_again(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await screen.enter("/new Second")
        await screen.until(lambda: screen.shows("Second", "new session"))
        await screen.press("ctrl+b", "ctrl+b", "slash")
        await screen.type("sec")
        await screen.until(lambda: not screen.shows("✓ new session"))
        await screen.press("escape")
        await screen.until(lambda: screen.shows("✓ new session"))
        await screen.press("escape")
        await screen.until(lambda: screen.app.focused is screen.app.talk.prompt)


async def test_escape_while_renaming_changes_nothing(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await screen.enter("/title Before")
        await screen.until(lambda: screen.shows("✓ Before"))
        await screen.press("ctrl+b", "ctrl+b", "r")
        await screen.type("x")
        await screen.press("escape")
        rail = screen.app.main.query_one(Rail)
        assert [one.title for one in rail.sessions] == ["Before"]
        assert not rail.query_one("#rail-field").display
