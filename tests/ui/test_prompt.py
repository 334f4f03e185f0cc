"""The prompt under real key presses."""

from __future__ import annotations

import time

import pytest
from textual import events
from textual.content import Content
from textual.pilot import Pilot

from hermes_tui.events import InputReceived
from hermes_tui.ui.chips import Chips
from tests.fakes.prompt_app import PromptApp

FAMILY = "👨‍👩‍👧"
LONG = "".join(f"line {n}\n" for n in range(13))


async def put(pilot: Pilot[None], text: str) -> None:
    """Type text as a terminal sends it: one key for each code point."""
    app = pilot.app
    for character in text:
        app.prompt.post_message(events.Key(character, character))  # type: ignore[attr-defined]
    await pilot.pause()


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.prompt.post_message(events.Paste(text))  # type: ignore[attr-defined]
    await pilot.pause()


def rows(app: PromptApp) -> list[str]:
    """The prompt's rows as drawn."""
    return [app.prompt.render_line(y).text.rstrip() for y in range(app.prompt.content_size.height)]


@pytest.mark.parametrize(
    ("text", "cells", "presses"),
    [
        ("你好，世界", 10, 5),
        (FAMILY, 2, 1),
        ("👁️", 2, 1),
        ("👁", 1, 1),
        ("👍🏽", 2, 1),
        ("🇯🇵", 2, 1),
        ("1️⃣", 2, 1),
        ("ทำไม", 4, 3),
        ("กี่กุ", 2, 2),
        ("e\u0301", 1, 1),
        ("ｱｲｳ", 3, 3),
        ("한글", 4, 2),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", 4, 2),
        ("\u0602", 1, 1),
        ("全角\u3000空白", 10, 5),
    ],
)
async def test_the_caret_and_the_terminals_own_cursor_stand_where_the_eye_expects(
    text: str, cells: int, presses: int
) -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        origin = app.cursor_position
        await put(pilot, text)
        assert app.prompt.text == text
        assert app.cursor_position - origin == (cells, 0)
        await pilot.press("home")
        assert app.cursor_position == origin
        await pilot.press("end", *["backspace"] * presses)
        assert app.prompt.text == ""


async def test_the_cursor_follows_when_something_opens_above_or_below() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "abc")
        before = app.cursor_position
        app.chips.show((InputReceived(input_id="1", text="later", how="queue"),))
        await pilot.pause()
        assert app.cursor_position == before - (0, 1)


async def test_letters_of_an_input_method_arrive_however_fast_they_come() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "lỗi")
        await put(pilot, " này")
        assert app.prompt.text == "lỗi này"


async def test_enter_right_behind_committed_text_sends_that_text_too() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        for key in ("分", "析"):
            app.prompt.post_message(events.Key(key, key))
        app.prompt.post_message(events.Key("enter", "\r"))
        await pilot.pause()
        assert app.sent == [("分析", "auto")]


async def test_a_long_paste_is_sent_to_the_byte_and_never_as_its_label() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "see ")
        await paste(pilot, LONG)
        assert rows(app) == ["❯ see ⟦paste 1 · 13 lines⟧"]
        await put(pilot, "ok")
        await pilot.press("enter")
        assert app.sent == [(f"see {LONG}ok", "auto")]


async def test_a_paste_survives_edits_around_it_undo_and_recall() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await paste(pilot, LONG)
        await pilot.press("home", "a", "end", "b", "backspace", "backspace", "ctrl+z")
        assert app.prompt.text == f"a{LONG}"
        await pilot.press("enter")
        app.prompt.confirm(app.sent[-1][0])
        assert app.prompt.text == ""
        await pilot.press("up", "end", "!", "enter")
        assert app.sent[-1] == (f"a{LONG}!", "auto")


async def test_enter_on_a_folded_paste_unfolds_it_and_undo_folds_it_again() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 30)) as pilot:
        await paste(pilot, LONG)
        await pilot.press("left", "enter")
        assert app.sent == []
        assert "line 12" in " ".join(rows(app))
        assert app.prompt.text == LONG
        await pilot.press("ctrl+z")
        assert rows(app) == ["❯ ⟦paste 1 · 13 lines⟧"]


async def test_a_click_on_a_folded_paste_asks_to_see_it() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, LONG)
        await pilot.click(app.prompt, offset=(8, 1))
        assert [m.atom.text for m in app.posted] == [LONG]


