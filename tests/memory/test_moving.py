"""Memory leaves and enters in files that other agents read, and nothing is lost on the way."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_tui.errors import HermesError
from hermes_tui.memory import entries, moving
from hermes_tui.memory.facts import Facts
from hermes_tui.store.db import Database
from tests.memory.conftest import Notes

line = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r"), max_size=30)
marks = st.sampled_from(["§", " § ", "\\§", "\\\\§", "a § b", "- x", "#"])
entry = st.lists(st.one_of(line, marks), min_size=1, max_size=4).map("\n".join)


@given(st.lists(entry, max_size=6))
@example(["§"])
@example(["a\n§\nb", "\\§"])
def test_entries_read_back_as_they_were_written(written: list[str]) -> None:
    kept = [one.strip() for one in written if one.strip()]
    assert entries.read(entries.write(written)) == kept


def test_a_file_of_another_agent_is_read() -> None:
    text = "User prefers tea.\n§\nAlways answer in German.\nEven in code.\r\n§\r\nRuns Debian 13"
    assert entries.read(text) == [
        "User prefers tea.",
        "Always answer in German.\nEven in code.",
        "Runs Debian 13",
    ]


@settings(max_examples=15, deadline=None)
@given(st.lists(entry.filter(lambda e: e.strip()).map(str.strip), max_size=5, unique=True))
def test_importing_and_exporting_gives_the_same_entries_in_order(written: list[str]) -> None:
    async def there_and_back() -> str:
        with tempfile.TemporaryDirectory() as folder:
            db = Database(Path(folder) / "state.db").open()
            facts = Facts(db)
            await moving.take_in(facts, entries.write(written), "user")
            text = await moving.export(facts, "user")
            await db.close()
            return text

    assert entries.read(asyncio.run(there_and_back())) == written


async def test_a_whole_memory_moves_to_another_home_and_back_again(
    notes: Notes, tmp_path: Path
) -> None:
    await notes.add("The user lives in Berlin")
    await notes.add("The user moved to Paris")
    await notes.add("The user lives in Rome", "agent")
    await notes.add("The VPS runs Caddy", "tool", taint="untrusted")
    whole = await moving.export(notes.facts, "jsonl")
    db = Database(tmp_path / "other.db").open()
    other = Facts(db)
    moved = await moving.take_in(other, whole, "jsonl")
    again = await moving.take_in(other, whole, "jsonl")
    assert (moved.added, again.added, again.known) == (4, 0, 4)
    found = {f.text: f for f in await other.list(everything=True)}
    for fact in await notes.facts.list(everything=True):
        twin = found[fact.text]
        assert (twin.state, twin.kind, twin.taint, twin.other) == (
            fact.state, fact.kind, fact.taint, fact.other,
        )  # fmt: skip
        assert [s.who for s in twin.sources] == [s.who for s in fact.sources]
    await db.close()


async def test_importing_twice_adds_nothing_and_keeps_look_alikes_apart(notes: Notes) -> None:
    many = ("Prefers tea", "Prefers tea in the morning", "Server A has 8", "Server B has 8")
    text = entries.write(many)
    first = await moving.take_in(notes.facts, text, "memory")
    second = await moving.take_in(notes.facts, text, "memory")
    assert (first.added, second.added, second.known) == (4, 0, 4)
    assert "look alike" in str(first)
    await notes.facts.undo(first.batch)
    assert await notes.texts() == []


async def test_an_import_that_would_drop_most_is_refused_and_changes_nothing(
    notes: Notes,
) -> None:
    before = [f"Note {n} about the {n}th greenhouse of the garden" for n in range(40)]
    await moving.take_in(notes.facts, entries.write(before), "memory")
    with pytest.raises(HermesError, match="forget 39 of 40 statements; nothing was changed"):
        await moving.take_in(notes.facts, entries.write(before[:1]), "memory", replace=True)
    assert await notes.texts() == before
    fewer = await moving.take_in(notes.facts, entries.write(before[2:]), "memory", replace=True)
    assert fewer.dropped == 2
    await moving.take_in(notes.facts, entries.write(before[:3]), "memory", replace=True, force=True)
    assert sorted(await notes.texts()) == sorted(before[:3])


async def test_replacing_the_notes_leaves_the_card_alone(notes: Notes) -> None:
    await moving.take_in(notes.facts, "User prefers tea", "user")
    await moving.take_in(notes.facts, "The VPS runs Caddy", "memory", replace=True)
    assert sorted(await notes.texts()) == ["The VPS runs Caddy", "User prefers tea"]


async def test_a_broken_line_names_itself_and_nothing_is_taken_in(notes: Notes) -> None:
    with pytest.raises(HermesError, match="line 2 is no statement"):
        await moving.take_in(notes.facts, '{"id":"m1","text":"fine"}\n{"id":3}\n', "jsonl")
    assert await notes.texts() == []
