"""Whether there are jobs at set times to look after: asked at every start, so it is cheap."""

from __future__ import annotations

import apsw


def waiting(c: apsw.Connection) -> bool:
    """Whether any job is active, or any run was left open."""
    return bool(
        c.execute(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM cron_job WHERE state = 'active') OR EXISTS"
            " (SELECT 1 FROM cron_run WHERE state IN ('waiting', 'running'))"
        ).fetchone()
    )
