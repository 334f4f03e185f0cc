"""Plain mode itself: opens a session, prints what happens, takes what is typed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from hermes_tui import commands, events
from hermes_tui.errors import HermesError
from hermes_tui.events import ApprovalAsked, InputReceived, QuestionAsked, Record
from hermes_tui.intents import OpenSession, PromptHistory, Send, SessionInfo, SessionView, Stop
from hermes_tui.plain import answering, first_run, words
from hermes_tui.plain.leaving import Leave, Left
from hermes_tui.plain.reply import ReplyLines
from hermes_tui.plain.speech import count, one_line, sentence
from hermes_tui.plain.terminal import Lines, choose
from hermes_tui.runtime.client import CoreClient

if TYPE_CHECKING:
    from hermes_tui.plain.first_run import FirstRun

FACE = "plain"
EARLIER = 6
AGAIN_S = 2.0


async def run_plain(
    client: CoreClient, request: OpenSession, embedded: bool = False, lines: Lines | None = None
) -> Leave:
    """Talk line by line until the person leaves.

    embedded: the core lives in this process, so that the end of input waits for running work.
    Raises HermesError when the session can't be opened.
    """
    face = PlainFace(client, request, lines or choose(), embedded=embedded)
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)
    with contextlib.suppress(ValueError, RuntimeError):  # not in the main thread: no signals
        loop.add_signal_handler(signal.SIGINT, face.lines.interrupt)
    try:
        return await face.run()
    finally:
        face.lines.close()
        with contextlib.suppress(ValueError, RuntimeError):
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)


class PlainFace:
    """One person's lines. Commands and answers use its attributes.

    pending: unanswered approvals and questions, oldest first; waiting: inputs not yet taken;
    expects: what the next line is for, when it is not something to say; hidden: it is not to be
    seen while it is typed; setup: the first run, once it has begun.
    """

    def __init__(
        self, client: CoreClient, request: OpenSession, lines: Lines, *, embedded: bool
    ) -> None:
        self.client = client
        self.request = request
        self.lines = lines
        self.embedded = embedded
        self.session = SessionInfo(id="")
        self.pending: dict[str, ApprovalAsked | QuestionAsked] = {}
        self.waiting: dict[str, InputReceived] = {}
        self.working = False
        self.expects: Callable[[str], Awaitable[None]] | None = None
        self.hidden = False
        self.setup: FirstRun | None = None
        self._group: asyncio.TaskGroup | None = None
        self._mine: set[str] = set()
        self._reply = ReplyLines()
        self._seen = self._sent = 0
        self._attended = True
        self._news = asyncio.Event()
        self._interrupted = -AGAIN_S

    # --- life ------------------------------------------------------------------------------

    async def run(self) -> Leave:
        """Until somebody leaves."""
        await self.open(self.request)
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                group.create_task(self._listen())
                group.create_task(self._talk())
        except ExceptionGroup as ended:
            # One of the two ends the other; what it ended with is what counts.
            first = ended.exceptions[0]
            if isinstance(first, Left):
                return first.how
            raise first from None
        return None

    async def open(self, request: OpenSession) -> None:
        """Open a session, say where it stands."""
        view = await self.client.ask(request)
        self.session = view.info
        self.pending = {one.ask_id: one for one in (*view.approvals, *view.questions)}
        self.waiting = {one.input_id: one for one in view.waiting}
        self.working = view.info.state != "idle"
        self.expects = None
        self._seen = self._sent = view.info.last
        self._reply = ReplyLines()
        self.say(*_opening(view))
        self.say(*self._reply.begin(view.partial))
        for one in (*view.waiting, *self.pending.values()):
            self.say(*words.lines(one))
        earlier = await self.client.ask(PromptHistory())
        self.lines.remember(earlier.lines)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something while lines are read; it tells its own errors."""
        if self._group is not None:
            self._group.create_task(work)

    def say(self, *lines: str) -> None:
        """Print lines."""
        for line in lines:
            self.lines.write(line)

    # --- what happens ----------------------------------------------------------------------

    async def _listen(self) -> None:
        async for record in self.client.events():
            if record.session in ("", self.session.id):
                self.say(*self._apply(record))
                await self._answer_for_nobody()
                self._news.set()
            if isinstance(record.event, events.CoreEnding):
                raise Left(None)

    def _apply(self, record: Record) -> Iterable[str]:
        event = record.event
        self._seen = max(self._seen, record.n)
        match event:
            case events.TextDelta():
                return self._reply.more(event)
            case events.ReplyReceived():
                return self._reply.end(event)
            case events.InputReceived() | events.InputTaken() | events.InputWithdrawn():
                return self._input(event)
            case ApprovalAsked() | QuestionAsked():
                self.pending[event.ask_id] = event
                more = len(self.pending) - 1
                also = (f"{count(more, 'other question')} still open.",) if more else ()
                return (*words.lines(event), *also)
            case events.ApprovalAnswered() | events.QuestionAnswered():
                self.pending.pop(event.ask_id, None)
                mine = event.face == FACE
                return words.lines(replace(event, face="") if mine else event)
            case events.TurnStarted() | events.TurnEnded():
                self.working = isinstance(event, events.TurnStarted)
                return words.lines(event)
            case events.FetchProgress():
                return self.setup.heard(event) if self.setup else ()
            case events.SessionChanged():
                self._changed(event)
                return words.lines(event)
            case _:
                return words.lines(event)

    def _input(
        self, event: events.InputReceived | events.InputTaken | events.InputWithdrawn
    ) -> Iterable[str]:
        if isinstance(event, InputReceived):
            self.waiting[event.input_id] = event
            seen = self.lines.echoes and event.input_id in self._mine and event.how == "send"
            return () if seen else words.lines(event)
        waited = self.waiting.pop(event.input_id, None)
        if isinstance(event, events.InputTaken):
            self.working = True
            if waited is None or waited.how == "send":
                return ()
            return (f"The agent has it now: {one_line(waited.text)}",)
        return words.lines(event)

    def _changed(self, event: events.SessionChanged) -> None:
        given = {name: getattr(event, name) for name in ("title", "model", "mode", "cwd")}
        kept = {name: value for name, value in given.items() if value is not None}
        self.session = replace(self.session, **kept)

    # --- what is typed ---------------------------------------------------------------------

    async def _talk(self) -> None:
        if self.lines.echoes:
            await first_run.offer(self)
        while True:
            try:
                text = await self.lines.read(self.hidden)
                if text is None:
                    await self._input_ended()
                else:
                    await self.take(text)
            except KeyboardInterrupt:
                await self._interrupt()
            except HermesError as error:
                self.say(sentence(f"That did not work: {error.message}", error.hint))

    async def take(self, text: str) -> None:
        """One text: a command, an answer that was asked for, or something to say."""
        expects, self.expects, self.hidden = self.expects, None, False
        slash = commands.is_command(text)
        if expects is not None and not (slash and commands.parse(text)[0]):
            await expects(text)
        elif slash:
            from hermes_tui.plain.commands import run_command

            await run_command(self, text)
        elif text.strip() and not await answering.take(self, text):
            await self.send(text, "auto")

    async def send(self, text: str, how: Literal["auto", "steer", "queue"]) -> None:
        """Say something; it is stored when this returns."""
        input_id = uuid.uuid4().hex
        self._mine.add(input_id)
        sent = await self.client.ask(
            Send(
                session=self.session.id,
                text=text,
                how=how,
                input_id=input_id,
                standing=self.request.standing,
                face=FACE,
            )
        )
        self._sent = max(self._sent, sent.n)

    async def stop(self) -> None:
        """Stop the turn; what waited is printed, so that it can be sent again."""
        stopped = await self.client.ask(Stop(session=self.session.id))
        if not stopped.was_running:
            self.say("Nothing is running.")
        for text in stopped.texts:
            self.say(f"Not sent, it was waiting: {text}")

    async def _interrupt(self) -> None:
        now = time.monotonic()
        self.expects = None
        if self.working:
            await self.stop()
        elif now - self._interrupted < AGAIN_S:
            await self.leave_quietly()
        else:
            self._interrupted = now
            self.say("Press ctrl+c again to leave.")

    # --- leaving ---------------------------------------------------------------------------

    async def _input_ended(self) -> None:
        if not self.embedded:
            if self.working:
                self.say("The input has ended. The agent goes on working.")
            raise Left(None)
        self._attended = False
        await self._answer_for_nobody()
        if self._busy():
            self.say("The input has ended. Waiting for the running turn.")
        while self._busy():
            self._news.clear()
            await self._news.wait()
        await self.leave_quietly()

    def _busy(self) -> bool:
        return self.working or bool(self.waiting) or self._seen < self._sent

    async def _answer_for_nobody(self) -> None:
        """Once the input has ended, what asks is denied, for nobody can answer any more."""
        if not self._attended:
            for one in tuple(self.pending.values()):
                if not getattr(one, "until", 0):  # it waits for somebody who comes later
                    await answering.nobody(self, one)

    async def leave_quietly(self) -> None:
        """End the core if it was only here for us, else leave it running."""
        raise Left("quit" if self.embedded and not await answering.cut_off(self) else None)


def _opening(view: SessionView) -> Iterable[str]:
    info = view.info
    yield sentence(
        f"Session «{info.title or 'untitled'}»",
        f"Model {info.model or 'default'}, mode {info.mode}",
    )
    said = [
        record.event
        for record in view.records
        if isinstance(
            record.event, (events.InputReceived, events.ReplyReceived, events.MessageImported)
        )
        and record.event.text
    ]
    if len(said) > EARLIER or view.more:
        yield "Earlier messages are left out here; /find TEXT searches them."
    for event in said[-EARLIER:]:
        yield from words.lines(event)
    yield (
        "Working." if info.state == "working" else "Type and press Enter. /help lists the commands."
    )
