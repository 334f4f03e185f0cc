"""A few letters find the right thing, at once, among thousands."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui import commands
from hermes_tui.intents import SessionInfo
from hermes_tui.ui.fuzzy import Entry, Text, rank, text_of
from hermes_tui.ui.keys import KeyTable, key_words
from hermes_tui.ui.palette import command_entries, session_entries


def titles(query: str, names: list[str]) -> list[str]:
    return rank(query, [(Text(name.casefold()), name) for name in names])


def test_whole_words_come_before_insides_before_scattered_letters() -> None:
    names = ["catheme", "t h e m e s", "Theme", "next theme"]
    assert titles("theme", names) == ["Theme", "next theme", "catheme", "t h e m e s"]


def test_a_note_is_found_by_what_stands_in_it_and_not_by_scattered_letters() -> None:
    entry = Entry(kind="command", key="x", title="Stop", note="Stop the running turn.")
    assert rank("running", [(text_of(entry), entry)]) == [entry]
    assert rank("rtn", [(text_of(entry), entry)]) == []


def test_every_word_must_be_found() -> None:
    assert titles("move vps", ["Move blog to VPS", "Move house", "VPS"]) == ["Move blog to VPS"]


def test_no_query_shows_everything_in_its_own_order() -> None:
    assert titles("  ", ["b", "a"]) == ["b", "a"]


@given(
    names=st.lists(st.text(max_size=20), max_size=30),
    query=st.text(alphabet=st.characters(exclude_categories=["Z", "C"]), max_size=4),
)
def test_whatever_is_typed_what_contains_it_is_found(names: list[str], query: str) -> None:
    found = titles(query, names)
    inside = [name for name in names if query.casefold() in name.casefold()]
    assert all(name in found for name in inside)


def test_five_thousand_entries_are_searched_within_a_frame() -> None:
    entries = [
        Entry(kind="session", key=str(i), title=f"Session {i} about 日本語 and topic {i % 97}",
              note=f"/home/somebody/projects/{i}")
        for i in range(5000)
    ]  # fmt: skip
    pairs = [(text_of(entry), entry) for entry in entries]
    best = 1.0
    for query in ("topic 42", "ssn 4999", "xqz", "日本"):
        began = time.perf_counter()
        rank(query, pairs)
        best = min(best, time.perf_counter() - began)
    began = time.process_time()
    assert rank("session 4999", pairs)[0].key == "4999"
    assert time.process_time() - began < 0.06
    assert best < 0.03


def test_the_palette_offers_every_command_of_the_screen() -> None:
    offered = {entry.key for entry in command_entries(KeyTable())}
    wanted = {c.id for c in commands.COMMANDS if "ui" in c.surfaces}
    assert offered == wanted - {"palette", "leader"}


def test_a_session_says_its_state_in_words() -> None:
    infos = [SessionInfo(id="a", title="x", state="waiting"), SessionInfo(id="b", updated=90.0)]
    first, second = session_entries(infos, now=100.0)
    assert first.right == "waiting"
    assert (second.title, second.right) == ("new session", "now")


def test_keys_read_as_people_write_them() -> None:
    assert key_words(("ctrl+pageup", "escape")) == "ctrl+pgup, esc"
