"""Finding: a text in the chat on the screen, and the place of a hit in any session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.ui.find_bar import FindBar, find_pattern

if TYPE_CHECKING:
    from hermes_tui.intents import Hit
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.transcript import Match


class Finder:
    """Goes from match to match in the chat, and to the messages that a search found."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._matches: list[Match] = []
        self._at = -1

    def open(self, query: str) -> None:
        """Open the find bar."""
        if self._app.frame.now.chat == 0:
            self._app.frame.go("chat")
        self._app.main.query_one(FindBar).open(query)

    def look(self, message: FindBar.Looked) -> None:
        """The query changed, or another match is wanted; looking begins at the newest."""
        transcript = self._app.transcript
        if message.step == 0:
            self._matches = transcript.highlight(find_pattern(message.query))
            self._at = len(self._matches)
        if self._matches:
            self._at = (self._at + (message.step or -1)) % len(self._matches)
            transcript.reveal(self._matches[self._at])
        self._app.main.query_one(FindBar).tell(self._at + 1, len(self._matches))

    def close(self) -> None:
        """The bar was closed."""
        self._matches = []
        self._app.transcript.highlight(None)
        self._app.talk.prompt.focus()

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