async def test_the_prompt_grows_to_twelve_rows_and_then_scrolls() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 40)) as pilot:
        heights = []
        for number in range(15):
            await put(pilot, f"row {number}")
            heights.append(app.prompt.content_size.height)
            await pilot.press("shift+enter")
        assert heights == [*range(1, 13), 12, 12, 12]
        assert app.prompt.text.count("\n") == 15
        assert rows(app)[-2].strip() == "row 14"
        await pilot.press("ctrl+home")
        assert rows(app)[0] == "❯ row 0"


@pytest.mark.parametrize("keys", [("shift+enter",), ("ctrl+j",), ("\\", "enter")])
async def test_every_way_to_add_a_line_adds_one(keys: tuple[str, ...]) -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a", *keys, "b", "enter")
        assert app.sent == [("a\nb", "auto")]


async def test_alt_enter_queues_and_typing_with_alt_types_nothing() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a")
        key = events.Key("alt+z", "z")
        key._set_forwarded()
        app.prompt.post_message(key)
        await pilot.press("alt+enter")
        assert app.sent == [("a", "queue")]
        assert app.free == ["alt+z"]


async def test_the_text_stays_until_the_core_has_it_and_what_follows_is_kept() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "first")
        await pilot.press("enter", "enter")
        assert app.sent == [("first", "auto")]
        assert app.prompt.text == "first"
        await put(pilot, " more")
        app.prompt.confirm("first")
        assert app.prompt.text == " more"


async def test_a_refused_text_can_be_sent_again() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("x", "enter")
        app.prompt.refuse()
        await pilot.press("enter")
        assert app.sent == [("x", "auto")] * 2


async def test_a_text_that_comes_back_does_not_push_the_draft_away() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "draft")
        app.prompt.give_back("back again")
        assert app.prompt.text == "back again\ndraft"


async def test_history_is_walked_with_up_and_down_and_the_draft_waits() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.set_history(("newest", "two\nlines", "oldest"))
        await put(pilot, "draft")
        seen = []
        for key in ("up", "up", "up", "up", "down", "down", "down", "down"):
            await pilot.press(key)
            seen.append(app.prompt.text)
        up = ["newest", "two\nlines", "oldest", "oldest"]
        assert seen == [*up, "two\nlines", "newest", "draft", "draft"]


async def test_an_edit_to_a_recalled_line_is_kept_while_walking_on() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.set_history(("newest", "oldest"))
        await pilot.press("up", "!", "up")
        assert app.prompt.text == "oldest"
        await pilot.press("down")
        assert app.prompt.text == "newest!"


async def test_up_in_an_empty_prompt_takes_the_last_waiting_input_back() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.set_history(("older",))
        app.chips.show(
            (
                InputReceived(input_id="1", text="first", how="steer"),
                InputReceived(input_id="2", text="second", how="queue"),
            )
        )
        await pilot.press("up")
        assert [m.input_id for m in app.posted if isinstance(m, Chips.TakeBack)] == ["2"]
        assert app.prompt.text == ""
        app.chips.show(())
        await pilot.press("up")
        assert app.prompt.text == "older"


async def test_slash_commands_are_offered_completed_and_closed() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "/mod")
        shown = "\n".join(rows(app))
        assert "▸ /model" in shown
        assert "/mode " in shown
        await pilot.press("down", "tab")
        assert app.prompt.text == "/mode "
        assert "ask|auto-edit|plan|yolo" in "\n".join(rows(app))
        app.prompt.clear()
        await put(pilot, "/he")
        await pilot.press("escape")
        assert len(rows(app)) == 1
        assert app.free == []
        await pilot.press("escape")
        assert app.free == ["escape"]


async def test_enter_completes_a_beginning_but_runs_a_whole_command() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "/conte")
        await pilot.press("enter")
        assert (app.sent, app.prompt.text) == ([], "/context")
        await pilot.press("enter")
        assert app.sent == [("/context", "auto")]


async def test_a_path_is_no_command() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "/etc/hosts is broken")
        assert len(rows(app)) == 1
        await pilot.press("enter")
        assert app.sent == [("/etc/hosts is broken", "auto")]


