"""One list to pick from by typing: commands, sessions, themes, skills, models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.config import EFFORTS
from hermes_tui.ui import figures, part_keys
from hermes_tui.ui.fuzzy import Entry, rank, text_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rail import session_title
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.settings_rows import value_words
from hermes_tui.ui.text import one_line

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hermes_tui.intents import SessionInfo, SettingInfo, SkillInfo
    from hermes_tui.ui.keys import KeyTable

Preview = Callable[[Entry | None], None]

_KINDS = {
    "command": "›",
    "session": "▸",
    "setting": "≡",
    "theme": "◑",
    "skill": "✓",
    "model": "●",
    "mode": "◆",
    "effort": "◆",
}


class _Box(SearchBox):
    """The box of a list that is always there: down never takes what is marked."""

    def leave_edge(self, step: int, select: bool) -> bool:
        return step > 0 or super().leave_edge(step, select)


class PickerScreen(ModalScreen[Entry | None]):
    """Type to narrow, enter to pick, escape to leave. preview: called as the cursor moves."""

    BINDINGS = part_keys.bindings("picker")

    def __init__(
        self, entries: Sequence[Entry], hint: str, query: str = "", preview: Preview | None = None
    ) -> None:
        super().__init__()
        self._entries = [(text_of(entry), entry) for entry in entries]
        self._hint, self._query, self._preview = hint, query, preview
        self._found: dict[str, Entry] = {}

    def compose(self) -> ComposeResult:
        """Box, list, count."""
        with Vertical(id="picker"):
            yield _Box(self._hint, text=self._query, id="picker-box")
            yield RowList(id="picker-rows")
            yield Bar(id="picker-count")

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(SearchBox).focus()
        rows = self.query_one(RowList)
        rows.can_focus, rows.lit = False, True
        self._narrow()

    def add(self, entries: Iterable[Entry]) -> None:
        """More to pick from, such as what had to be asked for."""
        self._entries += [(text_of(entry), entry) for entry in entries]
        if self.is_mounted:
            self._narrow()

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        self._query = self.query_one(SearchBox).text
        self._narrow(first=True)

    @on(SearchBox.Done)
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        self._take(self.query_one(RowList).key)

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self._take(message.key)

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        if self._preview is not None:
            self._preview(self._found.get(message.key))

    def action_move(self, step: int) -> None:
        """Up or down in the list, while the box keeps the keys."""
        self.query_one(RowList).action_move(step)

    def action_page(self, step: int) -> None:
        """A screenful further."""
        self.query_one(RowList).action_page(step)

    def action_leave(self) -> None:
        """Pick nothing."""
        self.dismiss(None)

    def _narrow(self, first: bool = False) -> None:
        found = rank(self._query, self._entries)
        self._found = {f"{entry.kind}:{entry.key}": entry for entry in found}
        rows = [_entry_row(key, entry) for key, entry in self._found.items()]
        empty = [TextRow(left=(Span("  nothing like that", "muted"),))]
        self.query_one(RowList).show(rows or empty, rows[0].key if first and rows else None)
        words = f" {len(found)} of {len(self._entries)}"
        self.query_one("#picker-count", Bar).show((Span(words, "muted"),))

    def _take(self, key: str) -> None:
        if (entry := self._found.get(key)) is not None:
            self.dismiss(entry)


def _entry_row(key: str, entry: Entry) -> TextRow:
    return TextRow(
        key=key,
        left=(
            Span(f" {_KINDS.get(entry.kind, '·')} ", "accent"),
            Span(entry.title, ""),
            Span("  " + entry.note if entry.note else "", "muted"),
        ),
        right=(Span(entry.right + " ", "muted"),),
    )


# --- what can be picked --------------------------------------------------------------------


def command_entries(table: KeyTable) -> list[Entry]:
    """Every command of the full-screen UI, except the palette itself."""
    return [
        Entry(
            kind="command",
            key=command.id,
            title=command.title,
            note=command.help,
            right=table.first(command.id) or (f"/{command.slash}" if command.slash else ""),
            words=f"{command.slash} {command.id}",
        )
        for command in table.on_screen
        if command.id not in ("palette", "leader")
    ]


def session_entries(sessions: Iterable[SessionInfo], now: float) -> list[Entry]:
    """Sessions to open."""
    return [
        Entry(
            kind="session",
            key=info.id,
            title=session_title(info),
            note=one_line(info.cwd),
            right=info.state if info.state != "idle" else figures.ago(info.updated, now),
            words=f"session {info.id}",
        )
        for info in sessions
    ]


def theme_entries(names: Iterable[str], current: str) -> list[Entry]:
    """Themes to switch to."""
    return [
        Entry(
            kind="theme",
            key=name,
            title=name,
            note="theme",
            right="now" if name == current else "",
            words="theme colours",
        )
        for name in names
    ]


_EFFORTS = {
    "default": "as the settings say",
    "auto": "as the model does by itself",
    "none": "answers at once, without thinking",
    "minimal": "hardly",
    "low": "a little",
    "medium": "some",
    "high": "long: for hard work",
    "xhigh": "as long as it takes, where the model has that",
}


def effort_entries(own: str, usual: str) -> list[Entry]:
    """How hard the model may think. own: what this session has; usual: what the settings say."""
    notes = {**_EFFORTS, "default": f"{_EFFORTS['default']}: {usual}"}
    now = own or "default"
    return [
        Entry(kind="effort", key=name, title=name, note=notes[name], right="now" * (name == now))
        for name in ("default", *EFFORTS)
    ]


def skill_entries(skills: Iterable[SkillInfo]) -> list[Entry]:
    """Skills to read."""
    return [
        Entry(
            kind="skill",
            key=skill.name,
            title=skill.name,
            note=one_line(skill.description),
            words="skill",
        )
        for skill in skills
    ]


def setting_entries(settings: Iterable[SettingInfo]) -> list[Entry]:
    """Settings to change."""
    return [
        Entry(
            kind="setting",
            key=one.name,
            title=one.name,
            note=one_line(one.help),
            right=one_line(value_words(one, one.value))[:24],
            words="setting " + one.name.replace("_", " "),
        )
        for one in settings
    ]
