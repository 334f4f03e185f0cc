"""Keys of one's own: one file, by command, read again on save, every problem with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui import commands
from hermes_tui.ui import part_keys
from hermes_tui.ui.keys import KeyTable
from hermes_tui.ui.keys_file import OwnKeys, parse_keys, read_keys, spelled
from hermes_tui.ui.rows import RowList
from tests.fakes.scripted_model import call, say
from tests.ui.conftest import Stage
from tests.ui.test_app import pass_grace
from tests.ui.test_trace import ran


def test_a_commands_keys_are_replaced_by_ones_own() -> None:
    own = parse_keys("zoom: f9\nsession.new: [ctrl+k, ctrl+x n]\nrail: []\n")
    assert own.keys["zoom"] == ("f9",)
    table = KeyTable(own.keys)
    bound = {(one.key, one.id) for one in table.bindings()}
    assert {("f9", "zoom"), ("ctrl+k", "session.new")} <= bound
    assert not {("alt+z", "zoom"), ("ctrl+b", "rail"), ("ctrl+n", "session.new")} & bound
    assert table.chords()["n"].id == "session.new"
    assert "b" not in table.chords()


def test_a_key_taken_from_another_command_is_told_and_is_bound_once() -> None:
    own = parse_keys("zoom: ctrl+p\n")
    assert own.problems == ("keys.yaml:1: ctrl+p was the key of palette; it still has ctrl+x p",)
    bound = [one.id for one in KeyTable(own.keys).bindings() if one.key == "ctrl+p"]
    assert bound == ["zoom"]


def test_the_leader_can_be_another_key_and_takes_its_letters_along() -> None:
    table = KeyTable(parse_keys("leader: ctrl+k\nzoom: ctrl+k y\n").keys)
    assert table.first("session.new") == "ctrl+n"
    assert "ctrl+k n" in table.by_id["session.new"].keys
    assert table.chords()["y"].id == "zoom"
    assert ("ctrl+k", "leader") in {(one.key, one.id) for one in table.bindings()}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("zom: f9\n", 1, "near it: zoom"),
        ("# mine\n\nzoom: ctrl+i\n", 3, "terminals send that as tab"),
        ("zoom: j\n", 1, "lost for typing"),
        ("zoom: enter\n", 1, "lost for typing"),
        ("zoom: ctrl++\n", 1, "no such key"),
        ("zoom: f9\nrail: F9\n", 2, "taken by zoom above"),
        ("leader: ctrl+x a\n", 1, "the leader is one key"),
        ("zoom: [f9\n", 2, ""),
        ("- zoom\n", 1, "lines such as"),
    ],
)
def test_what_can_not_be_used_is_told_with_its_line(text: str, line: int, says: str) -> None:
    problems = parse_keys(text).problems
    assert len(problems) == 1
    assert problems[0].startswith(f"keys.yaml:{line}: ")
    assert says in problems[0]


def test_the_rest_of_a_file_with_a_mistake_counts() -> None:
    assert parse_keys("zom: f8\nzoom: f9\n").keys == {"zoom": ("f9",)}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Ctrl-N", "ctrl+n"),
        ("shift+ctrl+pgup", "ctrl+shift+pageup"),
        ("meta+z", "alt+z"),
        ("ctrl+x Esc", "ctrl+x escape"),
        ("ctrl+?", "ctrl+question_mark"),
        ("alt+-", "alt+-"),
    ],
)
def test_keys_may_be_written_as_people_write_them(typed: str, meant: str) -> None:
    assert spelled(typed) == meant


@given(st.text(max_size=80))
def test_any_text_is_read_without_a_failure(text: str) -> None:
    own = parse_keys(text)
    assert isinstance(own, OwnKeys)
    assert set(own.keys) <= {*commands.BY_ID, *part_keys.BY_ID}


@given(
    st.dictionaries(
        st.sampled_from([c.id for c in commands.COMMANDS]),
        st.lists(
            st.sampled_from(["ctrl+k", "f8", "f9", "alt+j", "ctrl+x j", "ctrl+p"]), max_size=3
        ),
    )
)
def test_however_keys_are_given_no_key_means_two_things(given_keys: dict[str, list[str]]) -> None:
    text = "\n".join(f"{name}: {keys}" for name, keys in given_keys.items())
    table = KeyTable(parse_keys(text).keys)
    bound = [one.key for one in table.bindings()]
    assert len(bound) == len(set(bound))


async def test_a_file_in_the_home_counts_and_is_read_again_when_it_is_saved(stage: Stage) -> None:
    keys = stage.core.home.keys
    keys.write_text("pane.3: f9\n")
    async with stage.screen() as screen:
        app = screen.app
        await screen.until(lambda: app.keyboard.table.by_id["pane.3"].keys == ("f9",))
        await screen.press("f9")
        assert app.frame.focused() == "memory"
        keys.write_text("pane.4: f9\nnonsense: f8\n")
        await screen.until(lambda: app.keyboard.table.by_id["pane.4"].keys == ("f9",))
        await screen.until(lambda: screen.shows("keys.yaml:2"))
        await screen.press("f9")
        assert app.frame.focused() == "skills"


async def test_a_file_made_while_the_screen_runs_counts_at_once(stage: Stage) -> None:
    async with stage.screen() as screen:
        app = screen.app
        await screen.until(lambda: any(one.group == "files" for one in app.workers))
        await screen.pilot.pause(0.2)
        stage.core.home.keys.write_text("pane.3: f9\n")
        await screen.until(lambda: app.keyboard.table.by_id["pane.3"].keys == ("f9",))
        await screen.press("f9")
        assert app.frame.focused() == "memory"


def test_keys_of_a_part_may_be_letters_and_are_told_when_two_share_one() -> None:
    own = parse_keys("trace.again: [R, f5]\nrail.pin: []\nlist.open: o\n")
    assert own.keys == {"trace.again": ("R", "f5"), "rail.pin": (), "list.open": ("o",)}
    assert own.problems == (
        "keys.yaml:3: o is also the key of trace.whole",
        "keys.yaml:3: o is also the key of agents.whole",
        "keys.yaml:3: o is also the key of skills.whole",
        "keys.yaml:3: o is also the key of rewind.files",
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("trace.again: ctrl+p", "ctrl+p is the key of palette, which comes first everywhere"),
        ("trace.again: ctrl+x k", "no such key"),
        ("trace.again: ctrl+i", "terminals send that as another key"),
        ("trace.agian: x", "near it: trace.again"),
    ],
)
def test_what_a_part_can_not_have_is_told(text: str, says: str) -> None:
    (problem,) = parse_keys(text).problems
    assert says in problem


def test_no_key_means_two_things_in_a_part() -> None:
    defaults = {one.id: one.keys for one in part_keys.BY_ID.values()}
    wanted = {"list.first", "agents.session"}  # the pane's own g comes first there, on purpose
    assert {name for name, _ in part_keys.clashes(defaults)} == wanted


async def test_a_key_of_a_pane_is_another_one_in_hints_help_and_hand(stage: Stage) -> None:
    stage.core.home.keys.write_text("trace.again: R\nlist.down: J\ntrace.export: []\n")
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="echo x >> log"), say("done"))
        await screen.press("alt+2")
        await screen.until(lambda: screen.shows("R run again"))
        assert not screen.shows("export")
        await screen.press("J", "J", "r", "R")
        log = stage.folder / "log"
        await screen.until(lambda: log.read_text() == "x\nx\n")
        await screen.press("f1")
        await screen.until(lambda: screen.shows("Run the call again", "Keys of the trace"))
        line = next(one for one in screen.text.split("\n") if "Run the call again" in one)
        assert line.split()[0] == "R"


async def test_an_approval_is_answered_by_keys_of_ones_own(stage: Stage) -> None:
    stage.core.home.keys.write_text("approval.once: [j]\napproval.deny: []\n")
    stage.model.script += [call("run_command", command="echo x >> log"), say("done")]
    async with stage.screen((120, 35)) as screen:
        await screen.type("go")
        await screen.press("enter")
        await screen.until(lambda: screen.shows("approve", "j once"))
        assert not screen.shows("deny")
        pass_grace(screen)
        await screen.press("alt+a", "y", "n")
        assert screen.shows("j once")
        await screen.press("j")
        log = stage.folder / "log"
        await screen.until(lambda: log.exists() and log.read_text() == "x\n")


async def test_keys_of_the_skills_pane_are_ones_own_in_hints_and_help(stage: Stage) -> None:
    stage.core.home.keys.write_text("skills.new: N\nskills.edit: []\n")
    async with stage.screen((160, 50)) as screen:
        await screen.press("alt+4")
        await screen.until(lambda: screen.shows("N new", "x on/off"))
        assert not screen.shows("e edit")
        await screen.press("f1")
        await screen.until(lambda: screen.shows("Keys of the skills pane", "Write a new one"))
        line = next(one for one in screen.text.split("\n") if "Write a new one." in one)
        assert line.split()[0] == "N"


async def test_the_palette_moves_by_keys_of_ones_own(stage: Stage) -> None:
    stage.core.home.keys.write_text("picker.down: ctrl+k\n")
    async with stage.screen((100, 30)) as screen:
        await screen.press("ctrl+p")
        await screen.until(lambda: screen.app.screen.query("#picker-rows"))
        rows = screen.app.screen.query_one("#picker-rows", RowList)
        first = rows.key
        await screen.press("down")
        assert rows.key == first
        await screen.press("ctrl+k")
        await screen.until(lambda: rows.key != first)


async def test_the_hints_name_the_keys_one_has(stage: Stage) -> None:
    stage.core.home.keys.write_text("palette: f9\n")
    async with stage.screen() as screen:
        await screen.until(lambda: screen.shows("f9 commands"))
        await screen.press("f1")
        await screen.until(lambda: screen.shows("Keys of the prompt"))


def test_a_home_without_the_file_costs_no_yaml(tmp_path: Path) -> None:
    assert read_keys(tmp_path / "keys.yaml") == OwnKeys()
