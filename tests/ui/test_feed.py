"""A session told live is the session told from its history, however it is cut in pages."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui import events as ev
from hermes_tui.events import Event, Record, TodoItem, ToolCall, Transient, Usage
from hermes_tui.intents import Page, SessionInfo, SessionView
from hermes_tui.ui.blocks import Sheet
from hermes_tui.ui.feed import Feed
from hermes_tui.ui.feed_blocks import Builder, Inputs
from hermes_tui.ui.text_lines import plain
from hermes_tui.ui.theme import Look, builtin
from hermes_tui.ui.transcript import Transcript

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)
WORDS = st.sampled_from(
    ["hello", "two words", "# head\n\ntext", "你好", "```\ncode\n```", "a\n\nb"]
)


def step(turn: int, number: int, draw: st.DrawFn) -> list[Event]:
    """A model step with its deltas, and the tools it asked for."""
    text, thought = draw(WORDS | st.just("")), draw(WORDS | st.just(""))
    made: list[Event] = [ev.ModelAsked(turn=turn, step=number, model="org/model")]
    if draw(st.integers(0, 5)) == 0:
        lost = draw(WORDS)
        made.append(ev.TextDelta(turn=turn, step=number, reasoning=draw(WORDS | st.just(""))))
        if draw(st.booleans()):
            made.append(ev.TextDelta(turn=turn, step=number, text=lost))
            made.append(ev.ReplyReceived(turn=turn, step=number, text=lost, partial=True))
        for attempt in range(1, draw(st.integers(2, 4))):
            made.append(
                ev.ModelFailed(turn=turn, step=number, attempt=attempt, message="no", retry_in=1)
            )
        made.append(ev.ModelAsked(turn=turn, step=number, model="org/model"))
    if thought:
        made.append(ev.TextDelta(turn=turn, step=number, reasoning=thought))
    if text:
        made += [ev.TextDelta(turn=turn, step=number, text=part) for part in (text[:2], text[2:])]
    calls = draw(st.integers(0, 2) | st.integers(3, 6))
    tool = draw(st.sampled_from(["run_command", "read_file", "read_file"]))
    ids = [f"{turn}-{number}-{n}" for n in range(calls)]
    made.append(
        ev.ReplyReceived(
            turn=turn,
            step=number,
            model="org/model",
            text=text,
            reasoning=thought,
            calls=tuple(ToolCall(id=one, tool=tool) for one in ids),
        )
    )
    for one in ids:
        made += call(turn, number, one, tool, draw)
    return made


def call(turn: int, number: int, one: str, tool: str, draw: st.DrawFn) -> list[Event]:
    """One tool call, perhaps with an approval, output and a to-do list."""
    made: list[Event] = []
    name = {"turn": turn, "step": number, "call_id": one, "tool": tool}
    if tool == "read_file":
        made.append(ev.ToolStarted(summary=f"{one}.txt", **name))
        status = draw(st.sampled_from(["ok", "ok", "ok", "ok", "error"]))
        return [*made, ev.ToolEnded(status=status, for_model="text", **name)]
    if draw(st.booleans()):
        made.append(ev.ApprovalAsked(ask_id=f"ask {one}", title="run it", **name))
        made.append(ev.ApprovalAnswered(ask_id=f"ask {one}", verdict="once"))
    made.append(ev.ToolStarted(arguments='{"command": "make"}', summary="make", **name))
    made.append(ev.ToolOutput(turn=turn, call_id=one, text="line\n"))
    if draw(st.booleans()):
        made.append(ev.TodoChanged(items=(TodoItem(text="x", state="doing"),)))
    status = draw(st.sampled_from(["ok", "error", "denied"]))
    made.append(ev.ToolEnded(status=status, for_model="line\nend", seconds=1.5, **name))
    return made


@st.composite
def sessions(draw: st.DrawFn) -> list[Record]:
    """A session of a few turns, or imported messages, as it happens."""
    made: list[Event] = [ev.SessionStarted(title="t")]
    for turn in range(1, draw(st.integers(1, 4)) + 1):
        if draw(st.integers(0, 4)) == 0:
            made.append(ev.MessageImported(message_id=f"m{turn}", role="user", text=draw(WORDS)))
            made.append(ev.MessageImported(message_id=f"n{turn}", role="assistant", text="ok"))
        made.append(ev.InputReceived(input_id=f"in{turn}", text=draw(WORDS)))
        made.append(ev.TurnStarted(turn=turn))
        made.append(ev.InputTaken(input_id=f"in{turn}", turn=turn))
        for number in range(1, draw(st.integers(1, 2)) + 1):
            made += step(turn, number, draw)
        if draw(st.integers(0, 4)) == 0:
            made.append(ev.InputReceived(input_id=f"steer{turn}", text="steer", how="steer"))
            made.append(ev.InputTaken(input_id=f"steer{turn}", turn=turn))
        outcome = draw(st.sampled_from(["done", "stopped", "failed"]))
        made.append(ev.TurnEnded(turn=turn, outcome=outcome, error="bad", steps=1, usage=Usage()))
    made.append(ev.Unknown(name="later", v=2, data={}))
    return numbered(made)


def numbered(made: list[Event]) -> list[Record]:
    records: list[Record] = []
    number = 0
    for event in made:
        number += not isinstance(event, Transient)
        n = 0 if isinstance(event, Transient) else number
        records.append(Record(session="s", n=n, ts=1_000_000.0, event=event))
    return records


def stored(records: list[Record]) -> list[Record]:
    return [record for record in records if record.n]


def view(records: list[Record], *, more: bool = False) -> SessionView:
    return SessionView(info=SessionInfo(id="s"), records=tuple(records), more=more)


def text(feed: Feed, *, compact: bool = False) -> str:
    """All blocks as text."""
    sheet = Sheet(60, LOOK, compact)
    parts: list[str] = []
    for block in feed.transcript.blocks:
        lines = block.lines(sheet)
        left = ["".join(s.text for s in block.left(i, sheet).segments) for i in range(len(lines))]
        parts += [a + plain([b]) for a, b in zip(left, lines, strict=True)]
        parts.append("")
    return "\n".join(parts)


def new() -> Feed:
    return Feed(Transcript(), LOOK)


@settings(max_examples=100, deadline=None)
@given(sessions())
def test_history_reads_as_what_was_seen_live(records: list[Record]) -> None:
    live, later = new(), new()
    live.load(view([]))
    for record in records:
        live.apply(record)
    later.load(view(stored(records)))
    assert text(live) == text(later)
    assert text(live, compact=True) == text(later, compact=True)


@settings(max_examples=100, deadline=None)
@given(sessions(), st.data())
def test_history_in_pages_reads_as_history_at_once(
    records: list[Record], data: st.DataObject
) -> None:
    kept = stored(records)
    paged, whole = new(), new()
    whole.load(view(kept))
    after = data.draw(st.integers(0, len(kept)))
    first = data.draw(st.integers(0, after))
    paged.load(view(kept[first:after], more=first > 0))
    live = kept[after:]
    while first > 0 or live:
        if live and (first == 0 or data.draw(st.booleans())):
            paged.apply(live.pop(0))
            continue
        start = data.draw(st.integers(max(0, first - 12), first - 1))
        paged.older(Page(records=tuple(kept[start:first]), more=start > 0))
        first = start
    assert text(paged) == text(whole)


def test_a_reply_being_written_goes_on_where_the_view_left_it() -> None:
    feed = new()
    made: list[Event] = [ev.InputReceived(input_id="a", text="hi"), ev.TurnStarted(turn=1)]
    made.append(ev.InputTaken(input_id="a", turn=1))
    records = numbered(made)
    partial = SessionView(info=SessionInfo(id="s"), records=tuple(records), partial="Hel")
    feed.load(partial)
    feed.apply(Record(session="s", n=0, ts=0, event=ev.TextDelta(turn=1, step=1, text="lo")))
    assert "Hello" in text(feed)
    reply = ev.ReplyReceived(turn=1, step=1, text="Hello there")
    feed.apply(Record(session="s", n=4, ts=0, event=reply))
    assert text(feed).count("Hello") == 1
    assert "Hello there" in text(feed)


def test_only_the_seconds_of_running_tools_tick() -> None:
    feed = new()
    feed.load(view([]))
    name = {"turn": 1, "step": 1, "call_id": "c", "tool": "run_command"}
    feed.apply(Record(session="s", n=1, ts=100.0, event=ev.ToolStarted(summary="make", **name)))
    assert feed.tick(104.2)
    assert "4.0s" in text(feed)
    feed.apply(Record(session="s", n=2, ts=105.0, event=ev.ToolEnded(seconds=5.0, **name)))
    assert not feed.tick(109.0)
    assert "5.0s" in text(feed)


def test_an_event_of_a_newer_version_is_named() -> None:
    feed = new()
    feed.load(view(numbered([ev.Unknown(name="dream_had", v=1, data={})])))
    assert "dream_had" in text(feed)


def test_answers_to_commands_stay_when_older_events_come() -> None:
    kept = numbered([ev.Notice(text=f"n{n}") for n in range(20)])
    feed = new()
    feed.load(view(kept[10:], more=True))
    feed.say("**said**")
    feed.older(Page(records=tuple(kept[:10]), more=False))
    lines = text(feed).split()
    assert lines.index("said") > lines.index("n19")


def test_tries_of_one_request_are_one_line_and_the_last_failure_says_what_to_do() -> None:
    builder = Builder(Inputs())
    failed = [
        ev.ModelFailed(turn=1, step=1, attempt=n, message="busy", hint="wait", retry_in=wait)
        for n, wait in ((1, 0.5), (2, 1.0), (3, None))
    ]
    builder.apply(Record(session="s", n=1, ts=0.0, event=ev.TurnStarted(turn=1)))
    for n, event in enumerate(failed[:2], 2):
        builder.apply(Record(session="s", n=n, ts=0.0, event=event))
    (note,) = builder.fresh
    assert note.copy() == "busy · asking again in 1.0s (try 3)"
    builder.apply(Record(session="s", n=4, ts=0.0, event=failed[2]))
    fresh, _, gone = builder.take()
    assert [one.copy() for one in fresh if one not in gone] == ["busy\nwait"]
