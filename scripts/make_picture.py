"""Draw `docs/hermes.svg`: the full screen, exported by the app itself, always the same."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hermes_tui.config import UiConfig  # noqa: E402
from hermes_tui.home import Home  # noqa: E402
from hermes_tui.intents import OpenSession, Standing  # noqa: E402
from hermes_tui.ui.app import HermesApp  # noqa: E402
from hermes_tui.ui.rail import Rail  # noqa: E402
from tests.fakes import story  # noqa: E402
from tests.fakes.canned_client import CannedClient  # noqa: E402
from tests.ui.picture import picture  # noqa: E402

PATH = ROOT / "docs" / "hermes.svg"
SIZE = (160, 42)


async def draw(home: Home) -> str:
    """The screen while the agent waits for an approval, with a step of the trace open."""
    request = OpenSession(standing=Standing(cwd="/home/mia/blog"))
    client = CannedClient(story.view(asking=True))
    app = HermesApp(client, request, home, UiConfig(motion=False), embedded=True)
    app.clock = lambda: story.NOW
    async with app.run_test(size=SIZE) as pilot:
        while not app.query_one(Rail).sessions:
            await pilot.pause(0.02)
        await pilot.press("alt+2", "down", "down", "down", "enter", "alt+1")
        await pilot.pause(0.3)
        return picture(app)


def main() -> int:
    """Write the picture; with --check only say whether it is the stored one."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as folder:
        svg = asyncio.run(draw(Home(folder)))
    if "--check" in sys.argv:
        same = PATH.exists() and PATH.read_text("utf-8") == svg
        print(f"{PATH.name}: {'as stored' if same else 'differs: run scripts/make_picture.py'}")
        return 0 if same else 1
    PATH.write_text(svg, "utf-8")
    print(f"wrote {PATH.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
