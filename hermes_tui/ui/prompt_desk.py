"""What the prompt's messages lead to: the shell, waiting inputs, attachments, drafts, history."""

from __future__ import annotations

import asyncio
import os
import uuid
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    EditInput,
    MoveInput,
    PromptHistory,
    RunShell,
    StopShell,
)
from hermes_tui.ui.chips import Chips, other_way
from hermes_tui.ui.fuzzy import Entry
from hermes_tui.ui.palette import PickerScreen
from hermes_tui.ui.prompt import How, Prompt
from hermes_tui.ui.prompt_document import Draft, text_draft
from hermes_tui.ui.prompt_drafts import Drafts
from hermes_tui.ui.prompt_view import EditorView
from hermes_tui.ui.rewind import Rewinding
from hermes_tui.ui.text import one_line

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hermes_tui.events import InputReceived
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.prompt import KeyTaker

_HISTORY = 5_000
_SEARCHED = 2_000


class Desk(Vertical):
    """The prompt with the chips below it, and all they do that is no message to the agent."""

    DEFAULT_CSS = "Desk { height: auto; width: 1fr; }"

    def __init__(self, app: HermesApp, cards: tuple[KeyTaker, ...]) -> None:
        super().__init__(id="desk")
        self._app = app
        self.chips = Chips()
        self.prompt = Prompt(chips=self.chips, cards=cards, keys=app.config.keys, id="prompt")
        self.drafts = Drafts(app.home, self.prompt, app.do)
        self.rewinding = Rewinding(app)

    def compose(self) -> ComposeResult:
        """The prompt, then what waits."""
        yield self.prompt
        yield self.chips

    def on_mount(self) -> None:
        """Say how many drafts are put away."""
        self._app.do(self.drafts.count)

    def on_unmount(self) -> None:
        """The screen is left: what is typed stays for the next one."""
        self.drafts.save_now()

    async def show_session(self, session: str) -> None:
        """Another session is shown: its own draft takes the place of the one in the prompt."""
        await self.drafts.switch(session)

    # --- commands ----------------------------------------------------------------------------

    async def search_history(self) -> None:
        """Pick something that was typed before, in any session."""
        lines = (await self._app.ask(PromptHistory(limit=_HISTORY))).lines
        kept = {str(at): line for at, line in enumerate(lines)}
        entries = [
            Entry(
                kind="typed",
                key=key,
                title=one_line(line[:_SEARCHED]),
                right=f"{line.count(chr(10)) + 1} lines" if "\n" in line else "",
            )
            for key, line in kept.items()
        ]
        picker = PickerScreen(entries, "what you typed before, in any session")

        def picked(entry: Entry | None) -> None:
            if entry is not None:
                self.prompt.text = kept[entry.key]
                self.prompt.close_list()
            self.prompt.focus()

        await self._app.push_screen(picker, picked)

    async def stash(self) -> None:
        """Put the draft away, or bring the last one back into an empty prompt."""
        if self.prompt.changing:
            raise HermesError("a waiting text is being changed", "save it with enter first")
        self._app.say(await self.drafts.stash())

    async def edit_outside(self) -> None:
        """Edit the text in `$EDITOR`."""
        from hermes_tui.ui.prompt_outside import edit

        text = self.prompt.text
        edited = await edit(self._app, text, self.drafts.folder)
        if edited.text is not None and self.prompt.text == text:
            if edited.text != text:
                self.prompt.document.load(edited.text)
                self.prompt.after_edit()
                self.prompt.close_list()
        elif edited.text is not None:
            self.prompt.give_back(edited.text)
        if edited.problem:
            self._app.say(edited.problem, "warning")
        self.prompt.focus()

    def begin_shell(self) -> None:
        """Make the prompt one for the person's own shell."""
        self.prompt.focus()
        if not self.prompt.changing:
            self.prompt.shell = "" if self.prompt.shell else "!"
            self.prompt.after_edit()

    def move_waiting(self, step: int) -> None:
        """Have a waiting input arrive earlier or later."""
        if not self.chips.move(step):
            self._app.say("it can't go further that way" if self.chips.waiting else "nothing waits")

    def focus_waiting(self) -> None:
        """Give the keys to what waits."""
        if not self.chips.take_focus():
            self._app.say("nothing waits")

    # --- what waits --------------------------------------------------------------------------

    def show_waiting(self, waiting: list[InputReceived], idle: bool = False) -> None:
        """Show what waits; one that is being changed may be gone by now. idle: no turn runs."""
        if idle != self.chips.idle:
            self.chips.idle = idle
            self.chips.refresh()
        self.chips.show(waiting, self.prompt.changing)
        changing = self.prompt.changing
        if changing and all(one.input_id != changing for one in waiting):
            self.prompt.leave_change(keep=True)
            self._app.say("the agent has it already; what you made of it is in the prompt")

    @on(Chips.TakeBack)
    def _take_back(self, message: Chips.TakeBack) -> None:
        message.stop()
        self._app.do(partial(self._app.talk.take_back, message.input_id))

    @on(Chips.Change)
    def _change(self, message: Chips.Change) -> None:
        message.stop()
        if found := self._waiting(message.input_id):
            self.prompt.change(found.input_id, found.text)
            self.prompt.focus()

    @on(Prompt.ChangeEntered)
    def _changed(self, message: Prompt.ChangeEntered) -> None:
        message.stop()
        self._app.do(partial(self._save_change, message.input_id, message.text, message.how))

    async def _save_change(self, input_id: str, text: str, how: How) -> None:
        waiting = self._waiting(input_id)
        kept = waiting.how if waiting is not None and waiting.how != "send" else "steer"
        intent = EditInput(
            session=self._app.session,
            input_id=input_id,
            text=text,
            how="queue" if how == "queue" else kept,
        )
        try:
            accepted = (await self._app.ask(intent)).accepted
        except HermesError:
            self.prompt.refuse()
            raise
        if accepted:
            self.prompt.confirm(text)
        elif self.prompt.changing == input_id:
            self.prompt.leave_change(keep=True)
            self._app.say("too late: the agent has it already; enter sends this as a new text")

    @on(Chips.Toggle)
    def _toggle(self, message: Chips.Toggle) -> None:
        message.stop()
        if found := self._waiting(message.input_id):
            intent = EditInput(
                session=self._app.session,
                input_id=found.input_id,
                text=found.text,
                how=other_way(found.how),
            )
            self._app.do(partial(self._tell, intent))

    @on(Chips.Move)
    def _move(self, message: Chips.Move) -> None:
        message.stop()
        intent = MoveInput(
            session=self._app.session, input_id=message.input_id, before=message.before
        )
        self._app.do(partial(self._tell, intent))

    async def _tell(self, intent: EditInput | MoveInput) -> None:
        if not (await self._app.ask(intent)).accepted:
            self._app.say("too late: the agent already has it")

    @on(Chips.Left)
    def _left(self, message: Chips.Left) -> None:
        message.stop()
        self.prompt.focus()
        if message.key:
            self.prompt.take_key(message.key, message.character)

    def _waiting(self, input_id: str) -> InputReceived | None:
        return next((one for one in self.chips.waiting if one.input_id == input_id), None)

    # --- the shell ---------------------------------------------------------------------------

    @on(Prompt.ShellEntered)
    def _shell_entered(self, message: Prompt.ShellEntered) -> None:
        message.stop()
        self._app.do(partial(self._run_shell, message.text, message.shared))

    async def _run_shell(self, command: str, shared: bool) -> None:
        shell_id = uuid.uuid4().hex
        self._app.feed.shell_begins(shell_id, command, shared, self._app.now())
        self._app.transcript.to_end()
        intent = RunShell(
            session=self._app.session, command=command, shell_id=shell_id, shared=shared
        )
        try:
            await self._app.ask(intent)
        except HermesError:
            self._app.feed.shell_failed(shell_id)
            self.prompt.refuse()
            raise
        self.prompt.confirm(command)

    def stop_shell(self) -> bool:
        """Interrupt the command that runs in the shell. False: none does."""
        if not self._app.feed.shells_running:
            return False
        self._app.do(self._stop_shell)
        return True

    async def _stop_shell(self) -> None:
        await self._app.ask(StopShell(session=self._app.session))

    # --- attachments -------------------------------------------------------------------------

    @on(Prompt.PathsPasted)
    def _paths_pasted(self, message: Prompt.PathsPasted) -> None:
        message.stop()
        self._app.do(partial(self._attach_pasted, message.text, message.start))

    async def _attach_pasted(self, text: str, start: int) -> None:
        from hermes_tui.ui.attach_files import attach_all, named_files

        prompt, cwd = self.prompt, self._app.shown.info.cwd
        files = await asyncio.to_thread(named_files, text, cwd)
        if files:
            draft = await asyncio.to_thread(attach_all, files, self.attached)
            prompt.put_instead(start, text, draft)

    @on(Prompt.ClipboardAsked)
    def _clipboard_asked(self, message: Prompt.ClipboardAsked) -> None:
        message.stop()
        self._app.do(self.attach_clipboard, "clipboard")

    async def attach_clipboard(self) -> None:
        """Insert what is on the clipboard: an image or files as chips, else the text."""
        from hermes_tui.ui.attach_clipboard import read_clipboard
        from hermes_tui.ui.attach_files import attach_all, attach_image, named_files

        prompt = self.prompt
        clip = await read_clipboard(dict(os.environ))
        text = clip.data.decode(errors="replace")
        if clip.kind == "image":
            piece = await asyncio.to_thread(attach_image, clip.data, self.attached)
            prompt.put_here(Draft(pieces=(piece, *text_draft(" ").pieces)))
        elif clip.kind == "paths" and (files := await asyncio.to_thread(named_files, text, "")):
            prompt.put_here(await asyncio.to_thread(attach_all, files, self.attached))
        elif text or self._app.clipboard:
            prompt.insert(text or self._app.clipboard)
        else:
            self._app.say("the clipboard is empty, or can't be read from here")
        prompt.focus()

    @property
    def attached(self) -> Path:
        """Where copies of attached files are kept."""
        return self._app.home.outputs / self._app.session / "attached"

    # --- drafts ------------------------------------------------------------------------------

    @on(EditorView.Changed)
    def _typed(self, message: EditorView.Changed) -> None:
        message.stop()
        self.chips.show(self.chips.waiting, self.prompt.changing)
        self.drafts.changed()
