"""A text field that helps with typing: a list of what fits, and a dim guess at how it goes on."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from hermes_tui.ui.at_mentions import Mention, Mentions, mention_at, range_hint
from hermes_tui.ui.completion import Choice, Completion, command_choices, usage
from hermes_tui.ui.face import face_of, look_of
from hermes_tui.ui.history import PromptHistory
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.prompt_editor import Editor
from hermes_tui.ui.prompt_ghost import ghost

if TYPE_CHECKING:
    from hermes_tui.ui.face import Face

_NAME = 14
_CALL = re.compile(r"/[a-z0-9-]{2,}")


class CompletingEditor(Editor):
    """Completes slash commands and `@` mentions. shell: what is typed is a command line."""

    def __init__(self, *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(placeholder=placeholder, id=id)
        self.completion = Completion()
        self.history = PromptHistory()
        self.shell = ""
        self._mention: Mention | None = None
        self._mentions: tuple[Face, Mentions] | None = None
        self._guess: tuple[tuple[str, str], str] = (("", ""), "")

    # --- what fits -------------------------------------------------------------------------

    def after_edit(self) -> bool:
        """Look for what fits, draw."""
        raw, caret = self.document.raw, self.document.caret
        self._mention = None
        commands = () if self.shell else command_choices(raw)
        found = None if commands else mention_at(raw, caret)
        if found is None or found.ranged:
            self.completion.offer(raw, commands)
        if found is not None:
            self._look_up(found)
        elif not commands and not self.shell and _CALL.fullmatch(raw) and self.is_attached:
            self.run_worker(partial(self._ask_skills, raw), group="complete", exclusive=True)
        return super().after_edit()

    async def _ask_skills(self, raw: str) -> None:
        choices = await self._sources().called(raw[1:])
        if self.document.raw == raw and self._mention is None:
            self.completion.offer(raw, choices)
            self.after_move()

    def _look_up(self, found: Mention) -> None:
        self._mention = found
        if not found.ranged and self.is_attached:
            work = partial(self._ask, found, self.document.raw)
            self.run_worker(work, group="complete", exclusive=True)

    async def _ask(self, found: Mention, raw: str) -> None:
        choices = await self._sources().choices(found.typed)
        if (self._mention, self.document.raw) == (found, raw):
            self.completion.offer(raw, choices)
            self.after_move()

    def _sources(self) -> Mentions:
        face = face_of(self)
        if self._mentions is None or self._mentions[0] is not face:
            self._mentions = (face, Mentions(face))
        return self._mentions[1]

    def close_list(self) -> None:
        """Close the list until the text changes."""
        self.completion.close(self.document.raw)
        self.after_move()

    def complete(self) -> bool:
        """Put the marked choice into the text. Always True, for keys to return."""
        if not self.completion.open:
            return True
        choice = self.completion.choice
        if self._mention is None:
            self.document.load(choice.text)
            self.after_edit()
            self.close_list()
        else:
            self._put_mention(self._mention, choice)
        return True

    def _put_mention(self, found: Mention, choice: Choice) -> None:
        raw, text = self.document.raw, choice.text
        if raw[found.end : found.end + 1].isspace():
            text = text.rstrip(" ")
        self.document.replace(found.start, found.end, text)
        self.after_edit()
        if text.endswith(" "):
            self.close_list()

    def take_list_key(self, key: str) -> bool:
        """A key while the list is open. False: it is not the list's."""
        match key:
            case "up" | "down":
                self.completion.move(-1 if key == "up" else 1)
                self.refresh()
            case "escape":
                self.close_list()
            case "tab":
                return self.complete()
            case "enter" if self.completion.chosen or not self._whole():
                return self.complete()
            case _:
                return False
        return True

    def _whole(self) -> bool:
        """Whether what is typed is one of the choices already: Enter then sends it."""
        raw, found = self.document.raw, self._mention
        typed = raw if found is None else raw[found.start : found.end]
        return any(one.text.strip() == typed for one in self.completion.choices)

    # --- the guess -------------------------------------------------------------------------

    @property
    def ghost(self) -> str:
        """How the text may go on; only where the caret is, at the end of the text."""
        raw = self.document.raw
        if not raw or self.document.caret != len(raw) or self.completion.open:
            return ""
        if self.history.walking or self.document.selected:
            return ""
        if self._guess[0] != (raw, self.shell):
            self._guess = ((raw, self.shell), ghost(raw, self.history.texts(self.shell)))
        return self._guess[1]

    def accept_ghost(self) -> bool:
        """Take the guess into the text. False: there is none."""
        guess = self.ghost
        if not guess:
            return False
        self.document.replace(self.document.caret, self.document.caret, guess)
        return self.after_edit()

    # --- drawing ---------------------------------------------------------------------------

    def _help(self) -> tuple[Span, ...]:
        """One line of help for what is being typed, when there is no list."""
        if self._mention is not None and self._mention.ranged:
            name, how = range_hint(self._mention)
            return (Span(f"  {name}", "text"), Span(f"   {how}", "muted"))
        command = None if self.shell else usage(self.document.raw)
        if command is None:
            return ()
        words = Span(f"  /{command.slash} {command.args}", "text")
        return (words, Span(f"   {command.help}", "muted"))

    @property
    def extra_rows(self) -> int:
        """The list, or one line of help."""
        return self.completion.rows or int(bool(self._help()))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The text, and the list below it."""
        return super().get_content_height(container, viewport, width) + self.extra_rows

    def render_line(self, y: int) -> Strip:
        """A row of the text, or of the list below it."""
        below = y - self.rows_shown
        if below < 0 or not self.extra_rows:
            return super().render_line(y)
        width, look, base = self.size.width, look_of(self), self.rich_style
        if not self.completion.open:
            return draw(self._help(), (), width, look, base)
        visible = self.completion.visible()
        if below >= len(visible):
            return Strip.blank(width, base)
        return self._suggestion(*visible[below])

    def _suggestion(self, choice: Choice, marked: bool) -> Strip:
        look = look_of(self)
        base = self.rich_style + (look["cursor"] if marked else Style.null())
        name = f"{'▸' if marked else ' '} {choice.label}"
        style = "accent" if marked else "text"
        left = (Span(name.ljust(_NAME), style), Span(f"  {choice.note}", "muted"))
        return draw(left, (), self.size.width, look, base)
