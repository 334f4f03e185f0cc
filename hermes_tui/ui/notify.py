"""Calls a person back to a terminal they do not look at: notification, bell, title."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

from hermes_tui.errors import HermesError
from hermes_tui.events import (
    ApprovalAnswered,
    InputReceived,
    QuestionAnswered,
    Record,
    TurnEnded,
)
from hermes_tui.intents import CallHome
from hermes_tui.ui.text import clip, one_line

if TYPE_CHECKING:
    from textual.timer import Timer

    from hermes_tui.intents import SessionInfo
    from hermes_tui.ui.app import HermesApp

Way = Literal["osc9", "osc777", "osc99", "bell"]
"""How a terminal is told: iTerm2's, urxvt's or kitty's sequence, or the bell alone."""

WAIT_S = 20.0
"""Something that waits for the person is told after so long without a look."""
BLIND_S = 60.0
"""In a terminal that never tells who has the focus: after so long without a sign of the person."""

_ST = "\x1b\\"
_ASK_TITLE, _GIVE_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
_OSC9 = ("iTerm.app", "WezTerm", "ghostty")
_LONGEST = 160


def way_of(env: Mapping[str, str]) -> Way:
    """How the terminal of this environment can be told, the bell where nothing better is sure.

    kitty documents OSC 99; iTerm2, WezTerm and Ghostty OSC 9; urxvt, foot and VTE OSC 777.
    """
    term = env.get("TERM", "")
    if env.get("KITTY_WINDOW_ID") or "kitty" in term:
        return "osc99"
    named = (env.get("TERM_PROGRAM", ""), env.get("LC_TERMINAL", ""))
    if "iTerm2" in named or any(one in _OSC9 for one in named):
        return "osc9"
    if env.get("WEZTERM_PANE") or env.get("GHOSTTY_RESOURCES_DIR") or "ghostty" in term:
        return "osc9"
    if term.startswith(("foot", "rxvt-unicode")) or env.get("VTE_VERSION"):
        return "osc777"
    return "bell"


def call_for(way: Way, title: str, body: str, env: Mapping[str, str]) -> str:
    """What makes this terminal notify, ready to be written.

    Inside tmux and screen it is passed through to the terminal around them, and the bell rings
    as well, which both of them show by themselves.
    """
    title, body = (clip(one_line(one), _LONGEST) for one in (title, body))
    match way:
        case "osc9":
            text = f"\x1b]9;{title}: {body}{_ST}"
        case "osc777":
            text = f"\x1b]777;notify;{title.replace(';', ',')};{body.replace(';', ',')}{_ST}"
        case "osc99":
            text = f"\x1b]99;i=hermes:d=0:p=title;{title}{_ST}"
            text += f"\x1b]99;i=hermes:d=1:p=body;{body}{_ST}"
        case "bell":
            return "\a"
    inside = env.get("TMUX") or env.get("STY")
    sure = way != "osc777" or not env.get("VTE_VERSION")
    return _through(text, env) + ("" if sure and not inside else "\a")


def _through(text: str, env: Mapping[str, str]) -> str:
    """A sequence as tmux and screen hand it on; as it is where neither is around."""
    if env.get("TMUX"):
        return "\x1bPtmux;" + text.replace("\x1b", "\x1b\x1b") + _ST
    if env.get("STY"):
        # screen ends its own wrapper at the first terminator inside it.
        parts = text.replace(_ST, "\a").split("\a")
        return "".join(f"\x1bP{part}\a{_ST}" for part in parts if part)
    return text


