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
sandbox:
  profile: read-only
  level: 2
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


def _broken(data: st.DataObject, text: str) -> str:
    """A text with something dropped, renamed, retyped, moved or typed into it."""
    lines = text.splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    what = data.draw(
        st.sampled_from(["drop", "twice", "indent", "value", "type", "letter", "join"])
    )
    line = lines[at]
    head, colon, _ = line.partition(":")
    match what:
        case "drop":
            del lines[at]
        case "twice":
            lines.insert(data.draw(st.integers(0, len(lines))), line)
        case "indent":
            lines[at] = " " * data.draw(st.integers(0, 6)) + line.lstrip()
        case "value" if colon:
            odd = st.sampled_from(["", "off", "no", "~", "[]", "{}", "0", "full", "yolo ", "Ask"])
            lines[at] = f"{head}: {data.draw(odd)}"
        case "type" if colon:
            lines[at] = f"{head}: [{line.strip()!r}]"
        case "join" if at:
            lines[at - 1 : at + 1] = [lines[at - 1] + line]
        case _:
            letter = st.sampled_from("abcxyzAZ_-9:#'\"[]{}&*!|>%@ \t\u00a0\u200b\u0430")
            place = data.draw(st.integers(0, len(line)))
            lines[at] = line[:place] + data.draw(letter) + line[place:]
    return "\n".join(lines) + "\n"


def _strict() -> Config:
    """What a person wrote who allows less than the defaults would."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder)
        home.config.write_text(STRICT)
        return load(home, {}).config


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_a_typo_is_refused_or_says_in_the_file_what_it_loosens(data: st.DataObject) -> None:
    """A loaded file is looser than the one before only where its own words say so.

    Each loosened setting must stand in the text in so many words, as a valid setting would.
    """
    text = _broken(data, STRICT)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder)
        home.config.write_text(text)
        now = _loaded_or_refused(home)
    if now is None:
        return
    before = _strict()
    # A line that a `#` turned into a comment is gone as if it had been taken out on purpose.
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    if now.agent.mode != before.agent.mode:
        assert "mode: plan" not in text
        assert now.agent.mode == "ask" or f"mode: {now.agent.mode}" in text
    if now.sandbox.profile != before.sandbox.profile:
        assert "profile: read-only" not in text
        assert now.sandbox.profile == "workspace" or f"profile: {now.sandbox.profile}" in text
    words = " ".join(text.split())
    assert all(f"- {' '.join(rule.split())}" in words for rule in now.policy.allow)
    for rule in set(before.policy.deny) - set(now.policy.deny):
        assert not _under_deny(text, rule), text


def _under_deny(text: str, rule: str) -> bool:
    """Whether a rule still stands, as it was, in the list of what never runs."""
    lines = text.splitlines()
    if lines.count("  deny: # never") != 1 or lines.count(f"    - {rule}") != 1:
        return False
    between = lines[lines.index("  deny: # never") : lines.index(f"    - {rule}")]
    return bool(between) and all(line.startswith("    - ") for line in between[1:])


def test_weaker_sees_mode_lost_denials_and_new_permissions() -> None:
    def made(mode: str, allow: tuple[str, ...] = (), deny: tuple[str, ...] = ()) -> Config:
        tree = {"agent": {"mode": mode}, "policy": {"allow": allow, "deny": deny}}
        return msgspec.convert(tree, Config)

    assert weaker(made("ask"), made("plan"))
    assert weaker(made("yolo"), made("auto-edit"))
    assert weaker(made("ask", allow=("a b",)), made("ask"))
    assert weaker(made("ask"), made("ask", deny=("a b",)))
    assert not weaker(made("plan", deny=("a b",)), made("ask", allow=("c d",)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("    - run_command a b\n     - run_command c d\n", "goes on with the text"),
        ("    - 'run_command a b\n    - run_command c d'\n", "goes on with the text"),
        ("    - &run_command a b\n", "put it in quotes"),
        ("    - run_command\n", "a tool's name, a space"),
        ("    - ''\n", "a tool's name, a space"),
        ("    - a: b\n", "a list of rules"),
    ],
)
def test_a_slip_that_would_lose_a_rule_is_refused_with_its_line(
    home: Home, text: str, said: str
) -> None:
    home.ensure().config.write_text("policy:\n  deny:\n" + text)
    with pytest.raises(ConfigError, match=r"config.yaml:[2345]") as refused:
        load(home, {})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "more",
    [
        {"profile": "full"},
        {"level": 1},
        {"read": ["/"]},
        {"write": ["/srv"]},
        {"env": ["SOME_VARIABLE"]},
        {"ssh_agent": True},
    ],
)
def test_weaker_sees_every_hole_in_the_sandbox(more: dict[str, object]) -> None:
    strict = msgspec.convert({"sandbox": {"level": 3}}, Config)
    holed = msgspec.convert({"sandbox": {"level": 3, **more}}, Config)
    assert weaker(holed, strict)
    assert not weaker(strict, holed)
