"""Providers with a protocol of their own (Anthropic, Gemini, Bedrock, …), through litellm.

litellm costs seconds of CPU to import, so it is loaded at the first request, in a thread.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
import re
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from hermes_tui.errors import ModelError
from hermes_tui.models import request_body
from hermes_tui.models.base import Delta, Request
from hermes_tui.models.cache_marks import mark, takes_marks
from hermes_tui.models.chat_completions import DEFAULT_WINDOW

if TYPE_CHECKING:
    from hermes_tui.models.effort import Effort

_NO_COST_FETCH = ("LITELLM_LOCAL_MODEL_COST_MAP", "True")
"""Without it the import fetches a price list from the network."""

_BLIND = (request_body.PICTURES,)
_CLASSES = re.compile(r"litellm\.\w+: |\w+ APIConnectionError - | ?Handle with `litellm\.\w+`\.?")
_NO_CREDENTIALS = re.compile(
    r"credentials (were )?not found|no credentials|locate credentials", re.I
)
_EMPTY = object()
"""An end without a word or a count: what litellm makes of an answer it can't read."""
_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")
_NO_HEADERS: Mapping[str, str] = {}


class LitellmModel:
    """A model by its litellm name, such as `anthropic/claude-sonnet-4-5`."""

    repairs_calls = True

    def __init__(
        self,
        name: str,
        *,
        key: str = "",
        base_url: str = "",
        window: int = 0,
        stall_s: float = 120.0,
        prices: tuple[float | None, float | None] = (None, None),
    ) -> None:
        self.name = name
        self.told_sees: bool | None = None
        self.window = window or DEFAULT_WINDOW
        self._key = key
        self._base_url = base_url
        self._stall_s = stall_s
        self._prices = prices
        self.effort = ""
        self._told: Effort | None = None
        self._litellm: Any = None

    @property
    def sees(self) -> bool:
        """Whether it takes pictures: as it was told, else by its name."""
        from hermes_tui.models import sight

        return sight.sees(self.name) if self.told_sees is None else self.told_sees

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and yield what comes back. Raises ModelError, also in the middle."""
        return self.stream_with(request, self._key)

    async def stream_with(self, request: Request, key: str) -> AsyncIterator[Delta]:
        """The same with another key than its own."""
        again = True
        while again:
            again = begun = False
            try:
                async for delta in self._exchange(request, key):
                    begun = True
                    yield self._noted(delta)
            except ModelError as error:
                again = not begun and self._told is not None and self._told.refuse(_bytes(error))
                if not again:
                    raise

    def _noted(self, delta: Delta) -> Delta:
        """The delta with what there is to tell of the effort."""
        note = self._told.take_note() if self._told is not None else ""
        return replace(delta, note=note) if note else delta

    async def _exchange(self, request: Request, key: str) -> AsyncIterator[Delta]:
        from hermes_tui.models.replies import ReplyReader

        litellm = await self._load()
        errors = (litellm.exceptions.openai.OpenAIError, litellm.exceptions.httpx.HTTPError)
        reader, empty = ReplyReader(self._prices), True
        try:
            arguments = await asyncio.to_thread(self._arguments, request, key)
            chunks = await litellm.acompletion(**arguments)
            async for chunk in self._in_time(chunks):
                if delta := reader.take([chunk.model_dump_json().encode()]):
                    empty = empty and not (delta.text or delta.calls or delta.usage)
                    yield delta
        except errors as error:
            raise self._failed(error) from error
        if delta := reader.end():
            yield delta
        if not reader.finished:
            raise self._failed(None)
        if empty:
            raise self._failed(_EMPTY)

    async def close(self) -> None:
        """Nothing is held."""

    async def _in_time(self, chunks: Any) -> AsyncIterator[Any]:
        end = object()
        while True:
            try:
                async with asyncio.timeout(self._stall_s):
                    chunk = await anext(chunks, end)
            except TimeoutError:
                raise ModelError(
                    f"{self.name} sent nothing for {self._stall_s:g} seconds",
                    "model.stall_s sets how long to wait",
                    "network",
                ) from None
            if chunk is end:
                return
            yield chunk

    async def _load(self) -> Any:
        if self._litellm is None:
            if importlib.util.find_spec("litellm") is None:
                raise ModelError(
                    f"{self.name or 'this model'} is reached through the package litellm",
                    "install it with: pip install 'hermes-tui[litellm]'",
                    "missing",
                )
            if not self.name:
                raise ModelError(
                    "litellm needs a model name",
                    "set model.name to something like anthropic/claude-sonnet-4-5",
                    "missing",
                )
            os.environ.setdefault(*_NO_COST_FETCH)
            litellm: Any = await asyncio.to_thread(importlib.import_module, "litellm")
            # It prints advice and its log to the terminal otherwise.
            litellm.suppress_debug_info = True
            for name in _LOGGERS:
                logging.getLogger(name).handlers.clear()
            self._litellm = litellm
        return self._litellm

    def _arguments(self, request: Request, key: str) -> dict[str, Any]:
        dropped = frozenset((request_body.THOUGHTS, *(() if self.sees else _BLIND)))
        body = request_body.encode(self.name, request, dropped)
        arguments: dict[str, Any] = msgspec.json.decode(body)
        arguments |= {"num_retries": 0, "drop_params": True, "timeout": self._stall_s}
        if takes_marks(self.name):
            mark(arguments)
        if not self._in_steps(request):
            arguments |= self._thinking()
        if key:
            arguments["api_key"] = key
        if self._base_url:
            arguments["api_base"] = self._base_url
        return arguments

    def _thinking(self) -> dict[str, Any]:
        """How hard it shall think, where that was said."""
        if not self.effort:
            return {}
        if self._told is None or self._told.wish != self.effort:
            from hermes_tui.models.effort import Effort

            self._told = Effort("litellm", self.name, self.effort)
        return self._told.fields

    def _in_steps(self, request: Request) -> bool:
        """Whether Claude is among the steps of a turn: it thinks on only with its own thoughts,
        which are not kept, so it thinks before the first step alone.
        """
        return (
            takes_marks(self.name)
            and request.messages[-1:] != ()
            and (request.messages[-1].role == "tool")
        )

    def _failed(self, error: Any) -> ModelError:
        from hermes_tui.models import failures

        provider = self._base_url or self.name.partition("/")[0]
        endpoint = failures.Endpoint(url=provider, model=self.name, secret=self._key)
        if error is None:
            return failures.cut_off(endpoint)
        if error is _EMPTY:
            return failures.malformed("something that is no reply", endpoint)
        status = getattr(error, "status_code", None)
        response = getattr(error, "response", None)
        told = getattr(error, "litellm_response_headers", None)
        headers: Mapping[str, str] = told or getattr(response, "headers", None) or _NO_HEADERS
        raw = str(getattr(error, "message", "") or error)
        text = _plain(raw)
        lost = "APIConnectionError" in f"{type(error).__name__} {raw}" or "Connection error" in raw
        if _NO_CREDENTIALS.search(text):
            hint = f"give it the credentials of {provider}; docs/models.md says which"
            return ModelError(f"{provider} needs credentials: {text[:300]}", hint, "auth")
        if lost or not isinstance(status, int):
            hint = "check the network and the address"
            return ModelError(f"the line to {provider} failed: {text[:300]}", hint, "network")
        body = msgspec.json.encode({"error": {"message": text}})
        return failures.from_answer(status, headers, body, endpoint)


def _bytes(error: ModelError) -> bytes:
    return error.message.encode()


def _plain(text: str) -> str:
    """What litellm says, without its class names and the way through its code."""
    text = text.partition("\nTraceback (most recent call last)")[0]
    text = text.rpartition("Exception - ")[2]
    return _CLASSES.sub("", text).strip()
