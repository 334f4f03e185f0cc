"""The settings screen: found by typing, changed in place, checked, live, comments kept."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.intents import ListSettings, SetConfig, SettingInfo
from hermes_tui.ui.app_setup import ui_config
from hermes_tui.ui.settings import SettingsScreen, _new_value
from hermes_tui.ui.settings_rows import ADD, matching, rows, text_of_value, value_words
from tests.ui.conftest import Screen, Stage

CONFIG = "# my own words\nui:\n  motion: false  # it makes me dizzy\n"


async def settings_of(stage: Stage, screen: Screen, query: str = "") -> SettingsScreen:
    """The settings screen, opened as a person would."""
    await screen.enter(f"/settings {query}".strip())
    await screen.until(lambda: isinstance(screen.app.screen, SettingsScreen))
    shown = screen.app.screen
    assert isinstance(shown, SettingsScreen)
    await screen.until(lambda: shown.settings)
    return shown


async def test_every_setting_is_there_with_value_source_default_and_help(stage: Stage) -> None:
    stage.core.home.config.write_text(CONFIG)
    async with stage.screen((120, 35)) as screen:
        await settings_of(stage, screen, "motion")
        await screen.until(lambda: screen.shows("motion", "off", "config.yaml"))
        assert screen.shows("ui.motion", "true or false", "default on", "spinners")
        listed = (await screen.app.ask(ListSettings())).settings
        assert {one.name for one in listed} == set(screen.app.screen.settings)


async def test_a_toggle_is_changed_at_once_everywhere_and_comments_stay(stage: Stage) -> None:
    home = stage.core.home
    home.config.write_text(CONFIG)
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "motion")
        await screen.press("enter", "enter")
        await screen.until(lambda: screen.shows("ui.motion: saved"))
        assert "motion: true  # it makes me dizzy" in home.config.read_text()
        assert "# my own words" in home.config.read_text()
        assert stage.core.config.ui.motion
        await screen.until(lambda: screen.app.config.motion)


async def test_a_choice_is_picked_below_its_setting_or_stepped_through(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "notify")
        await screen.press("enter", "enter")
        assert screen.shows("◉ auto  default", "○ bell", "○ off")
        await screen.press("down", "enter")
        await screen.until(lambda: stage.core.config.ui.notify == "bell")
        await screen.until(lambda: screen.app.config.notify == "bell")
        await screen.press("right")
        await screen.until(lambda: stage.core.config.ui.notify == "off")
        await screen.press("right")
        await screen.until(lambda: stage.core.config.ui.notify == "auto")


async def test_a_wrong_number_is_refused_beside_the_field_and_can_be_mended(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "chat_width")
        await screen.press("enter", "enter", "x", "enter")
        await screen.until(lambda: screen.shows("must be a whole number", "'100x'"))
        assert not stage.core.home.config.exists()
        await screen.press("backspace", "backspace", "enter")
        await screen.until(lambda: screen.shows("of at least 40", "'10'"))
        await screen.press("backspace", "backspace", "6", "0", "enter")
        await screen.until(lambda: stage.core.config.ui.chat_width == 60)
        await screen.until(lambda: screen.app.transcript.chat_width == 60)
        assert screen.shows("ui.chat_width: saved")


async def test_entries_of_a_list_are_added_changed_and_removed(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "policy.allow")
        allowed = lambda: stage.core.config.policy.allow  # noqa: E731
        await screen.press("enter", "enter", "enter")
        await screen.type("run_command ls")
        await screen.press("enter")
        await screen.until(lambda: allowed() == ("run_command ls",))
        await screen.until(lambda: screen.shows("- run_command ls", "add an entry"))
        await screen.press("up", "enter", "space", "x", "enter")
        await screen.until(lambda: allowed() == ("run_command ls x",))
        await screen.press("d")
        await screen.until(lambda: allowed() == ())


async def test_a_setting_goes_back_to_its_default(stage: Stage) -> None:
    stage.core.home.config.write_text(CONFIG)
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "motion")
        await screen.press("enter", "d")
        await screen.until(lambda: screen.shows("the default counts again"))
        assert "motion" not in stage.core.home.config.read_text()
        assert "# my own words" in stage.core.home.config.read_text()


async def test_what_the_environment_sets_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_TUI_MODEL", "from-outside")
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "model.name")
        assert screen.shows("▲", "from-outside", "HERMES_TUI_MODEL", "wins over the file")
        await screen.press("enter", "enter", "x", "enter")
        await screen.until(lambda: screen.shows("saved; HERMES_TUI_MODEL wins over it"))


async def test_the_theme_is_picked_from_those_there_are_and_shown(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "ui.theme")
        before = screen.app.themes.current
        await screen.press("enter", "right")
        await screen.until(lambda: screen.app.themes.current != before)
        assert stage.core.config.ui.theme == screen.app.themes.current


async def test_a_change_from_elsewhere_is_taken_over(stage: Stage) -> None:
    other = await stage.client()
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "timestamps")
        await other.ask(SetConfig(key="ui.timestamps", value="false"))
        await screen.until(lambda: not screen.app.config.timestamps)
        await screen.until(lambda: screen.shows("timestamps", "off"))
        assert not screen.app.transcript.column.sheet.times


async def test_escape_goes_back_one_thing_at_a_time(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await settings_of(stage, screen, "policy.deny")
        await screen.press("enter", "enter", "enter")
        await screen.type("half")
        await screen.press("escape", "escape")
        assert isinstance(screen.app.screen, SettingsScreen)
        assert not screen.shows("add an entry")
        await screen.press("slash")
        assert screen.app.focused is screen.app.screen.query_one("#settings-box")
        await screen.press("escape")
        assert not isinstance(screen.app.screen, SettingsScreen)
        assert stage.core.config.policy.deny == ()


# --- without a screen ------------------------------------------------------------------------

LIST = SettingInfo(name="policy.allow", kind="list", must="a list", value=["a", "b"], default=[])
PRICE = SettingInfo(name="model.price_in", kind="number", must="a number", value=1.5)
NAME = SettingInfo(name="ui.busy_enter", kind="text", must="text", help="What Enter does", value="")


def test_words_find_a_setting_by_name_help_and_value() -> None:
    every = [LIST, PRICE, NAME]
    assert matching(every, "busy enter") == [NAME]
    assert matching(every, "what ENTER") == [NAME]
    assert matching(every, "1.5") == [PRICE]
    assert matching(every, "") == every
    assert matching(every, "zzz") == []
    assert "no setting" in str(rows([], "")[0].left)


def test_nothing_typed_for_a_number_that_may_be_missing_takes_it_out() -> None:
    assert _new_value(PRICE, PRICE.name, " ") == "null"
    assert _new_value(NAME, NAME.name, "") == "null" or NAME.default is not None


@given(items=st.lists(st.text()), text=st.text(), at=st.integers(0, 9))
def test_a_list_keeps_every_other_entry(items: list[str], text: str, at: int) -> None:
    one = msgspec.structs.replace(LIST, value=items)
    added = msgspec.json.decode(_new_value(one, f"{one.name}#{ADD}", text))
    assert added == [*items, text]
    if at < len(items):
        changed = msgspec.json.decode(_new_value(one, f"{one.name}#{at}", text))
        assert changed == [*items[:at], text, *items[at + 1 :]]


def test_values_read_as_words() -> None:
    toggle = msgspec.structs.replace(PRICE, kind="toggle")
    assert [value_words(toggle, on) for on in (True, False)] == ["on", "off"]
    assert [value_words(LIST, it) for it in ([], ["x"], ["x", "y"])] == ["none", "x", "2 entries"]
    assert [value_words(PRICE, it) for it in (None, 0.5)] == ["not set", "0.5"]
    assert [text_of_value(it) for it in (True, None, 3, "x", ["a"])] == [
        "true", "", "3", "x", '["a"]',
    ]  # fmt: skip


def test_settings_of_another_version_are_left_alone() -> None:
    new = SettingInfo(name="ui.hologram", kind="toggle", must="", value=True)
    width = SettingInfo(name="ui.chat_width", kind="whole", must="", value=70)
    config = ui_config([new, width])
    assert config is not None
    assert config.chat_width == 70
    assert ui_config([msgspec.structs.replace(width, value="wide")]) is None
