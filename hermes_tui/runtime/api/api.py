"""OpenAI's API over the core's HTTP port, and runs with their events and approvals."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hermes_tui.codec import encode_record
from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Call
from hermes_tui.http import reading, shapes
from hermes_tui.http.base import HttpError, Reply, Stream, as_json
from hermes_tui.http.hearing import Hearing, Piece
from hermes_tui.http.listener import HttpListener
from hermes_tui.http.reading import Wanted
from hermes_tui.runtime.api import answering
from hermes_tui.runtime.api.asking import Asking, digest_of
from hermes_tui.runtime.api.jobs import Jobs
from hermes_tui.store.http_rows import HttpRows, Request

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_log = logging.getLogger(__name__)
ALIVE_S = 15.0
"""Seconds of silence after which a stream says that it is still there."""
_KEY = 200


class Api:
    """The API of one core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._rows = HttpRows(core.db)
        self._asking = Asking(core, self._rows)
        self._jobs = Jobs(core, self._rows)
        self._making: dict[str, asyncio.Future[Request]] = {}

    def add_to(self, listener: HttpListener) -> None:
        """Have the listener answer the paths of the API."""
        listener.serve("POST", "/v1/chat/completions", self._chat)
        listener.serve("GET", "/v1/models", self._models)
        listener.serve("GET", "/v1/models/{id}", self._model)
        listener.serve("POST", "/v1/responses", self._response)
        listener.serve("GET", "/v1/responses/{id}", self._get_response)
        listener.serve("POST", "/v1/responses/{id}/cancel", self._cancel_response)
        listener.serve("POST", "/v1/runs", self._run)
        listener.serve("GET", "/v1/runs/{id}", self._get_run)
        listener.serve("GET", "/v1/runs/{id}/events", self._events)
        listener.serve("POST", "/v1/runs/{id}/{what}", self._act)

    async def start(self) -> None:
        """Take up what an earlier core left."""
        await self._rows.forget(self._core.config.http.keep_days)
        await self._jobs.recover()

    async def close(self) -> None:
        """Begin nothing more."""
        await self._jobs.close()

    # --- requests ------------------------------------------------------------------------

    async def _begun(self, call: Call, wanted: Wanted) -> Request:
        """The request of a call: a new one, or the one that was made under the same key."""
        key = call.headers.get("idempotency-key", "").strip()
        if len(key) > _KEY:
            raise HttpError(400, f"an Idempotency-Key has at most {_KEY} characters")
        session = call.headers.get("x-hermes-session", "").strip()
        wanted = replace(wanted, session=session or wanted.session)
        digest = digest_of(wanted)
        name = f"{wanted.way}:{key}" if key else os.urandom(16).hex()
        id = hashlib.sha256(name.encode()).hexdigest()[:24]
        row = await self._made(id, digest, wanted, bool(key))
        if row.digest != digest:
            text = "this Idempotency-Key was used for another request"
            raise HttpError(422, text, code="idempotency_key_reused")
        self._jobs.begin(row)
        return row

    async def _made(self, id: str, digest: str, wanted: Wanted, keyed: bool) -> Request:
        """The row of a request, made once even if it comes twice at one time."""
        making = self._making.get(id)
        if making is None:
            making = asyncio.ensure_future(self._make(id, digest, wanted, keyed))
            self._making[id] = making
            making.add_done_callback(lambda made: self._was_made(id, made))
        return await asyncio.shield(making)

    def _was_made(self, id: str, made: asyncio.Future[Request]) -> None:
        self._making.pop(id, None)
        if not made.cancelled() and (error := made.exception()) is not None:
            _log.debug("http: request %s was not made: %s", id, error)

    async def _make(self, id: str, digest: str, wanted: Wanted, keyed: bool) -> Request:
        row = await self._rows.request(id) if keyed else None
        return row or await self._asking.request(wanted, id, digest, keyed)

    async def _known(self, id: str) -> Request:
        plain = id.rpartition("_")[2].rpartition("-")[2]
        row = await self._rows.request(plain)
        if row is None:
            raise HttpError(404, f"there is no {id}", code="not_found")
        return row

    def _about(self, row: Request) -> shapes.About:
        return shapes.About(row.id, row.created, row.model, row.session)

    async def _to_the_end(self, row: Request) -> Hearing:
        heard = Hearing(row.id)
        async with aclosing(self._jobs.follow(row, heard)) as records:
            async for _ in records:
                continue
        return heard

    # --- chat completions ----------------------------------------------------------------

    async def _chat(self, call: Call, parts: dict[str, str]) -> Reply:
        wanted = reading.chat(call.body)
        row = await self._begun(call, wanted)
        about = self._about(row)
        if wanted.stream:
            shape = shapes.ChatStream(about, wanted.usage)
            return self._streamed(row, about, lambda heard: shape.begin(), shape.more, shape.end)
        heard = await self._to_the_end(row)
        if (error := shapes.failure(heard)) is not None:
            return error.answer(about.headers)
        return as_json(shapes.completion(heard, about), headers=about.headers)

    # --- responses -----------------------------------------------------------------------

    async def _response(self, call: Call, parts: dict[str, str]) -> Reply:
        wanted = reading.response(call.body)
        row = await self._begun(call, wanted)
        about = self._about(row)
        if wanted.stream:
            shape = shapes.ResponseStream(about, row.asked)
            return self._streamed(row, about, shape.begin, shape.more, shape.end)
        if wanted.background:
            return as_json(shapes.response(Hearing(row.id), about, row.asked), 200, about.headers)
        heard = await self._to_the_end(row)
        error = shapes.failure(heard)
        if error is not None and heard.outcome != "stopped":
            return error.answer(about.headers)
        return as_json(shapes.response(heard, about, row.asked), headers=about.headers)

    async def _get_response(self, call: Call, parts: dict[str, str]) -> Reply:
        row = await self._known(parts["id"])
        heard = await self._jobs.heard(row)
        return as_json(shapes.response(heard, self._about(row), row.asked))

    async def _cancel_response(self, call: Call, parts: dict[str, str]) -> Reply:
        row = await self._known(parts["id"])
        await self._jobs.stop(row)
        heard = await self._jobs.heard(await self._known(parts["id"]))
        return as_json(shapes.response(heard, self._about(row), row.asked))

    # --- models --------------------------------------------------------------------------

    async def _models(self, call: Call, parts: dict[str, str]) -> Reply:
        data = [self._listed(name) for name in self._asking.models()]
        return as_json({"object": "list", "data": data})

    async def _model(self, call: Call, parts: dict[str, str]) -> Reply:
        if parts["id"] not in self._asking.models():
            raise HttpError(404, f"there is no model {parts['id']!r}", code="model_not_found")
        return as_json(self._listed(parts["id"]))

    def _listed(self, name: str) -> dict[str, Any]:
        created = int(self._core.started)
        return {"id": name, "object": "model", "created": created, "owned_by": "hermes"}

    # --- runs ----------------------------------------------------------------------------

    async def _run(self, call: Call, parts: dict[str, str]) -> Reply:
        row = await self._begun(call, reading.run(call.body))
        about = self._about(row)
        return as_json(shapes.run(await self._jobs.heard(row), about), 202, about.headers)

    async def _get_run(self, call: Call, parts: dict[str, str]) -> Reply:
        row = await self._known(parts["id"])
        return as_json(shapes.run(await self._jobs.heard(row), self._about(row)))

    async def _events(self, call: Call, parts: dict[str, str]) -> Reply:
        row = await self._known(parts["id"])
        last = call.headers.get("last-event-id", "").strip() or call.query.get("after", "")
        if last and not last.isdecimal():
            raise HttpError(400, "Last-Event-ID is the number of an event")
        await self._jobs.heard(row)  # an answer by status, where there is nothing to stream
        about = self._about(row)
        pieces = _alive(self._pushed(row, about, int(last or 0)))
        return Stream(pieces=pieces, headers={**shapes.EVENTS, **about.headers})

    async def _pushed(
        self, row: Request, about: shapes.About, after: int
    ) -> AsyncGenerator[bytes, None]:
        heard = Hearing(row.id)
        async with aclosing(self._jobs.follow(row, heard, watching=True)) as records:
            async for record, _ in records:
                if record is None or (record.n and record.n <= after):
                    continue
                number = str(record.n) if record.n else ""
                yield shapes.sse(encode_record(record), record.event.kind, number)
        yield shapes.sse(shapes.run(heard, about), "run")

    async def _act(self, call: Call, parts: dict[str, str]) -> Reply:
        row = await self._known(parts["id"])
        if parts["what"] == "stop":
            await self._jobs.stop(row)
        else:
            await answering.answer(self._core, row, parts["what"], call.body)
        row = await self._known(parts["id"])
        return as_json(shapes.run(await self._jobs.heard(row), self._about(row)))

    # --- streams -------------------------------------------------------------------------

    def _streamed(
        self,
        row: Request,
        about: shapes.About,
        begin: Callable[[Hearing], Any],
        more: Callable[[Any], Any],
        end: Callable[[Hearing], Any],
    ) -> Stream:
        async def pieces() -> AsyncGenerator[bytes, None]:
            heard = Hearing(row.id)
            for one in begin(heard):
                yield one
            async with aclosing(self._said(row, heard)) as said:
                async for piece in said:
                    for one in more(piece):
                        yield one
            for one in end(heard):
                yield one

        return Stream(pieces=_alive(pieces()), headers={**shapes.EVENTS, **about.headers})

    async def _said(self, row: Request, heard: Hearing) -> AsyncGenerator[Piece, None]:
        async with aclosing(self._jobs.follow(row, heard)) as records:
            async for _, pieces in records:
                for piece in pieces:
                    yield piece


async def _alive(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The pieces, with a comment between them when nothing has come for a while."""
    coming: asyncio.Task[bytes] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(_next(pieces))
            done, _ = await asyncio.wait([coming], timeout=ALIVE_S)
            if not done:
                yield shapes.ALIVE
                continue
            piece, coming = coming.result(), None
            if not piece:
                return
            yield piece
    except HttpError as error:
        yield shapes.sse(error.body)
    except HermesError as error:
        yield shapes.sse(HttpError(500, str(error), kind="server_error").body)
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.wait([coming])
        await pieces.aclose()


async def _next(pieces: AsyncIterator[bytes]) -> bytes:
    return await anext(pieces, b"")
