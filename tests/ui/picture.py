"""Compares the screen with a stored picture of it: an SVG without what differs by accident."""

from __future__ import annotations

import asyncio
import difflib
import html
import re
import time
from pathlib import Path

from hermes_tui.ui.app import HermesApp

_PATIENCE_S = 2.0
FOLDER = Path(__file__).parent / "snapshots"


def picture(app: HermesApp) -> str:
    """The screen as SVG, the same for the same screen: fixed ids, no fonts to be fetched."""
    svg = app.export_screenshot(title="hermes")
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def words(svg: str) -> list[str]:
    """What can be read in a picture, line by line."""
    rows: dict[float, str] = {}
    for y, text in re.findall(r'<text class="terminal-r[^>]* y="([\d.]+)"[^>]*>(.*?)</text>', svg):
        rows[float(y)] = rows.get(float(y), "") + html.unescape(text).replace("\xa0", " ")
    return [rows[y].rstrip() for y in sorted(rows)]


async def check(name: str, app: HermesApp, update: bool) -> None:
    """Fail with the lines that differ; update: keep the screen as the right one."""
    path = FOLDER / f"{name}.svg"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(await _settled(app), "utf-8")
        return
    assert path.exists(), f"no picture {path.name} yet: look at the screen, then `make snap`"
    stored = path.read_text("utf-8")
    until = time.monotonic() + _PATIENCE_S
    now = picture(app)
    while now != stored and time.monotonic() < until:
        await asyncio.sleep(0.05)  # what was pressed may still be on its way to the screen
        now = picture(app)
    if now != stored:
        diff = list(difflib.unified_diff(words(stored), words(now), "stored", "now", n=1))
        told = "\n".join(diff) or "the same words in other colours or places"
        raise AssertionError(f"{path.name} differs; `make snap` if it is meant to:\n{told}")


async def _settled(app: HermesApp) -> str:
    """The screen once it has not changed for a while."""
    before, same = picture(app), 0
    while same < 4:
        await asyncio.sleep(0.05)
        now = picture(app)
        same = same + 1 if now == before else 0
        before = now
    return before
