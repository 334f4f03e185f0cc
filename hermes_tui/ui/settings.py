"""The settings screen: every setting of the schema, found by typing, changed in place, live."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import msgspec
from textual import on
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.errors import HermesError
from hermes_tui.intents import ListSettings, SetConfig, SettingInfo
from hermes_tui.ui import part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import RowList
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.settings_rows import ADD, details, matching, rows, text_of_value
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, paint_all, paint_lines, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult


class SettingsScreen(ModalScreen[None]):
    """choices: values that only the face knows, such as the names of themes."""

    AUTO_FOCUS = ""
    BINDINGS = part_keys.bindings("settings")

    def __init__(self, query: str = "", choices: Mapping[str, Sequence[str]] | None = None) -> None:
        super().__init__()
        self.settings: dict[str, SettingInfo] = {}
        self._query = query
        self._choices = choices or {}
        self._opened = ""
        self._editing = ""

    def compose(self) -> ComposeResult:
        """Box, list, details, field."""
        yield Bar(id="settings-title")
        yield SearchBox("search the settings", text=self._query, id="settings-box")
        yield RowList(id="settings-rows")
        yield TextView(id="settings-text")
        with Vertical(id="settings-edit"):
            yield SearchBox("", id="settings-field")
            yield Bar(id="settings-note")
        yield Bar(id="settings-keys")

    def on_mount(self) -> None:
        """Fetch them."""
        self.query_one("#settings-title", Bar).show((Span(" Settings", "strong"),))
        keys = [("↵", "change"), *part_keys.hint_pairs(self, "settings")]
        self.query_one("#settings-keys", Bar).show_keys(keys)
        self.query_one("#settings-field", SearchBox).mark = "❯ "
        self.query_one(TextView).can_focus = False
        self.query_one("#settings-field").display = False
        self.query_one("#settings-box").focus()
        self.run_worker(self.reload())

    async def reload(self) -> None:
        """Show them as they are now."""
        try:
            self.show((await face_of(self).ask(ListSettings())).settings)
        except HermesError as error:
            self._note(error.message, "error")

    def show(self, settings: Sequence[SettingInfo]) -> None:
        """Show these."""
        self.settings = {one.name: self._with_choices(one) for one in settings}
        changed = sum(bool(one.source) for one in settings)
        words = f"{len(settings)} settings, {changed} changed "
        left = self.query_one("#settings-title", Bar).left
        self.query_one("#settings-title", Bar).show(left, (Span(words, "muted"),))
        self._draw()

    def _with_choices(self, one: SettingInfo) -> SettingInfo:
        names = tuple(self._choices.get(one.name, ()))
        return msgspec.structs.replace(one, kind="choice", choices=names) if names else one

    # --- searching and moving ------------------------------------------------------------------

    def _draw(self, key: str | None = None) -> None:
        found = matching(self.settings.values(), self._query)
        self.query_one(RowList).show(rows(found, self._opened), key)
        self._details()

    def _details(self) -> None:
        one = self._here()
        paint = None
        if one is not None:
            paint = paint_all([paint_lines(details(one)), paint_text(one.help)])
        self.query_one(TextView).show(paint)

    def _here(self) -> SettingInfo | None:
        return self.settings.get(_setting(self.query_one(RowList).key))

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        box = self.query_one("#settings-box", SearchBox)
        if box.text != self._query:
            self._query, self._opened = box.text, ""
            self._draw("")

    @on(SearchBox.Done, "#settings-box")
    def _found(self, message: SearchBox.Done) -> None:
        message.stop()
        self.query_one(RowList).focus()

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._details()

    def action_search(self) -> None:
        """Back to the box."""
        self.query_one("#settings-box").focus()

    def action_back(self) -> None:
        """Close the field, then what is opened, then the screen."""
        if self._editing:
            self._close_field()
        elif self._opened:
            opened, self._opened = self._opened, ""
            self._draw(opened)
        else:
            self.dismiss(None)

    # --- changing ------------------------------------------------------------------------------

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        name, equals, choice = message.key.partition("=")
        one = self.settings.get(_setting(message.key))
        if one is None:
            return
        if equals:
            self._opened = ""
            self._set(name, choice)
        elif "#" in message.key:
            self._open_field(message.key, _entry(one, message.key))
        elif one.kind == "toggle":
            self._set(name, text_of_value(not one.value))
        elif one.kind in ("choice", "list"):
            self._opened = "" if self._opened == name else name
            self._draw(f"{name}={one.value}" if one.kind == "choice" else f"{name}#{ADD}")
        else:
            self._open_field(name, text_of_value(one.value))

    def action_step(self, step: int) -> None:
        """The next value of a toggle or a choice, without opening it."""
        one = self._here()
        if one is None or not self.query_one(RowList).has_focus:
            return
        if one.kind == "toggle":
            self._set(one.name, text_of_value(not one.value))
        elif one.kind == "choice" and one.choices:
            at = one.choices.index(one.value) if one.value in one.choices else -step
            self._set(one.name, one.choices[(at + step) % len(one.choices)])

    def action_reset(self) -> None:
        """Take the setting out of the file; on an entry of a list, the entry."""
        one, key = self._here(), self.query_one(RowList).key
        if one is None:
            return
        item = key.rpartition("#")[2] if "#" in key else ""
        if item and item != ADD:
            items = cast("list[str]", one.value)
            left = [text for at, text in enumerate(items) if at != int(item)]
            self._set(one.name, text_of_value(left))
        elif not item:
            self._change(SetConfig(key=one.name, value="", reset=True), "the default counts again")

    def _set(self, name: str, value: str, done: Callable[[], None] | None = None) -> None:
        self._change(SetConfig(key=name, value=value), "saved", done)

    def _change(
        self, intent: SetConfig, words: str, done: Callable[[], None] | None = None
    ) -> None:
        async def change() -> None:
            try:
                await face_of(self).ask(intent)
            except HermesError as error:
                self._note(error.message.removeprefix(f"{intent.key} "), "error")
                return
            if done is not None:
                done()
            await self.reload()
            fixed = self.settings[intent.key].fixed if intent.key in self.settings else False
            over = f"; {self.settings[intent.key].source} wins over it" if fixed else ""
            self._note(f"{intent.key}: {words}{over}", "warn" if fixed else "ok")

        self.run_worker(change(), group="change", exclusive=True)

    # --- the field -----------------------------------------------------------------------------

    def _open_field(self, key: str, text: str) -> None:
        self._editing = key
        field = self.query_one("#settings-field", SearchBox)
        field.text = text
        field.display = True
        one = self.settings[_setting(key)]
        self._note("one rule" if one.kind == "list" else one.must, "muted")
        field.focus()

    def _close_field(self) -> None:
        self._editing = ""
        self.query_one("#settings-field").display = False
        self._note("", "muted")
        self.query_one(RowList).focus()

    @on(SearchBox.Done, "#settings-field")
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        key, text = self._editing, message.text
        one = self.settings.get(_setting(key))
        if one is None:
            return
        self._set(one.name, _new_value(one, key, text), self._close_field)

    def _note(self, text: str, style: str) -> None:
        """What is said beside the field, or in its place."""
        self.query_one("#settings-note", Bar).show((Span(f" {one_line(text)}", style),))


def _setting(key: str) -> str:
    """The setting a row belongs to."""
    return key.partition("=")[0].partition("#")[0]


def _entry(one: SettingInfo, key: str) -> str:
    """The entry of a list that a row stands for; empty for the one to be added."""
    item = key.rpartition("#")[2]
    return "" if item == ADD else cast("list[str]", one.value)[int(item)]


def _new_value(one: SettingInfo, key: str, text: str) -> str:
    """What `SetConfig` gets for a text that was typed: for a list, all of it."""
    if one.kind != "list":
        return "null" if not text.strip() and one.default is None else text
    item = key.rpartition("#")[2]
    items = list(cast("list[str]", one.value))
    if item == ADD:
        items.append(text)
    else:
        items[int(item)] = text
    return text_of_value(items)
