"""The full-screen app: shows one core through a client, and nothing but its events."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec
from textual import on
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.screen import Screen

from hermes_tui import commands
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.events import (
    CoreOutdated,
    InputTaken,
    MemoryChanged,
    Notice,
    Record,
    SessionsChanged,
    SkillsChanged,
    TextDelta,
    ToolOutput,
    Trouble,
    TurnEnded,
)
from hermes_tui.ui.agents_pane import AgentsPane
from hermes_tui.ui.app_commands import Commands
from hermes_tui.ui.app_escape import Escape
from hermes_tui.ui.app_find import Finder
from hermes_tui.ui.app_frame import Frame, Inspector, MainScreen
from hermes_tui.ui.app_keys import AppKeys
from hermes_tui.ui.app_line import Line, Reconnect
from hermes_tui.ui.app_talk import Talk
from hermes_tui.ui.app_terminal import Terminal
from hermes_tui.ui.app_themes import Themes
from hermes_tui.ui.approval import ApprovalCard
from hermes_tui.ui.background import BackgroundTold
from hermes_tui.ui.feed import Feed
from hermes_tui.ui.find_bar import FindBar
from hermes_tui.ui.frame_diff import SparingApp, slow_line
from hermes_tui.ui.keys import KeyTable
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.memory_pane import MemoryPane
from hermes_tui.ui.pictures_terminal import PicturesTold
from hermes_tui.ui.prompt import Prompt
from hermes_tui.ui.prompt_desk import Desk
from hermes_tui.ui.question import QuestionCard
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.session_view import SessionShown
from hermes_tui.ui.skills_pane import SkillsPane
from hermes_tui.ui.status import State, StatusLine, Ticker
from hermes_tui.ui.trace import TracePane
from hermes_tui.ui.transcript import Transcript
from hermes_tui.ui.transcript_actions import Actions
from hermes_tui.ui.viewer import ViewerScreen, paint_text
from hermes_tui.ui.watch import watch

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.driver import Driver
    from textual.timer import Timer

    from hermes_tui.config import UiConfig
    from hermes_tui.home import Home
    from hermes_tui.intents import Intent, OpenSession
    from hermes_tui.runtime.client import CoreClient
    from hermes_tui.ui.fuzzy import Entry
    from hermes_tui.ui.theme import Look

R = TypeVar("R")
Leave = Literal["detach", "quit"] | None
"""How the screen was left. Only `quit` means that the core is to end."""

_FLASH_S = 4.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the process around the app gives it: a way back to a lost core, its own driver."""

    reconnect: Reconnect | None = None
    driver: type[Driver] | None = None


