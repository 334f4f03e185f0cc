"""Blocks by themselves: what they say, how wide they are, and what copying them gives."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    QuestionAnswered,
    QuestionAsked,
    TodoItem,
    ToolEnded,
    ToolStarted,
)
from hermes_tui.tools.diff import unified
from hermes_tui.ui.blocks import (
    AnswerBlock,
    Block,
    NoticeBlock,
    ReplyBlock,
    Sheet,
    UserBlock,
    gap,
)
from hermes_tui.ui.blocks_ask import ApprovalBlock, QuestionBlock, TodoBlock
from hermes_tui.ui.blocks_reasoning import ReasoningBlock
from hermes_tui.ui.blocks_tool import HEAD_LINES, LIVE, TAIL_LINES, ToolBlock
from hermes_tui.ui.text_lines import plain
from hermes_tui.ui.theme import Look, builtin

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)
CALL: dict[str, Any] = {"turn": 1, "step": 1, "call_id": "c", "tool": "run_command"}


def sheet(width: int = 60, *, compact: bool = False) -> Sheet:
    return Sheet(width, LOOK, compact)


def shown(block: Block, width: int = 60, *, compact: bool = False) -> list[str]:
    """The block as it stands on the screen, with what is left of each line."""
    page = sheet(width, compact=compact)
    return [
        ("".join(s.text for s in block.left(n, page).segments) + line.text).rstrip()
        for n, line in enumerate(block.lines(page))
    ]


def tool(command: str = "make all", *, ended: ToolEnded | None = None) -> ToolBlock:
    block = ToolBlock("c", "run_command")
    arguments = msgspec.json.encode({"command": command}).decode()
    block.start(ToolStarted(summary=command.split("\n")[0], arguments=arguments, **CALL))
    if ended:
        block.end(ended)
    return block


def test_what_you_said_has_a_bar_and_a_time_where_there_is_room() -> None:
    block = UserBlock("hello\n\n  indented", ts=1.0)
    assert shown(block)[0].startswith("▌ you  ")
    assert shown(block)[1:] == ["▌ hello", "▌", "▌   indented"]
    assert shown(block, compact=True) == ["▌ hello", "▌", "▌   indented"]


def test_a_long_paste_is_folded_and_nothing_of_it_is_lost() -> None:
    text = "\n".join(f"line {n}" for n in range(500))
    block = UserBlock(text)
    assert shown(block)[-1] == "▌ … 488 more lines ▸"
    assert block.copy() == block.whole() == text
    assert block.toggle()
    assert shown(block)[-1] == "▌ line 499"


def test_the_first_reply_of_a_turn_says_who_speaks() -> None:
    block = ReplyBlock()
    block.text, block.about = "One.\n\n- two", "opus · 3 steps · 41s"
    assert shown(block) == ["● hermes  opus · 3 steps · 41s", "  One.", "", "  • two"]
    assert shown(block, compact=True) == ["● One.", "", "  • two"]
    block.partial = True
    block.changed()
    assert shown(block)[-1] == "  … the line dropped here"


def test_thoughts_are_one_line_until_they_are_opened() -> None:
    block = ReasoningBlock()
    block.text = "first this\nthen that"
    assert shown(block) == ["  thought · 4 words ▸"]
    block.toggle()
    assert shown(block) == ["  thought · 4 words ▾", "  first this", "  then that"]


def test_a_tool_that_runs_shows_its_last_lines_only() -> None:
    block = tool()
    block.progress("".join(f"line {n}\n" for n in range(100)))
    lines = shown(block)
    assert lines[0].startswith("  ◐ run_command  make all")
    assert lines[1:] == [f"  │ line {n}" for n in range(100 - LIVE, 100)]


def test_a_tool_that_ended_is_one_line_with_its_time() -> None:
    block = tool(ended=ToolEnded(for_model="out", seconds=38.2, **CALL))
    (line,) = shown(block)
    assert line.startswith("  ✔ run_command  make all")
    assert line.endswith("38s ▸")


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("error", "failed"),
        ("denied", "denied"),
        ("stopped", "stopped"),
        ("interrupted", "interrupted"),
    ],
)
def test_what_went_wrong_is_said_in_a_word_and_not_in_colour_alone(status: Any, word: str) -> None:
    block = tool(ended=ToolEnded(status=status, for_model="a\nb\nlast words", **CALL))
    assert word in shown(block)[0]
    if status == "error":
        assert shown(block)[-1] == "  │ last words"


def test_an_opened_tool_shows_command_arguments_and_output_with_a_way_to_all_of_it() -> None:
    output = "\n".join(f"line {n}" for n in range(1_000))
    block = tool("make\nall", ended=ToolEnded(for_model=output, output_bytes=9_000, **CALL))
    block.toggle()
    lines = shown(block)
    assert lines[1:3] == ["  $ make", "    all"]
    assert len(lines) == 3 + HEAD_LINES + 1 + TAIL_LINES
    cut = 1_000 - HEAD_LINES - TAIL_LINES
    assert f"  │ … {cut} more lines · show all of it (9 KB)" in lines
    assert lines[-1] == "  │ line 999"


def test_an_edit_shows_its_diff() -> None:
    diff = "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new"
    details = {"diff": diff, "added": 1, "removed": 1}
    block = ToolBlock("c", "edit_file")
    arguments = msgspec.json.encode({"path": "a", "old": "x\ny", "new": "z\nz"}).decode()
    name = {**CALL, "tool": "edit_file"}
    block.start(ToolStarted(summary="a", arguments=arguments, **name))
    block.end(ToolEnded(for_model=f"edited\n{diff}", details=details, **name))
    assert "+1 -1" in shown(block)[0]
    block.toggle()
    text = "\n".join(shown(block))
    assert "│ path: a" in text
    assert " 1 - old\n   1 + new" in text
    assert text.count("old") == 1
    assert "x\ny" not in block.source
    block.fold(0)
    assert "old" not in "\n".join(shown(block))


def test_a_long_diff_shows_its_beginning_and_the_way_to_all_of_it() -> None:
    old = "\n".join(str(n) for n in range(1900))
    new = "\n".join(str(n) if n % 40 else f"{n}!" for n in range(1900))
    block = ToolBlock("c", "edit_file")
    name = {**CALL, "tool": "edit_file"}
    block.end(ToolEnded(details={"diff": unified(old, new, "a.py")}, **name))
    block.toggle()
    lines = shown(block)
    assert len(lines) < HEAD_LINES + TAIL_LINES
    assert lines[-1].endswith("show the whole diff")
    assert sum("▸ lines" in line for line in lines) > 10
    assert block.source.count("\n") > 300


def test_copying_a_tool_gives_the_exact_command() -> None:
    command = "echo 'a  b' \\\n  | cat"
    block = tool(command, ended=ToolEnded(for_model="out", **CALL))
    assert block.copy() == block.whole() == command
    block.toggle()
    assert block.copy() == command
    assert block.whole() == f"{command}\nout"


def test_arguments_that_are_no_json_are_shown_as_they_are() -> None:
    block = ToolBlock("c", "run_command")
    block.start(ToolStarted(summary="?", arguments='{"command": "ls', **CALL))
    block.toggle()
    assert '│ arguments: {"command": "ls' in "\n".join(shown(block))


def test_an_answered_approval_is_one_line() -> None:
    block = ApprovalBlock("q")
    block.asked = ApprovalAsked(
        ask_id="q", title="rm -r build", detail="rm -r build", turn=1, step=1, call_id="c", tool="t"
    )
    assert shown(block) == ["  ⚠ waits for your approval · rm -r build"]
    block.answered = ApprovalAnswered(ask_id="q", verdict="deny", reason="not now", face="ui")
    block.changed()
    assert shown(block) == ["  ⊘ denied · rm -r build · not now · by ui"]
    assert block.copy() == "rm -r build"


def test_a_question_stands_with_its_answer() -> None:
    block = QuestionBlock("q")
    block.asked = QuestionAsked(ask_id="q", turn=1, call_id="c", text="Which one?")
    assert shown(block) == ["? Which one?", "  waits for your answer"]
    block.answered = QuestionAnswered(ask_id="q", text="the second")
    block.changed()
    assert shown(block) == ["? Which one?", "  → the second"]


def test_the_plan_is_a_list_to_tick() -> None:
    block = TodoBlock()
    block.items = (
        TodoItem(text="one", state="done"),
        TodoItem(text="two", state="doing"),
        TodoItem(text="three"),
    )
    assert shown(block) == ["  ☑ one", "  ◐ two", "  ☐ three"]
    assert block.copy() == "- [x] one\n- [~] two\n- [ ] three"


def test_tools_stand_close_and_messages_apart() -> None:
    user, run = UserBlock("x"), tool()
    said = ReplyBlock()
    said.text = "x"
    assert gap(None, user, False) == 0
    assert gap(run, tool(), False) == 0
    assert gap(said, user, False) == gap(user, said, False) == gap(said, run, False) == 1
    assert gap(user, said, True) == gap(said, run, True) == 0
    assert gap(ReplyBlock(), run, False) == 0


SHARP = ["&#27;", "&#x202e;", "&#13;", "<http://a.test/%1b[2J>", "```&#27;x\n", "\x1b[2J", "\u202e"]
ANY = st.lists(
    st.text(st.characters(codec="utf-8") | st.sampled_from("\r\n\t你👨‍👩‍👧`*|"), max_size=12)
    | st.sampled_from(SHARP),
    max_size=6,
).map("".join)


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    """A block of any kind with any text."""
    text = draw(ANY)
    kind = draw(st.integers(0, 7))
    if kind < 3:
        made = tool(text, ended=ToolEnded(for_model=draw(ANY), status="error", **CALL))
        made.summary = text
        made.expanded = draw(st.booleans())
        return made
    reply, thought = ReplyBlock(), ReasoningBlock()
    reply.text = thought.text = reply.about = text
    thought.expanded = True
    todo = TodoBlock()
    todo.items = (TodoItem(text=text),)
    others = [reply, thought, todo, NoticeBlock(text, text, "error"), AnswerBlock(text)]
    return [UserBlock(text), *others][kind - 2]


STEERING = {*map(chr, [*range(32), *range(127, 160), 0x202E])}


@settings(max_examples=200, deadline=None)
@given(blocks(), st.integers(6, 70), st.booleans())
def test_no_block_is_wider_than_its_sheet_or_steers_the_terminal(
    block: Block, width: int, compact: bool
) -> None:
    page = sheet(width, compact=compact)
    lines = block.lines(page)
    for number, line in enumerate(lines):
        assert block.left(number, page).width + line.strip.cell_length <= width
        assert not set(line.text) & STEERING
    size = len(block.source)
    for line in lines:
        assert -1 <= line.start <= size
        assert -1 <= line.end <= size
    assert block.lines(page) is lines
    assert plain(lines) is not None
    assert block.rough(width) >= 0
