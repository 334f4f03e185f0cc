"""`hermes` with the smallest possible screen: everything about the terminal, nothing about looks.

Keys: ctrl+q leaves, `q` quits, `x` breaks the screen, `f` fills it anew sixty times a second.
It shows what was typed.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from hermes_tui import launcher


async def show(client: Any, visit: Any, *, embedded: bool, reconnect: Any = None) -> Any:
    """Stand in for the full screen; the rest of the command is the real one."""
    from textual.app import App
    from textual.events import Key
    from textual.widgets import Static

    from hermes_tui.cli.start_driver import ScreenDriver

    ScreenDriver.terminal = visit.terminal

    class Small(App[Any]):
        typed = ""
        frames = 0

        def compose(self) -> Any:
            yield Static("small screen", id="text")

        def on_mount(self) -> None:
            self.listening = asyncio.ensure_future(self.listen())

        def fill(self) -> None:
            self.frames += 1
            rows = (chr(65 + (self.frames + n) % 26) * self.size.width for n in range(30))
            self.query_one("#text", Static).update("small screen\n" + "\n".join(rows))

        async def listen(self) -> None:
            async for _ in client.events():
                continue
            self.exit("detach")

        def on_key(self, event: Key) -> None:
            if event.key == "x":
                raise RuntimeError("the screen is broken")
            if event.key == "f":
                self.set_interval(1 / 60, self.fill)
            if event.key in ("q", "ctrl+q"):
                self.exit("quit" if event.key == "q" else "detach")
            self.typed += (event.character or "") if event.is_printable else ""
            self.query_one("#text", Static).update(f"small screen: {self.typed}")

    leave = await Small(driver_class=ScreenDriver).run_async()
    if visit.terminal.failure is not None:
        raise visit.terminal.failure
    return leave


def main() -> int:
    """Put it in the full screen's place, after the fork as `hermes` does it, and run `hermes`."""
    real = launcher.watch

    def watch(body: Any) -> int:
        def with_small_screen(terminal: Any) -> int:
            from hermes_tui.cli import start, start_face

            start.show = start_face.show = show
            return body(terminal)

        return real(with_small_screen)

    launcher.watch = watch
    return launcher.main()


if __name__ == "__main__":
    sys.exit(main())
