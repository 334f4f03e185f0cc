"""A skill being written: the text with its line numbers, and what the format says as one types."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import on
from textual.screen import ModalScreen
from textual.widgets import TextArea

from hermes_tui.errors import HermesError
from hermes_tui.intents import CheckSkill, SkillCheck, SkillFinding
from hermes_tui.ui import part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span, hints
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, paint_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

_PAUSE = 0.15
_SHOWN = 4
_STYLES = {"error": "error", "warning": "warn", "advice": "muted"}
_NAME = re.compile(r"^name:[ \t]*[\"']?([^\s\"']+)", re.MULTILINE)
TEMPLATE = """---
name: new-skill
description: Say what it does, and when to use it.
---

# New skill

1. Look at …
2. Do …
3. Check that …
"""


class SkillEditor(ModalScreen["tuple[str, str] | None"]):
    """Edits one SKILL.md; gives (name, text) back, or None when it was left.

    name: of the skill; empty for a new one, whose text names it.
    """

    DEFAULT_CSS = """
    SkillEditor { background: $background; }
    #skill-text { height: 1fr; border: none; border-top: solid $border; padding: 0 1 0 0; }
    #skill-findings { height: auto; max-height: 6; padding: 0 1; border-top: solid $border; }
    """
    BINDINGS = part_keys.bindings("editor")

    def __init__(self, name: str, text: str, about: str = "") -> None:
        super().__init__()
        self._named, self._first, self._about = name, text, about
        self.check = SkillCheck()
        self._timer: Timer | None = None
        self._warned = False

    def compose(self) -> ComposeResult:
        """Title, text, findings, keys."""
        yield Bar(id="skill-title")
        yield TextArea(self._first, id="skill-text", show_line_numbers=True, tab_behavior="indent")
        yield TextView(id="skill-findings")
        yield Bar(id="skill-keys")

    def on_mount(self) -> None:
        """Check what is there already."""
        self.query_one(TextArea).focus()
        self.query_one("#skill-findings").can_focus = False
        self._draw()
        self._look()

    @property
    def in_place_of(self) -> dict[str, Callable[[], None]]:
        """What keys do here that are commands elsewhere: ctrl+s does not put a draft away."""
        mine = "ctrl+s" in part_keys.keys_of(part_keys.BY_ID["editor.save"], part_keys.own_of(self))
        return {"prompt.stash": self.action_save} if mine else {}

    @property
    def skill_name(self) -> str:
        """The name the text will be saved under."""
        found = _NAME.search(self.text[:2000])
        return self._named or (found[1] if found else "")

    @property
    def text(self) -> str:
        """The text as it stands."""
        return self.query_one(TextArea).text

    # --- checking ------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _changed(self, message: TextArea.Changed) -> None:
        message.stop()
        self._warned = False
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self._look)

    def _look(self) -> None:
        self.run_worker(partial(self._check, self.text), group="check", exclusive=True)

    async def _check(self, text: str) -> None:
        try:
            self.check = await face_of(self).ask(CheckSkill(name=self.skill_name, text=text))
        except HermesError as error:
            face_of(self).say(error.message, "warning")
            return
        self._draw()

    def _draw(self) -> None:
        bad = sum(one.level == "error" for one in self.check.findings)
        state = Span(f"{bad} to fix", "error") if bad else Span("format ✓", "ok")
        title = [Span(f" {self.skill_name or 'new skill'} / SKILL.md", "strong")]
        if self._about:
            title.append(Span(f"  {one_line(self._about)}", "muted"))
        right = (state, Span(f"   {self.check.tokens:,} tokens ", "muted"))
        self.query_one("#skill-title", Bar).show(title, right)
        self.query_one("#skill-findings", TextView).show(
            paint_lines([_line(one) for one in self.check.findings[:_SHOWN]] or [_GOOD])
        )
        named = [("save", "save"), ("outside", "in $EDITOR"), ("leave", "leave")]
        if self.check.repaired:
            named.insert(1, ("repair", "put quotes right"))
        keys = [(part_keys.key_of(self, f"editor.{name}"), words) for name, words in named]
        self.query_one("#skill-keys", Bar).show(hints(*(one for one in keys if one[0])))

    # --- keys ----------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Give the text back; the core has the last word on whether it can be kept."""
        self.dismiss((self.skill_name, self.text))

    def action_leave(self) -> None:
        """Leave; a changed text is only given up when escape is pressed again."""
        if self.text != self._first and not self._warned:
            self._warned = True
            keys = [part_keys.key_of(self, f"editor.{name}") for name in ("leave", "save")]
            face_of(self).say(f"not saved: {keys[0]} again gives it up, {keys[1]} saves", "warning")
            return
        self.dismiss(None)

    def action_repair(self) -> None:
        """Put the quotes right that the format asks for."""
        if self.check.repaired:
            self.query_one(TextArea).text = self.check.repaired

    async def action_outside(self) -> None:
        """Edit the text in the person's own editor."""
        from hermes_tui.home import Home
        from hermes_tui.ui.prompt_outside import Screen, edit

        done = await edit(cast("Screen", self.app), self.text, Home.find().drafts)
        if done.problem:
            face_of(self).say(done.problem, "warning")
        if done.text is not None:
            self.query_one(TextArea).text = done.text


_GOOD = (Span("the format has nothing to say against it", "muted"),)


def _line(one: SkillFinding) -> tuple[Span, ...]:
    style = _STYLES.get(one.level, "")
    return Span(f"line {one.line}  ", "muted"), Span(one_line(one.text), style)
