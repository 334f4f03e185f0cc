"""Keeps what is in the prompt for as long as it is not sent: over sessions, screens and detach."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.ui.stash import DraftBox, SecretCheck

if TYPE_CHECKING:
    from pathlib import Path

    from textual.timer import Timer

    from hermes_tui.home import Home
    from hermes_tui.ui.prompt import Prompt
    from hermes_tui.ui.prompt_document import Draft

PAUSE_S = 0.5
"""Seconds without a key after which the draft is written."""
_log = logging.getLogger(__name__)
Do = Callable[[Callable[[], Awaitable[None]]], None]


class Drafts:
    """The draft of the session shown, and the stash. do: runs something in the background."""

    def __init__(self, home: Home, prompt: Prompt, do: Do) -> None:
        self.folder: Path = home.drafts
        self.box = DraftBox(self.folder, SecretCheck())
        self._prompt = prompt
        self._do = do
        self._session = ""
        self._written: Draft | None = None
        self._timer: Timer | None = None
        self._writing = asyncio.Lock()

    async def count(self) -> None:
        """Say on the rule how many drafts are put away."""
        self._prompt.set_stashed(await asyncio.to_thread(lambda: self.box.count))

    async def stash(self) -> str:
        """Put the draft away, or bring the last one back; a sentence that says what was done."""
        put_away = bool(self._prompt.text.strip())
        try:
            said = await (self._put_away() if put_away else self._bring_back())
        except OSError as error:
            return f"the draft can't be {'kept' if put_away else 'read'}: {error.strerror}"
        await self.count()
        return said

    async def _put_away(self) -> str:
        draft = self._prompt.take_out()
        try:
            on_disk = await asyncio.to_thread(self.box.put_away, draft)
        except OSError:
            self._prompt.resume(draft)
            raise
        said = "put away · ctrl+s brings it back"
        return said if on_disk else f"{said} · in memory only, it may hold a secret"

    async def _bring_back(self) -> str:
        found = await asyncio.to_thread(self.box.bring_back)
        if found is None:
            return "nothing is put away"
        self._prompt.resume(found)
        return "back again"

    async def switch(self, session: str) -> None:
        """Keep the draft of the session shown until now, bring in the other one's."""
        if session == self._session:
            return
        prompt, before, self._session = self._prompt, self._session, session
        if before:
            # What was typed before the first session was open belongs to that.
            draft = prompt.take_out(sent=True)
            await self._keep(before, draft)
        found = await asyncio.to_thread(self.box.of, session)
        if self._session == session:
            prompt.resume(found)
            self._written = found

    def changed(self) -> None:
        """The text in the prompt is another one: write it after a pause."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._prompt.set_timer(PAUSE_S, self._pause_over)

    def _pause_over(self) -> None:
        self._timer = None
        self._do(partial(self._save, self._session, self._prompt.draft))

    async def _save(self, session: str, draft: Draft) -> None:
        if session and draft != self._written and session == self._session:
            self._written = draft
            await self._keep(session, draft)

    async def _keep(self, session: str, draft: Draft) -> None:
        async with self._writing:
            await asyncio.to_thread(self._write, session, draft)

    def save_now(self) -> None:
        """Write the draft before the screen goes; waits for the disk."""
        draft = self._prompt.draft
        if self._session and draft != self._written:
            self._written = draft
            self._write(self._session, draft)

    def _write(self, session: str, draft: Draft) -> None:
        try:
            self.box.keep(session, draft)
        except OSError as error:
            _log.warning("the draft of %s can't be kept: %s", session, error)
