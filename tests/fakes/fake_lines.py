"""Lines that a test types and reads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence


class FakeLines:
    """Implements `plain.terminal.Lines`. printed: all lines; hidden: which reads were."""

    def __init__(self, *, echoes: bool = True) -> None:
        self.echoes = echoes
        self.printed: list[str] = []
        self.recalled: tuple[str, ...] = ()
        self.closed = False
        self.hidden: list[bool] = []
        self._typed: asyncio.Queue[str | type[KeyboardInterrupt] | None] = asyncio.Queue()

    def type(self, *lines: str | type[KeyboardInterrupt] | None) -> None:
        """Type lines; None is the end of input, KeyboardInterrupt is ctrl+c."""
        for line in lines:
            self._typed.put_nowait(line)

    async def until(self, part: str, timeout_s: float = 5.0) -> str:
        """Wait for a line that holds `part`."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if found := [line for line in self.printed if part in line]:
                return found[0]
            await asyncio.sleep(0.005)
        raise AssertionError(f"{part!r} was not said; only:\n" + "\n".join(self.printed))

    def write(self, line: str) -> None:
        self.printed.append(line)

    async def read(self, hidden: bool = False) -> str | None:
        self.hidden += [hidden]
        line = await self._typed.get()
        if line is KeyboardInterrupt:
            raise KeyboardInterrupt
        assert line is None or isinstance(line, str)
        return line

    def interrupt(self) -> None:
        self.type(KeyboardInterrupt)

    def remember(self, texts: Sequence[str]) -> None:
        self.recalled = tuple(texts)

    def close(self) -> None:
        self.closed = True
