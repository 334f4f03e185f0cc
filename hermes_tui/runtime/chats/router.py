"""What waits in the inbox becomes inputs of sessions: in order, each once, the owner's first."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

import msgspec

from hermes_tui import commands
from hermes_tui.errors import HermesError
from hermes_tui.faults import point
from hermes_tui.gateways.base import Inbound
from hermes_tui.intents import AnswerQuestion, Send
from hermes_tui.runtime import handlers_talk
from hermes_tui.runtime.chats import commands as chat_commands
from hermes_tui.runtime.chats.telling import seconds_ago
from hermes_tui.store.inbox import Incoming

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats

_log = logging.getLogger(__name__)
MOST_TOGETHER = 20
MOST_CHARS = 16_000
LATE_S = 60.0
"""From this age on an input says when it was sent."""
_AGAIN_S = 5.0


class Router:
    """Works on the inbox. `wake` says that something waits from a chat."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._core = chats.core
        self._wake = asyncio.Event()
        self._news: dict[str, asyncio.Event] = {}
        self._at_work: dict[str, str] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._over: dict[str, asyncio.Event] = {}
        self._inputs: dict[str, deque[float]] = {}

    def wake(self, target: str) -> None:
        """Something waits from a chat."""
        if (news := self._news.get(target)) is not None:
            news.set()
        self._wake.set()

    def turn_ended(self, session: str) -> None:
        """A session has nothing left to do."""
        if (over := self._over.get(session)) is not None:
            over.set()

    async def run(self) -> None:
        """Until it is cancelled. So many chats at once as the settings say, and the owner's."""
        while True:
            self._wake.clear()
            for target, rank in await self._chats.inbox.targets():
                guests = sum(one != "owner" for one in self._at_work.values())
                full = guests >= self._core.config.gateways.parallel
                if target not in self._news and (rank == 0 or not full):
                    self._news[target] = asyncio.Event()
                    self._at_work[target] = "owner" if rank == 0 else "guest"
                    worker = self._core.spawn(self._work(target))
                    self._workers.add(worker)
                    worker.add_done_callback(self._workers.discard)
            await self._wake.wait()

    async def close(self) -> None:
        """Work on nothing more; what waits, waits for the next core."""
        for worker in self._workers:
            worker.cancel()
        if self._workers:
            await asyncio.wait(self._workers, timeout=5)

    async def _work(self, target: str) -> None:
        """Everything that waits from one chat, until nothing does and its turn has ended."""
        try:
            while True:
                self._news[target].clear()
                rows = await self._chats.inbox.of(target)
                if rows:
                    await self._some_guarded(target, rows)
                elif not await self._more(target):
                    return
        except HermesError as error:  # the store is full or damaged: what waits, waits on
            _log.warning("%s waits: %s", target, error)
            await asyncio.sleep(_AGAIN_S)
        finally:
            self._news.pop(target, None)
            self._at_work.pop(target, None)
            self._wake.set()

    async def _more(self, target: str) -> bool:
        """Whether something comes from the chat before its session has come to rest."""
        chat = await self._chats.rows.of_target(target)
        session = self._core.sessions.get(chat.session) if chat is not None else None
        if session is None or not session.working:
            return False
        over = self._over.setdefault(session.id, asyncio.Event())
        over.clear()
        news = self._news[target]
        if session.working and not news.is_set():
            waits = [asyncio.create_task(one.wait()) for one in (over, news)]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for one in waits:
                one.cancel()
        self._over.pop(session.id, None)
        return news.is_set() or session.working

    # --- what came -----------------------------------------------------------------------

    async def _some_guarded(self, target: str, rows: Sequence[Incoming]) -> None:
        """The same, where a defect of ours ends neither the core nor what waits behind it."""
        try:
            await self._some(target, rows)
        except HermesError:
            raise
        except Exception:  # noqa: BLE001 - one message must not end the core
            _log.exception("a message of %s failed inside", target)
            text = "That failed inside; `hermes daemon logs` has the whole story."
            await self._chats.say(target, text, key=f"{target}#failed{rows[0].id}")
            await self._chats.inbox.done(rows[0].id)

    async def _some(self, target: str, rows: Sequence[Incoming]) -> None:
        """Work on the first of what waits: a command, a press, or a text and what belongs to it."""
        first = message_of(rows[0])
        if self._chats.people.role(first.platform, first.sender) is None:
            await self._chats.inbox.done(rows[0].id)  # put out since they wrote
            return
        if self._is_late(first):
            await self._list_late(target, rows)
        elif first.pressed:
            await self._alone(rows[0], chat_commands.press(self._chats, first))
        elif _is_command(first):
            await self._alone(rows[0], chat_commands.run(self._chats, first))
        else:
            await self._text(target, rows)

    async def _alone(self, row: Incoming, work: Awaitable[None]) -> None:
        """A command or press: what died with a core in the middle of it is not repeated."""
        await self._chats.inbox.done(row.id)
        point("chat.command")
        await work

    async def _text(self, target: str, rows: Sequence[Incoming]) -> None:
        batch = together(rows)
        if not batch[0].batch:
            gather = self._core.config.gateways.gather_s
            left = batch[-1].received + gather - time.time()
            if left > 0 and len(batch) < MOST_TOGETHER and len(batch) == len(rows):
                await asyncio.sleep(min(left, gather))
                return  # and look again at what has come
            await self._quota(target)
            await self._chats.inbox.together(batch)
            point("chat.together")
        await self._say(target, batch)
        await self._chats.inbox.done(*(row.id for row in batch))
        point("chat.done")

    async def _quota(self, target: str) -> None:
        """Wait while somebody says more in a minute than they may; what they say waits, too."""
        times = self._inputs.setdefault(target, deque())
        while True:
            now = time.monotonic()
            while times and times[0] < now - 60:
                times.popleft()
            if len(times) < self._core.config.gateways.per_minute:
                times.append(now)
                return
            await asyncio.sleep(times[0] + 60 - now)

    async def _say(self, target: str, batch: Sequence[Incoming]) -> None:
        messages = [message_of(row) for row in batch]
        first = messages[0]
        if await self._chats.hooks.passed_on(first):
            return
        chat = await self._chats.chat_for(first)
        session = await self._core.session(chat.session)
        owner = batch[0].rank == 0
        asked = next(iter(session.conversation.questions.values()), None)
        text = "\n".join(map(_spoken, messages))
        if asked is not None and owner and not first.files:
            answer = AnswerQuestion(session=session.id, ask_id=asked.ask_id, text=text, face=target)
            await session.answer_question(answer)
            return
        send = Send(
            session=session.id,
            text=text,
            input_id=f"{target}#{first.message}",
            standing=self._chats.standing(session),
            attended=owner and not first.untrusted,
            face=target,
            untrusted=first.untrusted,
        )
        await handlers_talk.send(self._core, send, self._chats.telling.face)
        point("chat.said")
        await self._chats.rows.heard(chat.key, time.time())

    # --- what came too late --------------------------------------------------------------

    def _is_late(self, message: Inbound) -> bool:
        limit = self._core.config.gateways.late_minutes * 60
        return bool(message.ts) and time.time() - message.ts > limit

    async def _list_late(self, target: str, rows: Sequence[Incoming]) -> None:
        late = [row for row in rows if self._is_late(message_of(row))]
        said = [message_of(row) for row in late]
        lines = [f"- {one.text[:200] or 'a file'} ({seconds_ago(one.ts)})" for one in said]
        text = "I was away too long to act on this; send it again if it still holds:\n\n"
        await self._chats.say(target, text + "\n".join(lines), key=f"{target}#late{late[0].id}")
        await self._chats.inbox.done(*(row.id for row in late))


