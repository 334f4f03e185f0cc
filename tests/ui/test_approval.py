"""The cards ask clearly, and never take a letter that was meant for the prompt."""

from __future__ import annotations

import msgspec
import pytest

from hermes_tui.approval_text import editable, edited, files
from hermes_tui.events import ApprovalAsked, QuestionAsked
from hermes_tui.ui.approval import ApprovalCard, revealed
from hermes_tui.ui.diff_screen import DiffScreen, DiffView
from hermes_tui.ui.viewer import TextView
from tests.fakes.prompt_app import PromptApp

COMMAND = "cli4 PUT dns.example.org A 203.0.113.7 ttl=300"
DIFF = (
    "--- a/notes/vps.md\n+++ b/notes/vps.md\n@@ -1,2 +1,2 @@\n # VPS\n-nginx\n+Caddy\n"
    + "".join(f"+line {n}\n" for n in range(40))
)


def asked(ask_id: str = "1", **more: str) -> ApprovalAsked:
    fields = {
        "tool": "run_command",
        "title": "change DNS",
        "detail": COMMAND,
        "detail_kind": "command",
        "where": "vps2 (ssh)",
        "reason": "changes DNS",
        "undo": "no undo",
        "rule": "run_command cli4 PUT *",
        "arguments": msgspec.json.encode({"command": COMMAND, "timeout_s": 5}).decode(),
        **more,
    }
    return ApprovalAsked(ask_id=ask_id, turn=1, step=1, call_id="c" + ask_id, **fields)  # type: ignore[arg-type]


EDIT = asked("2", tool="edit_file", detail=DIFF, detail_kind="diff", arguments='{"path":"x"}')
QUESTION = QuestionAsked(
    ask_id="9", turn=1, call_id="q", text="Which host?", options=("vps1", "vps2")
)


def shown(app: PromptApp) -> str:
    """All that the approval card says."""
    card = app.approval
    lines = [card.lines.render_line(y).text for y in range(card.lines.size.height)]
    return "\n".join([str(card.border_title), *lines])


def answers(app: PromptApp) -> list[tuple[str, ...]]:
    return [
        (m.ask_id, m.verdict, m.rule, m.reason, m.arguments)
        for m in app.posted
        if isinstance(m, ApprovalCard.Answered)
    ]


@pytest.mark.parametrize("width", [120, 60])
async def test_the_card_says_where_why_and_whether_it_can_be_undone(width: int) -> None:
    app = PromptApp()
    async with app.run_test(size=(width, 35)) as pilot:
        app.approval.show((asked(undo="a change of DNS can't be undone"),))
        await pilot.pause()
        text = shown(app)
        for part in ("vps2 (ssh)", "changes DNS", "can't be undone", COMMAND):
            assert text.count(part) == 1
        assert ("run_command cli4 PUT *" in text) == (width == 120)


@pytest.mark.parametrize(("key", "verdict"), [("y", "once"), ("s", "session")])
async def test_one_letter_answers_when_the_prompt_is_empty(key: str, verdict: str) -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press(key)
        assert answers(app) == [("1", verdict, "", "", "")]
        assert not app.approval.display


async def test_a_letter_of_a_word_being_typed_never_answers() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("o", "backspace")
        app.time += 0.3
        app.approval.show((asked(),))
        app.time += 0.3
        await pilot.press("y")
        assert (answers(app), app.prompt.text) == ([], "y")
        app.time += 9
        await pilot.press("s")
        assert (answers(app), app.prompt.text) == ([], "ys")


async def test_quick_keys_right_after_typing_go_to_the_prompt() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 9
        await pilot.press("x", "backspace")
        app.time += 0.39
        await pilot.press("y")
        assert (answers(app), app.prompt.text) == ([], "y")


async def test_a_second_press_does_not_answer_the_next_card() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked("1"), asked("2")))
        app.time += 1
        await pilot.press("y", "y")
        assert [one[0] for one in answers(app)] == ["1"]


async def test_the_exact_rule_is_shown_and_can_be_edited_before_it_is_saved() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("a")
        assert app.approval.field.text == "run_command cli4 PUT *"
        assert answers(app) == []
        await pilot.press("backspace", *"dns *", "enter")
        assert answers(app) == [("1", "always", "run_command cli4 PUT dns *", "", "")]
        assert app.focused is app.prompt


async def test_an_empty_rule_is_not_saved() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("a", "ctrl+u", "enter")
        assert answers(app) == []
        assert "empty rule" in shown(app)


async def test_escape_leaves_the_field_without_an_answer_and_the_draft_stays() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("n", "n", "o", "escape")
        assert answers(app) == []
        assert app.focused is app.prompt
        assert app.free == []


@pytest.mark.parametrize(("typed", "reason"), [("", ""), ("wrong host", "wrong host")])
async def test_denying_asks_for_a_reason_and_takes_none(typed: str, reason: str) -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("n", *("space" if c == " " else c for c in typed), "enter")
        assert answers(app) == [("1", "deny", "", reason, "")]


