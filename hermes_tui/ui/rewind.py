"""Going back: the chat, the files or both, to before a turn; or on from there in a new session."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from hermes_tui.errors import HermesError
from hermes_tui.intents import BackView, ForkSession, LookBack, RestoreFiles, Rewind, WentBack
from hermes_tui.rewind_text import went_back, wish
from hermes_tui.ui.rewind_screen import Picked, RewindScreen, confirm, summary

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp

AGAIN_S = 1.5
"""Seconds within which escape must be pressed again."""
What = Literal["chat", "files", "both"]


class Rewinding:
    """Takes the conversation and its files back, or goes elsewhere."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._armed_until = 0.0

    def escape(self) -> None:
        """Escape on an empty prompt with nothing running: the second one shows the turns."""
        now = self._app.now()
        if now < self._armed_until:
            self._armed_until = 0.0
            self._app.do(partial(self.pick, ""))
        elif self._app.feed.turns():
            self._armed_until = now + AGAIN_S
            self._app.say("esc again to go back to before a turn")

    async def pick(self, args: str) -> None:
        """Go back to before the turn of a number, or show the turns to pick from."""
        if args:
            turn, what = wish(args)
            await self.go(turn, what)
            return
        turns = self._app.feed.turns()
        if not turns:
            self._app.say("there is no turn to go back to")
            return
        await self._app.push_screen(RewindScreen(turns, self._look), self._picked)

    async def _look(self, turn: int) -> BackView:
        return await self._app.ask(LookBack(session=self._app.session, turn=turn))

    def _picked(self, picked: Picked | None) -> None:
        if picked is None:
            return
        if picked.what == "fork":
            self._app.do(partial(self.fork_before, picked.turn))
        else:
            self._app.do(partial(self.go, picked.turn, picked.what, picked.seen))

    async def go(self, turn: int, what: What, seen: BackView | None = None) -> None:
        """Go back, asking first about files nobody has looked at, and about the person's own.

        seen: what was shown already of what it does to files.
        """
        if what == "chat":
            await self._rewind(turn, what, False)
            return
        view = seen or await self._look(turn)
        if view.problem and what == "files":
            raise HermesError(view.problem)
        if not view.yours and (seen is not None or not view.count):
            await self._rewind(turn, what, False)
            return

        def answered(result: str | None) -> None:
            if result in ("agent", "all"):
                self._app.do(partial(self._rewind, turn, what, result == "all"))

        await self._app.push_screen(confirm(view, f"{summary(view)}:"), answered)

    async def rewind(self, turn: int) -> None:
        """Take chat and files back; what began the turn comes back into the prompt."""
        await self.go(turn, "both")

    async def _rewind(self, turn: int, what: What, yours: bool) -> None:
        intent = Rewind(session=self._app.session, turn=turn, what=what, yours=yours)
        done = await self._app.ask(intent)
        if what != "files":
            self._app.talk.prompt.give_back(done.text)
            self._app.talk.prompt.focus()
        if what != "chat":
            self._tell(done, quiet=what == "both")

    async def undo(self, args: str) -> None:
        """Show what the last change of files was, and take it back if that is wanted."""
        if args and not args.removeprefix("#").isdecimal():
            raise HermesError(f"{args!r} is no number of a checkpoint", "/checkpoints lists them")
        number = int(args.removeprefix("#")) if args else 0
        view = await self._app.ask(LookBack(session=self._app.session, checkpoint=number))
        if view.problem or not view.count:
            self._app.say(view.problem or "the files are as they were then")
            return

        def answered(result: str | None) -> None:
            if result in ("agent", "all"):
                self._app.do(partial(self._restore, view.checkpoint, result == "all"))

        await self._app.push_screen(confirm(view, f"{summary(view)}:"), answered)

    async def _restore(self, checkpoint: int, yours: bool) -> None:
        session = self._app.session
        intent = RestoreFiles(session=session, checkpoint=checkpoint, yours=yours)
        self._tell(await self._app.ask(intent))

    def _tell(self, done: WentBack, quiet: bool = False) -> None:
        """Say what became of files; quiet: not when nothing had to."""
        if done.stayed or done.files or not quiet:
            self._app.say(went_back(done), "warning" if done.stayed else "info")

    # --- forks -------------------------------------------------------------------------------

    async def fork(self, args: str) -> None:
        """Go on with all of the conversation in a new session, titled if a title is given."""
        intent = ForkSession(session=self._app.session, title=args)
        await self._open((await self._app.ask(intent)).id)

    async def fork_before(self, turn: int) -> None:
        """Go on from before a turn in a new session, with what began it in the prompt."""
        text = next((one.source for one in self._app.feed.turns() if one.turn == turn), "")
        info = await self._app.ask(ForkSession(session=self._app.session, turn=turn))
        await self._open(info.id)
        if text:
            self._app.talk.prompt.give_back(text)

    async def _open(self, session: str) -> None:
        await self._app.open(self._app.commands.request(session))
        self._app.say("a fork of the session before")
