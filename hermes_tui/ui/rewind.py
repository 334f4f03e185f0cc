"""Going back: pick a turn, then go on from before it here, or in a new session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen

from hermes_tui.errors import HermesError
from hermes_tui.intents import ForkSession, Rewind
from hermes_tui.ui.blocks import UserBlock, clock
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import TextView, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from hermes_tui.ui.app import HermesApp

AGAIN_S = 1.5
"""Seconds within which escape must be pressed again."""


class Choice(NamedTuple):
    """What was chosen for a turn."""

    what: Literal["rewind", "fork"]
    turn: int


class RewindScreen(ModalScreen[Choice | None]):
    """The turns, newest first; Enter goes back to before one, f goes on from there elsewhere."""

    DEFAULT_CSS = """
    RewindScreen #rewind { width: 90%; max-width: 100; height: auto; max-height: 90%;
                           background: $surface; padding: 1 1 0 1; }
    RewindScreen #rewind-rows { height: auto; max-height: 12; background: $surface; }
    RewindScreen #rewind-text { height: 6; margin: 1 0; background: $surface; padding: 0 1; }
    RewindScreen Bar { background: $surface; }
    """
    BINDINGS = [Binding("escape", "leave", show=False), Binding("f", "fork", show=False)]

    def __init__(self, turns: Sequence[UserBlock]) -> None:
        super().__init__()
        self._turns = list(reversed(turns))

    def compose(self) -> ComposeResult:
        """Title, turns, the text of the one under the cursor, keys."""
        with Vertical(id="rewind"):
            yield Bar(id="rewind-title")
            yield RowList(id="rewind-rows")
            yield TextView(id="rewind-text")
            yield Bar(id="rewind-keys")

    def on_mount(self) -> None:
        """Fill in."""
        self.query_one("#rewind-title", Bar).show((Span(" Go back to before …", "strong"),))
        keys = (("↵", "go back"), ("f", "fork from there"), ("esc", "stay"))
        spans = [s for k, w in keys for s in (Span(f" {k} ", "accent"), Span(f"{w}   ", "muted"))]
        files = (Span("files stay as they are ", "muted"),)
        self.query_one("#rewind-keys", Bar).show(spans, files)
        rows = self.query_one(RowList)
        rows.show([self._row(at, block) for at, block in enumerate(self._turns)])
        self.query_one(TextView).can_focus = False
        rows.focus()
        self._preview()

    def _row(self, at: int, block: UserBlock) -> TextRow:
        later = f"and {at} later" if at else "the last"
        left = (Span(f" {clock(block.ts)}  ", "muted"), Span(one_line(block.source[:400])))
        return TextRow(key=str(block.turn), left=left, right=(Span(f" {later} ", "muted"),))

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._preview()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.dismiss(Choice("rewind", int(message.key)))

    def _preview(self) -> None:
        key = self.query_one(RowList).key
        block = next((one for one in self._turns if str(one.turn) == key), None)
        text = block.source if block is not None else ""
        self.query_one(TextView).show(paint_text(text), text)

    def action_fork(self) -> None:
        """Go on from before the turn in a new session."""
        if key := self.query_one(RowList).key:
            self.dismiss(Choice("fork", int(key)))

    def action_leave(self) -> None:
        """Stay."""
        self.dismiss(None)


class Rewinding:
    """Takes the conversation back, or elsewhere."""

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
            await self.rewind(_number(args))
            return
        turns = self._app.feed.turns()
        if not turns:
            self._app.say("there is no turn to go back to")
            return
        await self._app.push_screen(RewindScreen(turns), self._picked)

    def _picked(self, choice: Choice | None) -> None:
        if choice is not None:
            work = self.rewind if choice.what == "rewind" else self.fork_before
            self._app.do(partial(work, choice.turn))

    async def rewind(self, turn: int) -> None:
        """Take the conversation back; what began the turn comes back into the prompt."""
        text = (await self._app.ask(Rewind(session=self._app.session, turn=turn))).text
        self._app.talk.prompt.give_back(text)
        self._app.talk.prompt.focus()

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


def _number(args: str) -> int:
    if not args.isdecimal():
        raise HermesError(f"{args!r} is no number of a turn", "/rewind alone shows them")
    return int(args)
