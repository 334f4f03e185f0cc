"""Runs of reads are one line, and failures that were made good do not shout."""

from __future__ import annotations

from hermes_tui import events as ev
from hermes_tui.events import Event, Record
from hermes_tui.ui.blocks import Sheet
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.feed import Feed
from hermes_tui.ui.theme import Look, builtin
from hermes_tui.ui.transcript import Transcript
from tests.ui.test_feed import numbered, view

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)


def told(*events: Event) -> Feed:
    feed = Feed(Transcript(), LOOK)
    feed.load(view(numbered([ev.TurnStarted(turn=1), *events])))
    return feed


def call(n: int, tool: str = "read_file", status: str = "ok", step: int = 1) -> list[Event]:
    name = {"turn": 1, "step": step, "call_id": f"c{n}", "tool": tool}
    return [
        ev.ToolStarted(summary=f"src/part_{n}.py", **name),
        ev.ToolEnded(status=status, for_model=f"text {n}", seconds=0.1, **name),
    ]


def reads(count: int, first: int = 0) -> list[Event]:
    return [event for n in range(first, first + count) for event in call(n)]


def shown(feed: Feed) -> list[str]:
    sheet = Sheet(70, LOOK)
    blocks = feed.transcript.blocks
    return [line.text.rstrip() for block in blocks for line in block.lines(sheet)]


def test_a_long_run_of_reads_is_one_line_that_opens() -> None:
    feed = told(*reads(7))
    (line,) = shown(feed)
    assert line.startswith("✔ read 7 files part_0.py, part_1.py")
    assert line.endswith("0.7s ▸")
    assert feed.transcript.blocks[3].hidden
    assert feed.transcript.blocks[0].flip()
    opened = shown(feed)
    assert len(opened) == 8
    assert opened[0].endswith("▾")
    assert "part_6.py" in opened[7]
    assert feed.transcript.blocks[0].flip()
    assert len(shown(feed)) == 1


def test_a_few_reads_stay_as_they_are() -> None:
    assert len(shown(told(*reads(3)))) == 3


def test_a_read_that_failed_is_never_folded_away() -> None:
    feed = told(*reads(4), *call(4, status="error"), *reads(4, 5))
    lines = shown(feed)
    assert sum("read 4 files" in line for line in lines) == 2
    assert any("part_4.py" in line and "failed" in line for line in lines)


def test_what_the_agent_says_between_reads_is_between_them() -> None:
    reply = ev.ReplyReceived(turn=1, step=2, text="Now the tests.")
    lines = shown(told(*reads(5), reply, *reads(5, 5)))
    assert [line[:14] for line in lines if "read" in line] == ["✔ read 5 files"] * 2
    assert lines.index("Now the tests.") > 0


def test_a_run_that_was_opened_stays_open_while_it_grows() -> None:
    feed = told(*reads(4))
    feed.transcript.blocks[0].flip()
    for n, event in enumerate(call(9), 100):
        feed.apply(Record(session="s", n=n, ts=1.0, event=event))
    assert len(shown(feed)) == 6
    assert "read 5 files" in shown(feed)[0]


def test_files_read_twice_count_once_and_searches_are_named() -> None:
    again = [
        ev.ToolStarted(turn=1, step=2, call_id="x", tool="read_file", summary="src/part_0.py"),
        ev.ToolEnded(turn=1, step=2, call_id="x", tool="read_file"),
    ]
    search = call(8, "search_files")
    (line,) = shown(told(*reads(3), *again, *search))
    assert line.startswith("✔ read 3 files, searched 1 time ")


def test_copying_a_folded_run_gives_every_call() -> None:
    feed = told(*reads(5))
    assert [block.whole() for block in feed.transcript.blocks][4] == "read_file src/part_4.py"


def test_a_failure_is_loud_until_a_later_call_works() -> None:
    feed = told(*call(1, "run_command", "error", step=1))
    loud = shown(feed)
    assert len(loud) == 2
    assert "failed" in loud[0]
    for n, event in enumerate(call(2, "run_command", step=2), 100):
        feed.apply(Record(session="s", n=n, ts=1.0, event=event))
    quiet = shown(feed)
    assert len(quiet) == 2
    assert "failed, then worked" in quiet[0]
    block = feed.transcript.blocks[0]
    assert isinstance(block, ToolBlock)
    block.toggle()
    assert "text 1" in "\n".join(shown(feed))


def test_a_call_beside_the_failed_one_makes_nothing_good() -> None:
    feed = told(*call(1, "run_command", "error"), *call(2, "run_command"))
    assert "then worked" not in "\n".join(shown(feed))
    other = told(*call(1, "run_command", "error"), *call(2, "edit_file", step=2))
    assert "then worked" not in "\n".join(shown(other))
