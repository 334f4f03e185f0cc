"""`hermes sessions` and `hermes search`: conversations in, out, found and gone."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from hermes_tui.cli import sessions_files
from hermes_tui.runtime.core import Core
from tests.cli.conftest import Hermes, comes_true

WORDS = [
    "nginx certificate renewal",
    "昨晚没有完成的计划",
    "the quick brown fox",
    "emoji 🚀 launch",
]


def _talk(session: str, title: str, count: int = 4) -> str:
    head = {"session": {"id": session, "title": title, "started_at": 1_700_000_000}}
    lines = [head]
    for i in range(count):
        role = "user" if i % 2 == 0 else "assistant"
        text = WORDS[i % len(WORDS)]
        lines.append({"id": f"{session}-m{i}", "role": role, "text": text, "ts": 1_700_000_100 + i})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


@pytest.fixture
def imported(hermes: Hermes, tmp_path: Path) -> Hermes:
    file = tmp_path / "talk.jsonl"
    file.write_text(_talk("old-1", "Server move"))
    assert hermes("sessions", "import", str(file)).code == 0
    return hermes


def test_an_empty_home_has_no_sessions(hermes: Hermes) -> None:
    assert hermes("sessions", "list", "--json").json == []
    assert "no sessions yet" in hermes("sessions", "list").out


def test_an_imported_conversation_is_listed_and_shown(imported: Hermes) -> None:
    (one,) = imported("sessions", "list", "--json").json
    assert (one["id"], one["title"]) == ("old-1", "Server move")
    shown = imported("sessions", "show", "server move").out
    assert all(word in shown for word in WORDS)


def test_ids_of_an_import_come_back_from_search(imported: Hermes) -> None:
    done = imported("search", "--json", "certificate")
    (hit,) = done.json["hits"]
    assert (hit["session"], hit["message"], hit["ts"]) == ("old-1", "old-1-m0", 1_700_000_100)
    assert "nginx" in imported("search", "certificate").out


def test_export_and_import_give_the_same_conversation(imported: Hermes, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    assert imported("sessions", "export", "old-1", str(file)).code == 0
    assert file.read_text() == imported("sessions", "export", "old-1").out
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["session"]["id"] == "old-1"
    assert [line["id"] for line in lines[1:]] == [f"old-1-m{i}" for i in range(4)]
    again = imported("sessions", "import", str(file), "--json").json
    assert again == {"sessions": 1, "messages": 0, "known": 4}
    assert imported("sessions", "delete", "--yes", "old-1").code == 0
    assert imported("sessions", "import", str(file), "--json").json["messages"] == 4
    assert imported("sessions", "export", "old-1").out == file.read_text()


def test_export_writes_documents_by_name_or_by_format(imported: Hermes, tmp_path: Path) -> None:
    page = tmp_path / "old.html"
    assert imported("sessions", "export", "old-1", str(page)).code == 0
    assert page.read_text().startswith("<!doctype html>")
    assert "## You" in imported("sessions", "export", "old-1", "--format", "md").out
    assert imported("sessions", "export", "old-1", "--format", "svg").out.endswith("</svg>\n")
    wrong = imported("sessions", "export", "old-1", "--format", "pdf")
    assert wrong.code != 0
    assert "jsonl, md, html, svg" in wrong.err


def test_export_of_events_is_one_json_object_a_line(imported: Hermes) -> None:
    lines = imported("sessions", "export", "old-1", "--events").out.splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds == ["session_started", *["message_imported"] * 4]


def test_a_long_conversation_arrives_whole_and_in_order(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_files, "CHUNK", 7)
    talk = _talk("long", "Long", 60)
    assert hermes("sessions", "import", "-", stdin=talk).code == 0
    exported = hermes("sessions", "export", "long").out.splitlines()
    ids = [json.loads(line)["id"] for line in exported[1:]]
    assert ids == [f"long-m{i}" for i in range(60)]


def test_one_file_may_hold_several_sessions(hermes: Hermes) -> None:
    done = hermes("sessions", "import", "-", "--json", stdin=_talk("a", "A") + _talk("b", "B", 2))
    assert done.json == {"sessions": 2, "messages": 6, "known": 0}


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("not json", 2),
        ('{"id": "x", "role": "user", "text": "no time"}', 2),
        ('{"id": 1, "role": "user", "text": "x", "ts": 1}', 2),
        ('{"session": {"title": "no id"}}', 2),
    ],
)
def test_a_bad_line_is_named_and_nothing_comes_in(hermes: Hermes, line: str, number: int) -> None:
    head = '{"session": {"id": "s", "title": "t", "started_at": 1}}\n'
    done = hermes("sessions", "import", "-", stdin=head + line + "\n")
    assert done.code == 1
    assert f"-:{number}:" in done.err
    assert hermes("sessions", "list", "--json").json == []


def test_a_message_before_its_session_is_refused(hermes: Hermes) -> None:
    done = hermes("sessions", "import", "-", stdin='{"id":"x","role":"user","text":"t","ts":1}\n')
    assert "first line must be the session" in done.err


def test_rename_is_seen_by_the_list(imported: Hermes) -> None:
    assert imported("sessions", "rename", "Server move", "DNS move").code == 0
    assert imported("sessions", "list", "--json").json[0]["title"] == "DNS move"


def test_nothing_is_deleted_without_a_yes(imported: Hermes) -> None:
    assert imported("sessions", "delete", "old-1").code == 1
    assert len(imported("sessions", "list", "--json").json) == 1
    assert imported("sessions", "delete", "old-1", "--yes").code == 0
    assert imported("sessions", "list", "--json").json == []
    assert imported("search", "--json", "certificate").json["hits"] == []


def test_an_unknown_session_is_answered_with_the_nearest(imported: Hermes) -> None:
    done = imported("sessions", "show", "Server mov")
    assert done.code == 1
    assert "Server move" in done.err


def test_two_sessions_of_one_title_are_told_apart_by_id(imported: Hermes) -> None:
    imported("sessions", "import", "-", stdin=_talk("old-2", "Server move"))
    done = imported("sessions", "show", "Server move")
    assert "old-1" in done.err
    assert "old-2" in done.err
    assert imported("sessions", "show", "old-2").code == 0


def test_titles_and_texts_can_not_steer_the_terminal(hermes: Hermes) -> None:
    evil = "\x1b]0;pwned\x07\x1b[2J hello \x9b31m\u202e"
    lines = [
        {"session": {"id": "evil", "title": evil, "started_at": 1}},
        {"id": "m", "role": "user", "text": evil, "ts": 2},
    ]
    stdin = "".join(json.dumps(line) + "\n" for line in lines)
    hermes("sessions", "import", "-", stdin=stdin)
    for words in (("sessions", "list"), ("sessions", "show", "evil"), ("search", "hello")):
        out = hermes(*words).out
        assert "hello" in out
        assert not any(char in out for char in "\x1b\x07\x9b\u202e")


def test_a_stream_of_queries_is_answered_line_by_line(imported: Hermes) -> None:
    asked = '{"id": "q1", "query": "certificate"}\n{"id": 2, "query": "zzz"}\n'
    lines = imported("search", "--jsonl", "--limit", "3", stdin=asked).out.splitlines()
    first, second = (json.loads(line) for line in lines)
    assert first["id"] == "q1"
    assert set(first["hits"][0]) == {"session", "message", "ts", "score", "text"}
    assert second == {"id": 2, "hits": []}


def test_the_limit_holds(hermes: Hermes) -> None:
    hermes("sessions", "import", "-", stdin=_talk("many", "Many", 40))
    assert len(hermes("search", "--json", "--limit", "3", "fox").json["hits"]) == 3


def test_a_search_keeps_to_its_budget_and_place(hermes: Hermes) -> None:
    hermes("sessions", "import", "-", stdin=_talk("many", "Many", 40))
    hermes("sessions", "import", "-", stdin=_talk("other", "Other", 3))
    hits = hermes("search", "--json", "--budget", "300", "fox").json["hits"]
    assert 1 <= len(hits) < 40
    assert sum(len(hit["text"].encode()) for hit in hits) <= 300
    hits = hermes("search", "--json", "--in", "other", "--limit", "100", "fox").json["hits"]
    assert {hit["session"] for hit in hits} == {"other"}
    assert {"date", "title", "role"} <= hits[0].keys()


def test_a_search_without_a_summariser_shows_the_hits(imported: Hermes) -> None:
    done = imported("search", "--json", "--summary", "certificate")
    assert done.json["note"].startswith("summary: unavailable")
    assert len(done.json["hits"]) == 1


def test_the_same_commands_go_through_a_living_core(
    living_core: Core, hermes: Hermes, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(_talk("old-1", "Server move"))
    assert hermes("sessions", "import", str(file)).code == 0
    assert hermes("sessions", "list", "--json").json[0]["id"] == "old-1"
    assert len(hermes("search", "--json", "certificate").json["hits"]) == 1
    exported = hermes("sessions", "export", "old-1").out.splitlines()
    assert [json.loads(line) for line in exported] == [
        json.loads(line) for line in file.read_text().splitlines()
    ]
    assert comes_true(lambda: not living_core.faces)


def test_commands_that_need_the_core_wait_for_each_other(hermes: Hermes, tmp_path: Path) -> None:
    from hermes_tui.cli.connect import with_core
    from hermes_tui.intents import ListSessions

    counts: list[int] = []

    def ask() -> None:
        counts.append(len(with_core(lambda client: client.ask(ListSessions())).sessions))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert counts == [0, 0, 0, 0]


def test_a_fork_has_the_conversation_and_the_session_before_keeps_it(imported: Hermes) -> None:
    made = imported("sessions", "fork", "Server move", "--title", "Another way", "--json").json
    assert made["title"] == "Another way"
    listed = {one["id"] for one in imported("sessions", "list", "--json").json}
    assert listed == {"old-1", made["id"]}
    shown = imported("sessions", "show", "Another way").out
    assert all(word in shown for word in WORDS)
    assert imported("sessions", "fork", "nowhere").code != 0
