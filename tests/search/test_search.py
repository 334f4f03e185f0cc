"""Any text is a query, and what was said is found by it: words, parts, signs, dates, places."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.events import InputReceived, Record, ShellRan, ToolEnded
from hermes_tui.search.index import Asking, look, search
from hermes_tui.search.where import Asker
from hermes_tui.store.log import Log
from tests.search.scenes import Line, put

LINES = (
    "请帮我修改hostd服务端的计划，昨晚没有完成",
    "日本語のテスト：形態素解析を確認する",
    "한국어 검색이 잘 되나요",
    "TODO: repair the error:overflow in edge-gateway at rack-07",
    "it lies in C:\\Users\\sample\\work and lib/app/start.py",
    "call baz_qux_run() from C++ and C#",
    "crème brûlée für Zoë",
    "write to d.e+f@example.test",
    "75% ready, 30_percent",
    'she said "good evening" twice',
    "mode=fast a<b && c>d",
    "emoji 🚀 liftoff 👨‍👩‍👧",
    "中欧红利基金",
    "the slow-red snail NEAR the wall AND rain",
    "v4.5.6-rc.2 is out",
    "NOT a fault",
    "O'Hara",
    "the handler is called parseUserRecord in the new code",
    "the bakeries opened at seven",
    "ENOSPC: no space left on device",
)
FOUND = {
    "昨晚": [1],
    "红利": [13],
    "利": [13],
    "形態素": [2],
    "검색": [3],
    "记忆断裂": [],
    "hostd": [1],
    "hostd 服务端 修改": [1],
    "TODO: repair": [4],
    "error:overflow": [4],
    "edge-gateway": [4],
    "rack-07": [4],
    "v4.5.6-rc.2": [15],
    "C:\\Users\\sample": [5],
    "lib/app/start.py": [5],
    "start.py": [5],
    "O'Hara": [17],
    "d.e+f@example.test": [8],
    "mode=fast": [11],
    "75%": [9],
    "C#": [6],
    "C++": [6],
    "🚀": [12],
    "creme brulee fur zoe": [7],
    "baz_qux": [6],
    "qux_run": [6],
    "parseUserRecord": [18],
    "user record": [18, 5],
    "bakery?": [19],
    "bak*": [19],
    "bakeri": [19],
    "ENOSPC": [20],
    "enos": [20],
    '"good evening"': [10],
    '"evening good"': [10],
    "snail -rain": [],
    "snail -sun": [14],
}


async def numbers(log: Log, query: str) -> list[int]:
    hits = await search(log.db, query, 20)
    return [int(hit.message.rpartition("/")[2]) for hit in hits]


async def test_words_parts_and_signs_are_found_in_every_script(log: Log) -> None:
    await put(log, "all", [("user", line) for line in LINES])
    found = {query: await numbers(log, query) for query in FOUND}
    assert found == FOUND


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_no_text_is_an_error(queries: list[str]) -> None:
    from hermes_tui.search.query import understand

    for query in queries:
        made = understand(query, 1_760_000_000.0)
        assert all('""' not in term.match and term.match.count('"') % 2 == 0 for term in made.terms)


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "AND",
        "a* OR (",
        "NEAR(",
        "-x",
        "in:",
        "before:never",
        "\0",
        "{a}: ^b",
        "“”",
        "*",
        "x:y*",
    ],
)
async def test_no_text_is_bad_grammar(log: Log, query: str) -> None:
    await put(log, "all", [("user", line) for line in LINES])
    assert all(hit.session == "all" for hit in await search(log.db, query, 5))


async def test_a_question_finds_the_answer_beside_its_words(log: Log) -> None:
    lines: list[Line] = [
        ("user", "Which colour did we paint the garden shed?"),
        ("assistant", "Dark green, with two coats."),
        ("user", "What is for dinner?"),
    ]
    await put(log, "one", lines)
    hits = await search(log.db, "what colour is the shed painted in?", 5)
    assert [hit.message for hit in hits][:2] == ["one/1", "one/2"]


async def test_keywords_bring_no_message_without_them(log: Log) -> None:
    await put(log, "one", [("user", "the shed"), ("assistant", "all right"), ("user", "fine")])
    assert [hit.message for hit in await search(log.db, "shed", 5)] == ["one/1"]


async def test_irregular_and_mistyped_words_are_found(log: Log) -> None:
    await put(log, "one", [("user", "we swam there and bought apricots for the festival")])
    for query in ("swim", "buying", "fesetival", "apricto"):
        assert len(await search(log.db, query, 5)) == 1, query


async def test_a_quoted_phrase_is_required_unless_nobody_said_it(log: Log) -> None:
    await put(log, "one", [("user", "red lamp"), ("user", "lamp red")])
    assert [hit.message for hit in await search(log.db, '"lamp red"', 5)] == ["one/2"]
    assert len(await search(log.db, '"red green lamp"', 5)) == 2


async def test_filters_keep_to_place_role_and_time(log: Log) -> None:
    day = 86_400.0
    await put(log, "old", [("user", "tea"), ("assistant", "tea")], ts=100 * day, title="kitchen")
    await put(log, "new", [("user", "tea"), ("tool", "tea")], ts=200 * day, title="garden")

    async def found(query: str) -> set[str]:
        return {hit.message for hit in await search(log.db, query, 10)}

    assert await found("tea in:old") == {"old/1", "old/2"}
    assert await found('tea in:"garden"') == {"new/1", "new/2"}
    assert await found("tea role:tool") == {"new/2"}
    assert await found("tea from:assistant") == {"old/2"}
    assert await found("tea before:1970-06-01") == {"old/1", "old/2"}
    assert await found("tea after:1970-06-01") == {"new/1", "new/2"}
    assert await found("in:kitchen role:user") == {"old/1"}
    assert await found("tea in:nowhere") == set()


async def test_times_in_words_find_what_was_said_then(log: Log) -> None:
    now = 1_764_590_400.0  # Monday 2025-12-01, noon
    await put(log, "tuesday", [("user", "cleaned the gutters")], ts=now - 6 * 86_400)
    await put(log, "sunday", [("user", "cleaned the oven")], ts=now - 86_400)
    for query, first in {
        "what did I do last Tuesday": "tuesday",
        "上周二我做了什么": "tuesday",
        "昨天我做了什么": "sunday",
        "what did I clean yesterday?": "sunday",
        "what did I clean on Tuesday": "tuesday",
    }.items():
        hits = (await look(log.db, Asking(text=query, now=now))).hits
        assert hits[0].session == first, query


async def test_what_one_person_said_is_found_for_nobody_else(log: Log) -> None:
    said = [("user", "the wedding is in Ravello")]
    await put(log, "owner", said)
    await put(log, "ann", said, person="ann")
    await put(log, "ben", said, person="ben")
    await put(log, "group", said, person="ann", chat="g1", group=True)

    async def seen(asker: Asker | None) -> set[str]:
        asking = Asking(text="where is the wedding", asker=asker)
        return {hit.session for hit in (await look(log.db, asking)).hits}

    assert await seen(Asker(person="ann")) == {"ann"}
    assert await seen(Asker(person="ben")) == {"ben"}
    assert await seen(Asker(person="ann", chat="g1", group=True)) == {"group"}
    assert await seen(Asker(chat="g2", group=True)) == set()
    assert await seen(Asker()) == {"owner"}
    assert await seen(None) == {"owner", "ann", "ben", "group"}


async def test_tool_output_is_found_after_what_people_said(log: Log) -> None:
    await put(log, "one", [("tool", "the quokka jumped")])
    await put(log, "two", [("user", "the quokka jumped")])
    assert [hit.session for hit in await search(log.db, "quokka", 5)] == ["two", "one"]


async def test_talk_between_programs_comes_after_talk_with_a_person(log: Log) -> None:
    key = await put(log, "job", [("user", "the quokka jumped")], ts=2_000_000_000.0)
    await log.db.write(
        lambda c: c.execute("UPDATE session SET origin = 'cron' WHERE key = ?", (key,))
    )
    await put(log, "talk", [("user", "the quokka jumped")])
    assert [hit.session for hit in await search(log.db, "quokka", 5)] == ["talk", "job"]


async def test_the_newer_of_two_equal_statements_comes_first(log: Log) -> None:
    await put(log, "old", [("user", "the wifi password is tulip")], ts=1_600_000_000.0)
    await put(log, "new", [("user", "the wifi password is heron")], ts=1_700_000_000.0)
    hits = await search(log.db, "what is the wifi password?", 5)
    assert [hit.session for hit in hits] == ["new", "old"]


async def test_a_running_session_is_found_at_once_with_its_commands(log: Log) -> None:
    key = await put(log, "now", [])
    events = (
        InputReceived(input_id="i", text="look at the aardvark"),
        ToolEnded(
            turn=1,
            step=1,
            call_id="c",
            tool="run_command",
            status="error",
            for_model="exit code 7\n" + "noise\n" * 400 + "fatal: aardvark not found",
        ),
        ShellRan(shell_id="s", command="ls aardvark", output="no such file", exit_code=2),
    )
    records = [Record(session="now", n=n, ts=5.0, event=e) for n, e in enumerate(events, 2)]
    await log.append(key, records)
    hits = {hit.n: hit for hit in await search(log.db, "aardvark", 5)}
    assert hits.keys() == {2, 3, 4}
    assert hits[2].role == "user"
    assert hits[2].message == "now:2"
    assert hits[3].text.startswith("exit code 7\n")
    assert "aardvark" in hits[3].text
    assert len(hits[3].text.encode()) <= 600


@pytest.mark.parametrize("budget", [100, 500, 2000])
async def test_an_answer_keeps_to_its_budget(log: Log, budget: int) -> None:
    await put(log, "one", [("user", "饺子和面条 noodles " * 30)] * 12)
    asking = Asking(text="noodles", limit=100, budget=budget)
    hits = (await look(log.db, asking)).hits
    assert hits
    assert sum(len(hit.text.encode()) + 60 for hit in hits) <= budget


async def test_common_words_of_a_large_store_are_counted_to_no_end(log: Log) -> None:
    lines: list[Line] = [("user", f"the valve reports pressure {i}") for i in range(900)]
    lines[3] = ("user", "the valve reports pressure of a zeppelin")
    await put(log, "many", lines)
    first = (await search(log.db, "pressure valve zeppelin", 5))[0]
    assert first.message == "many/4"
    assert len(await search(log.db, "pressure", 50)) == 50


async def test_a_note_tells_what_is_nowhere(log: Log) -> None:
    await put(log, "one", [("user", "the kettle boils"), ("user", "the toaster")])
    note = (await look(log.db, Asking(text="kettle zzyzxqq"))).note
    assert "zzyzxqq" in note
    assert (await look(log.db, Asking(text="kettle toaster"))).note.startswith("no message holds")
    assert (await look(log.db, Asking(text="kettle boils"))).note == ""


async def test_sessions_that_grow_at_once_keep_their_neighbours_apart(log: Log) -> None:
    keys = [await put(log, name, []) for name in ("a", "b")]

    def say(at: int, n: int) -> Record:
        name = "ab"[at]
        text = f"{name} speaks of lanterns {n}"
        return Record(
            session=name, n=n, ts=float(n), event=InputReceived(input_id=f"{n}", text=text)
        )

    for n in range(2, 150):
        await asyncio.gather(*(log.append(keys[at], [say(at, n)]) for at in (0, 1)))
    hits = await search(log.db, "in:b lanterns", 200)
    assert len(hits) == 148
    await log.delete("a")
    hits = await search(log.db, "lanterns", 200)
    assert {hit.session for hit in hits} == {"b"}
    assert len(hits) == 148
