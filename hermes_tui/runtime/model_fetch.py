"""The one fetch of a model file that a core does at a time; any face may ask for it and stop it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from hermes_tui.errors import ModelError
from hermes_tui.events import FetchProgress

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_TELL_S = 0.1
"""How often progress is told, at most."""


class Fetching:
    """Fetches model files. The fetch belongs to the core: it goes on without the face."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._name = ""
        self._task: asyncio.Task[None] | None = None
        self._done: asyncio.Future[None] | None = None
        self._told = 0.0

    async def fetch(self, name: str) -> None:
        """Fetch a model file, or wait for the fetch of it that runs. Raises ModelError."""
        if self._done is None:
            self._name = name
            self._done = asyncio.get_running_loop().create_future()
            self._task = self._core.spawn(self._run(name, self._done))
        elif name != self._name:
            raise ModelError(f"{self._name} is being fetched already", "wait for it, or stop it")
        done = self._done
        await asyncio.wait([done])
        done.result()

    async def stop(self) -> None:
        """Stop what runs; what came is kept."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self, name: str, done: asyncio.Future[None]) -> None:
        from hermes_tui.models.fetch import fetch

        try:
            await fetch(self._core.home, name, self._tell)
        except ModelError as error:
            done.set_exception(error)
        except OSError as error:
            done.set_exception(ModelError(f"{name} could not be stored: {error}", kind="missing"))
        except asyncio.CancelledError:
            hint = "what came is kept, the next try goes on from there"
            done.set_exception(ModelError("the fetch was stopped", hint, "missing"))
            raise
        else:
            done.set_result(None)
        finally:
            done.exception()  # somebody has seen it, even if nobody waits any more
            self._task = self._done = None
            self._core.announce(FetchProgress(name=name, ended=True))

    def _tell(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done >= total or now - self._told >= _TELL_S:
            self._told = now
            self._core.announce(FetchProgress(name=self._name, done=done, total=total))
