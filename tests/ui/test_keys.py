"""Keys and commands are one table: nothing is bound beside it, nothing in it is left out."""

from __future__ import annotations

import pytest
from textual import events

from hermes_tui import commands
from hermes_tui.errors import HermesError
from hermes_tui.search.pattern import find_pattern
from hermes_tui.ui.help import about, help_text, unknown
from hermes_tui.ui.keys import NEVER, KeyTable
from hermes_tui.ui.paste_input import InputParser
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage

TABLE = KeyTable()
bindings = TABLE.bindings


def ui_commands() -> list[commands.Command]:
    return [command for command in commands.COMMANDS if "ui" in command.surfaces]


def test_every_key_of_the_table_is_bound_to_its_command() -> None:
    bound = {(one.key, one.action) for one in bindings()}
    single = [(key, c) for c in ui_commands() for key in c.keys if " " not in key]
    wanted = {(key, f"command('{c.id}')") for key, c in single}
    assert bound == wanted


def test_no_key_means_two_things() -> None:
    keys = [one.key for one in bindings()]
    assert len(keys) == len(set(keys))


def test_keys_that_terminals_send_as_others_are_never_bound() -> None:
    assert not NEVER & {one.key for one in bindings()}


def test_help_names_every_slash_command_and_every_key() -> None:
    text = help_text(TABLE)
    for command in ui_commands():
        assert not command.slash or f"  /{command.slash}" in text
        assert not command.keys or command.help in help_text(TABLE, keys_only=True)


def test_an_unknown_command_gets_the_nearest_three() -> None:
    said = unknown("modle")
    assert "/model" in said
    assert said.partition("Near it")[2].count("/") == 3


def test_help_about_one_command_shows_its_arguments_and_key() -> None:
    assert about(commands.BY_ID["model"]).startswith("`/model [NAME]`  (ctrl+l, ctrl+x m)")


SENT = {
    "escape": "\x1b",
    "alt+enter": "\x1b\r",
    "shift+tab": "\x1b[Z",
    "f1": "\x1bOP",
    "alt+up": "\x1b[1;3A",
    "alt+down": "\x1b[1;3B",
    "alt+shift+up": "\x1b[1;4A",
    "alt+shift+down": "\x1b[1;4B",
    "ctrl+pageup": "\x1b[5;5~",
    "ctrl+pagedown": "\x1b[6;5~",
}


def sent(key: str) -> str:
    """What a plain terminal sends for a key."""
    modifier, _, letter = key.partition("+")
    if key in SENT:
        return SENT[key]
    return chr(ord(letter) & 0x1F) if modifier == "ctrl" else f"\x1b{letter}"


@pytest.mark.parametrize("key", sorted(one.key for one in bindings()))
def test_a_plain_terminal_can_send_every_bound_key(key: str) -> None:
    parser = InputParser()
    got = [*parser.feed(sent(key)), *parser.tick(), *parser.feed("")]
    assert [event.key for event in got if isinstance(event, events.Key)] == [key]


# --- on a running screen ---

ARGS = {
    "remember": "the garden has three beds",
    "forget": "the garden",
    "queue": "later",
    "steer": "more",
    "approve": "once",
    "session.title": "A title",
    "session.resume": "last",
    "session.export": "out.jsonl",
    "model": "scripted",
    "mode": "plan",
    "find": "word",
    "bg": "water the plants",
    "btw": "what is up",
    "memory": "word",
    "theme": "hermes-paper",
    "help": "model",
}
LEAVING = {"detach", "quit"}


async def test_every_command_of_the_table_is_done_here_or_by_the_core(stage: Stage) -> None:
    async with stage.screen() as screen:
        own = {c.id for c in ui_commands() if c.by == "face"}
        assert screen.app.commands.handled == own


async def test_every_slash_command_runs_without_a_failure(stage: Stage) -> None:
    stage.model.script += [say("fine")] * 20
    async with stage.screen() as screen:
        for command in ui_commands():
            if not command.slash or command.id in LEAVING:
                continue
            if command.id == "approve":
                with pytest.raises(HermesError, match="nothing waits"):
                    await screen.app.commands.run(command, "once")
                continue
            await screen.app.commands.run(command, ARGS.get(command.id, ""))
            await screen.pilot.pause()
            while len(screen.app.screen_stack) > 1:
                await screen.press("escape")
        await screen.until(lambda: not screen.app.shown.busy)
        assert not screen.app._exception


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("f1", "Commands, typed after a /"),
        ("ctrl+p", "a command, session, setting, theme or skill"),
        ("ctrl+l", "answer with"),
        ("ctrl+f", "find in this chat"),
        ("ctrl+b", "Sessions"),
        ("alt+3", "memory, you, sessions"),
        ("alt+4", "debug-failing-test"),
    ],
)
async def test_a_key_shows_what_it_promises_and_escape_takes_it_away(
    stage: Stage, key: str, shown: str
) -> None:
    async with stage.screen() as screen:
        await screen.press(key)
        await screen.until(lambda: screen.shows(shown))
        await screen.press("escape")
        await screen.until(lambda: screen.app.focused is screen.app.talk.prompt)
        assert len(screen.app.screen_stack) == 1


async def test_escape_stops_only_when_nothing_is_left_to_close(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("never", gate="g"))
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.press("ctrl+f", "escape", "alt+2", "escape")
        await screen.press("ctrl+p", "escape")
        assert screen.app.shown.busy
        await screen.press("escape")
        await screen.until(lambda: not screen.app.shown.busy)


async def test_keys_of_the_app_do_nothing_behind_a_dialog(stage: Stage) -> None:
    async with stage.screen() as screen:
        session = screen.app.session
        await screen.press("f1")
        await screen.press("ctrl+n", "alt+4", "ctrl+p")
        assert len(screen.app.screen_stack) == 2
        assert screen.app.session == session


async def test_the_block_cursor_opens_and_copies_blocks(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("the **answer**"))
        await screen.enter("question")
        await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)
        await screen.press("alt+up", "alt+up")
        await screen.press("c")
        assert screen.app.clipboard in ("question", "the **answer**")
        await screen.press("escape")
        assert screen.app.focused is screen.app.talk.prompt


async def test_find_goes_from_match_to_match(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("a needle, hay, and a Needle"))
        await screen.enter("find it")
        await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)
        await screen.press("ctrl+f")
        await screen.type("needle")
        await screen.until(lambda: screen.shows("1 of 2"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("2 of 2"))
        await screen.press("down")
        await screen.until(lambda: screen.shows("1 of 2"))
        await screen.type("x")
        await screen.until(lambda: screen.shows("nothing found"))


async def test_a_broken_pattern_is_looked_for_as_it_stands() -> None:
    found = find_pattern("a(b")
    assert found is not None
    assert found.search("xa(b")
    assert find_pattern("") is None
    sensitive = find_pattern("Needle")
    assert sensitive is not None
    assert not sensitive.search("needle")