class Notifier:
    """Tells of the end of turns and of what waits, while the terminal has not the focus.

    A terminal that never reports its focus counts as looked at as long as the person has sent
    or answered something within the last minute.
    """

    def __init__(self, app: HermesApp, env: Mapping[str, str] = os.environ) -> None:
        self._app = app
        self._env = env
        self._reports = False
        self._last_sign = app.now()
        self._told: set[str] = set()
        self._others: dict[str, str] = {}
        self._timer: Timer | None = None
        self._titled = False

    def begin(self) -> None:
        """Follow the focus from now on."""
        self._app.watch(self._app, "app_focus", self._focus, init=False)

    def heard(self, record: Record) -> None:
        """Take in an event of the session shown, after the screen has."""
        shown = self._app.shown
        if record.session != shown.id:
            return
        event = record.event
        if isinstance(event, InputReceived | ApprovalAnswered | QuestionAnswered):
            self._last_sign = self._app.now()
        if isinstance(event, TurnEnded) and event.outcome != "stopped" and not shown.waiting:
            self._call(_ended(event))
        self._watch_over()

    def listed(self, sessions: Sequence[SessionInfo]) -> None:
        """Take in how all sessions are now: what became of those that are not shown is told."""
        before, self._others = self._others, {one.id: one.state for one in sessions}
        for one in sessions:
            became = _became(before.get(one.id, one.state), one.state)
            if became and one.id != self._app.shown.id:
                self._call(became, one.title)

    def close(self) -> None:
        """Give the title back."""
        self._title(False)

    @property
    def _away(self) -> bool:
        if self._reports:
            return not self._app.app_focus
        return self._app.now() - self._last_sign >= BLIND_S

    def _focus(self, focused: bool) -> None:
        self._reports = True
        if focused:
            self._title(False)
        self._watch_over()

    # --- what waits ----------------------------------------------------------------------------

    def _waits(self) -> dict[str, str]:
        """What waits for the person and was not told yet, by its id."""
        shown = self._app.shown
        waits = {one.ask_id: f"may I? {one.title}" for one in shown.approvals.values()}
        waits |= {one.ask_id: f"a question: {one.text}" for one in shown.questions.values()}
        return {ask_id: words for ask_id, words in waits.items() if ask_id not in self._told}

    def _watch_over(self) -> None:
        """Have the clock run exactly while something waits and nobody looks."""
        wanted = bool(self._waits()) and (self._away or not self._reports)
        if wanted and self._timer is None:
            wait = WAIT_S if self._reports else BLIND_S
            self._timer = self._app.set_timer(wait, self._waited)
        elif not wanted and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _waited(self) -> None:
        self._timer = None
        waits = self._waits()
        if waits and self._away:
            self._told |= set(waits)
            self._call(next(iter(waits.values())))
            if self._app.config.notify != "off":
                call = CallHome(session=self._app.shown.id, asks=tuple(waits))
                self._app.do(partial(self._call_home, call))
        self._watch_over()

    async def _call_home(self, call: CallHome) -> None:
        with suppress(HermesError):  # it was said here already; an older core can't do more
            await self._app.ask(call)

    # --- the terminal --------------------------------------------------------------------------

    def _call(self, words: str, title: str = "") -> None:
        how = self._app.config.notify
        if how == "off" or not self._away:
            return
        self._title(True)
        way = "bell" if how == "bell" else way_of(self._env)
        about = title or self._app.shown.info.title or "hermes"
        self._write(call_for(way, "hermes", f"{words} · {about}", self._env))

    def _title(self, calling: bool) -> None:
        """Put a sign into the window's title, or give back the one that was there."""
        if calling == self._titled:
            return
        self._titled = calling
        title = "● hermes" if calling else "hermes"
        name = f"\x1b]2;{title}\a"
        self._write(f"{_ASK_TITLE}{name}" if calling else f"{name}{_GIVE_TITLE_BACK}")

    def _write(self, text: str) -> None:
        write(self._app)(text)


def write(app: HermesApp) -> Callable[[str], None]:
    """What puts bytes onto the terminal beside the frames."""
    driver = app._driver
    return driver.write if driver is not None else lambda _: None


def _became(before: str, now: str) -> str:
    """What to say of a session that is in another state; empty for nothing."""
    if before == now:
        return ""
    return {"waiting": "waits for you", "idle": "done"}.get(now, "")


def _ended(event: TurnEnded) -> str:
    match event.outcome:
        case "failed":
            return f"failed: {event.error}"
        case "limit":
            return "stopped at the limit of rounds"
        case _:
            return "done"
