"""Whether subagents were left at work: asked at every start, so it is cheap."""

from __future__ import annotations

import apsw


def any_running(c: apsw.Connection) -> bool:
    """Whether a row is open."""
    return bool(c.execute("SELECT 1 FROM subagent WHERE state = 'running' LIMIT 1").fetchone())
