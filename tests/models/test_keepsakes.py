"""What a provider hangs on thoughts and calls goes back to it as it came, and to nobody else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import ReplyReceived, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import ChangeSession
from hermes_tui.models.keepsakes import joined
from hermes_tui.models.request_body import encode
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, fail
from tests.runtime.conftest import open_in, say, settled, until

SIGNED = {"google": {"thought_signature": "EoYC+a/b=="}}
DETAILS = [
    {"type": "reasoning.text", "text": "I shall ", "index": 0, "format": "x-v1"},
    {"type": "reasoning.text", "text": "look.", "index": 0, "signature": "s1"},
    {"type": "reasoning.encrypted", "data": "Qk9P", "id": "r1", "index": 1},
]
WHOLE = [
    {
        "type": "reasoning.text",
        "text": "I shall look.",
        "index": 0,
        "format": "x-v1",
        "signature": "s1",
    },
    {"type": "reasoning.encrypted", "data": "Qk9P", "id": "r1", "index": 1},
]


def signed_call(thought: str = "I shall ") -> Reply:
    """A call as Gemini makes it, in a stream that is cut anywhere."""
    first = [{**DETAILS[0], "text": thought}, *DETAILS[1:]]
    function = {"name": "read_file", "arguments": '{"path":"a.txt"}'}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    deltas: list[dict[str, Any]] = [
        *({"reasoning_details": [one]} for one in first),
        {"tool_calls": [{**call, "extra_content": SIGNED}]},
    ]
    events = [{"choices": [{"index": 0, "delta": one}]} for one in deltas]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    raw = "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"
    return Reply(raw=raw.encode(), cut=23)


async def talked(core: Core, folder: Path, *texts: str, switch: str = "") -> list[Any]:
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(folder), "last-or-new")
    for text in texts:
        await say(client, view, text)
        await until(client, TurnEnded)
        if switch:
            await client.ask(ChangeSession(session=view.info.id, model=switch))
    records = await core.log.read(view.info.id)
    await client.close()
    return [one.event for one in records]


async def test_they_go_back_in_the_same_turn_in_the_next_and_after_a_restart(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    scripted.script = [signed_call(), "done", "again", "still"]
    core = await Core(home, settled(home, scripted.url), headless=True).start(listen=False)
    await talked(core, tmp_path, "look", "and now?")
    await core.end("restart")
    core = await Core(home, settled(home, scripted.url), headless=True).start(listen=False)
    await talked(core, tmp_path, "still there?")
    await core.end("over")
    for request in scripted.requests[1:]:
        answer = next(one for one in request.messages if one.get("tool_calls"))
        assert answer["reasoning_details"] == WHOLE
        assert answer["tool_calls"][0]["extra_content"] == SIGNED
    first, second = (one.body for one in scripted.requests[1:3])
    assert second.startswith(first.removesuffix(b"]}"))


async def test_another_model_gets_nothing_of_it(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    scripted.script = [signed_call(), "done", "again"]
    core = await Core(home, settled(home, scripted.url), headless=True).start(listen=False)
    await talked(core, tmp_path, "look", "and now?", switch="another")
    await core.end("over")
    asked = scripted.requests[-1]
    assert asked.json["model"] == "another"
    assert b"extra_content" not in asked.body
    assert b"reasoning_details" not in asked.body


async def test_one_that_is_refused_is_left_out_and_the_turn_goes_on(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("x\n")

    def strict(asked: Asked) -> Reply | str:
        if asked.messages[-1]["role"] == "user":
            return signed_call() if len(asked.messages) == 2 else signed_call("once more ")
        if b"I shall " in asked.body:
            return fail(400, "Corrupted thought signature.")
        return "done"

    scripted.answer = strict
    core = await Core(home, settled(home, scripted.url), headless=True).start(listen=False)
    events = await talked(core, tmp_path, "look", "look again")
    await core.end("over")
    assert [one.outcome for one in events if isinstance(one, TurnEnded)] == ["done", "done"]
    assert len(scripted.requests) == 5
    later = [one for one in scripted.last.messages if one.get("tool_calls")]
    assert "extra_content" not in later[0]["tool_calls"][0]
    assert later[1]["tool_calls"][0]["extra_content"] == SIGNED


async def test_a_secret_in_a_thought_is_kept_nowhere(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    key = "kq8-" + "Zx71Vbn30Plm" * 2
    home.secrets.write_text(f"SOME_SERVICE={key}\n")
    home.secrets.chmod(0o600)
    (tmp_path / "a.txt").write_text("x\n")
    scripted.script = [signed_call(f"the key is {key} and "), "done"]
    core = await Core(home, settled(home, scripted.url), headless=True).start(listen=False)
    events = await talked(core, tmp_path, "look")
    await core.end("over")
    (reply, *_) = [one for one in events if isinstance(one, ReplyReceived)]
    assert reply.details == ""
    assert json.loads(reply.calls[0].extra) == SIGNED
    assert key.encode() not in b"".join(one.body for one in scripted.requests)
    assert key not in "".join(map(str, events))


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["reasoning.text", "reasoning.encrypted"])},
            optional={
                "text": st.text(max_size=5),
                "data": st.text(max_size=5),
                "index": st.integers(0, 2),
                "id": st.sampled_from(["a", "b", None]),
            },
        ),
        max_size=8,
    )
)
def test_no_word_of_a_thought_is_lost_in_joining(pieces: list[dict[str, Any]]) -> None:
    whole = json.loads(joined(pieces) or "[]")
    for name in ("text", "data"):
        sent = "".join(one.get(name, "") for one in pieces)
        assert "".join(one.get(name, "") for one in whole) == sent
    assert joined(whole) == joined(pieces)


def test_encode_is_untouched_for_conversations_without_them() -> None:
    from tests.models.test_effort import CALLED

    body = json.loads(encode("m", CALLED))
    assert set(body["messages"][1]) == {"role", "content", "tool_calls"}
