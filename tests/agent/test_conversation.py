"""The conversation a log amounts to: always acceptable to strict providers, always the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.agent.conversation import INTERRUPTED, Conversation
from hermes_tui.events import (
    Event,
    InputReceived,
    InputTaken,
    InputWithdrawn,
    MessageImported,
    ModelFailed,
    ReplyReceived,
    ToolCall,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.models.base import Message


def folded(*events: Event) -> Conversation:
    talk = Conversation()
    for event in events:
        talk.apply(event)
    return talk


def shape(messages: list[Message]) -> list[str]:
    return [f"{m.role}:{m.content}" for m in messages]


def typed(text: str, name: str = "a", **more: Any) -> tuple[Event, Event]:
    return (
        InputReceived(input_id=name, text=text, **more),
        InputTaken(input_id=name, turn=1),
    )


def test_an_input_counts_only_once_it_is_taken() -> None:
    received, taken = typed("hello")
    assert folded(received).messages == []
    assert list(folded(received).waiting) == ["a"]
    assert shape(folded(received, taken).messages) == ["user:hello"]


def test_a_withdrawn_input_never_reaches_the_model() -> None:
    received, taken = typed("never mind")
    talk = folded(received, InputWithdrawn(input_id="a"), taken)
    assert talk.messages == []
    assert talk.waiting == {}


def test_calls_without_results_get_an_honest_one_when_the_history_goes_on() -> None:
    reply = ReplyReceived(turn=1, step=1, calls=(ToolCall(id="c", tool="run_command"),))
    talk = folded(*typed("go"), reply, *typed("and now?", "b"))
    assert shape(talk.messages) == ["user:go", "assistant:", f"tool:{INTERRUPTED}", "user:and now?"]


def test_stored_provider_errors_never_reach_the_prompt() -> None:
    failed = ModelFailed(turn=1, step=1, attempt=1, message="502 <html>bad gateway</html>")
    ended = TurnEnded(turn=1, outcome="failed", error="502 bad gateway")
    talk = folded(*typed("hi"), failed, ended, *typed("again", "b"))
    assert shape(talk.messages) == ["user:hi", "user:again"]


def test_partial_text_is_replaced_by_the_retry_and_kept_when_there_is_none() -> None:
    half = ReplyReceived(turn=1, step=1, text="The answ", partial=True)
    whole = ReplyReceived(turn=1, step=1, text="The answer is 4.")
    assert shape(folded(*typed("?"), half, whole).messages)[1:] == ["assistant:The answer is 4."]
    lost = folded(*typed("?"), half, TurnEnded(turn=1, outcome="failed"))
    assert shape(lost.messages)[1:] == ["assistant:The answ"]


def test_cost_is_unknown_once_one_part_of_it_is() -> None:
    priced = ReplyReceived(turn=1, step=1, text="a", usage=Usage(prompt=1, cost=0.5))
    free = ReplyReceived(turn=1, step=2, text="b", usage=Usage(prompt=1))
    assert folded(priced, priced).usage.cost == 1.0
    assert folded(priced, free).usage.cost is None


_ids = st.sampled_from(["a", "b", "c"])
_events = st.one_of(
    _ids.map(lambda i: InputReceived(input_id=i, text=f"say {i}")),
    _ids.map(lambda i: InputTaken(input_id=i, turn=1)),
    _ids.map(lambda i: InputWithdrawn(input_id=i)),
    st.just(TurnStarted(turn=1)),
    st.just(TurnEnded(turn=1)),
    st.lists(_ids, max_size=3, unique=True).map(
        lambda ids: ReplyReceived(
            turn=1, step=1, text="t", calls=tuple(ToolCall(id=i, tool="x") for i in ids)
        )
    ),
    st.just(ReplyReceived(turn=1, step=1, text="half", partial=True)),
    _ids.map(lambda i: ToolStarted(turn=1, step=1, call_id=i, tool="x")),
    _ids.map(lambda i: ToolEnded(turn=1, step=1, call_id=i, tool="x", for_model="r")),
    st.just(MessageImported(message_id="m", role="assistant", text="old")),
)


@given(st.lists(_events, max_size=30))
def test_any_log_gives_a_history_that_strict_providers_accept(events: list[Event]) -> None:
    talk = folded(*events)
    open_calls = set(talk.open_calls)
    waiting: set[str] = set()
    for message in talk.messages:
        if message.role == "tool":
            assert message.call_id in waiting
            waiting.discard(message.call_id)
        else:
            assert not waiting, "a call has no result before the next message"
            waiting = {call.id for call in message.calls}
    assert waiting == open_calls


@given(st.lists(_events, max_size=20), st.lists(_events, max_size=10))
def test_history_only_grows_so_the_provider_cache_holds(
    events: list[Event], more: list[Event]
) -> None:
    before = list(folded(*events).messages)
    after = folded(*events, *more).messages
    assert after[: len(before)] == before
