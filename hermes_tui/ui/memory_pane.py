"""The memory pane: one box that searches the messages of all sessions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message

from hermes_tui.errors import HermesError
from hermes_tui.intents import Hit, Hits, Search
from hermes_tui.ui import figures
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span, hints
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, paint_all, paint_lines, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

_PAUSE = 0.15
"""Seconds of silence after a key before the core is asked."""
_LIMIT = 50


class MemoryPane(Vertical):
    """Search box, hits, the chosen hit in full."""

    BINDINGS = [
        Binding("p", "put", show=False),
        Binding("slash", "search", show=False),
    ]

    class Opened(Message):
        """Go to this message in its session."""

        def __init__(self, hit: Hit) -> None:
            super().__init__()
            self.hit = hit

    class Put(Message):
        """Put this text into the prompt."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(id="memory")
        self.hits: tuple[Hit, ...] = ()
        self._query = ""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Box, count, hits, preview, keys."""
        yield SearchBox("search all sessions", id="memory-box")
        yield Bar(id="memory-count")
        yield RowList(id="memory-rows")
        yield TextView(id="memory-text")
        yield Bar(id="memory-keys")

    def on_mount(self) -> None:
        """Say what the box is for."""
        self.query_one("#memory-text").display = False
        self.query_one("#memory-keys", Bar).show(
            hints(("enter", "open"), ("p", "put in prompt"), ("/", "search"))
        )
        self._draw()

    def search(self, query: str) -> None:
        """Search for a text, as if it had been typed."""
        self.query_one(SearchBox).text = query

    def focus_box(self) -> None:
        """Give the keys to the search box."""
        self.query_one(SearchBox).focus()

    def action_search(self) -> None:
        """Back to the box."""
        self.focus_box()

    # --- searching ---------------------------------------------------------------------------

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        self._query = self.query_one(SearchBox).text.strip()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self._ask)

    @on(SearchBox.Done)
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        if self.hits:
            self.query_one(RowList).focus()

    def _ask(self) -> None:
        self.run_worker(partial(self._search, self._query), group="search", exclusive=True)

    async def _search(self, query: str) -> None:
        try:
            found = await face_of(self).ask(Search(query=query, limit=_LIMIT)) if query else Hits()
        except HermesError as error:
            face_of(self).say(error.message, "warning")
            return
        if query == self._query:
            self.hits = found.hits
            self._draw()

    # --- drawing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        now = face_of(self).now()
        rows: list[Row] = []
        for at, hit in enumerate(self.hits):
            rows += _hit_rows(at, hit, now)
        if not rows:
            rows = [TextRow(left=(Span(" " + self._empty(), "muted"),))]
        self.query_one(RowList).show(rows)
        count = f" {len(self.hits)} hit{'s'[: len(self.hits) != 1]}" if self.hits else ""
        self.query_one("#memory-count", Bar).show((Span(count, "muted"),))
        self.query_one("#memory-keys", Bar).display = bool(self.hits)
        self._preview()

    def _empty(self) -> str:
        return "nothing found" if self._query else "type to search everything that was said"

    def _preview(self) -> None:
        view = self.query_one(TextView)
        hit = self._hit(self.query_one(RowList).key)
        view.display = hit is not None
        if hit is None:
            return
        when = figures.day(hit.ts, face_of(self).now())
        head = (Span(f"{one_line(hit.title) or hit.session}", "strong"), Span(f"  {when}", "muted"))
        view.show(paint_all([paint_lines([head, ()]), paint_text(hit.text)]), hit.text)

    # --- hits --------------------------------------------------------------------------------

    def _hit(self, key: str) -> Hit | None:
        return self.hits[int(key)] if key.isdigit() and int(key) < len(self.hits) else None

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._preview()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        if (hit := self._hit(message.key)) is not None:
            self.post_message(self.Opened(hit))

    def action_put(self) -> None:
        """Put the chosen message into the prompt."""
        if (hit := self._hit(self.query_one(RowList).key)) is not None:
            self.post_message(self.Put(hit.text))


def _hit_rows(at: int, hit: Hit, now: float) -> list[Row]:
    title = one_line(hit.title) or hit.session
    when = figures.day(hit.ts, now) + " "
    who = {"user": "you", "assistant": "hermes"}.get(hit.role, hit.role)
    return [
        TextRow(str(at), (Span(f" {title}", "strong"),), (Span(when, "muted"),)),
        TextRow("", (Span(f"   {who}: ", "muted"), Span(one_line(hit.text[:400]), ""))),
    ]
