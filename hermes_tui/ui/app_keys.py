"""The app's keys: which table counts, the leader, jumping, and help on what has the keys."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.binding import BindingsMap
from textual.screen import ModalScreen

from hermes_tui.ui import help as help_pages
from hermes_tui.ui import part_keys
from hermes_tui.ui.agents_pane import AgentsPane
from hermes_tui.ui.help_topics import Topic, topic_for
from hermes_tui.ui.keys import KeyTable
from hermes_tui.ui.skills_pane import SkillsPane
from hermes_tui.ui.trace import TracePane
from hermes_tui.ui.viewer import ViewerScreen

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.jump import Target

_IN_DIALOGS = frozenset({"detach", "interrupt", "help", "jump"})
_HELP = "help-page"


class AppKeys:
    """What keys do. `read` takes over a person's own from `keys.yaml`."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self.table = KeyTable()

    def do(self, command_id: str) -> None:
        """Do a command, from its key or from a click."""
        from hermes_tui.ui.which_key import LeaderScreen

        app = self._app
        if isinstance(app.screen, LeaderScreen):
            app.screen.dismiss(command_id)  # the hand was still on ctrl or alt
        elif isinstance(app.screen, ModalScreen) and command_id not in _IN_DIALOGS:
            # A dialog may do something of its own for a key that is a command elsewhere.
            if (own := getattr(app.screen, "in_place_of", {}).get(command_id)) is not None:
                own()
        elif command_id == "stop":
            app.escape.leave()
        elif command_id in ("leader", "jump"):
            # At once, not in a worker: the next key may be on its way already.
            (self.leader if command_id == "leader" else self.jump)()
        else:
            app.do(partial(app.commands.run, self.table.by_id[command_id]))

    async def read(self) -> None:
        """Read the person's own keys; what is wrong with them is told, the rest counts."""
        from hermes_tui.ui.keys_file import read_keys

        own = await asyncio.to_thread(read_keys, self._app.home.keys)
        self.table = KeyTable(own.keys)
        self._app._bindings = BindingsMap(self.table.bindings())
        self._app.set_keymap(part_keys.keymap(own.keys))
        for pane in (TracePane, AgentsPane, SkillsPane):
            self._app.main.query_one(pane).draw_keys()
        for problem in own.problems:
            self._app.say(problem, "warning")
        self._app.frame.settle()

    def leader(self) -> None:
        """Wait for the key after the leader."""
        from hermes_tui.ui.which_key import LeaderScreen

        key = self.table.first("leader") or "then"
        self._app.push_screen(LeaderScreen(self.table.chords(), key, self._held), self._led)

    def _led(self, command_id: str | None) -> None:
        if command_id:
            self.do(command_id)

    def _held(self, command_id: str) -> None:
        self._app.do(partial(self._app.commands.run, self.table.by_id[command_id]))

    def jump(self) -> None:
        """Put letters on everything that can be gone to."""
        from hermes_tui.ui.jump import JumpScreen

        if not isinstance(self._app.screen, JumpScreen):
            self._app.push_screen(JumpScreen(self._app.screen), self._jumped)

    def _jumped(self, target: Target | None) -> None:
        from hermes_tui.ui.jump import go

        if target is not None and target.widget.is_attached:
            self._app.call_later(go, target)

    async def help(self, keys_only: bool = False) -> None:
        """A page of help, what has the keys first."""
        if isinstance(self._app.screen, ViewerScreen) and self._app.screen.name == _HELP:
            return
        topic = None if keys_only else self._topic()
        paint = help_pages.paint_help(self.table, keys_only, topic)
        text = help_pages.help_text(self.table, keys_only, topic)
        title = "Keys" if keys_only else f"Help · {topic.title}" if topic else "Help"
        page: ViewerScreen = ViewerScreen(title, paint, text)
        page._name = _HELP
        await self._app.push_screen(page)

    def _topic(self) -> Topic | None:
        node: Any = self._app.focused or self._app.screen
        names: list[str] = []
        for one in node.ancestors_with_self:
            names += [one.id or "", type(one).__name__]
        return topic_for(names)
