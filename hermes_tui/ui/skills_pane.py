"""The skills pane: the list, the skill under the cursor, its history, and edits to be reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.containers import Container, Vertical
from textual.message import Message

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    AnswerSkillProposal,
    ChangeSkill,
    ListSkills,
    ReadSkill,
    SaveSkill,
    ShowSkill,
    SkillInfo,
    SkillProposal,
    SkillStory,
)
from hermes_tui.ui import part_keys
from hermes_tui.ui.diff_screen import paint_diff
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.skills_review import ReviewView
from hermes_tui.ui.skills_rows import (
    Lines,
    about,
    about_proposal,
    about_version,
    counted,
    skill_row,
    without_head,
)
from hermes_tui.ui.viewer import TextView, ViewerScreen, paint_lines, paint_markdown

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

__all__ = ["SkillsPane", "without_head"]

_WIDE = 100
_Keys = Sequence[tuple[str, str]]
_LIST_KEYS: _Keys = (
    ("list.open", "read"),
    ("skills.edit", "edit"),
    ("skills.new", "new"),
    ("skills.switch", "on/off"),
    ("skills.older skills.newer", "versions"),
)
_MORE_KEYS: _Keys = (
    ("skills.undo", "undo"),
    ("skills.try", "try"),
    ("skills.whole", "full screen"),
    ("skills.again", "look again"),
)
_BACK_KEYS: _Keys = (
    ("skills.older skills.newer", "older, newer"),
    ("skills.restore", "bring it back"),
    ("skills.undo", "undo"),
)
_REVIEW_KEYS: _Keys = (
    ("review.mark", "this change"),
    ("review.reject", "reject"),
    ("skills.edit", "edit"),
    ("review.previous review.next", "changes"),
)


class SkillsPane(Vertical):
    """List, and beside or below it what is known of one skill and its text."""

    DEFAULT_CSS = """
    #skills-split { height: 1fr; layout: vertical; }
    #skills-detail { height: 2fr; layout: vertical; border-top: solid $border; padding: 0 1; }
    #skills-about { height: auto; max-height: 5; margin-bottom: 1; }
    #skills-diff { height: 1fr; }
    SkillsPane.-wide #skills-split { layout: horizontal; }
    SkillsPane.-wide #skills-rows { width: 44; height: 1fr; }
    SkillsPane.-wide #skills-detail { width: 1fr; height: 1fr; border-top: none;
      border-left: solid $border; }
    """
    BINDINGS = part_keys.bindings("skills")

    class Put(Message):
        """Put this text into the prompt."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(id="skills")
        self.skills: Sequence[SkillInfo] = ()
        self._texts: dict[str, str] = {}
        self._stories: dict[str, SkillStory] = {}
        self._back = 0
        self._asked = False

    def compose(self) -> ComposeResult:
        """Count, list, detail, keys."""
        yield Bar(id="skills-count")
        with Container(id="skills-split"):
            yield RowList(id="skills-rows")
            with Vertical(id="skills-detail"):
                yield TextView(id="skills-about")
                yield TextView(id="skills-text")
        yield Bar(id="skills-keys")

    def on_mount(self) -> None:
        """Empty until the pane is first shown."""
        self.query_one("#skills-detail").display = False
        self.query_one("#skills-about").can_focus = False
        self.draw_keys()

    def on_resize(self, event: events.Resize) -> None:
        """Side by side where there is room."""
        self.set_class(event.size.width >= _WIDE, "-wide")
        self.draw_keys()

    def shown(self) -> None:
        """The pane came into view: ask for the skills, the first time."""
        if not self._asked:
            self.action_again()

    def action_again(self) -> None:
        """Ask for the skills anew; files may have changed."""
        self._forget()
        self.run_worker(self._load, group="skills", exclusive=True)

    def heard(self) -> None:
        """Skills changed; a pane that was seen shows them as they are now."""
        if self._asked and self._review is None:
            self.action_again()

    def select(self, name: str) -> None:
        """Show one skill, by name."""
        self._forget()
        self.run_worker(partial(self._load, name), group="skills", exclusive=True)

    def _forget(self) -> None:
        self._asked = True
        self._texts.clear()
        self._stories.clear()
        self._back = 0

    @property
    def skill(self) -> SkillInfo | None:
        """The skill under the cursor."""
        key = self.query_one(RowList).key
        return next((one for one in self.skills if one.name == key), None)

    # --- showing -------------------------------------------------------------------------------

    async def _load(self, name: str = "") -> None:
        face = face_of(self)
        try:
            self.skills = (await face.ask(ListSkills(cwd=self._folder()))).skills
        except HermesError as error:
            face.say(error.message, "warning")
            return
        rows: list[Row] = [skill_row(skill) for skill in self.skills]
        if not rows:
            rows = [TextRow(left=(Span(" no skills yet", "muted"),))]
        self.query_one("#skills-count", Bar).show((Span(counted(self.skills), "muted"),))
        listed = self.query_one(RowList)
        listed.show(rows, name or listed.key or None)
        await self._show()

    def _folder(self) -> str:
        talk: Any = getattr(cast("Any", self.app), "talk", None)
        return str(talk.standing.cwd) if talk is not None else ""

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._back = 0
        self.run_worker(self._show, group="skill", exclusive=True)

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        review = self._review
        (review if review is not None else self.query_one("#skills-text")).focus()

    @property
    def _review(self) -> ReviewView | None:
        found = self.query(ReviewView)
        return found.first() if found else None

    async def _show(self) -> None:
        """Show the skill under the cursor: the edit that waits, a version, or how it reads."""
        skill = self.skill
        self.query_one("#skills-detail").display = skill is not None
        if skill is None:
            return
        try:
            if skill.proposal and not self._back:
                await self._show_proposal(skill)
            elif self._back:
                await self._show_version(skill)
            else:
                await self._show_text(skill)
        except HermesError as error:
            await self._put_away()
            self._head([(Span(error.message, "error"),)])
            self.query_one("#skills-text", TextView).show(None)
        self.draw_keys()

    async def _show_text(self, skill: SkillInfo) -> None:
        text = self._texts.get(skill.name)
        if text is None:
            ask = ReadSkill(name=skill.name, cwd=self._folder())
            text = self._texts[skill.name] = (await face_of(self).ask(ask)).text
        if self.query_one(RowList).key == skill.name:
            await self._put_away()
            self._head(about(skill, face_of(self).now()))
            self.query_one("#skills-text", TextView).show(paint_markdown(without_head(text)), text)

    async def _show_version(self, skill: SkillInfo) -> None:
        versions = (await self._story(skill.name)).versions
        one = versions[self._back - 1]
        await self._put_away()
        self._head(about_version(one, len(versions), face_of(self).now()))
        paint = paint_diff(one.diff, headers=False) if one.diff else paint_markdown(one.text)
        self.query_one("#skills-text", TextView).show(paint, one.text)

    async def _show_proposal(self, skill: SkillInfo) -> None:
        proposal = await self._proposal(skill)
        if self.query_one(RowList).key != skill.name:
            return
        review = self._review
        if review is None or review.proposal != proposal:
            await self._put_away()
            await self.query_one("#skills-detail").mount(ReviewView(proposal))
            self.query_one("#skills-text").display = False
        self._head(about_proposal(proposal, face_of(self).now()))

    async def _put_away(self) -> None:
        """No review is shown any more."""
        had = self._review is not None and self._review.has_focus
        await self.query(ReviewView).remove()
        self.query_one("#skills-text").display = True
        if had:
            self.query_one(RowList).focus()

    def _head(self, lines: Lines) -> None:
        self.query_one("#skills-about", TextView).styles.height = len(lines)
        self.query_one("#skills-about", TextView).show(paint_lines(lines))

    async def _story(self, name: str) -> SkillStory:
        if name not in self._stories:
            self._stories[name] = await face_of(self).ask(ShowSkill(name=name))
        return self._stories[name]

    async def _proposal(self, skill: SkillInfo) -> SkillProposal:
        found = (await self._story(skill.name)).proposals
        return next(one for one in found if one.id == skill.proposal)

    def draw_keys(self) -> None:
        """Show the keys as they are now."""
        review = self._review
        if review is not None:
            some = f"{len(review.taken)} of {review.count}"
            words = f"accept {some}" if 0 < len(review.taken) < review.count else "accept all"
            keys: _Keys = (("review.accept", words), *_REVIEW_KEYS)
        elif self._back:
            keys = _BACK_KEYS
        else:
            keys = (*_LIST_KEYS, *(_MORE_KEYS if self.has_class("-wide") else _MORE_KEYS[:1]))
        told = [(self._key_words(names), words) for names, words in keys]
        self.query_one("#skills-keys", Bar).show_keys([one for one in told if one[0]])

    def _key_words(self, names: str) -> str:
        return " ".join(filter(None, (part_keys.key_of(self, name) for name in names.split())))

    # --- keys ----------------------------------------------------------------------------------

    async def action_whole(self) -> None:
        """The skill over the full screen."""
        skill = self.skill
        if skill is not None and (text := self._texts.get(skill.name)):
            paint = paint_markdown(without_head(text))
            await self.app.push_screen(ViewerScreen(skill.name, paint, text))

    def action_version(self, step: int) -> None:
        """Look at an older or a newer version, and what it changed."""
        self.run_worker(partial(self._turn_page, step), group="skill", exclusive=True)

    async def _turn_page(self, step: int) -> None:
        skill = self.skill
        if skill is None:
            return
        try:
            count = len((await self._story(skill.name)).versions)
        except HermesError as error:
            face_of(self).say(error.message, "warning")
            return
        if not count:
            face_of(self).say("it has not been changed yet")
        self._back = min(max(self._back + step, 0), count)
        await self._show()

    def action_switch(self) -> None:
        """On or off."""
        if (skill := self.skill) is not None:
            action = "off" if skill.on and not skill.held and skill.state != "archived" else "on"
            self._do(ChangeSkill(name=skill.name, action=action), f"{skill.name} is {action}")

    def action_undo(self) -> None:
        """Take the last change back."""
        if (skill := self.skill) is not None:
            intent = ChangeSkill(name=skill.name, action="undo")
            self._do(intent, f"{skill.name} is as it was before")

    def action_restore(self) -> None:
        """Bring the version back that is looked at."""
        if (skill := self.skill) is not None and self._back:
            one = self._stories[skill.name].versions[self._back - 1]
            intent = ChangeSkill(name=skill.name, action="restore", version=one.n)
            self._do(intent, f"{skill.name} is as it was in version {one.n}")

    def action_try(self) -> None:
        """Begin a message that calls the skill."""
        if (skill := self.skill) is not None:
            self.post_message(self.Put(f"/{skill.name} "))

    def action_accept(self) -> None:
        """Accept the proposed edit that is shown."""
        if (review := self._review) is not None:
            review.action_answer(True)

    @on(ReviewView.Marked)
    def _marked(self, message: ReviewView.Marked) -> None:
        message.stop()
        self.draw_keys()

    @on(ReviewView.Answered)
    def _answered(self, message: ReviewView.Answered) -> None:
        message.stop()
        one = message.proposal
        intent = AnswerSkillProposal(id=one.id, accept=message.accept, hunks=message.hunks)
        self._do(intent, f"{one.name}: {'accepted' if message.accept else 'refused'}")

    def _do(
        self, intent: ChangeSkill | AnswerSkillProposal | SaveSkill, words: str, name: str = ""
    ) -> None:
        self.run_worker(partial(self._done, intent, words, name), group="skill", exclusive=True)

    async def _done(
        self, intent: ChangeSkill | AnswerSkillProposal | SaveSkill, words: str, name: str
    ) -> None:
        face = face_of(self)
        try:
            saved = await face.ask(intent)
        except HermesError as error:
            face.say(error.message, "warning")
            return
        lost = (
            f"; {saved.lost:.0%} of what it said is gone, u undoes it" if saved.lost > 0.1 else ""
        )
        face.say(words + lost, "warning" if lost else "info")
        self._forget()
        await self._load(name)

    # --- writing -------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Edit the skill, or the text that is proposed."""
        if self.skill is not None:
            self.run_worker(partial(self._edit, self.skill), group="edit", exclusive=True)

    def action_new(self) -> None:
        """Write a new skill."""
        self.run_worker(partial(self._write, ""), group="edit", exclusive=True)

    def action_copy(self) -> None:
        """Write a new skill that begins as a copy of this one."""
        if (skill := self.skill) is not None and (text := self._texts.get(skill.name)):
            name = f"{skill.name[:58]}-copy"
            copy = text.replace(f"name: {skill.name}", f"name: {name}", 1)
            self.run_worker(partial(self._write, copy), group="edit", exclusive=True)

    async def _edit(self, skill: SkillInfo) -> None:
        from hermes_tui.ui.skills_editor import SkillEditor

        proposal = await self._proposal(skill) if self._review is not None else None
        text = proposal.text if proposal is not None else self._texts.get(skill.name, "")
        words = "the proposed text" if proposal is not None else ""
        done = await self.app.push_screen_wait(SkillEditor(skill.name, text, words))
        if done is None:
            return
        if proposal is not None:
            answer = AnswerSkillProposal(id=proposal.id, accept=True, text=done[1])
            await self._done(answer, f"{skill.name}: accepted as you wrote it", skill.name)
        elif done[1] != text:
            save = SaveSkill(name=skill.name, text=done[1], reason="edited")
            await self._keep(save, text)

    async def _write(self, text: str) -> None:
        from hermes_tui.ui.skills_editor import TEMPLATE, SkillEditor

        done = await self.app.push_screen_wait(SkillEditor("", text or TEMPLATE, "new"))
        if done is not None:
            save = SaveSkill(name=done[0], text=done[1], reason="written", create=True)
            await self._keep(save, text)

    async def _keep(self, save: SaveSkill, before: str) -> None:
        """Save; a text that can't be saved comes back into the editor, it is never lost."""
        from hermes_tui.ui.skills_editor import SkillEditor

        while True:
            try:
                await face_of(self).ask(save)
            except HermesError as error:
                face_of(self).say(error.message, "warning")
            else:
                face_of(self).say(f"{save.name} is saved")
                self._forget()
                await self._load(save.name)
                return
            name = "" if save.create else save.name
            done = await self.app.push_screen_wait(SkillEditor(name, save.text, "not saved yet"))
            if done is None:
                return
            save = SaveSkill(name=done[0], text=done[1], reason=save.reason, create=save.create)
