"""A listener without a port: calls go straight to whoever was added, as the core's would."""

from __future__ import annotations

import asyncio

from hermes_tui.gateways.base import Answer, Call, Handler


class FakeListener:
    """See `gateways.base.Listener`. Calls under way die with the path they came to."""

    def __init__(self) -> None:
        self.handlers: dict[tuple[str, str], Handler] = {}
        self._under_way: dict[str, set[asyncio.Task[Answer]]] = {}

    def add(self, method: str, path: str, handler: Handler) -> None:
        self.handlers[method, path] = handler

    def remove(self, path: str) -> None:
        self.handlers = {key: one for key, one in self.handlers.items() if key[1] != path}
        for task in self._under_way.pop(path, set()):
            task.cancel()

    async def call(
        self,
        path: str,
        body: bytes = b"",
        *,
        method: str = "POST",
        headers: dict[str, str] | None = None,
        query: dict[str, str] | None = None,
    ) -> Answer:
        """Call a path; 404 when nobody listens there, 502 when the one who did is gone."""
        handler = self.handlers.get((method, path))
        if handler is None:
            return Answer(status=404)
        named = {name.lower(): value for name, value in (headers or {}).items()}
        made = Call(
            method=method,
            path=path,
            headers=named,
            query=query or {},
            body=body,
            remote="127.0.0.1",
        )

        async def handled() -> Answer:
            return await handler(made)

        task = asyncio.create_task(handled())
        under_way = self._under_way.setdefault(path, set())
        under_way.add(task)
        try:
            await asyncio.wait([task])
        finally:
            under_way.discard(task)
        return Answer(status=502) if task.cancelled() else task.result()
