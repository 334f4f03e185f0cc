"""First screen of the first run: everything that could answer, in one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.message import Message

from hermes_tui.intents import ChosenModel, ModelChoice
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.setup_fields import Field, SecretField
from hermes_tui.ui.text import one_line

if TYPE_CHECKING:
    from textual.app import ComposeResult

_OTHER = "other"
_HEADINGS = {
    "key": "Keys found in the environment or the secrets",
    "server": "Servers on this machine",
    "here": "Here, without a key or a network (↓ is fetched once)",
}


class ChooseStep(Vertical):
    """The list, and the fields of an endpoint of one's own. Posts `Chosen`."""

    class Chosen(Message):
        """This one is to be tried."""

        def __init__(self, choice: ModelChoice) -> None:
            super().__init__()
            self.choice = choice

    class Turned(Message):
        """The fields are shown in place of the list, or the other way round."""

    def __init__(self) -> None:
        super().__init__(id="setup-choose")
        self.choices: tuple[ModelChoice, ...] = ()

    def compose(self) -> ComposeResult:
        """List above fields; one of the two is shown."""
        yield RowList(id="setup-rows")
        with Vertical(id="setup-form"):
            yield Field("address", "http://127.0.0.1:11434/v1, or a GGUF file", id="setup-url")
            yield Field("model", "empty: the first it offers", id="setup-name")
            yield SecretField("key", "empty: none; kept among the secrets", id="setup-key")
            yield Bar(id="setup-form-note")

    def on_mount(self) -> None:
        """The list first, while it is being looked for."""
        note = "a key alone is enough where it tells whose it is"
        self.query_one("#setup-form-note", Bar).show((Span(note, "muted"),))
        self.close_form()

    @property
    def in_form(self) -> bool:
        """Whether the fields are shown."""
        return self.query_one("#setup-form").display

    def looking(self) -> None:
        """Say that it is being looked for."""
        words = " looking for keys and local servers …"
        self.query_one(RowList).show([TextRow(left=(Span(words, "muted"),))])

    def show(self, choices: Sequence[ModelChoice], problem: str = "") -> None:
        """Show what was found; the cursor goes to the first."""
        self.choices = tuple(choices)
        rows = list(_rows(self.choices))
        if problem:
            rows.insert(0, TextRow(left=(Span(f" {problem}", "error"),)))
        self.query_one(RowList).show(rows)

    def focus_list(self) -> None:
        """Give the keys to what is shown."""
        self.query_one("#setup-url" if self.in_form else "#setup-rows").focus()

    def close_form(self) -> None:
        """Back to the list; a key that was typed is forgotten."""
        self.query_one(SecretField).clear()
        self._form(False)

    def _form(self, shown: bool) -> None:
        self.query_one("#setup-form").display = shown
        self.query_one(RowList).display = not shown
        self.focus_list()
        self.post_message(self.Turned())

    @on(RowList.Chosen)
    def _picked(self, message: RowList.Chosen) -> None:
        message.stop()
        if message.key == _OTHER:
            self._form(True)
        else:
            self.post_message(self.Chosen(self.choices[int(message.key)]))

    @on(SecretField.Done)
    def _typed(self, message: SecretField.Done) -> None:
        message.stop()
        url, name = self.query_one("#setup-url", Field), self.query_one("#setup-name", Field)
        address = url.text.strip()
        chosen = ChosenModel(
            base_url=address, name=name.text.strip(), key=self.query_one(SecretField).secret
        )
        title = address or "the provider of that key"
        self.post_message(self.Chosen(ModelChoice(kind="server", title=title, chosen=chosen)))


def _rows(choices: Sequence[ModelChoice]) -> Sequence[TextRow]:
    rows: list[TextRow] = []
    heading = ""
    for at, choice in enumerate(choices):
        group = choice.kind if choice.kind in _HEADINGS else "here"
        if group != heading:
            rows += [TextRow()] * bool(rows)
            rows.append(TextRow(left=(Span(f" {_HEADINGS[group]}", "heading"),)))
            heading = group
        rows.append(_row(str(at), choice))
    rows += [TextRow()] * bool(rows)
    words = "another endpoint …"
    rows.append(
        TextRow(_OTHER, (Span("   + ", "accent"), Span(words)), (Span("address, key ", "muted"),))
    )
    return rows


def _row(key: str, choice: ModelChoice) -> TextRow:
    if choice.kind in ("embedded", "fetch"):
        glyph = Span("   ✓ ", "ok") if choice.kind == "embedded" else Span("   ↓ ", "accent")
        note = (Span(f"{choice.problem} ", "warn"),) if choice.problem else ()
        return TextRow(key, (glyph, Span(one_line(choice.title))), note)
    left = (
        Span("   ● ", "ok"),
        Span(f"{one_line(choice.title)}  ", "strong"),
        Span(one_line(choice.chosen.name)),
    )
    return TextRow(key, left, (Span(f"{one_line(choice.note)} ", "muted"),))
