"""The rail below the sessions: what runs, what comes, the gateways, what was learned today."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import GatewaysChanged, JobsChanged, MemoryChanged, Record
from hermes_tui.intents import AddFact, AddJob, Fact, GatewayInfo, JobSpec, Standing
from hermes_tui.runtime.local import LocalClient
from hermes_tui.ui import rail_around
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.rail_around import HEADINGS, Around, around_rows, soon
from hermes_tui.ui.rows import Row, RowList
from tests.fakes import story_around as story
from tests.ui.canned_screen import canned
from tests.ui.conftest import Screen, Stage

NOW = story.NOW
ALL = Around(
    agents=story.AGENTS,
    jobs=story.JOBS,
    gateways=story.GATEWAYS,
    facts=story.NEW_FACTS,
    skills=story.LEARNED,
)


def words(rows: Sequence[Row]) -> list[str]:
    made: list[str] = []
    for row in rows:
        left, right = row.spans(29)
        made.append("".join(span.text for span in left) + "|" + "".join(s.text for s in right))
    return made


def test_each_heading_has_its_rows_with_states_times_and_words() -> None:
    told = "\n".join(words(around_rows(ALL, (), NOW)))
    assert "◐ compare checksums on both hosts|21s" in told
    assert "◷ 18:00 daily digest|" in told
    assert "backup check|failed" in told
    assert "● telegram|2 chats  00:43" in told
    assert "⚠ discord|offline" in told
    assert "○ signal|paused" in told
    assert "✎ deploy-static-site|proposed" in told
    assert "+ «The old host goes in January»|confirm?" in told


def test_below_the_sessions_there_is_no_heading_without_rows() -> None:
    assert around_rows(Around(), (), NOW) == []
    off = GatewayInfo(name="slack")
    assert around_rows(Around(gateways=(off,)), (), NOW) == []
    only = words(around_rows(Around(gateways=story.GATEWAYS), (), NOW))
    assert [line for line in only if any(name in line for name in HEADINGS)] == [" Gateways|▾ "]


@given(st.sets(st.sampled_from(HEADINGS)))
def test_a_folded_heading_says_how_many_there_are_and_shows_none(folded: set[str]) -> None:
    rows = around_rows(ALL, folded, NOW)
    for name in HEADINGS:
        at = next(i for i, row in enumerate(rows) if row.key == rail_around.FOLD + name)
        shut = at + 1 == len(rows) or not rows[at + 1].key
        assert shut == (name in folded)
        assert ("▸" in words(rows)[at]) == shut


def test_many_rows_of_one_heading_are_cut_and_counted() -> None:
    facts = tuple(Fact(id=f"m{n}", text=f"fact {n}", made=NOW) for n in range(40))
    rows = around_rows(Around(facts=facts), (), NOW)
    assert len(rows) == 2 + 12
    assert words(rows)[-1].strip(" |") == "29 more…"


def test_a_time_to_come_is_a_clock_a_weekday_or_a_date() -> None:
    assert soon(NOW + 3600, NOW) == "01:53"
    assert soon(NOW + 3 * 86_400, NOW) == "Thu"
    assert soon(NOW + 20 * 86_400, NOW) == "20 Dec"


# --- on a running screen ---


async def cursor_on(screen: Screen, key: str) -> RowList:
    rows = screen.app.main.query_one("#rail-rows", RowList)
    await screen.press("ctrl+b", "ctrl+b")
    await screen.until(lambda: rows.key == key or rows.select(key))
    await screen.pilot.pause()
    return rows


async def test_headings_fold_by_enter_and_key_and_stay_folded(home: object) -> None:
    from hermes_tui.home import Home
    from tests.fakes import story as whole

    assert isinstance(home, Home)
    async with canned(home, (200, 50), whole.view(False)) as screen:
        await screen.until(lambda: screen.shows("● telegram", "✎ caddy-reload"))
        await cursor_on(screen, "fold:Gateways")
        await screen.press("enter")
        await screen.until(lambda: not screen.shows("● telegram"))
        assert screen.shows("3 ▸")
        await cursor_on(screen, "skill:caddy-reload")
        await screen.press("z")
        await screen.until(lambda: not screen.shows("✎ caddy-reload"))
    async with canned(home, (200, 50), whole.view(False)) as screen:
        await screen.until(lambda: screen.shows("Gateways", "Learned today", "18:00 daily digest"))
        assert not screen.shows("● telegram")
        assert not screen.shows("✎ caddy-reload")


async def test_a_row_below_the_sessions_opens_where_it_belongs(home: object) -> None:
    from hermes_tui.home import Home
    from tests.fakes import story as whole

    assert isinstance(home, Home)
    async with canned(home, (200, 50), whole.view(False)) as screen:
        await screen.until(lambda: screen.shows("✎ caddy-reload"))
        await cursor_on(screen, "skill:caddy-reload")
        await screen.press("enter")
        await screen.until(lambda: screen.app.frame.focused() == "skills")
        await cursor_on(screen, "agent:a1")
        await screen.press("enter")
        await screen.until(lambda: screen.app.frame.focused() == "agents")
        pane = screen.app.main.query_one("#agents-rows", RowList)
        await screen.until(lambda: pane.key == "agent:a1")
        await cursor_on(screen, "fact:m31")
        await screen.press("enter")
        await screen.until(lambda: screen.app.frame.focused() == "memory")
        await cursor_on(screen, "job:j2")
        await screen.press("enter")
        await screen.until(lambda: screen.shows("2 jobs", "backup --check"))


async def test_what_changes_in_the_core_is_in_the_rail_at_once(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        assert not screen.shows("Scheduled")
        client = LocalClient(stage.core)
        spec = JobSpec(name="water", say="Drink.", schedule="0 9 1 1 *", deliver=("local",))
        await client.ask(AddJob(spec=spec, standing=Standing(cwd="/")))
        await screen.until(lambda: screen.shows("Scheduled", "◷", "water"))
        assert not screen.shows("Learned today")
        await client.ask(AddFact(text="Likes figs", kind="preference"))
        await screen.until(lambda: screen.shows("Learned today", "«Likes figs»"))


async def test_an_event_asks_for_its_own_part_alone(home: object) -> None:
    from hermes_tui.home import Home
    from tests.fakes import story as whole

    assert isinstance(home, Home)
    async with canned(home, (200, 50), whole.view(False)) as screen:
        await screen.until(lambda: screen.shows("✎ caddy-reload"))
        rail = screen.app.main.query_one(Rail)
        client = screen.app.client
        for event, name in (
            (JobsChanged(), "ListJobs"),
            (GatewaysChanged(), "ListGateways"),
            (MemoryChanged(text=""), "ListFacts"),
        ):
            client.asked.clear()
            rail.heard(Record(session="", n=0, ts=0.0, event=event).event)
            await screen.until(lambda: not rail._asking)
            asked = [type(one).__name__ for one in client.asked]
            assert asked == ["ListSessions", "ListProcesses", "ListAgents", name]
