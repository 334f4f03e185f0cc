"""Finding: a text in the whole chat and the trace, and the place of a hit in any session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.intents import FindInSession, Found
from hermes_tui.search.pattern import find_pattern
from hermes_tui.ui.find_bar import FindBar
from hermes_tui.ui.find_search import Search
from hermes_tui.ui.trace import TracePane
from hermes_tui.ui.trace_filter import count_steps

if TYPE_CHECKING:
    from hermes_tui.intents import Hit
    from hermes_tui.ui.app import HermesApp


class Finder:
    """Goes from match to match in the chat, and to the messages that a search found.

    What is on the screen is looked at first; the part of the session that has not been brought
    in yet is asked of the core, and brought in when a step leads there.
    """

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._search: Search | None = None
        self._query: FindBar.Looked | None = None
        self._older = Found()
        self._steps = 0
        self._at = -1

    def open(self, query: str) -> None:
        """Open the find bar; in the trace, its filter."""
        if self._app.frame.focused() == "trace" and not query:
            self._app.main.query_one(TracePane).action_filter()
            return
        if self._app.frame.now.chat == 0:
            self._app.frame.go("chat")
        self._app.main.query_one(FindBar).open(query)

    def look(self, message: FindBar.Looked) -> None:
        """The query changed, or another match is wanted; looking begins at the newest."""
        if message.step:
            self._app.do(lambda: self._step(message.step), "find-step")
            return
        pattern = find_pattern(message.query, message.regex)
        self._app.transcript.highlight(pattern)
        self._app.workers.cancel_group(self._app, "find")
        self._query, self._older, self._at = message, Found(), -1
        self._search = Search(self._app.transcript, pattern) if pattern else None
        self._steps = 0
        if self._search is not None:
            self._search.slice()
            self._show()
            self._app.do(self._look, "find")
        else:
            self._show()

    def step(self, step: int) -> None:
        """Another match, from a key in the chat."""
        if self._search is not None:
            self._app.do(lambda: self._step(step), "find-step")

    def close(self) -> None:
        """The bar was closed."""
        self._app.workers.cancel_group(self._app, "find")
        self._search = None
        self._app.transcript.highlight(None)
        self._app.talk.prompt.focus()

    async def _look(self) -> None:
        search, query = self._search, self._query
        if search is None or query is None:
            return
        await search.run(self._show)
        shown = self._app.shown
        self._steps = await count_steps(shown.trace, search.pattern)
        self._show()
        if not shown.complete and not search.full:
            self._older = await self._app.ask(
                FindInSession(
                    session=shown.id,
                    query=query.query,
                    regex=query.regex,
                    before=shown.reaches_back_to,
                )
            )
            self._show()

    async def _step(self, step: int) -> None:
        search = self._search
        if search is None:
            return
        at = self._at - step
        if at >= len(search.matches) and self._older.numbers:
            await self._bring_in(search)
        if search.matches:
            self._at = at % len(search.matches)
            self._app.transcript.reveal(search.matches[self._at])
        self._show()

    async def _bring_in(self, search: Search) -> None:
        """Bring in the part of the session where the next match is."""
        app = self._app
        app.workers.cancel_group(app, "older")
        await app.shown.bring_in_all(self._older.numbers[0], 0)
        left = tuple(n for n in self._older.numbers if n < app.shown.reaches_back_to)
        self._older = Found(numbers=left, more=self._older.more)
        search.resume()
        await search.run(self._show)
        app.bring_in_history()

    def _show(self) -> None:
        """Go to the first match as soon as there is one, and say how many there are."""
        search = self._search
        bar = self._app.main.query_one(FindBar)
        if search is None:
            bar.tell(0, 0)
            return
        if search.matches and self._at < 0:
            self._at = 0
            self._app.transcript.reveal(search.matches[0])
        more = "+" if search.full or not search.done else ""
        if self._older.numbers:
            more += f" · {len(self._older.numbers):,}{'+' * self._older.more} further back"
        if self._steps:
            more += f" · {self._steps:,} in the trace"
        bar.tell(self._at + 1, len(search.matches), more)

    async def open_hit(self, hit: Hit) -> None:
        """Open a hit's session where its message is. Raises HermesError."""
        app = self._app
        if hit.session != app.session:
            await app.open(app.commands.request(hit.session))
        app.workers.cancel_group(app, "older")
        await app.shown.bring_in_all(hit.n, 0)
        app.frame.go("chat")
        app.feed.show_record(hit.n)
        app.bring_in_history()