def message_of(row: Incoming) -> Inbound:
    """The message of a row."""
    return msgspec.json.decode(row.data, type=Inbound)


def together(rows: Sequence[Incoming]) -> list[Incoming]:
    """The rows that make one input: fixed before, or texts of one person in one go."""
    first = rows[0]
    if first.batch:
        return [row for row in rows if row.batch == first.batch]
    sender = message_of(first).sender
    batch: list[Incoming] = []
    room = MOST_CHARS
    for row in rows[:MOST_TOGETHER]:
        message = message_of(row)
        room -= len(message.text)
        other = message.sender != sender or message.pressed or _is_command(message) or row.batch
        other = other or message.untrusted  # each call of a program is for itself
        if batch and (other or room < 0):
            break
        batch.append(row)
    return batch


def _is_command(message: Inbound) -> bool:
    return not message.untrusted and commands.is_command(message.text)


def _spoken(message: Inbound) -> str:
    """A message as the agent gets it."""
    lines: list[str] = []
    if message.untrusted:
        lines.append(f"[What follows was sent by {message.untrusted}; no person wrote it.]")
    if message.ts and time.time() - message.ts > LATE_S:
        lines.append(f"[sent {seconds_ago(message.ts)}]")
    if message.group and message.name:
        lines.append(f"[{message.name}]")
    lines += [message.text] if message.text else []
    for file in message.files:
        about = f"@{file.path}" if file.path else f"not kept: {file.problem}"
        lines.append(f"[{file.kind} {file.name}: {about}]")
    return "\n".join(lines)
