"""What the terminal itself tells the app: whether it is dark, and whether it draws pictures."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hermes_tui.ui.paste_input import TerminalDriver
from hermes_tui.ui.pictures import Gallery
from hermes_tui.ui.pictures_encode import CELL, Frame
from hermes_tui.ui.pictures_terminal import PicturesTold, Told, Way, way_of

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp


class Terminal:
    """Asks the terminal, and hangs a gallery into the chat that fits what it answers."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._told = Told()
        self.gallery = self._hang("")

    def ask(self) -> None:
        """Ask all there is to ask."""
        self.ask_background()
        self.ask_pictures()
        self._ask_margins()

    def ask_background(self) -> None:
        """Ask the terminal whether it is dark, if that decides."""
        driver = self._app._driver
        if self._app.themes.follows_terminal and isinstance(driver, TerminalDriver):
            driver.ask_background()

    def _ask_margins(self) -> None:
        from hermes_tui.ui.paste_input import TerminalDriver

        driver = self._app._driver
        if isinstance(driver, TerminalDriver):
            driver.ask_margins()

    def ask_pictures(self) -> None:
        """Ask the terminal whether it draws pictures, unless the person wants none."""
        driver = self._app._driver
        if self._app.config.pictures and isinstance(driver, TerminalDriver):
            driver.ask_pictures()

    def told(self, message: PicturesTold) -> None:
        """The terminal answered."""
        self._told = message.into(self._told)
        console = self._app.console
        colours = console.color_system == "truecolor" and not console.no_color
        way = way_of(self._told, os.environ, colours)
        if way != self.gallery.way or all(message.cell):
            self.gallery.clear()
            self.gallery = self._hang(way)

    def _hang(self, way: Way) -> Gallery:
        transcript = self._app.transcript
        gallery = Gallery(self._app, way, self._frame, transcript.update)
        transcript.set_gallery(gallery)
        return gallery

    def _frame(self, columns: int) -> Frame:
        cell = self._told.cell if all(self._told.cell) else CELL
        ground = self._app.theme_variables.get("background", "#000000")
        ground = ground if ground.startswith("#") else "#000000"
        return Frame(self.gallery.way, columns, cell, ground[:7])
