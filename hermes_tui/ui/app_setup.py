"""Setting up on the full screen: the first run, the settings, and what they change live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hermes_tui.config import UiConfig
from hermes_tui.errors import HermesError
from hermes_tui.events import FetchProgress, Record, SettingsChanged
from hermes_tui.intents import FindModels, ListSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_tui.intents import SettingInfo
    from hermes_tui.ui.app import HermesApp

_NOTHING_YET = "no model is set up yet · /setup asks again"


class Setup:
    """Opens the screens of setting up, and takes over what they change."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app

    async def begin(self) -> None:
        """Open the first run if nothing is set up that could answer."""
        try:
            needed = (await self._app.ask(FindModels(look=False))).needed
        except HermesError:
            return  # a core of an older version: it says so itself when it is asked something
        if needed:
            await self.first_run()

    async def first_run(self) -> None:
        """Set a model up."""
        from hermes_tui.ui.first_run import FirstRunScreen

        await self._app.push_screen(FirstRunScreen(), self._begun)

    def _begun(self, task: str | None) -> None:
        if task:
            self._app.do(lambda: self._app.talk.send(task, "auto"))
        elif task is None:
            self._app.do(self._remind)
        self._app.do(self._app.talk.begin)

    async def _remind(self) -> None:
        if (await self._app.ask(FindModels(look=False))).needed:
            self._app.say(_NOTHING_YET)

    async def settings(self, query: str = "") -> None:
        """Show the settings, those that match if there is a query."""
        from hermes_tui.ui.settings import SettingsScreen

        themes = {"ui.theme": self._app.themes.names()}
        await self._app.push_screen(SettingsScreen(query, themes))

    def heard(self, record: Record) -> None:
        """Take in an event that is about setting up."""
        match record.event:
            case SettingsChanged():
                self._app.do(self._follow, "settings")
            case FetchProgress() as event:
                from hermes_tui.ui.first_run import FirstRunScreen

                if isinstance(screen := self._app.screen, FirstRunScreen):
                    screen.heard(event)
            case _:
                return

    async def _follow(self) -> None:
        """Go by the settings as they are now, and show them where they are shown."""
        from hermes_tui.ui.settings import SettingsScreen

        listed = (await self._app.ask(ListSettings())).settings
        config = ui_config(listed)
        if config is not None:
            take_over(self._app, config)
        if isinstance(screen := self._app.screen, SettingsScreen):
            screen.show(listed)


def ui_config(settings: Iterable[SettingInfo]) -> UiConfig | None:
    """The screen's own settings; None when they are of another version and can't be used."""
    known = UiConfig.__struct_fields__
    values: dict[str, Any] = {
        name: one.value
        for one in settings
        if (name := one.name.removeprefix("ui.")) != one.name and name in known
    }
    try:
        return msgspec.convert(values, UiConfig)
    except msgspec.ValidationError:
        return None


def take_over(app: HermesApp, config: UiConfig) -> None:
    """Have the running screen go by these settings."""
    before, app.config = app.config, config
    if config.theme != app.themes.current:
        app.themes.follow(config.theme)
    if (config.chat_width, config.timestamps) != (before.chat_width, before.timestamps):
        app.transcript.chat_width = config.chat_width
        app.transcript._resheet(app.transcript.column.sheet._replace(times=config.timestamps))
        app.frame.settle(chat_width=config.chat_width)
    if config.mouse != before.mouse:
        _use_mouse(app, config.mouse)
    app.tick()


def _use_mouse(app: HermesApp, on: bool) -> None:
    driver: Any = app._driver
    if driver is None or not hasattr(driver, "_enable_mouse_support"):
        return
    driver._mouse = True
    if on:
        driver._enable_mouse_support()
    else:
        driver._disable_mouse_support()
        driver._mouse = False
