"""Keys and commands are one table: nothing is bound beside it, nothing in it is left out."""

from __future__ import annotations

from hermes_tui import commands
from hermes_tui.ui.help import about, help_text, unknown
from hermes_tui.ui.keys import NEVER, bindings


def ui_commands() -> list[commands.Command]:
    return [command for command in commands.COMMANDS if "ui" in command.surfaces]


def test_every_key_of_the_table_is_bound_to_its_command() -> None:
    bound = {(one.key, one.action) for one in bindings()}
    wanted = {(key, f"command('{c.id}')") for c in ui_commands() for key in c.keys}
    assert bound == wanted


def test_no_key_means_two_things() -> None:
    keys = [one.key for one in bindings()]
    assert len(keys) == len(set(keys))


def test_keys_that_terminals_send_as_others_are_never_bound() -> None:
    assert not NEVER & {one.key for one in bindings()}


def test_help_names_every_slash_command_and_every_key() -> None:
    text = help_text()
    for command in ui_commands():
        assert not command.slash or f"  /{command.slash}" in text
        assert not command.keys or command.help in help_text(keys_only=True)


def test_an_unknown_command_gets_the_nearest_three() -> None:
    said = unknown("modle")
    assert "/model" in said
    assert said.partition("Near it")[2].count("/") == 3


def test_help_about_one_command_shows_its_arguments_and_key() -> None:
    assert about(commands.BY_ID["model"]).startswith("`/model [NAME]`  (ctrl+l)")
