"""The app's themes: one is shown, others tried; files and the terminal's ground are followed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.intents import SetConfig
from hermes_tui.ui.background import by_environment
from hermes_tui.ui.theme import Look, ThemeSpec, builtin, textual
from hermes_tui.ui.theme_files import load, load_all

if TYPE_CHECKING:
    from hermes_tui.home import Home
    from hermes_tui.ui.app import HermesApp

AUTO = "auto"
NIGHT, PAPER, MONO = "hermes-night", "hermes-paper", "mono"


class Themes:
    """Which theme the screen has. Wrong theme files are told, never fatal.

    current: what was chosen, `auto` to follow the terminal; shown: the theme on the screen.
    """

    def __init__(self, app: HermesApp, home: Home) -> None:
        self._app = app
        self._home = home
        self.folder = home.themes
        self._turn = 0
        self._dark = by_environment(os.environ)
        self.current = AUTO
        self.shown = NIGHT

    def start(self, name: str) -> str:
        """The theme to begin with; a sentence if it can't be had, and another is shown.

        A person who wants no colour at all (`NO_COLOR`) gets none.
        """
        problem = ""
        self.current = name
        try:
            spec = load(self._home, MONO if self._app.no_color else self._named(name))
        except HermesError as error:
            problem = str(error)
            self.current = AUTO
            spec = builtin(self._named(AUTO)) or ThemeSpec(name=NIGHT)
        self._show(spec)
        return problem

    @property
    def follows_terminal(self) -> bool:
        """Whether the terminal's ground decides."""
        return self.current == AUTO and not self._app.no_color

    def names(self) -> list[str]:
        """All themes there are, by name, and the one that follows the terminal."""
        return [AUTO, *sorted(load_all(self._home)[0])]

    def preview(self, name: str | None) -> None:
        """Show a theme for as long as it is under the cursor; None: the chosen one again."""
        wanted = self._named(name or self.current)
        if wanted != self.shown:
            self._show(load(self._home, wanted))

    async def choose(self, name: str) -> None:
        """Show a theme and keep it. Raises HermesError for one that there is not."""
        self.follow(name)
        await self._app.ask(SetConfig(key="ui.theme", value=name))

    def follow(self, name: str) -> None:
        """Show the theme that the settings now name. Raises HermesError for one there is not."""
        self._show(load(self._home, self._named(name)))
        self.current = name
        self._app.terminal.ask_background()

    def ground(self, dark: bool) -> None:
        """The terminal said whether it is dark."""
        self._dark = dark
        if self.follows_terminal and self._named(AUTO) != self.shown:
            self._show(load(self._home, self._named(AUTO)))

    async def reload(self) -> None:
        """Show the theme anew: its file has changed."""
        specs, problems = load_all(self._home)
        for problem in problems:
            self._app.say(str(problem), "warning")
        if (spec := specs.get(self.shown)) is not None:
            self._show(spec)

    def _named(self, name: str) -> str:
        if name != AUTO:
            return name
        return PAPER if self._dark is False else NIGHT

    def _show(self, spec: ThemeSpec) -> None:
        self.shown = spec.name
        self._app.look = Look(spec)
        # Textual draws anew only for another name, and a changed file keeps its own.
        self._turn += 1
        theme = textual(spec)
        theme.name = f"{spec.name}-{self._turn}"
        self._app.register_theme(theme)
        self._app.theme = theme.name
        self._app.look_changed()