EDITS = [
    (["home", "delete"], "ne two"),
    (["home", "ctrl+d"], "ne two"),
    (["ctrl+w"], "one "),
    (["alt+backspace"], "one "),
    (["ctrl+left", "ctrl+left", "alt+d"], " two"),
    (["ctrl+u"], ""),
    (["home", "ctrl+k"], ""),
    (["ctrl+a", "x"], "xone two"),
    (["ctrl+a", "ctrl+e", "x"], "one twox"),
    (["alt+b", "x"], "one xtwo"),
    (["home", "alt+f", "x"], "onex two"),
    (["shift+left", "shift+left", "x"], "one tx"),
    (["ctrl+shift+left", "x"], "one x"),
    (["shift+home", "x"], "x"),
    (["f7", "x"], "x"),
    (["f7", "ctrl+x", "ctrl+v", "ctrl+v"], "one twoone two"),
    (["ctrl+h"], "one tw"),
    (["backspace", "ctrl+z"], "one two"),
    (["backspace", "ctrl+z", "ctrl+y"], "one tw"),
    (["backspace", "ctrl+z", "ctrl+shift+z"], "one tw"),
    (["ctrl+home", "x"], "xone two"),
    (["ctrl+home", "ctrl+end", "x"], "one twox"),
]


@pytest.mark.parametrize(("keys", "expected"), EDITS, ids=[" ".join(keys) for keys, _ in EDITS])
async def test_editing_keys_do_what_they_do_everywhere(keys: list[str], expected: str) -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "one two")
        await pilot.press(*keys)
        assert app.prompt.text == expected


async def test_the_mouse_places_the_caret_and_selects_by_dragging() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(pilot, "你好 world")
        await pilot.click(app.prompt, offset=(1 + 2 + 2, 1))
        await pilot.press("x")
        assert app.prompt.text == "你x好 world"
        await pilot.mouse_down(app.prompt, offset=(1 + 2, 1))
        await pilot.hover(app.prompt, offset=(1 + 2 + 3, 1))
        await pilot.mouse_up(app.prompt, offset=(1 + 2 + 3, 1))
        assert app.prompt.selected_text == "你x"


async def test_cutting_needs_a_selection_and_copying_belongs_to_the_app() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await put(pilot, "abc")
        await pilot.press("ctrl+x", "ctrl+c")
        assert app.free[0] == "ctrl+x"
        assert app.prompt.text == "abc"


async def test_the_rule_says_mode_and_model_and_yolo_is_red() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.set_mode("ask")
        app.prompt.set_model("some[bracket]model")
        title = Content.from_markup(app.prompt.border_title or "")
        assert title.plain.strip() == "ask · some[bracket]model"
        calm = app.prompt.styles.border_top
        app.prompt.set_mode("yolo")
        await pilot.pause()
        assert app.prompt.styles.border_top != calm


async def test_a_million_pasted_characters_are_there_in_two_seconds() -> None:
    app = PromptApp()
    text = ("words and more words, ünïcode\r\n" * 40_000)[:1_000_000]
    async with app.run_test() as pilot:
        began = time.monotonic()
        await paste(pilot, text)
        await pilot.press("enter")
        assert time.monotonic() - began < 2
        assert app.sent == [(text.replace("\r\n", "\n").replace("\r", "\n"), "auto")]


async def test_nothing_moves_while_nobody_types() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a")
        assert [timer for timer in app.prompt._timers if not timer._active.is_set()] == []
        assert not app.prompt.auto_refresh


@pytest.mark.parametrize("size", [(20, 5), (5, 3), (1, 1)])
async def test_a_tiny_terminal_breaks_nothing(size: tuple[int, int]) -> None:
    app = PromptApp()
    async with app.run_test(size=size) as pilot:
        await paste(pilot, LONG)
        await paste(pilot, f"text {FAMILY} 你好\t.")
        await pilot.press("home", "up", "down", "left", "end", "enter")
        assert app.sent == [(f"{LONG}text {FAMILY} 你好\t.", "auto")]


@pytest.mark.parametrize("theme", ["hermes-night", "hermes-paper", "high-contrast", "mono"])
async def test_every_theme_draws_the_caret_and_marks_a_paste(theme: str) -> None:
    app = PromptApp(theme)
    async with app.run_test() as pilot:
        await paste(pilot, LONG)
        await pilot.press("a")
        strip = app.prompt.render_line(0)
        assert any(part.style and part.style.reverse for part in strip)
        label = next(part for part in strip if part.text.startswith("⟦"))
        assert label.style != next(part for part in strip if part.text == "a").style
