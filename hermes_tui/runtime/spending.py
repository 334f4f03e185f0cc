"""What models may cost and did cost: the one gate of all model calls, and its account.

Chat, one-shot runs, summaries, sub-sessions, jobs and other tasks all pass `allow` before a
request is sent. The account is in the store, so a cap holds over a restart; a call that was under
way when a core died counts as what it was expected to take.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator

from hermes_tui.config import SpendConfig
from hermes_tui.errors import ModelError
from hermes_tui.events import Usage
from hermes_tui.intents import SpendCap, SpendTotal
from hermes_tui.models.metered import Call, Scope
from hermes_tui.runtime.spend_sums import Sum, Sums
from hermes_tui.store import spend
from hermes_tui.store.db import Database
from hermes_tui.store.spend import Entry

_log = logging.getLogger(__name__)
_LIKELY_TOKENS = 500
"""Completion a call under way is expected to have, until it says."""


class Spending:
    """Implements `models.metered.Gate`. settings: the caps as they are now."""

    def __init__(
        self,
        db: Database,
        settings: Callable[[], SpendConfig],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._settings = settings
        self._clock = clock
        self._newest = -1
        self._opening = asyncio.Lock()
        self._sums = Sums()
        self._written: set[asyncio.Future[None]] = set()

    async def allow(self, call: Call) -> int:
        """Let a call pass and open its account. Raises ModelError of kind `cap`."""
        caps = self._settings()
        async with self._opening:  # of calls at the same moment, each sees those before it
            if not call.own:
                await self._check(call, caps)
            if self._newest < 0:
                self._newest = await self._db.read(spend.newest)
            self._newest += 1
            account = self._newest
            entry = self._entry(account, call)
            opened = self._db.submit(spend.begin(entry), durable=False)
            self._follow(opened)
            self._sums.opened(account, self._accounts(call.scope), entry.usage)
            if not call.own and _capped(caps):
                await self._on_disk(opened, account)
        return account

    async def _on_disk(self, opened: asyncio.Future[None], account: int) -> None:
        """Wait until a call is written down, so that a cap holds even if this process dies."""
        try:
            await asyncio.shield(opened)
        except asyncio.CancelledError:
            self.settle(account, Usage())
            raise

    def settle(self, account: int, usage: Usage, guessed: bool = False) -> None:
        """Close the account of a call with what it took."""
        self._sums.closed(account, usage)
        closed = self._db.submit(spend.close(account, usage, guessed), durable=False)
        self._follow(closed)

    def _follow(self, write: asyncio.Future[None]) -> None:
        """Nobody waits for a write but who asks for a sum after it."""
        self._written.add(write)
        write.add_done_callback(self._written.discard)
        write.add_done_callback(_told)

    async def _whole(self) -> None:
        """Have everything written that was to be written until now."""
        if self._written:
            await asyncio.wait(self._written)

    async def may(self, scope: Scope) -> bool:
        """Whether a call of a scope would pass now, as far as that can be told without it."""
        try:
            await self.check(scope)
        except ModelError:
            return False
        return True

    async def check(self, scope: Scope) -> None:
        """Raise ModelError of kind `cap` when a cap of a scope is reached."""
        async with self._opening:
            await self._check(Call(None, scope), self._settings(), priced=False)

    async def used(self, scope: Scope) -> tuple[SpendCap, ...]:
        """The caps that hold for a scope, and what was used of each."""
        found: list[SpendCap] = []
        for name, money, tokens in _holding(self._settings(), scope):
            async with self._opening:
                spent = await self._spent(name, scope)
            if money is not None:
                found.append(SpendCap(name=f"spend.{name}", used=spent.cost, cap=money))
            if tokens is not None:
                found.append(SpendCap(name=f"spend.{name}_tokens", used=spent.tokens, cap=tokens))
        return tuple(found)

    async def sessions(self, since: float) -> int:
        """How many sessions had a call since a time."""
        await self._whole()
        return await self._db.read(spend.sessions(since))

    async def total(self, *, session: str = "", job: str = "", since: float = 0.0) -> SpendTotal:
        """The sum since a time, of one session or one job where that is named."""
        await self._whole()
        return await self._db.read(spend.total(since=since, session=session, job=job))

    async def totals(self, by: str, *, since: float = 0.0, session: str = "") -> list[SpendTotal]:
        """Sums told apart by `store.spend.GROUPS`."""
        await self._whole()
        return await self._db.read(spend.totals(by, since=since, session=session))

    def midnight(self) -> float:
        """When today began, here."""
        now = time.localtime(self._clock())
        return time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1))

    # --- the caps ------------------------------------------------------------------------------

    async def _check(self, call: Call, caps: SpendConfig, *, priced: bool = True) -> None:
        scope = call.scope
        for name, money, tokens in _holding(caps, scope):
            spent = await self._spent(name, scope)
            if tokens is not None and spent.tokens >= tokens:
                raise _reached(name, f"{spent.tokens:,} of {tokens:,} tokens", "_tokens")
            if money is None:
                continue
            free = call.price is not None and not (call.price.prompt or call.price.completion)
            if money == 0 or (round(spent.cost, 9) >= money and not free):
                raise _reached(name, f"${spent.cost:.2f} of ${money:.2f}", "")
            if priced and tokens is None and call.price is None:
                await call.learn()
                if call.price is None:
                    raise _unpriced(name, call)

    async def _spent(self, name: str, scope: Scope) -> Sum:
        """What was used of a cap; a job's is that of a day, or one that runs for months would
        stop for good. Only while `_opening` is held.
        """
        today = self.midnight()
        day, session, job = self._accounts(scope)
        match name:
            case "session":
                return await self._sums.of(session, lambda: self.total(session=scope.session))
            case "job":
                return await self._sums.of(job, lambda: self.total(job=scope.job, since=today))
            case _:
                return await self._sums.of(day, lambda: self.total(since=today))

    def _accounts(self, scope: Scope) -> tuple[str, str, str]:
        """What the sums a call counts in are called: the day's, its session's, its job's."""
        today = self.midnight()
        return f"day {today}", f"session {scope.session}", f"job {today} {scope.job}"

    def _entry(self, account: int, call: Call) -> Entry:
        likely = Usage(prompt=call.tokens, completion=_LIKELY_TOKENS)
        price = call.price if _capped(self._settings()) else None
        cost = None if price is None else price.of(likely)
        return Entry(
            id=account,
            ts=self._clock(),
            session=call.scope.session,
            job=call.scope.job,
            task=call.scope.task,
            provider=call.provider,
            model=call.model,
            usage=Usage(prompt=likely.prompt, completion=likely.completion, cost=cost),
        )


