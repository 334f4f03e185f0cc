"""The status line: what runs and for how long, how full the context is, what it cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tui.events import KeysChanged
from hermes_tui.ui import figures
from hermes_tui.ui.line import Bar, Span, hints, width_of
from hermes_tui.ui.text import one_line
from hermes_tui.ui.trace_model import Step, TraceModel, Turn

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

_SPIN = "◐◓◑◒"
_HZ = 4
_STOP = ("esc", "stop")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the status line tells. enter: how Enter is read while a turn runs.

    sandbox: level of what surrounds commands, 1 for nothing, 0 while that is not known. keys:
    how the keys of providers are.
    """

    trace: TraceModel
    now: float
    motion: bool = True
    waiting_for_you: bool = False
    enter: str = "steer"
    model: str = ""
    sandbox: int = 0
    keys: tuple[KeysChanged, ...] = ()


def status_left(state: State) -> list[Span]:
    """What runs, for how long, and the keys that matter meanwhile."""
    turn, again = state.trace.running, state.trace.again
    if turn is None and again is not None:
        words = f"again: {_words([again], state.now)}"
        return [Span(f" {_glyph(state)} ", "accent"), Span(words, ""), Span("  "), *hints(_STOP)]
    if turn is None:
        return [Span(" ● ", "ok"), Span("ready", "muted")]
    spans = [*_doing(state, turn)]
    spans.append(Span(f" · turn {figures.seconds(turn.seconds(state.now))}", "muted"))
    other = "queue" if state.enter == "steer" else "steer"
    keys = [_STOP, ("↵", state.enter)]
    if other == "queue":
        keys.append(("alt+↵", "queue"))
    return [*spans, Span("  "), *hints(*keys)]


def _doing(state: State, turn: Turn) -> list[Span]:
    if state.waiting_for_you:
        return [Span(" ⚠ ", "warn"), Span("waiting for you", "warn")]
    running = [step for step in turn.steps.values() if step.end is None and step.kind != "wait"]
    tools = [step for step in running if step.kind == "tool"]
    words = _words(tools or running, state.now)
    return [Span(f" {_glyph(state)} ", "accent"), Span(words, "")]


def _glyph(state: State) -> str:
    return _SPIN[int(state.now * _HZ) % len(_SPIN)] if state.motion else _SPIN[0]


def _words(steps: list[Step], now: float) -> str:
    if not steps:
        return "working"
    took = figures.seconds(max(step.seconds(now) for step in steps))
    if steps[0].kind == "model":
        retry = f" (try {len(steps[0].failures) + 1})" if steps[0].failures else ""
        return f"thinking{retry} {took}"
    names = one_line(steps[0].name)
    more = f" +{len(steps) - 1}" if len(steps) > 1 else ""
    return f"{names}{more} {took}"


def status_right(state: State, room: int) -> list[Span]:
    """Context and cost, the longest form that fits into the room; unknown things are left out."""
    used, window = state.trace.context()
    usage = state.trace.usage()
    known = bool(usage.prompt or usage.completion)
    cost = [Span(f"   {figures.money(usage.cost)}", "muted")] if known else []
    around = [*_resting(state), *_around(state.sandbox)]
    forms: list[list[Span]] = []
    if used and window:
        percent = figures.share(used, window)
        tone = "error" if percent >= 90 else "warn" if percent >= 75 else "accent"
        full, rest = figures.meter(used, window, 10)
        bar = [Span("ctx ", "muted"), Span(full, tone), Span(rest, "faint")]
        words = Span(f" {percent}%", "muted")
        of = Span(f"  {figures.tokens(used)} of {figures.tokens(window)}", "muted")
        forms = [[*around, *bar, words, of, *cost], [*around, *bar, words, *cost]]
        forms.append([*bar, words, *cost])
        forms.append([Span(f"ctx {percent}%", "muted"), *cost])
    elif used:
        count = [Span(f"ctx {figures.tokens(used)}", "muted"), *cost]
        forms = [[*around, *count], count]
    forms += [[*around, *cost], cost]
    fitting = (form for form in forms if width_of(form) + 1 <= room)
    return next(fitting, list[Span]())


def _resting(state: State) -> list[Span]:
    """How many keys there are to go on with, for providers of which some rest."""
    spans: list[Span] = []
    for one in state.keys:
        if one.ready < one.keys and not 0 < one.until <= state.now:
            spans += [Span(f"keys {one.ready}/{one.keys}", "warn"), Span("   ")]
    return spans


def _around(level: int) -> list[Span]:
    if level == 0:
        return []
    if level == 1:
        return [Span("! no sandbox", "warn"), Span("   ")]
    return [Span(f"sandbox {level}", "muted"), Span("   ")]


class StatusLine(Bar):
    """The line at the bottom."""

    _state: State | None = None

    def tell(self, state: State) -> None:
        """Show the state as it is now."""
        self._state = state
        left = status_left(state)
        right = status_right(state, self.size.width - width_of(left) - 3)
        self.show(left, [*right, Span(" ")] if right else ())

    def flash(self, text: str) -> None:
        """Show a sentence in its place."""
        self._state = None
        self.show([Span(f" {text}", "accent")])

    def on_resize(self) -> None:
        """What fits into the line depends on its width."""
        if self._state is not None:
            self.tell(self._state)


class Ticker:
    """The one clock of the screen: 4 times a second, only while something runs and is seen."""

    def __init__(self, app: App[Any], beat: Callable[[], None], hz: float = _HZ) -> None:
        self._app = app
        self._hz = hz
        self._beat = beat
        self._timer: Timer | None = None
        self._wanted = False
        self._seen = True

    @property
    def ticking(self) -> bool:
        """Whether it costs anything now."""
        return self._timer is not None

    def want(self, wanted: bool) -> None:
        """Something runs, or nothing does any more."""
        self._wanted = wanted
        self._settle()

    def see(self, seen: bool) -> None:
        """The terminal has the focus, or lost it."""
        self._seen = seen
        if seen:
            self._beat()
        self._settle()

    def _settle(self) -> None:
        wanted = self._wanted and self._seen
        if wanted and self._timer is None:
            self._timer = self._app.set_interval(1 / self._hz, self._beat)
        elif not wanted and self._timer is not None:
            self._timer.stop()
            self._timer = None
