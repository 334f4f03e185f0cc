"""A strict endpoint gets the conversation in its shape; not a word of it is lost or invented."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ModelError
from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, Request
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.shapes import shaped, short_id, wanted
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, fail

STEERED = Request(
    system="be kind",
    messages=(
        Message(role="user", content="look"),
        Message(role="user", content="and hurry"),
        Message(
            role="assistant",
            calls=(ToolCall(id="call_49c89af0", tool="read_file", arguments="{}"),),
        ),
        Message(role="tool", content="the text", call_id="call_49c89af0"),
        Message(role="user", content="not that one"),
    ),
)


async def heard(url: str, request: Request = STEERED) -> list[str]:
    model = ChatCompletions("m", url)
    for _ in range(2):
        texts = [delta.text async for delta in model.stream(request) if delta.text]
    await model.close()
    return texts


def mistral(asked: Asked) -> Reply | str:
    """As its API answers: one complaint at a time."""
    before = ""
    for one in asked.messages:
        for call in one.get("tool_calls") or ():
            if not re.fullmatch("[a-zA-Z0-9]{9}", call["id"]):
                text = (
                    f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9."
                )
                return fail(400, text)
        if (before, one["role"]) == ("tool", "user"):
            return fail(400, "Unexpected role 'user' after role 'tool'")
        before = one["role"]
    return "fine"


async def test_mistral_gets_short_ids_and_no_question_after_a_result(
    scripted: ScriptedModel,
) -> None:
    scripted.answer = mistral
    assert await heard(scripted.url) == ["fine"]
    assert len(scripted.requests) == 4  # two complaints, and then none any more
    sent = scripted.last.messages
    (call,) = sent[3]["tool_calls"]
    assert sent[4]["tool_call_id"] == call["id"]
    assert [one["role"] for one in sent[4:]] == ["tool", "assistant", "user"]


def turns(asked: Asked) -> Reply | str:
    """As the template of a small model answers."""
    roles = [one["role"] for one in asked.messages if one["role"] != "tool"]
    if "system" in roles:
        return fail(500, "Jinja Exception: System role not supported")
    if any(a == b for a, b in itertools.pairwise(roles)):
        return fail(500, "Jinja Exception: Conversation roles must alternate user/assistant/...")
    return "fine"


async def test_a_template_without_a_system_role_gets_it_with_the_first_words(
    scripted: ScriptedModel,
) -> None:
    scripted.answer = turns
    assert await heard(scripted.url) == ["fine"]
    assert scripted.last.messages[0] == {
        "role": "user",
        "content": "be kind\n\nlook\n\nand hurry",
    }


async def test_a_complaint_that_stays_is_told_and_not_asked_about_for_ever(
    scripted: ScriptedModel,
) -> None:
    scripted.answer = lambda asked: fail(500, "Conversation roles must alternate, always")
    with pytest.raises(ModelError, match="alternate"):
        await heard(scripted.url)
    assert len(scripted.requests) == 2


async def test_others_get_the_conversation_as_it_is(scripted: ScriptedModel) -> None:
    scripted.answer = lambda asked: "fine"
    assert await heard(scripted.url) == ["fine"]
    roles = [one["role"] for one in scripted.last.messages]
    assert roles == ["system", "user", "user", "assistant", "tool", "user"]


@pytest.mark.parametrize(
    "said",
    [
        "Only user, assistant and tool roles are supported, got system.",
        "After the optional system message, conversation roles must alternate user and assistant",
    ],
)
def test_other_words_for_the_same_are_understood(said: str) -> None:
    assert wanted(said.encode()) is not None
    assert wanted(b"the model is busy; tool_call_id is 9") is None


MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda t: Message(role="user", content=t), st.text(max_size=6)),
        st.builds(lambda t: Message(role="assistant", content=t), st.text(max_size=6)),
        st.builds(
            lambda t: Message(
                role="assistant", content=t, calls=(ToolCall(id="call_" + t, tool="x"),)
            ),
            st.text(max_size=6),
        ),
        st.builds(
            lambda t: Message(role="tool", content=t, call_id="call_" + t), st.text(max_size=6)
        ),
    ),
    max_size=8,
)
SHAPES: Any = st.sets(st.sampled_from(["no system", "turns", "bridges", "short ids"]))


@given(MESSAGES, SHAPES)
def test_all_that_was_said_stays_and_calls_keep_their_results(
    messages: list[Message], shapes: set[Any]
) -> None:
    made = shaped(Request(system="s", messages=tuple(messages)), shapes)
    before = "".join(one.content for one in messages)
    after = "".join(one.content for one in made.messages).replace("Understood.", "")
    squeezed = after.replace("\n", "").removeprefix("s" if "no system" in shapes else "")
    assert squeezed == before.replace("\n", "")
    sent = [call.id for one in messages for call in one.calls]
    kept = [call.id for one in made.messages for call in one.calls]
    assert kept == (list(map(short_id, sent)) if "short ids" in shapes else sent)
    assert shaped(made, shapes - {"no system"}) == made


@given(st.text())
def test_a_short_id_is_short_and_always_the_same(identity: str) -> None:
    made = short_id(identity)
    assert re.fullmatch("[a-zA-Z0-9]{9}", made)
    assert short_id(made) == made
