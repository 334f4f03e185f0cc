"""What is said to the agent: sending, queueing, stopping, taking back, answering."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    AnswerApproval,
    AnswerQuestion,
    GetStatus,
    PromptHistory,
    Send,
    Standing,
    Stop,
    Withdraw,
)
from hermes_tui.ui.approval import ApprovalCard
from hermes_tui.ui.prompt import Prompt
from hermes_tui.ui.prompt_desk import Desk
from hermes_tui.ui.question import QuestionCard

if TYPE_CHECKING:
    from hermes_tui.events import Verdict
    from hermes_tui.ui.app import HermesApp

How = Literal["auto", "steer", "queue"]


class Talk:
    """Carries words from the prompt and the cards to the core. Nothing typed is ever lost:
    a text leaves the prompt when the core has stored it, and comes back when it is stopped.
    """

    def __init__(self, app: HermesApp, standing: Standing) -> None:
        self._app = app
        self._standing = standing
        self._default_model = self._default_effort = ""

    @property
    def standing(self) -> Standing:
        """Where this screen stands, with the size it has now."""
        columns, rows = self._app.size
        return replace(self._standing, columns=columns, rows=rows)

    @property
    def desk(self) -> Desk:
        """The prompt with what waits below it."""
        return self._app.main.query_one(Desk)

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        return self._app.main.query_one(Prompt)

    async def submitted(self, text: str, how: How) -> None:
        """A text came from the prompt; it is cleared there once the core has it."""
        try:
            await self.send(text, how)
        except HermesError:
            self.prompt.refuse()
            raise
        self.prompt.confirm(text)
        self._app.transcript.to_end()

    async def send(self, text: str, how: How) -> None:
        """Say something. Raises HermesError when the core does not take it."""
        shown = self._app.shown
        if how == "auto" and shown.busy and self._app.config.busy_enter == "queue":
            how = "queue"
        input_id = uuid.uuid4().hex
        await self._app.ask(
            Send(session=shown.id, text=text, how=how, input_id=input_id, standing=self.standing)
        )

    async def stop(self) -> None:
        """Stop the turn; what waited comes back into the prompt."""
        stopped = await self._app.ask(Stop(session=self._app.shown.id))
        for text in reversed(stopped.texts):
            self.prompt.give_back(text)
        if not stopped.was_running:
            self._app.say("nothing is running")

    async def take_back(self, input_id: str) -> None:
        """Take a waiting input back into the prompt."""
        got = await self._app.ask(Withdraw(session=self._app.shown.id, input_id=input_id))
        if got.taken:
            self._app.say("too late: the agent already has it")
        else:
            self.prompt.give_back(got.text)
            self.prompt.focus()

    def turn_to_card(self) -> None:
        """Give the keys to the pending approval or question."""
        main = self._app.main
        if not (
            main.query_one(ApprovalCard).take_focus() or main.query_one(QuestionCard).take_focus()
        ):
            self._app.say("nothing waits for an answer")

    async def answer(self, answered: ApprovalCard.Answered) -> None:
        """Answer an approval, as the card has it."""
        intent = AnswerApproval(
            session=self._app.shown.id,
            ask_id=answered.ask_id,
            verdict=answered.verdict,
            rule=answered.rule,
            reason=answered.reason,
            arguments=answered.arguments,
        )
        try:
            got = await self._app.ask(intent)
        except HermesError:
            pending = tuple(self._app.shown.approvals.values())
            self._app.main.query_one(ApprovalCard).reopen(answered.ask_id, pending)
            raise
        if not got.accepted:
            self._app.say(f"already answered{f' by {got.by}' if got.by else ''}")

    async def answer_first(self, verdict: Verdict, reason: str) -> None:
        """Answer the oldest pending approval from a command."""
        first = next(iter(self._app.shown.approvals.values()), None)
        if first is None:
            raise HermesError("nothing waits for an approval")
        rule = first.rule if verdict in ("session", "always") else ""
        intent = AnswerApproval(
            session=self._app.shown.id,
            ask_id=first.ask_id,
            verdict=verdict,
            rule=rule,
            reason=reason,
        )
        await self._app.ask(intent)

    async def reply(self, answered: QuestionCard.Answered) -> None:
        """Answer a question."""
        intent = AnswerQuestion(
            session=self._app.shown.id, ask_id=answered.ask_id, text=answered.text
        )
        try:
            got = await self._app.ask(intent)
        except HermesError:
            pending = tuple(self._app.shown.questions.values())
            self._app.main.query_one(QuestionCard).reopen(answered.ask_id, pending)
            raise
        if not got.accepted:
            self._app.say(f"already answered{f' by {got.by}' if got.by else ''}")

    async def begin(self) -> None:
        """Fetch what was typed in earlier sessions, and who answers where nothing is chosen."""
        self.prompt.set_history((await self._app.ask(PromptHistory())).lines)
        status = await self._app.ask(GetStatus())
        self._default_model, self._default_effort = status.model, status.effort
        self.draw()

    def draw(self) -> None:
        """Chips, cards and the prompt's rule, as the session has them now."""
        shown = self._app.shown
        waiting = [one for one in shown.waiting.values() if one.how != "send"]
        self.desk.show_waiting(waiting, idle=not shown.busy)
        self._app.main.query_one(ApprovalCard).show(tuple(shown.approvals.values()))
        self._app.main.query_one(QuestionCard).show(tuple(shown.questions.values()))
        self.prompt.set_mode(shown.info.mode)
        self.prompt.set_model(
            shown.info.model or shown.trace.model or self._default_model,
            shown.info.effort or self._default_effort,
        )
