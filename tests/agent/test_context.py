"""A long conversation keeps its thread: what leaves the view is kept short, and in reach."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.agent.compress import Summary, compacted, transcript
from hermes_tui.agent.context import make_room, tail_start
from hermes_tui.agent.conversation import Conversation
from hermes_tui.agent.earlier import show_earlier
from hermes_tui.agent.ledger_lines import findings
from hermes_tui.agent.view import mask_of, size_of_message
from hermes_tui.codec import decode_event, encode_event
from hermes_tui.errors import NotFoundError
from hermes_tui.events import (
    Compacted,
    Event,
    InputReceived,
    InputTaken,
    Notice,
    Picture,
    ReplyReceived,
    ResultsMasked,
    Rewound,
    ToolCall,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.home import Home
from hermes_tui.models.base import Message
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.tools.base import ToolResult, tool
from tests.fakes.scripted_model import ScriptedModel, call, fail, say
from tests.fakes.small_core import say_to, small_core, until


def talk_of(turns: int, result: str = "line\n" * 200) -> list[Event]:
    events: list[Event] = []
    for turn in range(1, turns + 1):
        events += [
            InputReceived(input_id=f"i{turn}", text=f"please do thing {turn}"),
            TurnStarted(turn=turn),
            InputTaken(input_id=f"i{turn}", turn=turn),
            ReplyReceived(
                turn=turn,
                step=1,
                model="m",
                text="I look.",
                calls=(ToolCall(id=f"c{turn}", tool="look", arguments=f'{{"n":{turn}}}'),),
            ),
            ToolEnded(
                turn=turn, step=1, call_id=f"c{turn}", tool="look", for_model=f"r{turn} {result}"
            ),
            ReplyReceived(turn=turn, step=2, model="m", text=f"thing {turn} is done"),
            TurnEnded(turn=turn, outcome="done"),
        ]
    return events


def folded(events: list[Event]) -> Conversation:
    talk = Conversation()
    for event in events:
        talk.apply(event)
    return talk


class FakeSession:
    """A session of which only the record matters."""

    def __init__(self, events: list[Event]) -> None:
        self.events = list(events)
        self.conversation = folded(events)

    async def add(self, events: Any, **_: Any) -> None:
        for event in [events] if isinstance(events, Event) else events:
            kind, version, data = encode_event(event)
            event = decode_event(kind, version, data)
            self.events.append(event)
            self.conversation.apply(event)


def agent_with(model: Any, window: int) -> Agent:
    model.window = window
    return Agent(model=model, tools={}, prefix=Prefix(system="s", tools=()))


class Summariser:
    """A model that repeats the coined words of what it is shown, or fails."""

    name, repairs_calls = "small", False

    def __init__(self, keep: float = 1.0, broken: bool = False) -> None:
        self.window = 100_000
        self.asked: list[str] = []
        self._keep, self._broken = keep, broken
        self._random = random.Random(7)

    async def stream(self, request: Any) -> Any:
        from hermes_tui.errors import ModelError
        from hermes_tui.models.base import Delta

        self.asked.append(request.messages[0].content)
        if self._broken:
            raise ModelError("it is down")
        words = [w for w in request.messages[0].content.split() if "-fact-" in w]
        kept = [w for w in words if self._random.random() < self._keep]
        yield Delta(text="notes: " + " ".join(kept), finish="stop")

    async def close(self) -> None:
        return


def assert_sound(messages: list[Message]) -> None:
    """Every result follows its call, every call has one, and no role but tools stands twice."""
    open_calls: list[str] = []
    before = ""
    for message in messages:
        if message.role == "tool":
            assert message.call_id in open_calls
            open_calls.remove(message.call_id)
        else:
            assert not open_calls
            assert message.role != before
            open_calls = [one.id for one in message.calls]
        before = message.role
    assert not open_calls


async def test_nothing_changes_while_there_is_room() -> None:
    session = FakeSession(talk_of(3))
    agent = agent_with(Summariser(), 100_000)
    messages = await make_room(session, agent)  # type: ignore[arg-type]
    assert list(messages) == session.conversation.messages
    assert not agent.model.asked  # type: ignore[attr-defined]


async def test_old_results_are_masked_first_and_the_newest_stay() -> None:
    session = FakeSession(talk_of(40))
    model = Summariser()
    messages = await make_room(session, agent_with(model, 14_000))  # type: ignore[arg-type]
    masked = next(one for one in session.events if isinstance(one, ResultsMasked))
    assert masked.call_ids[0] == "c1"
    assert not model.asked
    assert any("r40 line" in one.content for one in messages)
    line = next(one for one in messages if one.call_id == "c1").content
    assert 'read_earlier(call="c1")' in line
    assert_sound(list(messages))


async def test_what_was_masked_can_be_read_again() -> None:
    session = FakeSession([*talk_of(3), ResultsMasked(turn=3, call_ids=("c1",))])
    talk = session.conversation
    assert show_earlier(talk, -1, "c1", "").startswith("r1 line")
    assert "please do thing 2" in show_earlier(talk, 2, "", "")
    assert "r3 line" in show_earlier(talk, -1, "", "r3")
    with pytest.raises(NotFoundError):
        show_earlier(talk, -1, "c9", "")
    with pytest.raises(NotFoundError):
        show_earlier(talk, 9, "", "")


async def shortened(events: list[Event], model: Any, window: int = 14_000) -> FakeSession:
    session = FakeSession(events)
    await make_room(session, agent_with(model, window))  # type: ignore[arg-type]
    return session


async def test_the_oldest_stretch_becomes_a_digest_with_the_persons_words() -> None:
    events = talk_of(90, "x " * 40)
    session = await shortened(events, Summariser(), 4_000)
    made = next(one for one in session.events if isinstance(one, Compacted))
    view = session.conversation.view
    assert view.messages[0].role == "user"
    assert "- (turn 1) please do thing 1\n" in view.messages[0].content
    assert "- turn 1: look" in view.messages[0].content
    assert view.size < sum(len(one.content) for one in session.conversation.messages)
    assert made.end > made.start == 0
    assert_sound(view.messages)


async def test_a_resumed_conversation_sends_the_same_bytes() -> None:
    session = await shortened(talk_of(90, "x " * 40), Summariser(), 4_000)
    again = folded(session.events)
    assert again.view.messages == session.conversation.view.messages


async def test_a_summariser_that_fails_changes_nothing_and_says_so() -> None:
    events = talk_of(90, "x " * 40)
    session = await shortened(events, Summariser(broken=True), 4_000)
    assert not [one for one in session.events if isinstance(one, Compacted)]
    said = [one.text for one in session.events if isinstance(one, Notice)]
    assert said == ["the conversation was not shortened, its summary failed: it is down"]
    assert session.conversation.messages == folded(events).messages


async def test_a_sealed_stretch_is_never_rewritten() -> None:
    session = FakeSession(talk_of(60, "x " * 40))
    agent = agent_with(Summariser(), 4_000)
    await make_room(session, agent)  # type: ignore[arg-type]
    first = session.conversation.view.messages[0].content
    for event in talk_of(120, "x " * 40)[60 * 7 :]:
        await session.add(event)
    await make_room(session, agent)  # type: ignore[arg-type]
    stretches = session.conversation.stretches
    assert len(stretches) > 1
    if not stretches[-1].retired:
        assert session.conversation.view.messages[0].content.startswith(first)
    assert_sound(session.conversation.view.messages)


async def test_going_back_into_a_compacted_stretch_brings_it_back_whole() -> None:
    session = await shortened(talk_of(90, "x " * 40), Summariser(), 4_000)
    await session.add(Rewound(turn=5))
    talk = session.conversation
    assert not talk.stretches
    assert talk.view.messages[0].content == "please do thing 1"
    assert len(talk.messages) == 4 * 4


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 900)), min_size=1, max_size=40),
    st.integers(1_500, 9_000),
)
def test_calls_and_results_stay_together_wherever_it_is_cut(
    steps: list[tuple[int, int]], budget: int
) -> None:
    events: list[Event] = [
        InputReceived(input_id="i", text="go"),
        TurnStarted(turn=1),
        InputTaken(input_id="i", turn=1),
    ]
    for n, (count, size) in enumerate(steps):
        calls = tuple(ToolCall(id=f"c{n}.{k}", tool="look") for k in range(count))
        events.append(
            ReplyReceived(turn=1, step=n + 1, model="m", text="t" * (size // 9 + 1), calls=calls)
        )
        events += [
            ToolEnded(turn=1, step=n, call_id=one.id, tool="look", for_model="r" * size)
            for one in calls
        ]
        if not count:
            events += [InputReceived(input_id=f"j{n}", text="more")]
            events += [InputTaken(input_id=f"j{n}", turn=1)]
    talk = folded(events)
    end = tail_start(talk, budget)
    if end < 2:
        return
    made = compacted(talk, (0, end), Summary(text="s"), budget)
    for event in (ResultsMasked(turn=1, call_ids=tuple(talk.call_ids)), made):
        talk.apply(event)
    assert_sound(talk.view.messages)


def test_findings_keep_what_can_be_looked_for() -> None:
    text = (
        "see https://example.org/a?b=1 and src/app/main.py:42\nERROR: disk sda1 failed\n"
        "took 12.5 ms, build v2.3.1-rc4, id 9f86d081884c\nplain words stay out"
    )
    got = findings([Message(role="tool", content=text, call_id="c1")], 2000)
    for part in (
        "https://example.org/a?b=1",
        "src/app/main.py:42",
        "disk sda1 failed",
        "12.5 ms",
        "v2.3.1-rc4",
        "9f86d081884c",
    ):
        assert part in got
    assert "plain words" not in got


def test_a_transcript_fits_the_room_there_is() -> None:
    messages = [Message(role="tool", content="y" * 9000, call_id=str(n)) for n in range(50)]
    assert len(transcript(messages, 20_000)) <= 20_100


@tool(repeatable=True)
async def lots(size: int, *, ctx: Any) -> ToolResult:
    """Return much."""
    return ToolResult(for_model="z" * size)


async def test_a_turn_goes_on_when_its_own_results_fill_the_window(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [call("lots", size=6000) for _ in range(8)]
    scripted.script += [say("done") for _ in range(4)]
    async with small_core(home, scripted.url, lots) as core:
        core.model.guess_window(9000)
        session, face = await core.session()
        await say_to(session, "go on until it is full")
        events = await until(face, TurnEnded)
    assert any(isinstance(one, ResultsMasked) for one in events)
    assert events[-1].outcome == "done"  # type: ignore[attr-defined]


async def test_an_endpoint_that_takes_less_than_it_said_is_asked_again_with_less(
    home: Home, scripted: ScriptedModel
) -> None:
    too_long = fail(400, "maximum context length is 4096 tokens")
    scripted.script = [*[call("lots", size=3000) for _ in range(6)], too_long, say("a digest")]
    scripted.script += [say("done")]
    async with small_core(home, scripted.url, lots) as core:
        assert isinstance(core.model, ChatCompletions)
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    assert any(isinstance(one, ResultsMasked) for one in events)
    assert events[-1].outcome == "done"  # type: ignore[attr-defined]


def test_a_picture_takes_room_and_a_masked_result_shows_none() -> None:
    picture = Picture(path="/x/picture.png", media="image/png")
    plain = Message(role="tool", content="a picture", call_id="c")
    shown = Message(role="tool", content="a picture", call_id="c", pictures=(picture,))
    assert size_of_message(shown) - size_of_message(plain) > 4_000
    assert mask_of(shown, "read_file").pictures == ()
