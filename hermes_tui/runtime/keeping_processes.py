"""The background processes of a core: what becomes of them is told in the session they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.events import Notice, ProcessEnded, ProcessStarted
from hermes_tui.security.redact_stream import StreamRedactor
from hermes_tui.tools.processes import Background, Processes

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


def processes_of(core: Core) -> Processes:
    """The background processes of a core, none yet."""
    telling = _Telling(core)
    return Processes(telling.changed, telling.matched, telling.secrets_hidden)


class _Telling:
    def __init__(self, core: Core) -> None:
        self._core = core

    def secrets_hidden(self) -> StreamRedactor:
        return StreamRedactor(self._core.surroundings.redactor)

    def matched(self, one: Background, lines: str) -> None:
        """It wrote what somebody waits for."""
        session = self._core.sessions.get(one.session)
        if session is not None and not self._core.end_reason:
            text = session.redactor.redact(f"process {one.id} wrote: {lines}").text
            session.remarks.append(f"[{text}]")
            self._core.spawn(session.add(Notice(text=text, hint=one.command[:200])))

    def changed(self, one: Background) -> None:
        """It has started or ended."""
        if not self._core.end_reason:
            self._core.spawn(self._record(one, one.status))
            self._core.changed(one.session)

    async def _record(self, one: Background, status: str) -> None:
        event = ProcessStarted(process_id=one.id, command=one.command, pid=one.pid)
        if status != "running":
            event = ProcessEnded(process_id=one.id, exit_code=one.exit_code, status=status)
        if one.session in self._core.sessions:
            await self._core.sessions[one.session].add(event)
