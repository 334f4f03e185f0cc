"""What the chat widget costs by itself, headless: open, scroll, resize, stream, idle.

Part of `python benchmarks/run.py`; `python benchmarks/transcript.py [messages]` prints its lines.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from measure import Bench, Figure
from textual.app import App, ComposeResult

from hermes_tui import events as ev
from hermes_tui.events import Record
from hermes_tui.intents import SessionInfo, SessionView
from hermes_tui.ui.feed import Feed
from hermes_tui.ui.theme import Look, builtin, textual
from hermes_tui.ui.transcript import Transcript

REPLY = (
    "A paragraph of an ordinary answer with **bold** words and `code` in it, long enough to "
    "wrap on most screens.\n\n- a first item\n- a second one, 中文也有\n\n"
    "```python\nfor item in items:\n    print(item)\n```\n"
)


class Chat(App[None]):
    """Only a transcript and its feed."""

    def compose(self) -> ComposeResult:
        spec = builtin("hermes-night")
        assert spec
        self.register_theme(textual(spec))
        self.theme = spec.name
        self.transcript = Transcript()
        self.feed = Feed(self.transcript, Look(spec))
        yield self.transcript


def history(messages: int) -> SessionView:
    """A session of imported messages."""
    records = [
        Record(
            session="s",
            n=n + 1,
            ts=1_700_000_000.0 + n,
            event=ev.MessageImported(
                message_id=str(n),
                role="assistant" if n % 2 else "user",
                text=REPLY if n % 2 else f"question {n}: how does this go on?",
            ),
        )
        for n in range(messages)
    ]
    return SessionView(info=SessionInfo(id="s"), records=tuple(records))


def reply(tokens: int) -> str:
    """Mixed Markdown of about so many four-character tokens."""
    text = REPLY * (tokens * 4 // len(REPLY) + 1)
    return text[: tokens * 4]


async def main(messages: int) -> None:
    """Measure and print."""
    app = Chat()
    async with app.run_test(size=(120, 40)) as pilot:
        view = history(messages)
        await pilot.pause()
        began = time.perf_counter()
        app.feed.load(view)
        await pilot.pause()
        say(f"open {messages:,} messages, until drawn", time.perf_counter() - began, 0.4)
        await asyncio.sleep(2.0)
        await drawn()

        scroll: list[float] = []
        for _ in range(60):
            app.transcript.scroll_relative(y=-3, animate=False)
            scroll.append(await drawn())
        say("scroll step, median CPU", statistics.median(scroll), 0.016)
        say("scroll step, worst CPU of 60", max(scroll), 0.016)

        worst = 0.0
        for size in ((60, 20), (160, 50), (120, 40)):
            await pilot.resize_terminal(*size)
            worst = max(worst, await drawn())
        say("resize, worst CPU of 3", worst, 0.1)

        app.transcript.to_end()
        await stream(app, pilot, reply(20_000))
        await asyncio.sleep(3.0)
        before = time.process_time()
        await asyncio.sleep(5.0)
        say("idle CPU in 5 s", time.process_time() - before, 0.02)


async def drawn() -> float:
    """Let the screen be drawn; the CPU seconds since the last time this was called."""
    await asyncio.sleep(0.04)
    now = time.process_time()
    spent, drawn.last = now - drawn.last, now
    return spent


drawn.last = 0.0


async def stream(app: Chat, pilot: object, text: str) -> None:
    """A reply in 400 deltas, 20 a second as the core sends them, faster than any model."""
    del pilot
    size = len(text) // 400 + 1
    gaps: list[float] = []
    before = time.process_time()
    for at in range(0, len(text), size):
        delta = ev.TextDelta(turn=1, step=1, text=text[at : at + size])
        app.feed.apply(Record(session="s", n=0, ts=0.0, event=delta))
        began = time.perf_counter()
        await asyncio.sleep(0.05)
        gaps.append(time.perf_counter() - began - 0.05)
    event = ev.ReplyReceived(turn=1, step=1, text=text)
    app.feed.apply(Record(session="s", n=1, ts=0.0, event=event))
    await asyncio.sleep(0.2)
    say("20,000-token reply in 400 deltas, CPU", time.process_time() - before, 2.5)
    say("longest hold-up of a key meanwhile", max(gaps), 0.1)


_figures: list[Figure] = []


def say(what: str, seconds: float, limit: float) -> None:
    """One figure beside its limit."""
    _figures.append(Figure(f"chat widget: {what}", seconds * 1000, "ms", limit * 1000))


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    del bench
    _figures.clear()
    asyncio.run(main(5_000))
    return list(_figures)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000))
    for figure in _figures:
        print(f"{figure.name:60} {figure.value:9.1f} ms   (limit {figure.limit:,.0f} ms)")
