"""A typo, a lost key or a file cut short never loosens what the agent may do."""

from __future__ import annotations

import tempfile

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.config import Config
from hermes_tui.configuration import edit
from hermes_tui.configuration.load import load, weaker
from hermes_tui.configuration.schema import settings as all_settings
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home

STRICT = """\
# how careful to be
agent:
  mode: plan
  parallel: 4
policy:
  allow:
    - run_command git status
    - run_command ls *
  deny: # never
    - run_command rm -rf build
    - write_file /etc/hosts
ui:
  theme: mono
"""


def _loaded_or_refused(home: Home) -> Config | None:
    """The configuration; None where it is refused with a place in the file."""
    refusal = ""
    try:
        return load(home, {}).config
    except ConfigError as error:
        refusal = error.message
    assert "config.yaml:" in refusal
    return None


def test_a_file_cut_at_any_byte_is_as_strict_or_refused(home: Home) -> None:
    home.ensure().config.write_text(STRICT)
    whole = load(home, {}).config
    for size in range(len(STRICT)):
        home.config.write_text(STRICT)
        load(home, {})
        home.config.write_text(STRICT[:size])
        now = _loaded_or_refused(home)
        assert now is None or not weaker(now, whole), STRICT[:size]


def test_a_cut_file_is_refused_again_and_again_until_it_is_whole(home: Home) -> None:
    home.ensure().config.write_text(STRICT)
    load(home, {})
    home.config.write_text(STRICT[: STRICT.index("  deny")])
    for _ in range(3):
        with pytest.raises(ConfigError, match="ends here"):
            load(home, {})
    with pytest.raises(ConfigError, match="ends here"):
        edit.put(home, "ui.theme", "mono")
    home.config.write_text(STRICT)
    assert load(home, {}).config.agent.mode == "plan"


def test_lines_taken_out_on_purpose_count_once_a_person_saved_them(home: Home) -> None:
    home.ensure().config.write_text(STRICT)
    load(home, {})
    home.config.write_text("agent:\n")
    with pytest.raises(ConfigError):
        load(home, {})
    edit.replace(home, STRICT[: STRICT.index("policy")])
    assert load(home, {}).config.policy.deny == ()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_misspelt_key_is_refused(data: st.DataObject) -> None:
    lines = STRICT.splitlines()
    places = [i for i, line in enumerate(lines) if line.split(" #")[0].strip().endswith(":")]
    places += [i for i, line in enumerate(lines) if line.startswith("  ") and ": " in line]
    place = data.draw(st.sampled_from(places))
    head = lines[place].partition(":")[0]
    word = head.strip()
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcxyzAZ_-9"))
    spelt = data.draw(st.sampled_from([word[:at] + word[at + 1 :], word[:at] + letter + word[at:]]))
    names = {part for key in all_settings() for part in key.split(".")}
    if spelt in names or not spelt:
        return
    lines[place] = lines[place].replace(word, spelt, 1)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder)
        home.config.write_text("\n".join(lines) + "\n")
        with pytest.raises(ConfigError, match=r"nearest|YAML"):
            load(home, {})


@pytest.mark.parametrize("key", sorted(all_settings()))
@pytest.mark.parametrize("value", ["[1, 2]", "{a: b}", "", "2026-01-01", "nonsense: [", "-7"])
def test_a_value_of_the_wrong_type_never_loosens(home: Home, key: str, value: str) -> None:
    section, _, name = key.partition(".")
    home.ensure().config.write_text(f"{section}:\n  {name}: {value}\n")
    now = _loaded_or_refused(home)
    assert now is None or not weaker(now, Config())


@given(st.text(alphabet="abmodel:-\n \t[]{}#'\"&*!|>%@`,?01.~", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_configuration_or_a_sentence(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder)
        home.config.write_text(text)
        now = _loaded_or_refused(home)
        assert now is None or not weaker(now, Config())


def test_weaker_sees_mode_lost_denials_and_new_permissions() -> None:
    def made(mode: str, allow: tuple[str, ...] = (), deny: tuple[str, ...] = ()) -> Config:
        tree = {"agent": {"mode": mode}, "policy": {"allow": allow, "deny": deny}}
        return msgspec.convert(tree, Config)

    assert weaker(made("ask"), made("plan"))
    assert weaker(made("yolo"), made("auto-edit"))
    assert weaker(made("ask", allow=("a b",)), made("ask"))
    assert weaker(made("ask"), made("ask", deny=("a b",)))
    assert not weaker(made("plan", deny=("a b",)), made("ask", allow=("c d",)))
