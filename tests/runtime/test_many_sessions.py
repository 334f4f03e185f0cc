"""A core that runs for weeks takes no more memory for all the sessions it has touched."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from hermes_tui.intents import OpenSession, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient

TOUCHED, SETTLED = 500, 200


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
async def test_memory_does_not_grow_with_the_sessions_touched(core: Core, tmp_path: Path) -> None:
    before = 0.0
    for n in range(TOUCHED + 1):
        client = await SocketClient.connect(core.home)
        await client.ask(OpenSession(which="new", standing=Standing(cwd=str(tmp_path))))
        await client.close()
        if n == SETTLED:
            before = _memory()
    assert _memory() - before < 5.0
    assert len(core.sessions) < SETTLED, "those nobody looks at are let go of"


def _memory() -> float:
    """Resident memory in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
