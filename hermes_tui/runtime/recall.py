"""Recall in a living core: searching, summing up with the model, indexing what is older."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui import intents
from hermes_tui.errors import HermesError, ModelError, StoreError
from hermes_tui.models.base import Message, Request
from hermes_tui.search.index import Asking, look
from hermes_tui.search.summary import summarise
from hermes_tui.search.where import Asker, asker_of
from hermes_tui.store import message_index

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.embedding import Embedding

_log = logging.getLogger(__name__)
_STEP = 200
_PAUSE_S = 0.01
_SOME_S = 2.0
_SUMMARY_S = 12.0
_SUMMARY_TOKENS = 600


class Recall:
    """Searches for faces and tools."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._task: asyncio.Task[None] | None = None
        self._embedding: Embedding | None = None

    async def find(self, intent: intents.Search, asker: Asker | None = None) -> intents.Hits:
        """Answer a search. asker None: the person at this machine, who may see everything."""
        if self._task is None:
            await self._index_some(_SOME_S)
        asking = Asking(
            text=intent.query,
            limit=intent.limit,
            budget=intent.budget,
            session=intent.session,
            asker=asker,
            meant=await self._meant(intent.query),
            weight=self._core.config.recall.weight,
        )
        found = await look(self._core.db, asking)
        if intent.summary and found.hits:
            return await self._with_summary(intent.query, found)
        return found

    async def _meant(self, question: str) -> bytes:
        """What a question means; empty while nobody is asked that."""
        if not self._core.config.recall.embeddings:
            return b""
        if self._embedding is None:
            from hermes_tui.runtime.embedding import Embedding

            self._embedding = Embedding(self._core)
        return await self._embedding.of(question)

    async def asker(self, session: str) -> Asker:
        """Who asks when a session's tool does."""
        return await self._core.db.read(lambda c: asker_of(c, session))

    def start(self) -> None:
        """Index in the background what an older version of the program has stored."""
        self._task = self._core.spawn(self._index_all())

    async def close(self) -> None:
        """Leave off; what is not indexed yet is when the next core runs."""
        if self._task is not None:
            self._task.cancel()
        if self._embedding is not None:
            await self._embedding.close()

    async def _index_all(self) -> None:
        began = time.monotonic()
        left = await self._core.db.read(message_index.waiting)
        if not left:
            return
        _log.info("indexing %d older sessions for search", left)
        while left and not self._core.end_reason:
            left = await self._index_step()
            await asyncio.sleep(_PAUSE_S)
        _log.info("indexed for %.1f s, %d sessions left", time.monotonic() - began, left)

    async def _index_some(self, seconds: float) -> None:
        """In a core that lives for one command: a part of it, before the answer."""
        until = time.monotonic() + seconds
        left = await self._core.db.read(message_index.waiting)
        while left and time.monotonic() < until:
            left = await self._index_step()

    async def _index_step(self) -> int:
        try:
            return await self._core.db.write(
                lambda c: message_index.index_some(c, _STEP), durable=False
            )
        except StoreError as error:
            _log.warning("older sessions are not indexed: %s", error)
            return 0

    # --- summing up --------------------------------------------------------------------------

    async def _with_summary(self, question: str, found: intents.Hits) -> intents.Hits:
        try:
            async with asyncio.timeout(_SUMMARY_S):
                text = await summarise(self._core.db, question, found.hits, self)
        except TimeoutError:
            return _noted(found, f"summary: unavailable (no answer in {_SUMMARY_S:.0f} s)")
        except HermesError as error:
            return _noted(found, f"summary: unavailable ({error.message})")
        return replace(found, summary=text) if text else _noted(found, "summary: nothing to say")

    async def write(self, system: str, prompt: str) -> str:
        """Ask the model (`search.summary.Summariser`). Raises ModelError."""
        core = self._core
        model = core.aux_model("summaries")
        request = Request(
            system=system,
            messages=(Message(role="user", content=prompt),),
            max_tokens=_SUMMARY_TOKENS,
        )
        parts = [delta.text async for delta in model.stream(request)]
        if not (text := "".join(parts).strip()):
            raise ModelError("the model said nothing")
        return text


class SessionRecall:
    """Recall as one session's tool uses it: only what may come up there."""

    def __init__(self, recall: Recall, session: str) -> None:
        self._recall = recall
        self._session = session

    async def find(self, query: str, budget: int, summary: bool) -> intents.Hits:
        """Search for a session."""
        wish = intents.Search(
            query=query, limit=40, budget=budget, session=self._session, summary=summary
        )
        return await self._recall.find(wish, await self._recall.asker(self._session))


def _noted(found: intents.Hits, note: str) -> intents.Hits:
    return replace(found, note="; ".join(one for one in (found.note, note) if one))