class HermesApp(SparingApp[Leave], inherit_bindings=False):
    """The screen. `embedded`: the core lives in this process."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "hermes"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [*KeyTable().bindings()]

    look: Look

    def __init__(
        self,
        client: CoreClient,
        view_request: OpenSession,
        home: Home,
        config: UiConfig,
        embedded: bool = False,
        host: Host | None = None,
    ) -> None:
        host = host or Host()
        super().__init__(driver_class=host.driver)
        self.client = client
        self.home = home
        self.config = config
        self.embedded = embedded
        self.goodbye = ""
        self.opened = asyncio.Event()
        self._line = Line(self, view_request, host.reconnect)
        self._flash = ""
        self._flash_timer: Timer | None = None
        self._composed_once = False
        self.clock: Callable[[], float] = time.time
        self.main = MainScreen(lambda: self.frame)
        self.themes = Themes(self, home)
        self._theme_problem = self.themes.start(config.theme)
        self.transcript = Transcript(
            self.look, chat_width=config.chat_width, times=config.timestamps, id="transcript"
        )
        self.transcript.calm = slow_line(os.environ)
        self.terminal = Terminal(self)
        self.feed = Feed(self.transcript, self.look)
        self.shown = SessionShown(self, self.feed)
        self.frame = Frame(self, config.chat_width)
        self.finder = Finder(self)
        self.actions = Actions(self)
        self.talk = Talk(self, view_request.standing)
        self.escape = Escape(self)
        self.keyboard = AppKeys(self)
        self.commands = Commands(self)
        self.ticker = Ticker(self, self.tick, hz=0.5 if self.transcript.calm else 4.0)

    # --- for its parts (see `face.Face`) -------------------------------------------------------

    @property
    def session(self) -> str:
        """The id of the session shown."""
        return self.shown.id

    async def ask(self, intent: Intent[R]) -> R:
        """Ask the core; raises HermesError.

        What is asked for a session while the first one is still being opened is for that one.
        """
        if getattr(intent, "session", None) == "":
            await self.opened.wait()
            intent = msgspec.structs.replace(intent, session=self.session)
        return await self.client.ask(intent)

    def now(self) -> float:
        """Unix time in seconds."""
        return self.clock()

    def say(self, text: str, level: str = "info") -> None:
        """A short sentence: on the status line, or over the screen when it must not be missed."""
        if level == "info":
            self._flash = text
            if self._flash_timer is not None:
                self._flash_timer.stop()
            self._flash_timer = self.set_timer(_FLASH_S, self._unflash)
            self.tick()
            return
        severity = "error" if level == "error" else "warning"
        self.notify(text, severity=severity, timeout=8, markup=False)

    def tell(self, text: str) -> None:
        """Show Markdown in the chat that is of no session: the answer of a command."""
        self.feed.say(text)
        self.transcript.to_end()

    def do(self, work: Callable[[], Awaitable[None]], group: str = "") -> None:
        """Run something in the background; a HermesError in it is told to the person.

        group: what is still running of the same group is cancelled.
        """
        self.run_worker(partial(self._told, work), group=group or "work", exclusive=bool(group))

    async def _told(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except HermesError as error:
            self.say(str(error), "error")
        except NoMatches:
            if not self.left:  # what was on the way to a screen that is going may be late
                raise

    # --- life ----------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[None]:
        """The screen under all dialogs."""
        return self.main

    def compose(self) -> ComposeResult:
        """All parts of the screen; what is shown of them is `layout`'s to say."""
        yield Bar(id="top")
        yield Bar(id="rule-top")
        yield Bar(id="banner")
        approval, question = ApprovalCard(), QuestionCard()
        with Horizontal(id="body"):
            yield Rail()
            with Vertical(id="chat"):
                yield self.transcript
                yield FindBar()
                yield approval
                yield question
                yield Desk(self, (approval, question))
            with Inspector(id="inspector"):
                yield Bar(id="tabs")
                yield TracePane()
                yield MemoryPane()
                yield SkillsPane()
                yield AgentsPane()
        yield Bar(id="rule-bottom")
        yield StatusLine(id="status")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        """First frame; everything that takes longer comes after it."""
        self._composed_once = True
        self.frame.settle()
        self.main.query_one(Prompt).focus()
        self.frame.say_session(self.shown.info)
        self.tick()
        self.do(self._line.live, "life")
        self.call_after_refresh(self._after_first_frame)

    def _after_first_frame(self) -> None:
        import gc

        gc.collect()
        gc.freeze()
        if self._theme_problem:
            self.say(self._theme_problem, "warning")
        self.terminal.ask()
        if self.home.keys.exists():
            self.do(self.keyboard.read)
        self.follow_files()

    def follow_files(self) -> None:
        """Watch the person's themes and keys, also for the first of them to be made."""
        wanted = {self.home.keys: self.keyboard.read, self.themes.folder: self.themes.reload}
        self.do(partial(watch, wanted), "files")

    @property
    def left(self) -> bool:
        """Whether the screen is being closed."""
        return self._exit

    def leave(self, how: Leave) -> None:
        """Leave the screen."""
        self.exit(how)

    def _fatal_error(self) -> None:
        """Close without Textual's pages of traceback over the shell; the log has them."""
        _log.error("the screen failed", exc_info=self._exception)
        self._close_messages_no_wait()

    # --- sessions and events -------------------------------------------------------------------

    async def open(self, request: OpenSession) -> None:
        """Show another session; its older history follows while nothing else is to be done."""
        self.workers.cancel_group(self, "older")
        await self.shown.open(request)
        await self.talk.desk.show_session(self.session)
        self.opened.set()
        self.main.query_one(TracePane).show(self.shown.trace)
        self.refresh_session()
        self.main.query_one(Rail).draw_rows()
        if self.frame.now.shape == "narrow" or self.frame.wanted.rail_over:
            self.frame.go("chat")
        self.bring_in_history()

    def bring_in_history(self) -> None:
        """Fetch what is older, page by page, while nothing else is to be done."""

        async def work() -> None:
            await self.shown.bring_in_all()
            self.main.query_one(TracePane).changed()

        if not self.shown.complete:
            self.do(work, "older")

    def handle(self, record: Record) -> None:
        """One event of the core: the only way anything gets onto the screen."""
        match record.event:
            case SessionsChanged():
                self.main.query_one(Rail).ask_again()
                self.main.query_one(AgentsPane).heard()
            case SkillsChanged():
                self.main.query_one(SkillsPane).heard()
            case MemoryChanged():
                self.main.query_one(MemoryPane).heard()
            case CoreOutdated() as event:
                self.banner(
                    f"{event.running} is running, {event.installed} is installed · "
                    "`hermes daemon restart` changes over when work is done"
                )
            case TextDelta() | ToolOutput():
                self.shown.apply(record)
            case Trouble() as event:
                self.say(f"{event.text} {event.hint}".strip(), "error")
                self.shown.apply(record)
            case Notice() as event if not record.session:
                self.say(f"{event.text} {event.hint}".strip(), event.level)
            case _:
                if self.shown.apply(record):
                    self._changed(record)

    def _changed(self, record: Record) -> None:
        if isinstance(record.event, TurnEnded | InputTaken):
            self.main.query_one(Rail).ask_again()
        self.main.query_one(TracePane).changed()
        self.refresh_session()

    def refresh_session(self) -> None:
        """Draw everything that depends on the session's state."""
        self.frame.say_session(self.shown.info)
        self.talk.draw()
        self.ticker.want(self.shown.moving)
        self.tick()

    def tick(self) -> None:
        """Draw what depends on time."""
        if not self._composed_once:
            return
        status = next(iter(self.main.query(StatusLine)), None)
        if status is None:
            return  # the screen is being closed
        if self._flash:
            status.flash(self._flash)
            return
        shown = self.shown
        status.tell(
            State(
                trace=shown.trace,
                now=self.now(),
                motion=self.config.motion and not self.transcript.calm,
                waiting_for_you=bool(shown.approvals or shown.questions),
                enter=self.config.busy_enter,
                sandbox=shown.info.sandbox,
                keys=tuple(shown.keys.values()),
            )
        )
        if shown.moving:
            self.main.query_one(TracePane).tick()
            self.feed.tick(self.now())

    def _unflash(self) -> None:
        self._flash, self._flash_timer = "", None
        self.tick()

    def banner(self, text: str) -> None:
        """A line under the title that stays until it is taken away; empty: none."""
        bar = self.main.query_one("#banner", Bar)
        bar.set_class(bool(text), "-on")
        bar.show((Span(f" {text}", "warn"),))

    def look_changed(self) -> None:
        """The theme is another one: draw everything with it."""
        if self._composed_once:
            self.feed.set_look(self.look)
            for screen in self.screen_stack:
                screen.refresh(layout=True)
                for widget in screen.query("*"):
                    widget.refresh()

    # --- keys and commands ---------------------------------------------------------------------

    def action_command(self, command_id: str) -> None:
        """Do a command of the table, from its key or from a click."""
        self.keyboard.do(command_id)

    def do_picked(self, entry: Entry | None) -> None:
        """A list was left: do what was picked, if anything was."""
        self.themes.preview(None)
        if entry is not None:
            self.do(partial(self.commands.picked, entry))

    def preview(self, entry: Entry | None) -> None:
        """Show the theme under the cursor while a list is open."""
        self.themes.preview(entry.key if entry is not None and entry.kind == "theme" else None)

    def do_quit(self, result: str | None) -> None:
        """The question before quitting was answered."""
        if result in ("quit", "detach"):
            self.leave("quit" if result == "quit" else "detach")

    # --- what the parts say --------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submitted(self, message: Prompt.Submitted) -> None:
        if commands.is_command(message.text):
            self.do(partial(self.commands.typed, message.text))
        else:
            self.do(partial(self.talk.submitted, message.text, message.how))

    @on(ApprovalCard.Answered)
    def _answered(self, message: ApprovalCard.Answered) -> None:
        self.do(partial(self.talk.answer, message))

    @on(QuestionCard.Answered)
    def _replied(self, message: QuestionCard.Answered) -> None:
        self.do(partial(self.talk.reply, message))

    @on(Prompt.AtomClicked)
    async def _atom_clicked(self, message: Prompt.AtomClicked) -> None:
        text = message.atom.text
        await self.push_screen(ViewerScreen("pasted", paint_text(text), text))

    @on(Rail.Opened)
    def _session_chosen(self, message: Rail.Opened) -> None:
        self.do(partial(self.open, self.commands.request(message.session)))

    @on(Rail.Listed)
    def _listed(self, message: Rail.Listed) -> None:
        self._line.notifier.listed(message.sessions)

    @on(MemoryPane.Opened)
    def _hit_opened(self, message: MemoryPane.Opened) -> None:
        self.do(partial(self.finder.open_hit, message.hit))

    @on(MemoryPane.Put)
    @on(SkillsPane.Put)
    def _put(self, message: MemoryPane.Put | SkillsPane.Put) -> None:
        self.frame.go("chat")
        self.talk.prompt.insert(message.text)

    @on(Transcript.BlockAction)
    def _block_action(self, message: Transcript.BlockAction) -> None:
        self.do(partial(self.actions.do, message))

    @on(Transcript.Stepped)
    def _stepped(self, message: Transcript.Stepped) -> None:
        self.finder.step(message.step)

    @on(FindBar.Left)
    def _find_left(self) -> None:
        self.transcript.focus()

    @on(FindBar.Looked)
    def _looked(self, message: FindBar.Looked) -> None:
        self.finder.look(message)

    @on(FindBar.Closed)
    def _find_closed(self) -> None:
        self.finder.close()

    # --- the terminal --------------------------------------------------------------------------

    @on(PicturesTold)
    def _pictures_told(self, message: PicturesTold) -> None:
        self.terminal.told(message)

    @on(BackgroundTold)
    def _background_told(self, message: BackgroundTold) -> None:
        self.themes.ground(message.dark)

    def on_app_blur(self) -> None:
        """Nobody looks: nothing needs to move."""
        self.ticker.see(False)

    def on_app_focus(self) -> None:
        """Somebody looks again."""
        self.ticker.see(True)


async def run_app(
    client: CoreClient,
    view_request: OpenSession,
    home: Home,
    config: UiConfig,
    embedded: bool = False,
    host: Host | None = None,
) -> Leave:
    """Show the screen until it is left. None (a lost terminal, say) leaves the core running.

    Raises HermesError with a sentence when there is no core to show any more, and whatever
    made the screen fail.
    """
    app = HermesApp(client, view_request, home, config, embedded, host)
    result = await app.run_async(mouse=config.mouse)
    if app._exception is not None:
        raise app._exception
    if app.goodbye:
        raise CoreError(app.goodbye, "`hermes` starts it again")
    return result
