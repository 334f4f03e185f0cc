"""A memory provider kept off the person's clock: deadlines, a queue, rest after failures.

Nothing here ever raises into a turn. What went wrong is kept as one problem to be told, once,
until the provider answers again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from hermes_tui.intents.memory import Fact
from hermes_tui.memory.place import Place
from hermes_tui.memory.provider import Answer, Heard, Provider, ProviderError

T = TypeVar("T")
Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
_QUEUE = 500
_REST_S = (15.0, 60.0, 300.0, 900.0)
"""Seconds of rest after the first, second, … failure in a row."""


class Beside:
    """One provider. spawn: starts a task that the core keeps; timeout_s: limit of one request."""

    def __init__(self, provider: Provider, spawn: Spawn, timeout_s: float) -> None:
        self.provider = provider
        self._spawn = spawn
        self._timeout_s = timeout_s
        self._queue: deque[Callable[[], Awaitable[None]]] = deque(maxlen=_QUEUE)
        self._worker: asyncio.Task[None] | None = None
        self._fetching: set[asyncio.Task[None]] = set()
        self._cards: dict[str, tuple[str, ...]] = {}
        self._late: dict[str, str] = {}
        self._failures = 0
        self._rests_until = 0.0
        self._problem = ""
        self._told = ""

    # --- what is handed over, whenever it can be ---------------------------------------------

    def observe(self, messages: tuple[Heard, ...], place: Place) -> None:
        """Hand a turn's messages over, and look at the card anew afterwards."""
        self._later(lambda: self.provider.observe(messages, place))
        self._later(lambda: self._refresh(place))

    def conclude(self, fact: Fact) -> None:
        """Hand a statement over."""
        self._later(lambda: self.provider.conclude(fact))

    def look(self, place: Place) -> None:
        """Fetch the card, for the next session that begins."""
        if place.person not in self._cards:
            self._later(lambda: self._refresh(place))

    # --- what is asked -----------------------------------------------------------------------

    def card(self, place: Place) -> tuple[str, ...]:
        """The card as it was last seen; empty until then. Never for a group."""
        return () if place.group else self._cards.get(place.person, ())

    async def context(self, said: str, session: str, place: Place, wait_s: float) -> str:
        """What the provider has for what was said, or had, too late, for what was said before."""
        if place.group or self._resting():
            return ""
        task = self._spawn(self._fetch(said, session, place))
        self._fetching.add(task)
        task.add_done_callback(self._fetching.discard)
        if wait_s > 0:
            await asyncio.wait([task], timeout=wait_s)
        return self._late.pop(session, "")

    async def ask(self, question: str, session: str, place: Place) -> Answer | None:
        """The provider's answer; None when it gives none in time."""
        if self._resting():
            return None
        return await self._try(lambda: self.provider.ask(question, session, place))

    def problem(self) -> str:
        """What is wrong with the provider, told once; empty while all is well."""
        if not self._problem or self._problem == self._told:
            return ""
        self._told = self._problem
        return self._problem

    @property
    def trouble(self) -> str:
        """What is wrong right now, whether told or not."""
        return self._problem

    async def close(self) -> None:
        """Hand over what waits for at most a second, then let go."""
        if self._worker is not None and not self._worker.done():
            if not self._resting():
                await asyncio.wait([self._worker], timeout=1.0)
            self._worker.cancel()
        for task in self._fetching:
            task.cancel()
        with contextlib.suppress(ProviderError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self.provider.close()

    # --- inside ------------------------------------------------------------------------------

    def _later(self, work: Callable[[], Awaitable[None]]) -> None:
        self._queue.append(work)
        if self._worker is None or self._worker.done():
            self._worker = self._spawn(self._work())

    async def _work(self) -> None:
        while self._queue:
            if (rest := self._rests_until - time.monotonic()) > 0:
                await asyncio.sleep(rest)
            work = self._queue[0]
            failures = self._failures
            await self._try(work)
            if self._failures == failures or len(_REST_S) <= failures:
                self._queue.popleft()

    async def _refresh(self, place: Place) -> None:
        self._cards[place.person] = await self.provider.card(place)

    async def _fetch(self, said: str, session: str, place: Place) -> None:
        found = await self._try(lambda: self.provider.context(said, session, place))
        if found and found.strip():
            self._late[session] = found.strip()

    async def _try(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Do it within the deadline; None when it failed, which is noted."""
        try:
            async with asyncio.timeout(self._timeout_s):
                done = await work()
        except ProviderError as error:
            self._failed(f"{error.message}. {error.hint}".rstrip(". ") + ".")
        except TimeoutError:
            self._failed(f"{self.provider.name} did not answer within {self._timeout_s:g} s.")
        else:
            self._failures, self._problem, self._told = 0, "", ""
            return done
        return None

    def _failed(self, why: str) -> None:
        rest = _REST_S[min(self._failures, len(_REST_S) - 1)]
        self._failures += 1
        self._rests_until = time.monotonic() + rest
        self._problem = why

    def _resting(self) -> bool:
        return time.monotonic() < self._rests_until
