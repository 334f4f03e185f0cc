"""Escape and ctrl+c: each does the nearest of several things, the most harmless one first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.ui.find_bar import FindBar

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp

_AGAIN_S = 2.0


class Escape:
    """What the two keys mean at this moment."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._quit_armed_until = 0.0

    def leave(self) -> None:
        """Close what is open, leave the pane, stop the turn: the first of these that applies."""
        app = self._app
        find = app.main.query_one(FindBar)
        if find.shown:
            find.action_close()
        elif app.frame.focused() != "chat" or app.focused is not app.talk.prompt:
            app.frame.settle(rail_over=False)
            (app.frame.focus if app.frame.now.chat else app.frame.go)("chat")
        elif app.talk.desk.stop_shell():
            return
        elif app.shown.moving:
            app.do(app.talk.stop)
        elif app.frame.wanted.zoomed:
            app.frame.zoom()
        elif not app.talk.prompt.text:
            app.talk.desk.rewinding.escape()

    async def interrupt(self) -> None:
        """Copy what is selected, else stop the turn, else clear the prompt, else twice: quit."""
        app, prompt = self._app, self._app.talk.prompt
        selected = app.screen.get_selected_text() or getattr(app.focused, "selected_text", "")
        if selected:
            app.copy_to_clipboard(selected)
            app.say("copied")
        elif app.talk.desk.stop_shell():
            return
        elif app.shown.moving:
            await app.talk.stop()
        elif prompt.text:
            prompt.clear()
        elif app.now() < self._quit_armed_until:
            await app.commands.quit()
        else:
            self._quit_armed_until = app.now() + _AGAIN_S
            app.say("ctrl+c again to quit · ctrl+q leaves it running")
