"""A model reached with any key of a pool: a failure of one key is followed by the next, at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from hermes_tui.errors import ModelError
from hermes_tui.models.base import Delta, Model, Request
from hermes_tui.models.pools import ROTATES, Key, Pool


class Keyed(Model, Protocol):
    """A model that can be asked with another key than its own."""

    def stream_with(self, request: Request, key: str) -> AsyncIterator[Delta]:
        """Send the request with this key."""
        ...


class PooledModel:
    """Wraps a model. Going on to the next key costs none of the step's tries.

    again: reads the keys anew, asked when one was refused: it may have been changed meanwhile.
    """

    def __init__(self, model: Keyed, pool: Pool, again: Callable[[], tuple[Key, ...]]) -> None:
        self._model = model
        self._again = again
        self.pool = pool
        self.repairs_calls = model.repairs_calls

    @property
    def name(self) -> str:
        """As the provider calls the model."""
        return self._model.name

    @property
    def window(self) -> int:
        """Context size in tokens."""
        return self._model.window

    def __getattr__(self, name: str) -> Any:
        """What else the model has, such as whether it sees."""
        return getattr(self._model, name)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request; with another key when one is refused before anything came back."""
        tried: frozenset[str] = frozenset()
        while True:
            key = self.pool.pick(tried)
            begun = False
            try:
                async for delta in self._model.stream_with(request, key.value):
                    begun = True
                    yield delta
            except ModelError as error:
                hidden = ModelError(
                    error.message.replace(key.value, "•••"),
                    error.hint,
                    error.kind,
                    error.retry_after,
                )
                if error.kind not in ROTATES:
                    raise hidden from None
                self.pool.blame(key, error)
                tried |= {key.mark}
                if error.kind == "auth":
                    self.pool.keys = self._again() or self.pool.keys
                if begun:
                    raise hidden from None
                continue
            self.pool.praise(key)
            return

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()
