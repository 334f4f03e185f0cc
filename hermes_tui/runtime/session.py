"""One live session: its turn, what waits for it, and the questions it has open."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback

import msgspec

from hermes_tui.agent.loop import run_turn
from hermes_tui.errors import HermesError, StoreError
from hermes_tui.events import (
    ApprovalAnswered,
    Event,
    InputEdited,
    InputMoved,
    InputReceived,
    InputWithdrawn,
    Notice,
    Outcome,
    QuestionAnswered,
    SessionChanged,
    ShellRan,
    ToolEnded,
    ToolOutput,
    Trouble,
    TurnEnded,
    TurnStarted,
    meant,
)
from hermes_tui.faults import point
from hermes_tui.intents import (
    AnswerApproval,
    Answered,
    AnswerQuestion,
    EditInput,
    MoveInput,
    Send,
    Sent,
    SessionInfo,
    Standing,
    Stopped,
    Withdrawn,
)
from hermes_tui.runtime.bench import Bench, Services
from hermes_tui.runtime.notes import title_of
from hermes_tui.runtime.person_shell import PersonShell
from hermes_tui.security import audit_entries
from hermes_tui.security.redact_stream import StreamRedactor

STOP_LIMIT = 5.0
STOPPED = "stopped by the user before it ended; what it had done by then is not undone"
_log = logging.getLogger(__name__)


class Session(Bench):
    """A session in memory: what the loop sees of it, and what faces do."""

    def __init__(self, core: Services, key: int, info: SessionInfo) -> None:
        super().__init__(core, key, info)
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._answered: dict[str, str] = {}
        self._shell: PersonShell | None = None
        self.again: asyncio.Task[None] | None = None

    # --- for faces ---------------------------------------------------------------------------

    @property
    def working(self) -> bool:
        """Whether a turn is running."""
        return self._task is not None and not self._task.done()

    @property
    def info(self) -> SessionInfo:
        """The session as a list shows it."""
        talk = self.conversation
        asks = talk.approvals or talk.questions
        return SessionInfo(
            id=self.id,
            title=talk.title,
            cwd=self.cwd,
            model=talk.model,
            effort=talk.effort,
            mode=talk.mode,
            created=self.created,
            updated=self.updated,
            messages=self.messages,
            last=self.shown,
            sandbox=self.sandbox_level,
            state="waiting" if asks else "working" if self.working else "idle",
        )

    @property
    def needed(self) -> bool:
        """Whether it must stay in memory: watched, at work, or with processes running."""
        talk = self.conversation
        again = self.again is not None and not self.again.done()
        watched = any(face.holds for face in self.faces)
        return bool(watched or talk.in_turn or talk.processes or self._shell or again)

    @property
    def task(self) -> asyncio.Task[None] | None:
        """The task that works on the turn, if one runs."""
        return self._task if self.working else None

    def listed(self) -> None:
        """Tell every face that the list changed."""
        self._core.changed(self.id)

    def waits(self, ask_id: str) -> None:
        """Something waits for a person, who may be elsewhere."""
        self._core.call_home(self, ask_id)

    def stand(self, standing: Standing) -> None:
        """Take over a face's environment; the folder stays the session's own."""
        self.env = {**self.env, **standing.env}
        self.cwd = self.cwd or standing.cwd

    async def send(self, intent: Send) -> Sent:
        """Store what was typed; it starts a turn or waits for the running one."""
        self.stand(intent.standing)
        await self.catch_up()
        talk = self.conversation
        if intent.input_id in talk.inputs:
            return Sent(input_id=intent.input_id, state="steer", n=self.shown)
        busy = talk.in_turn
        how = intent.how if intent.how != "auto" else "steer" if busy else "send"
        typed = self.redactor.redact_held(intent.text)
        received = InputReceived(
            input_id=intent.input_id,
            text=typed.text,
            how=how,
            face=intent.face,
            attended=intent.attended,
            untrusted=intent.untrusted,
        )
        events: list[Event] = [] if talk.title else [SessionChanged(title=title_of(typed.text))]
        events.append(received)
        if typed.found:
            text = f"the stored secret {typed.found[0].label} was kept out of what you typed"
            events.append(Notice(text=text, level="warning"))
        if not busy:
            events.append(TurnStarted(turn=talk.turn + 1))
        await self.add(events)
        point("input stored")
        self.resume()
        state = "started" if not busy else "queue" if how == "queue" else "steer"
        return Sent(input_id=intent.input_id, state=state, n=self.shown)

    async def withdraw(self, input_id: str) -> Withdrawn:
        """Take a waiting input back."""
        received = self.conversation.waiting.get(input_id)
        if received is None:
            return Withdrawn(taken=True)
        await self.add(InputWithdrawn(input_id=input_id))
        return Withdrawn(text=received.text)

    async def edit_input(self, intent: EditInput) -> Answered:
        """Change a waiting input, if the model does not have it yet."""
        if intent.input_id not in self.conversation.waiting:
            return Answered(accepted=False)
        text = self.redactor.redact_held(intent.text).text
        await self.add(InputEdited(input_id=intent.input_id, text=text, how=intent.how))
        return Answered(accepted=True)

    async def move_input(self, intent: MoveInput) -> Answered:
        """Put a waiting input before another one, or last."""
        if intent.input_id not in self.conversation.waiting:
            return Answered(accepted=False)
        await self.add(InputMoved(input_id=intent.input_id, before=intent.before))
        return Answered(accepted=True)

    async def run_shell(self, command: str, shell_id: str, shared: bool) -> None:
        """Run a command in the person's own shell, which starts in the session's folder."""
        if self._shell is None:
            self._shell = PersonShell(
                self.cwd, self.env, self.outputs, lambda: StreamRedactor(self.redactor)
            )
        try:
            ran = await self._shell.run(command, shell_id, lambda text: self._shown(shell_id, text))
        except (HermesError, OSError) as error:
            ran = ShellRan(shell_id=shell_id, command=command, output=str(error), cwd=self.cwd)
        output = self.redactor.redact(ran.output).text if shared else ran.output
        await self.add(msgspec.structs.replace(ran, output=output, shared=shared))

    def _shown(self, shell_id: str, text: str) -> None:
        self.emit(ToolOutput(turn=0, call_id=shell_id, text=text))

    def stop_shell(self) -> None:
        """Interrupt the command that runs in the person's shell."""
        if self._shell is not None:
            self._shell.interrupt()

    async def answer_approval(self, intent: AnswerApproval) -> Answered:
        """Answer a pending approval; the first answer counts."""
        asked = self.conversation.approvals.get(intent.ask_id)
        if asked is None:
            return Answered(accepted=False, by=self._answered.get(intent.ask_id, ""))
        remember = intent.verdict in ("session", "always")
        answer = ApprovalAnswered(
            ask_id=intent.ask_id,
            verdict=intent.verdict,
            rule=(intent.rule or asked.rule) if remember else "",
            reason=intent.reason,
            arguments=intent.arguments,
            face=intent.face,
        )
        self._answered[intent.ask_id] = intent.face
        await self.add(answer)
        try:
            await self.record(audit_entries.of_answer(self.id, answer))
        except StoreError as error:
            self._future(intent.ask_id).set_exception(error)
            raise
        self._future(intent.ask_id).set_result(answer)
        return Answered(accepted=True, by=intent.face)

    async def answer_question(self, intent: AnswerQuestion) -> Answered:
        """Answer a pending question; the first answer counts."""
        if intent.ask_id not in self.conversation.questions:
            return Answered(accepted=False, by=self._answered.get(intent.ask_id, ""))
        answer = QuestionAnswered(ask_id=intent.ask_id, text=intent.text, face=intent.face)
        self._answered[intent.ask_id] = intent.face
        await self.add(answer)
        self._future(intent.ask_id).set_result(answer)
        return Answered(accepted=True, by=intent.face)

    # --- the turn ----------------------------------------------------------------------------

    def resume(self) -> None:
        """Start working if a turn is open and nobody works on it."""
        if self.conversation.in_turn and not self.working:
            self._stopping = False
            self._task = self._core.spawn(self._work())

    async def stop(self) -> Stopped:
        """Stop the running turn; what waits goes back to the face."""
        typed = [one for one in self.conversation.waiting.values() if one.typed]
        texts = [one.text for one in typed]
        back = [InputWithdrawn(input_id=one.input_id) for one in typed]
        await self.add(back)
        if self.again is not None:
            self.again.cancel()
        task = self._task
        if task is None or task.done():
            return Stopped(texts=tuple(texts))
        self._stopping = True
        task.cancel()
        await asyncio.wait([task], timeout=STOP_LIMIT)
        return Stopped(was_running=True, texts=tuple(texts))

    async def halt(self) -> None:
        """Leave the running turn where it is, for the next core to resume."""
        running = [one for one in (self._task, self.again) if one is not None and not one.done()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=STOP_LIMIT)
        if self._shell is not None:
            await self._shell.close()

    async def _work(self) -> None:
        """Turn after turn; a store that can't be written ends the work, never the core."""
        try:
            await self._turns()
        except StoreError as error:
            _log.error("session %s: %s", self.id, error)
            await self.catch_up()
            self.emit(Trouble(text=error.message, hint=error.hint))
        self._task = None
        self.listed()
        self._core.turn_ended()

    async def _turns(self) -> None:
        """Turn after turn until nothing waits."""
        await self._expire_old_asks()
        while True:
            began = time.monotonic()
            ended = await self._turn()
            if ended is None:
                return
            seconds = round(time.monotonic() - began, 3)
            await self.add(self._with_totals(ended, seconds))
            point("turn ended")
            self.changes_ended()
            if self.conversation.in_turn:
                continue  # the next one was started while the end of this one was stored
            if ended.outcome in ("failed", "stopped") or not self.conversation.waiting:
                break
            await self.add(TurnStarted(turn=self.conversation.turn + 1), hold=True)

    async def _turn(self) -> TurnEnded | None:
        """Run one turn; None when the core is going down and the turn stays open."""
        turn = self.conversation.turn
        try:
            agent = await self._core.agent_for(self)
            outcome: Outcome = await run_turn(self, agent)
            error = f"stopped after {agent.max_rounds} tool rounds" if outcome == "limit" else ""
            hint = "say `go on` to continue" if error else ""
            return TurnEnded(turn=turn, outcome=outcome, error=error, hint=hint)
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            await self._settle_stopped()
            return TurnEnded(turn=turn, outcome="stopped")
        except HermesError as error:
            return await self._failed(error)
        except Exception as error:  # noqa: BLE001 - one broken turn must not end the core
            _log.error("turn %s of %s\n%s", turn, self.id, traceback.format_exc())
            text = f"internal error: {type(error).__name__}: {error}"
            return await self._failed(HermesError(text, "`hermes daemon logs` has the whole story"))

    async def _failed(self, error: HermesError) -> TurnEnded:
        """What was to be answered belongs to the conversation, whether or not a model saw it."""
        await self.add(self.take_steering(), hold=True)
        turn = self.conversation.turn
        return TurnEnded(turn=turn, outcome="failed", error=error.message, hint=error.hint)

    async def _settle_stopped(self) -> None:
        talk = self.conversation
        self._asks.clear()
        open_asks = [one.ask_id for one in talk.approvals.values() if one.turn == talk.turn]
        dropped = [
            ApprovalAnswered(ask_id=one, verdict="expired", reason="the turn was stopped")
            for one in open_asks
        ]
        self._core.audit.note(*(audit_entries.of_answer(self.id, one) for one in dropped))
        ended = [
            ToolEnded(
                turn=talk.turn,
                step=talk.step,
                call_id=call.id,
                tool=call.tool,
                status="stopped",
                for_model=STOPPED,
            )
            for call in map(meant, talk.open_calls.values())
        ]
        await self.add(ended, hold=True)

    async def _expire_old_asks(self) -> None:
        """Questions of a core that is gone are asked anew; the old ones can't be answered."""
        now = time.time()
        asked = self.conversation.approvals.values()
        stale = [a.ask_id for a in asked if a.ask_id not in self._asks and a.until < now]
        why = "the core restarted; it is asked again"
        gone = [ApprovalAnswered(ask_id=one, verdict="expired", reason=why) for one in stale]
        self._core.audit.note(*(audit_entries.of_answer(self.id, one) for one in gone))
        await self.add(gone, hold=True)
        lost = [ask_id for ask_id in self.conversation.questions if ask_id not in self._asks]
        await self.add([QuestionAnswered(ask_id=one, text="") for one in lost], hold=True)

    def _with_totals(self, ended: TurnEnded, seconds: float) -> TurnEnded:
        talk = self.conversation
        return TurnEnded(
            turn=ended.turn,
            outcome=ended.outcome,
            error=ended.error,
            hint=ended.hint,
            steps=talk.step,
            usage=talk.turn_usage,
            seconds=seconds,
        )