def _holding(caps: SpendConfig, scope: Scope) -> Iterator[tuple[str, float | None, int | None]]:
    """(scope, money, tokens) of the caps that are set and hold for a call."""
    if caps.day is not None or caps.day_tokens is not None:
        yield "day", caps.day, caps.day_tokens
    if scope.session and (caps.session is not None or caps.session_tokens is not None):
        yield "session", caps.session, caps.session_tokens
    if scope.job and (caps.job is not None or caps.job_tokens is not None):
        yield "job", caps.job, caps.job_tokens


def _capped(caps: SpendConfig) -> bool:
    return caps != SpendConfig()


def _reached(name: str, spent: str, more: str) -> ModelError:
    what = {"day": "today's cap", "session": "this session's cap", "job": "this job's cap"}[name]
    return ModelError(
        f"{what} is reached: {spent}; no model was asked",
        f"raise it with `hermes config set spend.{name}{more} N`, or unset it",
        "cap",
    )


def _unpriced(name: str, call: Call) -> ModelError:
    return ModelError(
        f"spend.{name} is a cap in money, and the price of {call.model or 'this model'} is not"
        " known; no model was asked",
        f"set model.price_in and model.price_out (0 where it is free), or spend.{name}_tokens",
        "cap",
    )


def _told(done: asyncio.Future[None]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        _log.error("the account of a model call could not be kept: %s", error)
