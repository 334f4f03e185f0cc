"""Plain mode against a core that only listens: what is typed becomes exactly one intent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hermes_tui import events
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.intents import (
    AnswerApproval,
    Answered,
    AnswerQuestion,
    ChangeSession,
    CoreInfo,
    GetStatus,
    Lines,
    OpenSession,
    PromptHistory,
    RunCommand,
    Send,
    SessionInfo,
    SessionView,
    Standing,
    Stop,
    Stopped,
)
from hermes_tui.plain import run_plain
from hermes_tui.plain.leaving import Leave
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_lines import FakeLines

REQUEST = OpenSession(standing=Standing(cwd="/somewhere"))
ASKED = events.ApprovalAsked(
    ask_id="a1",
    turn=1,
    step=1,
    call_id="c",
    tool="run_command",
    title="remove a file",
    detail="rm x",
    detail_kind="command",
    rule="run_command rm x",
    arguments='{"command":"rm x"}',
)
QUESTION = events.QuestionAsked(
    ask_id="q1", turn=1, call_id="c", text="Which host?", options=("vps1", "vps2")
)


class Talk:
    """A running plain mode."""

    def __init__(self, client: FakeClient, lines: FakeLines, *, embedded: bool = False) -> None:
        self.client, self.lines = client, lines
        self.task = asyncio.ensure_future(
            run_plain(client, REQUEST, embedded=embedded, lines=lines)
        )

    async def left(self) -> Leave:
        async with asyncio.timeout(5):
            return await self.task

    async def asked(self, kind: type, count: int = 1) -> list:
        """Wait until so many intents of a kind came in."""
        async with asyncio.timeout(5):
            while True:
                if len(found := self.client.of(kind)) >= count:
                    return found
                await asyncio.sleep(0.005)


@asynccontextmanager
async def talk(
    client: FakeClient | None = None, *, echoes: bool = True, embedded: bool = False
) -> AsyncIterator[Talk]:
    running = Talk(client or FakeClient(), FakeLines(echoes=echoes), embedded=embedded)
    await running.lines.until("Session «Tidy»")
    try:
        yield running
    finally:
        if not running.task.done():
            running.lines.type("/detach")
            await running.left()


async def test_a_line_is_sent_with_where_the_person_stands() -> None:
    async with talk() as face:
        face.lines.type("hello")
        (sent,) = await face.asked(Send)
        assert (sent.text, sent.how, sent.face) == ("hello", "auto", "plain")
        assert sent.standing.cwd == "/somewhere"
        assert sent.input_id


async def test_text_typed_while_a_turn_runs_steers_it_and_is_seen_to_wait() -> None:
    async with talk() as face:
        face.client.happen(events.TurnStarted(turn=1))
        await face.lines.until("Working.")
        face.lines.type("use port 8080")
        (sent,) = await face.asked(Send)
        assert sent.how == "auto"
        face.client.happen(
            events.InputReceived(input_id=sent.input_id, text=sent.text, how="steer"),
            events.InputTaken(input_id=sent.input_id, turn=1),
        )
        await face.lines.until("You, for the running turn: use port 8080")
        await face.lines.until("The agent has it now: use port 8080")


@pytest.mark.parametrize("echoes", [True, False])
async def test_what_the_terminal_shows_already_is_not_said_twice(echoes: bool) -> None:
    async with talk(echoes=echoes) as face:
        face.lines.type("hello")
        (sent,) = await face.asked(Send)
        face.client.happen(
            events.InputReceived(input_id=sent.input_id, text="hello"),
            events.InputReceived(input_id="other", text="from the phone"),
        )
        await face.lines.until("You: from the phone")
        assert ("You: hello" in face.lines.printed) == (not echoes)


async def test_a_reply_is_said_line_by_line_while_it_comes() -> None:
    async with talk() as face:
        face.client.happen(events.TextDelta(turn=1, step=1, text="one\ntw"))
        await face.lines.until("Hermes: one")
        face.client.happen(events.ReplyReceived(turn=1, step=1, text="one\ntwo"))
        await face.lines.until("two")
        assert face.lines.printed[-2:] == ["Hermes: one", "two"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["1"], ("once", "", "", "")),
        (["2"], ("session", "", "", "")),
        (["3", ""], ("always", "run_command rm x", "", "")),
        (["3", "run_command rm *"], ("always", "run_command rm *", "", "")),
        (["4", "not that file"], ("deny", "", "not that file", "")),
        (["4", ""], ("deny", "", "", "")),
        (["5", "rm y"], ("once", "", "", '{"command":"rm y"}')),
        (["3", "0", "1"], ("once", "", "", "")),
        (["5", "0", "2"], ("session", "", "", "")),
        (["/approve session"], ("session", "", "", "")),
        (["/approve deny wrong file"], ("deny", "", "wrong file", "")),
        (["/approve always", ""], ("always", "run_command rm x", "", "")),
    ],
)
async def test_an_approval_is_answered_by_number(
    typed: list[str], expected: tuple[str, ...]
) -> None:
    async with talk() as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.lines.type(*typed)
        (answer,) = await face.asked(AnswerApproval)
        assert (answer.verdict, answer.rule, answer.reason, answer.arguments) == expected
        assert face.client.of(Send) == []


async def test_the_rule_is_said_before_it_is_saved() -> None:
    async with talk() as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.lines.type("3")
        await face.lines.until("This rule will be saved: run_command rm x")
        assert face.client.of(AnswerApproval) == []


async def test_a_command_is_a_command_even_where_an_answer_is_expected() -> None:
    async with talk() as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.lines.type("3", "/usage", "1")
        (answer,) = await face.asked(AnswerApproval)
        assert answer.verdict == "once"


async def test_broken_arguments_are_asked_for_again() -> None:
    import msgspec

    other = msgspec.structs.replace(ASKED, detail_kind="text", arguments='{"path":"x"}')
    async with talk() as face:
        face.client.happen(other)
        await face.lines.until("Answer with a number")
        face.lines.type("5", "{", '{"path": "y"}')
        (answer,) = await face.asked(AnswerApproval)
        assert json.loads(answer.arguments) == {"path": "y"}
        await face.lines.until("no JSON object")


async def test_words_while_an_approval_waits_are_said_to_the_agent() -> None:
    async with talk() as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.lines.type("wait, which file?")
        (sent,) = await face.asked(Send)
        assert sent.text == "wait, which file?"
        assert face.client.of(AnswerApproval) == []


async def test_an_approval_answered_elsewhere_is_said_and_closed() -> None:
    async with talk() as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.client.happen(events.ApprovalAnswered(ask_id="a1", verdict="once", face="telegram"))
        await face.lines.until("Approved once from telegram.")
        face.lines.type("1")
        (sent,) = await face.asked(Send)
        assert sent.text == "1"


async def test_who_was_faster_is_said() -> None:
    client = FakeClient()
    client.answers[AnswerApproval] = Answered(accepted=False, by="ui")
    async with talk(client) as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.lines.type("1")
        await face.lines.until("answered already, by ui")


@pytest.mark.parametrize(("typed", "answer"), [("2", "vps2"), ("both", "both"), ("7", "7")])
async def test_a_question_is_answered_by_number_or_in_words(typed: str, answer: str) -> None:
    async with talk() as face:
        face.client.happen(QUESTION)
        await face.lines.until("Answer with a number or in words.")
        face.lines.type(typed)
        (given,) = await face.asked(AnswerQuestion)
        assert given.text == answer


async def test_what_waits_when_one_comes_is_said_at_once() -> None:
    waiting = events.InputReceived(input_id="1", text="later", how="queue")
    info = SessionInfo(id="s", title="Tidy", state="waiting")
    view = SessionView(info=info, waiting=(waiting,), approvals=(ASKED,), partial="half a li\nne")
    async with talk(FakeClient(view)) as face:
        await face.lines.until("You, for the next turn: later")
        await face.lines.until("Approval needed")
        await face.lines.until("Hermes: half a li")
        face.lines.type("1")
        assert await face.asked(AnswerApproval)


async def test_earlier_inputs_can_be_recalled() -> None:
    client = FakeClient()
    client.answers[PromptHistory] = Lines(lines=("newest", "oldest"))
    async with talk(client) as face:
        await face.asked(PromptHistory)
        await asyncio.sleep(0)
        assert face.lines.recalled == ("newest", "oldest")


async def test_a_refusal_is_said_with_what_to_do() -> None:
    client = FakeClient()
    client.answers[ChangeSession] = HermesError("there is no mode 'x'", "modes: ask, plan")
    async with talk(client) as face:
        face.lines.type("/mode x")
        await face.lines.until("That did not work: there is no mode 'x'. modes: ask, plan.")


async def test_a_mistyped_command_is_met_with_the_nearest_three() -> None:
    async with talk() as face:
        face.lines.type("/contxt")
        line = await face.lines.until("no command /contxt")
        assert "/context" in line
        assert line.count("/") == 4
        assert face.client.of(Send) == []


async def test_a_path_is_something_to_say() -> None:
    async with talk() as face:
        face.lines.type("/etc/hosts is broken")
        (sent,) = await face.asked(Send)
        assert sent.text == "/etc/hosts is broken"


async def test_a_command_of_the_core_is_answered_in_lines() -> None:
    async with talk() as face:
        face.lines.type("/usage")
        (asked,) = await face.asked(RunCommand)
        assert asked.command == "usage"


# --- stopping and leaving ------------------------------------------------------------------


async def test_ctrl_c_stops_the_turn_and_says_what_was_not_sent() -> None:
    client = FakeClient()
    client.answers[Stop] = Stopped(was_running=True, texts=("and then this",))
    async with talk(client) as face:
        face.client.happen(events.TurnStarted(turn=1))
        await face.lines.until("Working.")
        face.lines.interrupt()
        await face.asked(Stop)
        await face.lines.until("Not sent, it was waiting: and then this")
        assert not face.task.done()


async def test_ctrl_c_twice_leaves_when_nothing_runs() -> None:
    async with talk() as face:
        face.lines.interrupt()
        await face.lines.until("Press ctrl+c again")
        face.lines.interrupt()
        assert await face.left() is None
        assert face.lines.closed


async def test_ctrl_c_takes_a_half_given_answer_back() -> None:
    async with talk() as face:
        face.client.happen(ASKED)
        await face.lines.until("Answer with a number")
        face.lines.type("4")
        await face.lines.until("Why not?")
        face.lines.interrupt()
        await face.lines.until("Press ctrl+c again")
        face.lines.type("hello")
        (sent,) = await face.asked(Send)
        assert sent.text == "hello"


async def test_detach_leaves_everything_running() -> None:
    async with talk() as face:
        face.lines.type("/detach")
        assert await face.left() == "detach"


async def test_quit_ends_at_once_when_nothing_would_be_cut_off() -> None:
    async with talk() as face:
        face.lines.type("/quit")
        assert await face.left() == "quit"


@pytest.mark.parametrize(("answer", "how"), [("", "detach"), ("1", "detach"), ("2", "quit")])
async def test_quit_asks_first_when_work_would_be_cut_off(answer: str, how: Leave) -> None:
    client = FakeClient()
    busy = CoreInfo(pid=1, version="0", started=0, home="", faces=2, working=("s",))
    client.answers[GetStatus] = busy
    async with talk(client) as face:
        face.lines.type("/quit")
        line = await face.lines.until("would be cut off")
        assert "1 × working session" in line
        assert "1 × other screen" in line
        face.lines.type(answer)
        assert await face.left() == how


async def test_the_end_of_input_leaves_a_core_of_its_own_working() -> None:
    async with talk() as face:
        face.client.happen(events.TurnStarted(turn=1))
        await face.lines.until("Working.")
        face.lines.type(None)
        assert await face.left() is None
        assert "goes on working" in face.lines.printed[-1]


async def test_the_end_of_input_waits_for_the_turn_when_the_core_is_here() -> None:
    client = FakeClient()
    async with talk(client, embedded=True) as face:
        face.client.happen(events.TurnStarted(turn=1))
        await face.lines.until("Working.")
        face.lines.type(None)
        await face.lines.until("Waiting for the running turn.")
        assert not face.task.done()
        face.client.happen(events.TurnEnded(turn=1))
        assert await face.left() == "quit"


async def test_after_the_end_of_input_nobody_is_waited_for() -> None:
    async with talk(embedded=True) as face:
        face.client.happen(events.TurnStarted(turn=1), ASKED)
        await face.lines.until("Approval needed")
        face.lines.type(None)
        (answer,) = await face.asked(AnswerApproval)
        assert answer.verdict == "deny"
        assert "input has ended" in answer.reason
        face.client.happen(QUESTION)
        assert await face.asked(AnswerQuestion)
        face.client.happen(events.TurnEnded(turn=1))
        assert await face.left() == "quit"


async def test_an_ending_core_is_said() -> None:
    async with talk() as face:
        face.client.happen(events.CoreEnding(reason="asked to"))
        assert await face.left() is None
        assert "core is ending: asked to" in face.lines.printed[-1]


async def test_a_session_that_cannot_be_opened_is_an_error() -> None:
    client = FakeClient()
    client.answers[OpenSession] = CoreError("no core is running")
    lines = FakeLines()
    with pytest.raises(CoreError):
        await run_plain(client, REQUEST, lines=lines)
    assert lines.closed