async def test_the_command_can_be_changed_before_it_runs() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("e")
        assert app.approval.field.text == COMMAND
        await pilot.press("backspace", "backspace", "backspace", "6", "0", "enter")
        changed = {"command": COMMAND[:-3] + "60", "timeout_s": 5}
        assert [one[1] for one in answers(app)] == ["once"]
        assert msgspec.json.decode(answers(app)[0][4]) == changed


async def test_broken_arguments_are_not_sent() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((EDIT,))
        app.time += 1
        await pilot.press("e", "backspace", "enter")
        assert answers(app) == []
        assert "JSON" in shown(app)


async def test_a_diff_shows_its_beginning_and_all_of_it_on_d() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.approval.show((EDIT,))
        app.time += 1
        await pilot.pause()
        assert "notes/vps.md   +41 −1" in shown(app)
        assert "more lines" in shown(app)
        await pilot.press("d")
        screen = app.screen
        assert isinstance(screen, DiffScreen)
        assert screen._text == DIFF
        about = screen.query_one("#diff-about", TextView)
        assert "undo" in "".join(strip.text for strip in about._strips())
        assert app.focused is screen.query_one(DiffView)
        await pilot.press("escape")
        assert app.approval.display


async def test_several_are_counted_and_tab_goes_through_them() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked("1"), EDIT, asked("3")))
        app.time += 1
        assert "1/3" in shown(app)
        await pilot.press("tab")
        assert "2/3" in shown(app)
        await pilot.press("y")
        assert [one[0] for one in answers(app)] == ["2"]


async def test_other_events_do_not_push_the_card_or_an_open_field_away() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked("1"),))
        app.time += 1
        await pilot.press("n", "n", "o")
        app.approval.show((asked("1"), asked("2")))
        await pilot.pause()
        assert app.approval.asking
        assert app.approval.field.text == "no"


async def test_an_answer_from_elsewhere_closes_the_card_and_gives_the_focus_back() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("n")
        app.approval.show(())
        await pilot.pause()
        assert not app.approval.display
        assert app.focused is app.prompt


async def test_an_answer_that_did_not_arrive_asks_again() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("y")
        app.approval.show((asked(),))
        assert not app.approval.display
        app.approval.reopen("1", (asked(),))
        assert app.approval.display


async def test_with_a_draft_in_the_prompt_the_card_answers_once_it_has_the_focus() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("d", "r")
        app.approval.show((asked(),))
        app.time += 1
        await pilot.press("y")
        assert (answers(app), app.prompt.text) == ([], "dry")
        app.approval.take_focus()
        await pilot.press("y")
        assert [one[1] for one in answers(app)] == ["once"]
        assert app.focused is app.prompt
        assert app.prompt.text == "dry"


async def test_the_keys_of_the_card_can_be_clicked() -> None:
    app = PromptApp()
    async with app.run_test(size=(120, 35)) as pilot:
        app.approval.show((asked(),))
        app.time += 1
        await pilot.pause()
        row = app.approval.lines.size.height - 1
        await pilot.click(app.approval.lines, offset=(0, row))
        assert [one[1] for one in answers(app)] == ["once"]


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (200, 50)])
async def test_the_card_fits_every_terminal(size: tuple[int, int]) -> None:
    app = PromptApp()
    async with app.run_test(size=size) as pilot:
        app.approval.show((asked(), EDIT))
        app.time += 1
        await pilot.press("tab", "y")
        assert [one[0] for one in answers(app)] == ["2"]


def test_what_cannot_be_seen_is_named() -> None:
    assert revealed("rm \u202ea\u200bb\x1b[2K") == "rm ⟨U+202E⟩a⟨U+200B⟩b␛[2K"


def test_a_diff_names_its_files_even_deleted_ones() -> None:
    two = asked(
        detail="--- a/x\n+++ /dev/null\n@@\n-x\n--- a/y\n+++ b/y\n@@\n+y\n", detail_kind="diff"
    )
    assert files(two) == ["x", "y"]


def test_arguments_without_a_command_are_edited_as_json() -> None:
    assert msgspec.json.decode(editable(EDIT)) == {"path": "x"}
    assert msgspec.json.decode(edited(EDIT, '{"path": "y"}')) == {"path": "y"}
    with pytest.raises(msgspec.DecodeError):
        edited(EDIT, "[1]")


# --- questions -----------------------------------------------------------------------------


async def test_a_number_picks_an_option() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.question.show((QUESTION,))
        app.time += 1
        await pilot.press("2")
        assert [(m.ask_id, m.text) for m in app.posted] == [("9", "vps2")]


async def test_a_question_can_be_answered_in_words() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.question.show((QUESTION,))
        app.time += 1
        await pilot.press("enter", "enter", *"both", "enter")
        assert [(m.ask_id, m.text) for m in app.posted] == [("9", "both")]
        assert app.focused is app.prompt
