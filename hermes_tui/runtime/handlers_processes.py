"""What the core does with background processes: list them, read them, end them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import NotFoundError
from hermes_tui.intents import Done, ProcessInfo
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.tools.processes import Background


async def list_processes(
    core: Core, intent: intents.ListProcesses, face: Face
) -> intents.ProcessList:
    """All of them, those that run first."""
    known = sorted(core.background(), key=lambda one: (one.ended > 0, -one.started))
    return intents.ProcessList(processes=tuple(_info(one) for one in known))


async def read_process(core: Core, intent: intents.ReadProcess, face: Face) -> intents.Text:
    """The end of what it wrote."""
    one = _known(core, intent.process_id)
    if not one.output.path:
        return intents.Text()  # it has written nothing yet
    return intents.Text(text=await asyncio.to_thread(_tail, Path(one.output.path), intent.limit))


async def stop_process(core: Core, intent: intents.StopProcess, face: Face) -> Done:
    """End it."""
    await core.processes.kill(_known(core, intent.process_id))
    return Done()


def _known(core: Core, process_id: str) -> Background:
    found = next((one for one in core.background() if one.id == process_id), None)
    if found is None:
        raise NotFoundError(f"there is no process {process_id!r}", "/agents lists them")
    return found


def _info(one: Background) -> ProcessInfo:
    return ProcessInfo(
        id=one.id,
        session=one.session,
        command=one.command,
        state=one.status,
        started=one.started,
        ended=one.ended,
        exit_code=one.exit_code,
        pid=one.pid,
    )


def _tail(path: Path, limit: int) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - limit))
            return file.read(limit).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
