"""Plain mode: the same commands and events as lines, for screen readers, logs and slow links."""

from __future__ import annotations

from hermes_tui.plain.face import run_plain

__all__ = ["run_plain"]
