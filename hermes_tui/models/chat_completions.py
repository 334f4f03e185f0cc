"""Any OpenAI-compatible endpoint, streamed: the way every step of the agent reaches its model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from typing import TYPE_CHECKING, Any

from hermes_tui.errors import ModelError
from hermes_tui.models import keepsakes, request_body
from hermes_tui.models.base import Delta, Request

if TYPE_CHECKING:
    import httpx2

    from hermes_tui.models.effort import Effort
    from hermes_tui.models.failures import Endpoint
    from hermes_tui.models.replies import ReplyReader
    from hermes_tui.models.shapes import Shape
    from hermes_tui.models.windows import ModelInfo

DEFAULT_WINDOW = 128_000
CONNECT_S = 15.0
_AFTER_FINISH_S, _AFTER_END_S = 5.0, 0.25
_COMMENTS_ONLY = 10.0
"""A stream of nothing but keep-alive messages is given up after so many times stall_s."""

_WANT_THOUGHTS = ("https://api.deepseek.com", "https://api.moonshot.")
"""They refuse a conversation in which a call stands without what was thought before it."""
_OPTIONAL = ("stream_options", "max_tokens")


class ChatCompletions:
    """A model behind a chat-completions endpoint, with one connection pool for its whole life.

    base_url: with or without `/chat/completions` at its end. name: may be empty, then it is the
    first model the endpoint offers. window: 0 means ask; a guess serves until then. prices: US
    dollars per million prompt and completion tokens. told_sees: whether it takes pictures, where
    the settings say so. effort: how hard it shall think, empty to leave that to the endpoint.
    told_prices: as the endpoint says (`windows.ModelInfo`), once it was asked.
    """

    repairs_calls = True

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str = "",
        window: int = 0,
        stall_s: float = 120.0,
        prices: tuple[float | None, float | None] = (None, None),
    ) -> None:
        self.name = name
        self.told_sees: bool | None = None
        self._said_sees: bool | None = None
        self.base_url = clean_url(base_url)
        self.window = window or DEFAULT_WINDOW
        self._asks_window = not window
        self._key = key
        self._stall_s = stall_s
        self._prices = prices
        self.effort = ""
        self._told: Effort | None = None
        self._shapes: tuple[Shape, ...] = ()
        self._spoilt = keepsakes.Spoilt()
        self._asks_prices = True
        self.told_prices: tuple[float, float, float | None] | None = None
        wants_thoughts = self.base_url.startswith(_WANT_THOUGHTS)
        self._dropped = frozenset(() if wants_thoughts else (request_body.THOUGHTS,))
        self._client: httpx2.AsyncClient | None = None

    @property
    def sees(self) -> bool:
        """Whether it takes pictures: as it was told, as the endpoint says, else by its name.

        Not once it has refused one.
        """
        from hermes_tui.models import sight

        if request_body.PICTURES in self._dropped:
            return False
        said = self._said_sees if self.told_sees is None else self.told_sees
        return sight.sees(self.name) if said is None else said

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and yield what comes back. Raises ModelError, also in the middle."""
        return self.ask(request, {})

    def stream_with(self, request: Request, key: str) -> AsyncIterator[Delta]:
        """The same with another key than its own."""
        return self.ask(request, {}, key)

    def _effort(self) -> Effort | None:
        """How hard it shall think, where that was said."""
        if not self.effort:
            return None
        if self._told is None or self._told.wish != self.effort:
            from hermes_tui.models.effort import Effort
            from hermes_tui.models.providers import place_of

            self._told = Effort(place_of(self.base_url), self.name, self.effort)
        return self._told

    async def ask(
        self, request: Request, extra: dict[str, Any], key: str = ""
    ) -> AsyncIterator[Delta]:
        """The same with further fields in the body, written before the messages."""
        import httpx2

        if not self.name:
            self.name = await self._first_name()
        try:
            async with aclosing(self._exchange(request, extra, key)) as deltas:
                async for delta in deltas:
                    yield delta
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            raise self._failed(error) from error

    async def list_models(self) -> tuple[ModelInfo, ...]:
        """The models the endpoint offers, with their windows where it says them."""
        import httpx2

        from hermes_tui.models.windows import read_models

        try:
            answer = await self._open().get(self.base_url + "/models", headers=self._headers())
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise self._failed(error) from error
        if not answer.is_success:
            raise self._refused(answer, answer.content)
        return read_models(answer.content)

    async def learn_window(self) -> int:
        """Ask the endpoint how large the model's window is; a guess stays where it won't say.

        Call it any time after the first reply: no request waits for it.
        """
        if self._asks_window:
            self._asks_window = False
            with suppress(ModelError):
                self.window = await self._window() or self.window
        return self.window

    async def learn_prices(self) -> None:
        """Ask the endpoint what the model costs, if that was not asked yet."""
        if self._asks_prices:
            self._asks_prices = False
            with suppress(ModelError):
                await self._mine()

    async def _mine(self) -> ModelInfo | None:
        """What the endpoint says of the model."""
        models = await self.list_models()
        mine = next((one for one in models if one.name == self.name), None)
        if mine is not None and mine.prices is not None:
            self.told_prices = mine.prices
        return mine

    async def _window(self) -> int:
        from hermes_tui.models.windows import loaded_sight, loaded_window

        if is_local(self.base_url):
            client = self._open()
            self._said_sees = await loaded_sight(client, self.base_url, self.name)
            loaded = await loaded_window(client, self.base_url, self.name)
            if loaded:
                return loaded
        mine = await self._mine()
        if mine is not None and mine.sees is not None:
            self._said_sees = mine.sees
        return mine.window if mine is not None else 0

    def guess_window(self, tokens: int) -> None:
        """Use this window until the endpoint says better."""
        if self._asks_window and tokens:
            self.window = tokens

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    # --- out -------------------------------------------------------------------------------

    async def _exchange(
        self, request: Request, extra: dict[str, Any], key: str
    ) -> AsyncGenerator[Delta, None]:
        effort = self._effort()
        while True:
            more = {**extra, **effort.fields} if effort is not None else extra
            async with self._send(await self._body(request, more), key) as answer:
                if not answer.is_success:
                    await self._refusal(answer, request, effort)
                    continue
                if effort is not None and (note := effort.take_note()):
                    yield Delta(note=note)
                async for delta in self._read(answer):
                    yield delta
                return

    async def _body(self, request: Request, extra: dict[str, Any]) -> bytes:
        request = self._spoilt.without(request)
        if self._shapes:
            from hermes_tui.models.shapes import shaped

            request = shaped(request, self._shapes)
        dropped = self._dropped if self.sees else self._dropped | {request_body.PICTURES}
        if self.sees and _pictured(request):
            return await asyncio.to_thread(request_body.encode, self.name, request, dropped, extra)
        return request_body.encode(self.name, request, dropped, extra)

    def _send(self, body: bytes, key: str) -> AbstractAsyncContextManager[httpx2.Response]:
        url = self.base_url + "/chat/completions"
        return self._open().stream("POST", url, content=body, headers=self._headers(key))

    async def _refusal(
        self, answer: httpx2.Response, request: Request, effort: Effort | None
    ) -> None:
        """Leave out what the endpoint refuses and can be left out; raise for anything else."""
        body = await answer.aread()
        if answer.status_code in (400, 404, 422, 500):
            wants = request_body.THOUGHTS.encode() in body and _has_calls(request)
            if wants and request_body.THOUGHTS in self._dropped:
                self._dropped -= {request_body.THOUGHTS}
                return
            if self._reshapes(body):
                return
            if self._spoilt.refuse(request, self.name, body):
                return
            if effort is not None and effort.refuse(body):
                return
            optional = (*_OPTIONAL, request_body.PICTURES) if _pictured(request) else _OPTIONAL
            named = [name for name in optional if name.encode() in body]
            if new := frozenset(named) - self._dropped:
                self._dropped |= new
                return
        raise self._refused(answer, body)

    def _reshapes(self, refusal: bytes) -> bool:
        """Whether a refusal is about the shape of the conversation, and another one is tried."""
        from hermes_tui.models.shapes import wanted

        shape = wanted(refusal)
        if shape is None or shape in self._shapes:
            return False
        self._shapes = (*self._shapes, shape)
        return True

    def _open(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2

            self._check()
            # A TLS context costs 20 ms and 10 MB: an endpoint without TLS does without.
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(
                    self._stall_s, connect=min(CONNECT_S, self._stall_s), pool=None
                ),
                verify=not self.base_url.startswith("http://"),
                trust_env=not is_local(self.base_url),
                limits=httpx2.Limits(max_connections=64, keepalive_expiry=300.0),
            )
        return self._client

    def _check(self) -> None:
        """Raise ModelError for an address or a key that can't be one."""
        import httpx2

        url = httpx2.URL(self.base_url)
        if url.scheme not in ("http", "https") or not url.host or (url.port or 0) > 65_535:
            from hermes_tui.models import failures

            raise failures.no_address(self._endpoint())
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelError(
                f"the API key for {url.host} holds characters that no key has",
                "copy it once more and set it with `hermes setup`",
                "auth",
            )

    def _headers(self, key: str = "") -> dict[str, str]:
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            "accept-encoding": "identity",
            "user-agent": "hermes-tui",
        }
        if key or self._key:
            headers["authorization"] = f"Bearer {key or self._key}"
        return headers

    async def _first_name(self) -> str:
        models = await self.list_models()
        if not models:
            raise ModelError(
                f"{self._endpoint().host} offers no model",
                "load one there, or name it with `hermes config set model.name NAME`",
                "missing",
            )
        self.guess_window(models[0].window)
        return models[0].name

    # --- in --------------------------------------------------------------------------------

    async def _read(self, answer: httpx2.Response) -> AsyncIterator[Delta]:
        from hermes_tui.models.replies import ReplyReader

        reader = ReplyReader(self._prices)
        heard = time.monotonic()
        async for data in self._pieces(answer, reader):
            if delta := reader.feed(data):
                heard = time.monotonic()
                yield delta
            elif time.monotonic() - heard > self._stall_s * _COMMENTS_ONLY:
                raise self._failed(TimeoutError())
        if delta := reader.end():
            yield delta
        if reader.error or not reader.finished:
            raise self._broken(answer, reader)

    async def _pieces(self, answer: httpx2.Response, reader: ReplyReader) -> AsyncIterator[bytes]:
        """The body as it comes; a whole JSON reply as if it had been one event."""
        kind = answer.headers.get("content-type", "")
        if kind.startswith("application/json"):
            whole = (await answer.aread()).strip()
            yield b"data: " + whole.replace(b"\n", b" ") if whole[:1] == b"{" else whole
            return
        packed = answer.headers.get("content-encoding", "identity") != "identity"
        reads = answer.aiter_bytes() if packed else answer.aiter_raw()
        while not reader.error and (data := await self._piece(reads, reader)):
            yield data

    async def _piece(self, reads: AsyncIterator[bytes], reader: ReplyReader) -> bytes:
        """The next read, empty at the end; once the reply is finished only what comes soon."""
        import httpx2

        if not reader.finished:
            return await anext(reads, b"")
        with suppress(TimeoutError, httpx2.HTTPError):
            async with asyncio.timeout(_AFTER_END_S if reader.done else _AFTER_FINISH_S):
                return await anext(reads, b"")
        return b""

    # --- what went wrong -------------------------------------------------------------------

    def _endpoint(self) -> Endpoint:
        from hermes_tui.models.failures import Endpoint

        return Endpoint(url=self.base_url, model=self.name, secret=self._key)

    def _failed(self, error: Exception) -> ModelError:
        from hermes_tui.models import failures

        return failures.from_exception(error, self._endpoint(), self._stall_s)

    def _refused(self, answer: httpx2.Response, body: bytes) -> ModelError:
        from hermes_tui.models import failures

        return failures.from_answer(answer.status_code, answer.headers, body, self._endpoint())

    def _broken(self, answer: httpx2.Response, reader: ReplyReader) -> ModelError:
        from hermes_tui.models import failures

        if reader.error:
            return failures.from_stream(reader.error, self._endpoint())
        if reader.begun:
            return failures.cut_off(self._endpoint())
        page = "html" in answer.headers.get("content-type", "")
        what = "a web page" if page else "something that is no reply"
        return failures.malformed(what, self._endpoint())


def _has_calls(request: Request) -> bool:
    """Whether there are calls in a request."""
    return any(message.calls for message in request.messages)


def _pictured(request: Request) -> bool:
    """Whether there are pictures in a request."""
    return any(message.pictures for message in request.messages)


def clean_url(url: str) -> str:
    """The base of an endpoint's paths: no slash and no `/chat/completions` at its end.

    A bare host gets `/v1`, where every local server has its endpoint.
    """
    base = url.strip().rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if base and "://" not in base:
        base = "http://" + base
    return base + "/v1" if base.count("/") == 2 else base


def is_local(url: str) -> bool:
    """Whether an address is on this machine, where no proxy has a say."""
    host = url.split("://", 1)[-1].split("/", 1)[0]
    return host.startswith(("127.", "localhost", "[::1]", "0.0.0.0"))
