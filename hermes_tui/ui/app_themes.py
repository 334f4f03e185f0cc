"""The app's themes: one is shown, others are tried, files of the person's own are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.intents import SetConfig
from hermes_tui.ui.theme import Look, ThemeSpec, builtin, textual
from hermes_tui.ui.theme_files import load, load_all
from hermes_tui.ui.watch import watch_folder

if TYPE_CHECKING:
    from hermes_tui.home import Home
    from hermes_tui.ui.app import HermesApp

DEFAULT = "hermes-night"


class Themes:
    """Which theme the screen has. Wrong theme files are told, never fatal."""

    def __init__(self, app: HermesApp, home: Home) -> None:
        self._app = app
        self._home = home
        self.folder = home.themes
        self._turn = 0
        self.current = DEFAULT
        self.shown = DEFAULT

    def start(self, name: str) -> str:
        """The theme to begin with; a sentence if it can't be had, and the default is shown."""
        problem = ""
        try:
            spec = load(self._home, name)
        except HermesError as error:
            problem = str(error)
            spec = builtin(DEFAULT) or ThemeSpec(name=DEFAULT)
        self.current = spec.name
        self._show(spec)
        return problem

    def names(self) -> list[str]:
        """All themes there are, by name."""
        return sorted(load_all(self._home)[0])

    def preview(self, name: str | None) -> None:
        """Show a theme for as long as it is under the cursor; None: the chosen one again."""
        wanted = name or self.current
        if wanted != self.shown:
            self._show(load(self._home, wanted))

    async def choose(self, name: str) -> None:
        """Show a theme and keep it. Raises HermesError for one that there is not."""
        self._show(load(self._home, name))
        self.current = name
        self._app.follow_themes()
        await self._app.ask(SetConfig(key="ui.theme", value=name))

    def follow(self, name: str) -> None:
        """Show the theme that the settings now name. Raises HermesError for one there is not."""
        self._show(load(self._home, name))
        self.current = name

    async def follow_files(self) -> None:
        """Show the theme anew whenever its file changes, until cancelled."""
        await watch_folder(self._home.themes, self._reload)

    async def _reload(self) -> None:
        specs, problems = load_all(self._home)
        for problem in problems:
            self._app.say(str(problem), "warning")
        if (spec := specs.get(self.current)) is not None:
            self._show(spec)

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
