"""The command line is read without surprises, and its help names everything there is."""

from __future__ import annotations

import pytest

from hermes_tui.cli.main import GROUPS
from hermes_tui.cli.start_options import HELP, MODES, UsageError, parse
from hermes_tui.security import policy


def test_no_arguments_open_the_screen_where_the_folder_left_off() -> None:
    options = parse([])
    assert (options.what, options.which("last-or-new")) == ("screen", "last-or-new")


@pytest.mark.parametrize("words", [["-z", "hi"], ["--oneshot", "hi"], ["--oneshot=hi"]])
def test_a_prompt_makes_one_answer(words: list[str]) -> None:
    options = parse([*words, "--json", "--mode", "plan", "-m", "big"])
    assert (options.what, options.prompt, options.json) == ("oneshot", "hi", True)
    assert (options.mode, options.model) == ("plan", "big")


def test_a_prompt_that_looks_like_an_option_is_still_the_prompt() -> None:
    assert parse(["-z", "--help"]).prompt == "--help"


def test_continue_and_resume_choose_the_session() -> None:
    assert parse(["--continue"]).which("last-or-new") == "last"
    assert parse(["-r", "move the blog"]).which("last-or-new") == "move the blog"
    with pytest.raises(UsageError, match="exclude"):
        parse(["--continue", "--resume", "x"])


def test_a_command_gets_its_own_arguments_untouched() -> None:
    options = parse(["search", "--json", "-z"])
    assert (options.what, options.rest) == ("search", ["--json", "-z"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--plian"], "--plain"),
        (["--mode", "yollo"], "ask, auto-edit"),
        (["--model"], "examples"),
        (["-z", "  "], "PROMPT"),
        (["--json"], "-z"),
        (["--plain", "sessions"], "after its name"),
    ],
)
def test_a_mistake_is_refused_with_what_to_do(words: list[str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(words)
    assert says in caught.value.hint
    assert caught.value.exit_code == 2


def test_help_names_every_command_and_every_mode() -> None:
    for name, group in GROUPS.items():
        assert f"  {name:<22} {group.help}" in HELP
    assert all(mode in HELP for mode in MODES)
    assert MODES == policy.MODES
