"""A turn: steps in order, tools at once, nothing typed lost, stop and failure honest."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.agent.conversation import INTERRUPTED
from hermes_tui.errors import StoreError
from hermes_tui.events import (
    ApprovalAsked,
    Event,
    InputTaken,
    ModelAsked,
    ModelFailed,
    QuestionAsked,
    ReplyReceived,
    TextDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    Transient,
    Trouble,
    TurnEnded,
)
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval, AnswerQuestion
from hermes_tui.security.policy import Action
from hermes_tui.store.db import Database
from hermes_tui.tools.base import ToolResult, tool
from hermes_tui.tools.files import edit_file, read_file
from tests.fakes.scripted_model import Call, Reply, ScriptedModel, call, calls, fail, say
from tests.fakes.small_core import say_to, small_core, until


@tool()
async def look(name: str = "", *, ctx: Any) -> ToolResult:
    """Look at something."""
    ctx.progress(f"looking at {name}")
    return ToolResult(for_model=f"saw {name}")


def _acts(arguments: dict[str, Any], cwd: str) -> Action:
    text = arguments["command"]
    return Action(tool="act", kind="execute", title=text, detail=text, rule=f"act {text}")


@tool(describe=_acts)
async def act(command: str, *, ctx: Any) -> ToolResult:
    """Do something that needs asking."""
    return ToolResult(for_model=f"did {command}")


@tool()
async def question(text: str, *, ctx: Any) -> ToolResult:
    """Ask the person."""
    return ToolResult(for_model=f"they said {await ctx.ask(text)}")


@tool()
async def broken(*, ctx: Any) -> ToolResult:
    """Fail inside."""
    raise ZeroDivisionError("oh")


class Waiting:
    """Tools that meet each other or wait for the test."""

    def __init__(self) -> None:
        self.inside = 0
        self.most = 0
        self.gate = asyncio.Event()
        self.entered = asyncio.Event()
        self._more = asyncio.Condition()

    async def until_inside(self, count: int) -> None:
        async with asyncio.timeout(5), self._more:
            await self._more.wait_for(lambda: self.inside >= count)

    def tool(self, resource: Any = None) -> Any:
        @tool(resource=resource)
        async def wait(name: str = "", *, ctx: Any) -> ToolResult:
            """Wait for the test."""
            self.inside += 1
            self.most = max(self.most, self.inside)
            self.entered.set()
            async with self._more:
                self._more.notify_all()
            await self.gate.wait()
            self.inside -= 1
            return ToolResult(for_model=f"waited {name}")

        return wait


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events if not isinstance(event, Transient)]


def results(events: list[Event]) -> list[tuple[str, str]]:
    return [(e.status, e.for_model) for e in events if isinstance(e, ToolEnded)]


async def test_a_turn_is_recorded_step_by_step(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [call("look", name="a.txt"), say("It is fine.")]
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        await say_to(session, "look at a.txt")
        events = await until(face, TurnEnded)
    assert kinds(events) == [
        "input_received",
        "turn_started",
        "input_taken",
        "model_asked",
        "reply_received",
        "tool_started",
        "tool_ended",
        "model_asked",
        "reply_received",
        "turn_ended",
    ]
    assert results(events) == [("ok", "saw a.txt")]
    assert [e.text for e in events if isinstance(e, ToolOutput)] == ["looking at a.txt"]
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "It is fine."
    assert scripted.requests[-1].messages[-1]["content"] == "saw a.txt"


async def test_a_tool_round_costs_at_most_three_durable_commits(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [*(calls(*[Call("look", {"name": f"{n}"})] * 4) for n in range(10)), say("x")]
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        before = core.db.durable_commits
        await say_to(session, "go")
        await until(face, TurnEnded)
        assert core.db.durable_commits - before <= 3 * 10 + 4


async def test_every_request_repeats_the_one_before(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [call("look", name="a"), say("one"), call("look", name="b"), say("two")]
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        await say_to(session, "first")
        await until(face, TurnEnded)
        session, face = await core.again()
        await say_to(session, "second")
        await until(face, TurnEnded)
    sent = [(r.json["tools"], r.messages) for r in scripted.requests]
    for (tools, messages), (more_tools, more) in pairwise(sent):
        assert tools == more_tools
        assert more[: len(messages)] == messages


async def test_calls_of_one_reply_run_at_once(home: Home, scripted: ScriptedModel) -> None:
    waiting = Waiting()
    scripted.script = [calls(*[Call("wait", {"name": f"{n}"}) for n in range(8)]), say("done")]
    async with small_core(home, scripted.url, waiting.tool()) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await waiting.until_inside(8)
        waiting.gate.set()
        events = await until(face, TurnEnded)
    assert len(results(events)) == 8


async def test_calls_on_one_file_run_in_order(home: Home, scripted: ScriptedModel) -> None:
    waiting = Waiting()
    waiting.gate.set()
    one_file = waiting.tool(lambda arguments, cwd: "file")
    scripted.script = [calls(*[Call("wait", {"name": f"{n}"}) for n in range(4)]), say("done")]
    async with small_core(home, scripted.url, one_file) as core:
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    assert waiting.most == 1
    assert [text for _, text in results(events)] == [f"waited {n}" for n in range(4)]


async def test_what_asks_waits_for_the_person(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [call("act", command="make tea"), say("ok")]
    async with small_core(home, scripted.url, act) as core:
        session, face = await core.session()
        await say_to(session, "tea")
        asked = (await until(face, ApprovalAsked))[-1]
        assert isinstance(asked, ApprovalAsked)
        assert session.info.state == "waiting"
        answer = AnswerApproval(session="s", ask_id=asked.ask_id, verdict="once", face="me")
        assert (await session.answer_approval(answer)).accepted
        late = await session.answer_approval(answer)
        assert (late.accepted, late.by) == (False, "me")
        events = await until(face, TurnEnded)
    assert results(events) == [("ok", "did make tea")]


async def test_a_denial_and_its_reason_reach_the_model(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [call("act", command="rm x"), say("understood")]
    async with small_core(home, scripted.url, act) as core:
        session, face = await core.session()
        await say_to(session, "go")
        asked: Any = (await until(face, ApprovalAsked))[-1]
        await session.answer_approval(
            AnswerApproval(session="s", ask_id=asked.ask_id, verdict="deny", reason="keep x")
        )
        events = await until(face, TurnEnded)
    assert results(events) == [("denied", "the user denied this: keep x")]
    assert not any(isinstance(event, ToolStarted) for event in events)


async def test_an_edited_call_runs_as_edited(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [call("act", command="rm -rf x"), say("ok")]
    async with small_core(home, scripted.url, act) as core:
        session, face = await core.session()
        await say_to(session, "go")
        asked: Any = (await until(face, ApprovalAsked))[-1]
        edited = '{"command": "rm x/tmp"}'
        await session.answer_approval(
            AnswerApproval(session="s", ask_id=asked.ask_id, verdict="once", arguments=edited)
        )
        events = await until(face, TurnEnded)
    assert results(events) == [("ok", "did rm x/tmp")]


async def test_a_session_rule_covers_the_same_call_and_no_other(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [call("act", command="ls"), call("act", command="ls"), say("a")]
    scripted.script += [call("act", command="ls /"), say("b")]
    async with small_core(home, scripted.url, act) as core:
        session, face = await core.session()
        await say_to(session, "go")
        asked: Any = (await until(face, ApprovalAsked))[-1]
        answer = AnswerApproval(session="s", ask_id=asked.ask_id, verdict="session")
        await session.answer_approval(answer)
        events = await until(face, TurnEnded)
        assert not any(isinstance(event, ApprovalAsked) for event in events)
        await say_to(session, "more")
        await until(face, ApprovalAsked)
        await session.stop()


async def test_nobody_present_means_no(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [
        calls(Call("act", {"command": "x"}), Call("question", {"text": "?"})),
        say("k"),
    ]
    async with small_core(home, scripted.url, act, question) as core:
        session, face = await core.session()
        await say_to(session, "go", attended=False)
        events = await until(face, TurnEnded)
    statuses = sorted(results(events))
    assert statuses[0][0] == "denied"
    assert "nobody is here" in statuses[0][1]
    assert statuses[1][0] == "error"


async def test_a_question_is_answered_in_words(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [call("question", text="which port?"), say("ok")]
    async with small_core(home, scripted.url, question) as core:
        session, face = await core.session()
        await say_to(session, "go")
        asked: Any = (await until(face, QuestionAsked))[-1]
        await session.answer_question(AnswerQuestion(session="s", ask_id=asked.ask_id, text="8080"))
        assert results(await until(face, TurnEnded)) == [("ok", "they said 8080")]


async def test_text_typed_while_a_tool_runs_reaches_the_model_after_it(
    home: Home, scripted: ScriptedModel
) -> None:
    waiting = Waiting()
    scripted.script = [call("wait"), say("noted")]
    async with small_core(home, scripted.url, waiting.tool()) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await waiting.entered.wait()
        for text in ("one", "two", "three"):
            assert (await say_to(session, text)).state == "steer"
        waiting.gate.set()
        await until(face, TurnEnded)
    said = [m["content"] for m in scripted.requests[1].messages if m["role"] == "user"]
    assert [text.split("\n")[0] for text in said] == ["go", "one", "two", "three"]
    assert len(scripted.requests) == 2


async def test_queued_texts_wait_for_the_next_turn_one_after_the_other(
    home: Home, scripted: ScriptedModel
) -> None:
    waiting = Waiting()
    scripted.script = [call("wait"), say("a"), say("b"), say("c")]
    async with small_core(home, scripted.url, waiting.tool()) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await waiting.entered.wait()
        for text in ("later 1", "later 2"):
            assert (await say_to(session, text, how="queue")).state == "queue"
        waiting.gate.set()
        for _ in range(3):
            await until(face, TurnEnded)
    assert "later 2" not in str(scripted.requests[2].messages)
    assert scripted.requests[3].messages[-1]["content"] == "later 2"


async def test_the_same_input_twice_is_stored_once(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [say("hello")]
    async with small_core(home, scripted.url) as core:
        session, face = await core.session()
        first = await say_to(session, "hi", input_id="x")
        await say_to(session, "hi", input_id="x")
        await until(face, TurnEnded)
        records = await core.log.read("s")
    assert first.state == "started"
    assert [r.event.kind for r in records].count("input_received") == 1


async def test_stop_ends_the_turn_and_hands_waiting_text_back(
    home: Home, scripted: ScriptedModel
) -> None:
    waiting = Waiting()
    scripted.script = [call("wait"), say("again")]
    async with small_core(home, scripted.url, waiting.tool()) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await waiting.entered.wait()
        await say_to(session, "also this")
        stopped = await session.stop()
        assert (stopped.was_running, stopped.texts) == (True, ("also this",))
        ended: Any = (await until(face, TurnEnded))[-1]
        assert ended.outcome == "stopped"
        await say_to(session, "next")
        await until(face, TurnEnded)
    roles = [m["role"] for m in scripted.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "user"]


async def test_stop_keeps_the_text_that_was_streamed(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [say("A long answer that never ends", gate="never", gate_at=3), say("ok")]
    async with small_core(home, scripted.url) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await until(face, TextDelta)
        await session.stop()
        events = await until(face, TurnEnded)
    partial = next(e for e in events if isinstance(e, ReplyReceived))
    assert partial.partial
    assert "A long answer".startswith(partial.text[:8])


async def test_a_failed_request_is_tried_again_and_the_turn_goes_on(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [call("look", name="a"), fail(503, retry_after="0"), say("fine")]
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    failed = [e for e in events if isinstance(e, ModelFailed)]
    assert len(failed) == 1
    assert failed[0].retry_in is not None
    assert len(results(events)) == 1
    assert scripted.requests[1].body == scripted.requests[2].body


async def test_a_dropped_line_keeps_its_text_and_the_step_is_retried(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [Reply(text="Half an answer is here", drop_after=300), say("The whole.")]
    async with small_core(home, scripted.url) as core:
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    replies = [e for e in events if isinstance(e, ReplyReceived)]
    assert [r.partial for r in replies] == [True, False]
    assert "Half an answer".startswith(replies[0].text[:6])
    assert scripted.requests[0].body == scripted.requests[1].body


async def test_a_refused_key_ends_the_turn_with_advice(home: Home, scripted: ScriptedModel) -> None:
    scripted.script = [fail(401, "bad key"), say("hello")]
    async with small_core(home, scripted.url) as core:
        session, face = await core.session()
        await say_to(session, "go")
        ended: Any = (await until(face, TurnEnded))[-1]
        assert ended.outcome == "failed"
        assert ended.hint
        await say_to(session, "again")
        assert (await until(face, TurnEnded))[-1].outcome == "done"  # type: ignore[attr-defined]
    assert "bad key" not in str(scripted.requests[-1].messages)


async def test_bad_calls_are_told_to_the_model(home: Home, scripted: ScriptedModel) -> None:
    bad = calls(
        Call("nope"), Call("act", '{"comm'), Call("act", {"command": 3.5, "x": 1}), Call("broken")
    )
    scripted.script = [bad, say("sorry")]
    async with small_core(home, scripted.url, act, broken, look) as core:
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, ToolEnded)
        while len(results(events)) < 4:
            more: Any = await until(face, ApprovalAsked | ToolEnded)  # type: ignore[arg-type]
            events += more
            if isinstance(more[-1], ApprovalAsked):
                deny = AnswerApproval(session="s", ask_id=more[-1].ask_id, verdict="deny")
                await session.answer_approval(deny)
        await until(face, TurnEnded)
    texts = " ".join(text for _, text in results(events))
    assert "no tool 'nope'" in texts
    assert "bad arguments for act" in texts
    assert "ZeroDivisionError: oh" in texts


async def test_rounds_are_bounded(home: Home, scripted: ScriptedModel) -> None:
    scripted.answer = lambda asked: call("look", name="again")
    async with small_core(home, scripted.url, look, max_rounds=5) as core:
        session, face = await core.session()
        await say_to(session, "go")
        ended: Any = (await until(face, TurnEnded))[-1]
    assert ended.outcome == "limit"
    assert len(scripted.requests) == 5


async def test_an_interrupted_call_is_named_as_such_after_a_restart(
    home: Home, scripted: ScriptedModel
) -> None:
    waiting = Waiting()
    scripted.script = [call("wait", name="x"), say("I will check first.")]
    async with small_core(home, scripted.url, waiting.tool()) as core:
        session, _ = await core.session()
        await say_to(session, "go")
        await waiting.entered.wait()
        await session.halt()
        session, face = await core.again()
        assert session.conversation.in_turn
        session.resume()
        events = await until(face, TurnEnded)
    assert results(events) == [("interrupted", INTERRUPTED)]
    assert [e.kind for e in events if isinstance(e, InputTaken | ModelAsked)] == ["model_asked"]


async def test_a_repeatable_call_is_run_again_after_a_restart(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    gate = asyncio.Event()
    runs: list[int] = []

    @tool(repeatable=True)
    async def peek(*, ctx: Any) -> ToolResult:
        """Read something slowly."""
        runs.append(1)
        if len(runs) == 1:
            gate.set()
            await asyncio.Event().wait()
        return ToolResult(for_model="read")

    scripted.script = [call("peek"), say("done")]
    async with small_core(home, scripted.url, peek) as core:
        session, _ = await core.session()
        await say_to(session, "go")
        await gate.wait()
        await session.halt()
        session, face = await core.again()
        session.resume()
        assert results(await until(face, TurnEnded)) == [("ok", "read")]
    assert len(runs) == 2


async def test_what_was_asked_before_a_restart_is_asked_again(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [call("act", command="x"), say("ok")]
    async with small_core(home, scripted.url, act) as core:
        session, face = await core.session()
        await say_to(session, "go")
        old: Any = (await until(face, ApprovalAsked))[-1]
        await session.halt()
        session, face = await core.again()
        session.resume()
        new: Any = (await until(face, ApprovalAsked))[-1]
        assert new.ask_id != old.ask_id
        assert list(session.conversation.approvals) == [new.ask_id]
        answer = AnswerApproval(session="s", ask_id=new.ask_id, verdict="once")
        await session.answer_approval(answer)
        assert results(await until(face, TurnEnded)) == [("ok", "did x")]


async def test_a_call_written_as_text_is_run(home: Home, scripted: ScriptedModel) -> None:
    text = '<tool_call>{"name": "look", "arguments": {"name": "z"}}</tool_call>'
    scripted.script = [say(text), say("done")]
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        await say_to(session, "go")
        assert results(await until(face, TurnEnded)) == [("ok", "saw z")]


async def test_equal_call_ids_of_two_replies_are_told_apart(
    home: Home, scripted: ScriptedModel
) -> None:
    one = Reply(calls=(Call("look", {"name": "a"}, id="call_0"),))
    scripted.script = [one, one, say("done")]
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    ids = [e.call_id for e in events if isinstance(e, ToolEnded)]
    assert len(set(ids)) == 2


async def test_what_changed_after_the_question_is_asked_again(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    """Two edits of one file in one reply: the second was described against the old file."""
    path = tmp_path / "list.txt"
    path.write_text("a\nb\n")
    edits = [
        Call("edit_file", {"path": str(path), "old": "a\n", "new": "A\n"}),
        Call("edit_file", {"path": str(path), "old": "b\n", "new": "B\n"}),
    ]
    scripted.script = [calls(*edits), say("ok")]
    asked: list[ApprovalAsked] = []
    async with small_core(home, scripted.url, edit_file) as core:
        session, face = await core.session()
        await say_to(session, "go")
        async with asyncio.timeout(5):
            while len(asked) < 3:
                event = (await until(face, ApprovalAsked))[-1]
                assert isinstance(event, ApprovalAsked)
                asked.append(event)
                yes = AnswerApproval(session="s", ask_id=event.ask_id, verdict="once")
                await session.answer_approval(yes)
        await until(face, TurnEnded)
    assert "changed since" in asked[2].reason
    assert asked[2].detail != asked[1].detail
    assert path.read_text() == "A\nB\n"


async def test_no_tool_reads_the_files_of_the_home_itself(
    home: Home, scripted: ScriptedModel
) -> None:
    token = "-".join(["not", "for", "the", "model"])
    home.secrets.write_text(f"KEY={token}\n")
    scripted.script = [call("read_file", path=str(home.secrets)), say("ok")]
    async with small_core(home, scripted.url, read_file) as core:
        session, face = await core.session()
        await say_to(session, "go")
        ((status, text),) = results(await until(face, TurnEnded))
    assert status == "error"
    assert token not in text


async def test_texts_queued_behind_a_failing_turn_keep_waiting(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [fail(401, "no"), say("now"), say("later answered")]
    async with small_core(home, scripted.url) as core:
        session, face = await core.session()
        await asyncio.gather(say_to(session, "first"), say_to(session, "later", how="queue"))
        await until(face, TurnEnded)
        assert [one.text for one in session.conversation.waiting.values()] == ["later"]
        await say_to(session, "again")
        await until(face, TurnEnded)
        await until(face, TurnEnded)
    assert scripted.requests[-1].messages[-1]["content"] == "later"


async def test_a_full_disk_is_said_and_nothing_is_pretended(
    home: Home, scripted: ScriptedModel
) -> None:
    waiting = Waiting()
    scripted.script = [call("wait"), say("fine again")]
    async with small_core(home, scripted.url, waiting.tool()) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await waiting.entered.wait()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(core.db._writer, "_run", full_disk(core.db))
            waiting.gate.set()
            trouble = (await until(face, Trouble))[-1]
            assert isinstance(trouble, Trouble)
            assert "disk is full" in trouble.text
            with pytest.raises(StoreError):
                await say_to(session, "are you there?", input_id="x")
        stored = await core.log.read("s")
        assert session.last == stored[-1].n
        await say_to(session, "are you there?", input_id="x")
        ended = (await until(face, TurnEnded))[-1]
    assert ended.kind == "turn_ended"
    asked = scripted.requests[-1].messages
    assert any("are you there?" in str(message["content"]) for message in asked)


def full_disk(db: Database) -> Any:
    def fail_all(jobs: list[Any]) -> None:
        error = StoreError("the disk is full: nothing was written", "free some space")
        db._resolve([(job, None, error) for job in jobs])

    return fail_all


async def test_what_is_stored_while_a_turn_is_stopped_is_still_shown(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [calls(*[Call("look", {"name": "a"})] * 8), say("x", gate="never")]
    shown: list[int] = []
    async with small_core(home, scripted.url, look) as core:
        session, face = await core.session()
        await say_to(session, "go")
        async with asyncio.timeout(5):
            while (record := await face.next()).event.kind != "turn_ended":
                shown += [record.n] if record.n else []
                if record.event.kind == "tool_started":
                    await session.stop()
        shown.append(record.n)
        stored = [r.n for r in await core.log.read("s")]
    assert shown == stored[1:]


async def test_a_text_sent_as_the_turn_ends_starts_one_turn_and_not_two(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.answer = lambda asked: say("ok")
    async with small_core(home, scripted.url) as core:
        session, face = await core.session()
        for n in range(5):
            await say_to(session, f"text {n}")
            await until(face, TurnEnded)
        kinds_seen = [r.event.kind for r in await core.log.read("s")]
    assert kinds_seen.count("turn_started") == 5
    assert session.conversation.turn == 5
