"""The skills pane: the list of skills, and the one under the cursor as it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.intents import ListSkills, ReadSkill, SkillInfo
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span, hints
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, ViewerScreen, paint_lines, paint_markdown

if TYPE_CHECKING:
    from textual.app import ComposeResult


class SkillsPane(Vertical):
    """List above, SKILL.md below."""

    BINDINGS = [
        Binding("o", "whole", show=False),
        Binding("r", "again", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="skills")
        self.skills: Sequence[SkillInfo] = ()
        self._texts: dict[str, str] = {}
        self._asked = False

    def compose(self) -> ComposeResult:
        """Count, list, text, keys."""
        yield Bar(id="skills-count")
        yield RowList(id="skills-rows")
        yield TextView(id="skills-text")
        yield Bar(id="skills-keys")

    def on_mount(self) -> None:
        """Empty until the pane is first shown."""
        self.query_one("#skills-text").display = False
        self.query_one("#skills-keys", Bar).show(
            hints(("enter", "read"), ("o", "full screen"), ("r", "look again"))
        )

    def shown(self) -> None:
        """The pane came into view: ask for the skills, the first time."""
        if not self._asked:
            self.action_again()

    def action_again(self) -> None:
        """Ask for the skills anew; files may have changed."""
        self._asked = True
        self._texts.clear()
        self.run_worker(self._load, group="skills", exclusive=True)

    def select(self, name: str) -> None:
        """Show one skill, by name."""
        self.run_worker(partial(self._load, name), group="skills", exclusive=True)
        self._asked = True

    # --- inside ------------------------------------------------------------------------------

    async def _load(self, name: str = "") -> None:
        face = face_of(self)
        try:
            self.skills = (await face.ask(ListSkills())).skills
        except HermesError as error:
            face.say(error.message, "warning")
            return
        rows: list[Row] = [_skill_row(skill) for skill in self.skills]
        if not rows:
            rows = [TextRow(left=(Span(" no skills yet", "muted"),))]
        self.query_one("#skills-count", Bar).show((Span(f" {len(self.skills)} skills", "muted"),))
        self.query_one(RowList).show(rows, name or None)
        await self._read(self.query_one(RowList).key)

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self.run_worker(partial(self._read, message.key), group="skill", exclusive=True)

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.query_one(TextView).focus()

    async def action_whole(self) -> None:
        """The skill over the full screen."""
        name = self.query_one(RowList).key
        if text := self._texts.get(name):
            await self.app.push_screen(ViewerScreen(name, paint_markdown(without_head(text)), text))

    async def _read(self, name: str) -> None:
        view = self.query_one(TextView)
        view.display = bool(name)
        if not name:
            return
        text = self._texts.get(name)
        if text is None:
            try:
                text = (await face_of(self).ask(ReadSkill(name=name))).text
            except HermesError as error:
                view.show(paint_lines([(Span(error.message, "error"),)]))
                return
            self._texts[name] = text
        if self.query_one(RowList).key == name:
            view.show(paint_markdown(without_head(text)), text)


def _skill_row(skill: SkillInfo) -> TextRow:
    glyph, style = ("!", "warn") if skill.problems else ("✓", "ok")
    words = one_line(skill.problems[0]) if skill.problems else one_line(skill.description)
    return TextRow(
        key=skill.name,
        left=(
            Span(f" {glyph} ", style),
            Span(skill.name + "  ", ""),
            Span(words, style if skill.problems else "muted"),
        ),
        right=(Span(skill.origin + " ", "muted"),) if skill.origin != "bundled" else (),
    )


def without_head(text: str) -> str:
    """A SKILL.md without its head, with the description as its first paragraph."""
    if not text.startswith("---\n"):
        return text
    head, end, body = text[4:].partition("\n---\n")
    if not end:
        return text
    found = re.search(r"^description:[ \t]*[>|]?-?[ \t]*(.*(?:\n[ \t]+.*)*)", head, re.MULTILINE)
    words = " ".join(found[1].split()).strip("\"'") if found else ""
    return f"> {words}\n\n{body.lstrip()}" if words else body.lstrip()
