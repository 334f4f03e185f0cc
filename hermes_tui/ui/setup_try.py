"""Second screen of the first run: fetch the model if need be, ask it for a word, tell how."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.message import Message

from hermes_tui.errors import HermesError
from hermes_tui.events import FetchProgress
from hermes_tui.intents import FetchModel, KeepModel, ModelChoice, StopFetch, TryModel
from hermes_tui.setup_text import Pace, megabytes, name_of
from hermes_tui.ui import figures
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import RowList, TextRow
from hermes_tui.ui.text import one_line, safe
from hermes_tui.ui.viewer import TextView, paint_all, paint_lines, paint_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer

_KEEP = ("keep", "Keep it and go on", "")
_AGAIN = ("again", "Try again", "")
_BACK = ("back", "Choose another", "nothing is kept")
_STOP = ("stop", "Stop", "what came is kept; next time it goes on from there")


class TryStep(Vertical):
    """What happens with the choice, and what can be done about it. Posts `Kept` or `Back`."""

    class Kept(Message):
        """The model answers and is kept."""

    class Back(Message):
        """Choose another one."""

    def __init__(self) -> None:
        super().__init__(id="setup-try")
        self.choice: ModelChoice | None = None
        self.fetching = False
        self._pace = Pace()
        self._began = 0.0
        self._timer: Timer | None = None
        self._words = TextView(id="setup-words")
        self._bar = Bar(id="setup-meter")
        self._acts = RowList(id="setup-acts")

    def compose(self) -> ComposeResult:
        """Words, bar, choices."""
        yield self._words
        yield self._bar
        yield self._acts

    def begin(self, choice: ModelChoice) -> None:
        """Try this one."""
        self.choice = choice
        self._pace = Pace()
        self._words.can_focus = False
        self._bar.display = False
        self._acts.focus()
        self.run_worker(self._try(choice), group="try", exclusive=True)

    def leave(self) -> None:
        """Stop what is going on."""
        self.workers.cancel_group(self, "try")
        self._tick(False)
        if self.fetching:
            self.fetching = False
            self.run_worker(self._stop_fetch(), group="stop")

    def heard(self, progress: FetchProgress) -> None:
        """So far the fetch has come."""
        if self.fetching and not progress.ended:
            self._pace.add(progress, time.monotonic())
            self._meter()

    # --- what happens --------------------------------------------------------------------------

    async def _try(self, choice: ModelChoice) -> None:
        doing = "can't be fetched"
        try:
            if choice.kind == "fetch" and not choice.problem:
                await self._fetch(choice)
            doing = "does not answer"
            await self._ask(choice)
        except HermesError as error:
            self._failed(f"{one_line(name_of(choice))} {doing}", error)
        finally:
            self._tick(False)

    async def _fetch(self, choice: ModelChoice) -> None:
        self.fetching = True
        about = f"{megabytes(choice.size)}, once; checked against its known digest."
        self._say([(Span(f"Fetching {one_line(choice.title)}", "strong"),)], about)
        self._offer(_STOP)
        self._bar.display = True
        self._meter()
        try:
            await face_of(self).ask(FetchModel(name=choice.fetch))
        finally:
            self.fetching = False
            self._bar.display = False

    async def _ask(self, choice: ModelChoice) -> None:
        self._began = time.monotonic()
        self._tick(True)
        self._asking()
        self._offer(_BACK)
        proof = await face_of(self).ask(TryModel(chosen=choice.chosen))
        took = figures.seconds(proof.seconds)
        said = one_line(proof.text)[:60] or "(it thought, and said nothing)"
        head = (Span("✓ ", "ok"), Span(f"{one_line(proof.name)} answers", "strong"))
        self._say([head], f"It said «{said}» after {took}.")
        self._offer(_KEEP, _BACK)

    async def _keep(self, choice: ModelChoice) -> None:
        try:
            await face_of(self).ask(KeepModel(chosen=choice.chosen))
        except HermesError as error:
            self._failed("it can't be kept", error)
        else:
            self.post_message(self.Kept())

    async def _stop_fetch(self) -> None:
        try:
            await face_of(self).ask(StopFetch())
        except HermesError as error:
            face_of(self).say(error.message, "warning")

    def _failed(self, what: str, error: HermesError) -> None:
        head = (Span("✗ ", "error"), Span(what, "strong"))
        self._say([head], f"{safe(error.message)}\n{safe(error.hint)}".strip())
        self._offer(_AGAIN, _BACK)

    # --- drawing -------------------------------------------------------------------------------

    def _asking(self) -> None:
        choice = self.choice
        if choice is None:
            return
        passed = time.monotonic() - self._began
        waited = f"  {figures.seconds(passed)}" if passed >= 1 else ""
        head = (Span(f"Asking {one_line(name_of(choice))} for one word …", "strong"),)
        where = choice.chosen.base_url or choice.note
        self._say([(*head, Span(waited, "muted"))], one_line(where))

    def _tick(self, on: bool) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_interval(1.0, self._asking) if on else None

    def _meter(self) -> None:
        pace = self._pace
        full, rest = figures.meter(pace.done, pace.total, 24)
        share = f" {figures.share(pace.done, pace.total):3d}%  " if pace.total else "  "
        bar = (Span(full, "accent"), Span(rest, "faint"), Span(share, "strong"))
        self._bar.show((*bar, Span(pace.words(), "muted")))

    def _say(self, head: Sequence[Sequence[Span]], text: str) -> None:
        self._words.show(paint_all([paint_lines([*head, ()]), paint_text(text, "muted")]), text)

    def _offer(self, *acts: tuple[str, str, str]) -> None:
        rows = [
            TextRow(key, (Span(f" {words}  "), Span(note, "muted"))) for key, words, note in acts
        ]
        self._acts.show(rows, acts[0][0])

    @on(RowList.Chosen)
    def _act(self, message: RowList.Chosen) -> None:
        message.stop()
        choice = self.choice
        if choice is None:
            return
        match message.key:
            case "keep":
                self.run_worker(self._keep(choice), group="try", exclusive=True)
            case "again":
                self.begin(choice)
            case _:
                self.leave()
                self.post_message(self.Back())
