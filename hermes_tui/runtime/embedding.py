"""Asks an embedding model what texts mean: a question at once or not at all, the rest in idle time.

Every request passes the gate of `spend`. A provider that fails rests; nothing waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from hermes_tui.config import RecallConfig
from hermes_tui.errors import HermesError, ModelError
from hermes_tui.events import Usage
from hermes_tui.models.metered import BYTES_A_TOKEN, Call, Scope
from hermes_tui.search import meaning
from hermes_tui.search.answer import hits_of

if TYPE_CHECKING:
    from hermes_tui.models.prices import Price
    from hermes_tui.runtime.core import Core

_log = logging.getLogger(__name__)
_BATCH, _STRETCH = 32, 2048
_CHARS = 2000
"""What is sent of one message."""
_PAUSE_S, _AGAIN_S, _TIMEOUT_S = 0.2, 600.0, 30.0
_REST_S = (60.0, 300.0, 1800.0)
_KEPT = 64


class _Vector(Struct):
    embedding: list[float]
    index: int = 0


class _Answer(Struct):
    data: list[_Vector]


class _Call(Call):
    """A request for embeddings, as the gate sees it."""

    def __init__(self, name: str, tokens: int) -> None:
        super().__init__(None, Scope(task="embeddings"), tokens)
        self._name = name

    @property
    def model(self) -> str:
        """As the provider calls the model."""
        return self._name

    @property
    def price(self) -> Price | None:
        """What it costs, None where that is not known."""
        from hermes_tui.models.prices import price_of

        return price_of(self._name)


class Embedding:
    """One core's way to an embedding model; off unless `recall.embeddings` names one."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._client: Any = None
        self._filling: asyncio.Task[None] | None = None
        self._asked: dict[str, bytes] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._failures = 0
        self._rests_until = 0.0

    @property
    def settings(self) -> RecallConfig:
        """The settings in force."""
        return self._core.config.recall

    async def of(self, question: str) -> bytes:
        """What a question means; empty when that can't be had in time, for this time."""
        if not self.settings.embeddings:
            return b""
        self._fill()
        key = f"{self.settings.embeddings}\n{question}"
        if key not in self._asked and not self._resting and key not in self._asking:
            self._asking[key] = self._core.spawn(self._learn(key, question))
        if (task := self._asking.get(key)) is not None:
            await asyncio.wait([task], timeout=self.settings.wait_s)
        return self._asked.get(key, b"")

    async def _learn(self, key: str, question: str) -> None:
        try:
            (vector,) = await self._ask([question])
        except HermesError as error:
            self._failed(error)
            return
        finally:
            del self._asking[key]
        while len(self._asked) >= _KEPT:
            del self._asked[next(iter(self._asked))]
        self._asked[key] = vector

    # --- the rest, in the background ---------------------------------------------------------

    @property
    def _resting(self) -> bool:
        return time.monotonic() < self._rests_until

    def _fill(self) -> None:
        if self._filling is None or self._filling.done():
            self._filling = self._core.spawn(self._fill_all())

    async def _fill_all(self) -> None:
        """Go through all messages, newest first, now and again while the core lives."""
        while self.settings.embeddings and not self._core.end_reason:
            name = self.settings.embeddings
            await self._core.db.write(lambda c, name=name: meaning.of_model(c, name))
            end = await self._core.db.read(meaning.newest) + 1
            while end > 0 and self.settings.embeddings == name:
                end = await self._stretch(end)
            await asyncio.sleep(_AGAIN_S if self.settings.embeddings == name else _PAUSE_S)

    async def _stretch(self, end: int) -> int:
        """Ask about the messages of one stretch of ids; where the next one ends."""
        first = max(0, end - _STRETCH)
        ids = await self._core.db.read(lambda c: meaning.missing(c, first, end))
        for at in range(0, len(ids), _BATCH):
            if (rest := self._rests_until - time.monotonic()) > 0:
                await asyncio.sleep(rest)
            try:
                await self._put(ids[at : at + _BATCH])
            except HermesError as error:
                self._failed(error)
                return end
            await asyncio.sleep(_PAUSE_S)
        return first

    async def _put(self, ids: list[int]) -> None:
        scores = dict.fromkeys(ids, 0.0)
        hits = await self._core.db.read(lambda c: hits_of(c, ids, scores, whole=True))
        if len(hits) < len(ids):
            return  # a session was deleted meanwhile; the next round sees what is left
        texts = [hit.text[:_CHARS] or " " for hit in hits]
        vectors = list(zip(ids, await self._ask(texts), strict=True))
        await self._core.db.write(lambda c: meaning.put(c, vectors), durable=False)

    # --- asking ------------------------------------------------------------------------------

    async def _ask(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts. Raises ModelError, also when a cap is reached."""
        name = self.settings.embeddings
        tokens = int(sum(len(one.encode()) for one in texts) / BYTES_A_TOKEN) + 1
        gate = self._core.workshop.spend
        account = await gate.allow(_Call(name, tokens)) if gate is not None else 0
        used = Usage()
        try:
            vectors = await self._request(name, texts)
            used = Usage(prompt=tokens)
        finally:
            if gate is not None:
                gate.settle(account, used, guessed=True)
        self._failures = 0
        return vectors

    async def _request(self, name: str, texts: Sequence[str]) -> list[bytes]:
        base, headers = await asyncio.to_thread(self._where)
        if self._client is None:
            made = await asyncio.to_thread(_new_client)  # to load and set up TLS takes a while
            self._client = self._client or made
        import httpx2

        body = {"model": name, "input": list(texts), "encoding_format": "float"}
        try:
            answer = await self._client.post(f"{base}/embeddings", json=body, headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise ModelError(f"embeddings: {error or type(error).__name__}") from error
        if not answer.is_success:
            raise ModelError(f"embeddings: HTTP {answer.status_code}")
        try:
            data = msgspec.json.decode(answer.content, type=_Answer).data
        except msgspec.MsgspecError as error:
            raise ModelError(f"embeddings: the answer can't be read: {error}") from error
        if len(data) != len(texts):
            raise ModelError(f"embeddings: {len(data)} vectors for {len(texts)} texts")
        data.sort(key=lambda one: one.index)
        return [meaning.pack(one.embedding) for one in data]

    def _where(self) -> tuple[str, dict[str, str]]:
        from hermes_tui.models.credentials import first_key, read_secrets

        settings, model = self.settings, self._core.config.model
        base = (settings.base_url or model.base_url).rstrip("/")
        if not base:
            raise ModelError("embeddings: no address", "set recall.base_url")
        own = not settings.base_url or settings.base_url == model.base_url
        name = settings.api_key_env or (model.api_key_env if own else "")
        key = first_key([name], os.environ, read_secrets(self._core.home)) if name else ""
        return base, {"Authorization": f"Bearer {key}"} if key else {}

    def _failed(self, error: HermesError) -> None:
        """Rest; longer each time, and say so once."""
        rest = _REST_S[min(self._failures, len(_REST_S) - 1)]
        self._failures += 1
        self._rests_until = time.monotonic() + rest
        _log.log(
            logging.WARNING if self._failures == 1 else logging.INFO,
            "recall goes on by words alone for %.0f s: %s",
            rest,
            error.message,
        )

    async def close(self) -> None:
        """Let go of the connection."""
        for task in (self._filling, *self._asking.values()):
            if task is not None:
                task.cancel()
        if self._client is not None:
            await self._client.aclose()


def _new_client() -> Any:
    import httpx2

    return httpx2.AsyncClient(timeout=_TIMEOUT_S)
