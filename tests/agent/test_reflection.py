"""Whether a turn holds a lesson, and what an answer about it comes to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.agent.reflection import Known, Occasion, occasion, question
from hermes_tui.agent.reflection_reply import Lesson, Swap, applied, read_reply
from hermes_tui.agent.reflection_turn import (
    Looked,
    Step,
    assents,
    corrects,
    head_of,
    is_lasting,
    turns_of,
)
from hermes_tui.errors import HermesError
from hermes_tui.events import (
    Event,
    InputReceived,
    InputTaken,
    Record,
    ReplyReceived,
    SessionStarted,
    ToolCall,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)

GOOD = Step(tool="run_command", arguments="{}", ok=True, head="run_command make")
BAD = Step(tool="run_command", arguments="{}", ok=False, head="run_command make")
WRITE = Step(tool="write_file", arguments="{}", ok=True, head="write_file")
NEW = "NEW water-plants\nBECAUSE they dry out\n---\nname: water-plants\n---\n\n1. Water.\n"


def _turn(*steps: Step, said: str = "do it", **more: object) -> Looked:
    turn = Looked(session="s", turn=2, said=(said,), steps=steps, outcome="done")
    return Looked(**{name: getattr(turn, name) for name in turn.__struct_fields__} | more)


# --- occasions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turn",
    [
        _turn(),
        _turn(GOOD, GOOD),
        _turn(*[GOOD] * 5),
        _turn(*[GOOD] * 5, BAD),
        _turn(BAD, BAD, GOOD, GOOD, GOOD, WRITE),
        _turn(BAD, *[GOOD] * 6, outcome="stopped"),
        _turn(BAD, *[GOOD] * 6, unfounded=True),
        _turn(BAD, *[GOOD] * 6, attended=False),
        _turn(BAD, *[GOOD] * 6, foreign=True),
    ],
    ids=[
        "talk",
        "little",
        "no effort",
        "failed",
        "unchecked",
        "stopped",
        "unfounded",
        "alone",
        "others",
    ],
)
def test_most_turns_hold_nothing(turn: Looked) -> None:
    assert occasion(turn, None, Known(), 5) is None


def test_overcome_failures_and_long_work_are_an_occasion() -> None:
    found = occasion(_turn(BAD, BAD, GOOD, GOOD, GOOD), None, Known(), 5)
    assert found == Occasion(kind="effort", why="5 calls, 2 of them failed first")
    assert occasion(_turn(*[GOOD] * 10), None, Known(), 5) is not None


def test_plain_work_is_an_occasion_the_second_time() -> None:
    turn = _turn(*[GOOD] * 6)
    assert occasion(turn, None, Known(), 5) is None
    found = occasion(turn, None, Known(seen=1), 5)
    assert found is not None
    assert found.kind == "again"


def test_what_was_proposed_or_refused_is_not_brought_up_again_but_by_a_correction() -> None:
    turn = _turn(BAD, *[GOOD] * 6)
    assert occasion(turn, None, Known(seen=3, waiting=True), 5) is None
    again = _turn(GOOD, GOOD, said="No, use the tag instead")
    found = occasion(again, _turn(GOOD, GOOD), Known(waiting=True), 5)
    assert found is not None
    assert found.kind == "correction"


def test_a_correction_is_about_the_skill_that_was_followed() -> None:
    before = _turn(GOOD, skills=("deploy",))
    found = occasion(_turn(said="No, never on Fridays"), before, Known(), 5)
    assert found == Occasion(kind="correction", why="No, never on Fridays", skill="deploy")


@pytest.mark.parametrize(
    "text",
    [
        "No, the other branch",
        "that's wrong, it is 8080",
        "you should have asked",
        "I said German",
        "next time sort them by date",
        "don't use tabs",
        "Always run the tests first",
        "use scp instead",
        "it should be in metres",
        "不对,应该是昨天",
        "以后请用中文",
    ],
)
def test_corrections_are_heard(text: str) -> None:
    assert corrects(text)


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "no problem",
        "No worries, and now the second file",
        "now do the same for the other folder",
        "don't worry about the tests",
        "what is in there?",
        "should it be in metres?",
        "list the files",
        "谢谢",
    ],
)
def test_other_words_are_no_corrections(text: str) -> None:
    assert not corrects(text)


def test_lasting_words_and_assent_are_told_from_others() -> None:
    assert is_lasting("from now on in metres")
    assert not is_lasting("this one in metres")
    assert assents("Perfect, thank you")
    assert not assents("Great, but that's wrong")


@given(st.text(max_size=300))
def test_any_words_can_be_heard(text: str) -> None:
    assert isinstance(corrects(text), bool)
    assert not (corrects(text) and assents(text))


# --- turns ---------------------------------------------------------------------------------------


def _records(*events: Event) -> list[Record]:
    return [Record(session="s", n=n, ts=float(n), event=one) for n, one in enumerate(events, 1)]


def _call(name: str, tool: str, arguments: str, **ended: object) -> list[Event]:
    reply = ReplyReceived(
        turn=1, step=1, calls=(ToolCall(id=name, tool=tool, arguments=arguments),)
    )
    more: dict[str, object] = {"turn": 1, "step": 1, "call_id": name, "tool": tool, **ended}
    return [reply, ToolEnded(**more)]  # type: ignore[arg-type]


def test_a_turn_is_read_from_the_log() -> None:
    (turn,) = turns_of(
        "s",
        _records(
            InputReceived(input_id="i", text="deploy"),
            TurnStarted(turn=1),
            InputTaken(input_id="i", turn=1),
            *_call("a", "use_skill", '{"name":"x"}', details={"skill": "x"}),
            *_call(
                "b",
                "run_command",
                '{"command":"sudo make all"}',
                for_model="no rule\n[exit 2]",
                details={"exit_code": 2},
            ),
            *_call(
                "c",
                "use_tool",
                '{"name":"web_extract","arguments":{"url":"https://u@h.example/x"}}',
                for_model="text",
                untrusted="h.example",
            ),
            TurnEnded(turn=1, outcome="done"),
        ),
    )
    assert (turn.said, turn.skills, turn.outcome) == (("deploy",), ("x",), "done")
    assert [(one.tool, one.head, one.ok, one.error) for one in turn.steps] == [
        ("run_command", "run_command make", False, "no rule"),
        ("web_extract", "web_extract h.example", True, ""),
    ]
    assert turn.untrusted == "h.example"


def test_what_was_read_from_outside_taints_the_turns_after_it() -> None:
    first, second = turns_of(
        "s",
        _records(
            TurnStarted(turn=1),
            *_call("c", "http_request", "{}", untrusted="h.example"),
            TurnEnded(turn=1),
            TurnStarted(turn=2),
            TurnEnded(turn=2),
        ),
    )
    assert (first.untrusted, second.untrusted) == ("h.example", "h.example")


def test_what_others_said_is_known_as_such() -> None:
    started = SessionStarted(person="telegram:7")
    (turn,) = turns_of("s", _records(started, TurnStarted(turn=1), TurnEnded(turn=1)))
    assert turn.foreign


@given(st.text(max_size=100), st.text(max_size=60))
def test_any_arguments_have_a_head(arguments: str, tool: str) -> None:
    assert head_of(tool, arguments).startswith(tool)


# --- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply", ["NOTHING", "nothing: NOTHING", "", "  NOTHING.\n", "```\nNOTHING\n```"]
)
def test_nothing_is_nothing(reply: str) -> None:
    assert read_reply(reply) is None


def test_a_new_skill_is_read_with_its_reason() -> None:
    lesson = read_reply(NEW)
    assert lesson is not None
    assert (lesson.name, lesson.why) == ("water-plants", "they dry out")
    assert lesson.text == "---\nname: water-plants\n---\n\n1. Water.\n"
    assert read_reply(f"```\n{NEW}```") == lesson


def test_an_edit_is_read_as_changes() -> None:
    reply = "EDIT x\nBECAUSE: asked\n<<<<\n1. Old\n====\n1. New\n>>>>\n<<<<\n====\n2. More\n>>>>"
    lesson = read_reply(reply)
    assert lesson == Lesson(
        name="x", why="asked", swaps=(Swap("1. Old\n", "1. New\n"), Swap("", "2. More\n"))
    )
    assert applied("# X\n\n1. Old\n", lesson.swaps) == "# X\n\n1. New\n2. More\n"


@pytest.mark.parametrize("reply", ["I think so", "NEW x\n---\nname: x\n", "EDIT x\nBECAUSE y\nnew"])
def test_an_answer_in_another_form_changes_nothing(reply: str) -> None:
    with pytest.raises(HermesError):
        read_reply(reply)


@pytest.mark.parametrize("text", ["# X\n", "a\nb\na\n"])
def test_lines_that_are_not_there_once_are_not_guessed_at(text: str) -> None:
    with pytest.raises(HermesError):
        applied(text, (Swap("a\n", "c\n"),))


@given(st.text(max_size=400))
def test_any_answer_is_a_lesson_nothing_or_refused(reply: str) -> None:
    try:
        lesson = read_reply(reply)
    except HermesError:
        return
    assert lesson is None or lesson.why


@given(
    st.lists(st.text("abc ", min_size=1, max_size=8), min_size=1, max_size=8, unique=True),
    st.text("xyz", min_size=1, max_size=8),
    st.data(),
)
def test_a_change_touches_its_lines_alone(lines: list[str], new: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    if not lines[at].strip():
        return
    text = "\n".join(lines) + "\n"
    made = applied(text, (Swap(lines[at] + "\n", new + "\n"),))
    assert made == "\n".join([*lines[:at], new, *lines[at + 1 :]]) + "\n"


def test_the_question_shows_the_skill_and_those_that_may_cover_it() -> None:
    found = Occasion(kind="correction", why="", skill="deploy")
    text = question(_turn(said="No, never on Fridays"), found, "# Deploy", ["ship: Ships it."])
    assert "The correction: No, never on Fridays" in text
    assert "# Deploy" in text
    assert "- ship: Ships it." in text
