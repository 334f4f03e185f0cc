"""A proposed edit of a skill: its diff, of which every change is taken or left by itself."""

from __future__ import annotations

from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip

from hermes_tui.intents import SkillProposal
from hermes_tui.ui import part_keys
from hermes_tui.ui.diff_screen import DiffView
from hermes_tui.ui.face import look_of


class ReviewView(DiffView):
    """The diff of a proposal. taken: numbers of the hunks that are marked to be accepted."""

    BINDINGS = part_keys.bindings("review")

    class Marked(Message):
        """A change was marked, or is no longer."""

    class Answered(Message):
        """The proposal was accepted or refused. hunks: changes to accept, None for all."""

        def __init__(
            self, proposal: SkillProposal, accept: bool, hunks: tuple[int, ...] | None
        ) -> None:
            super().__init__()
            self.proposal, self.accept, self.hunks = proposal, accept, hunks

    def __init__(self, proposal: SkillProposal) -> None:
        super().__init__(proposal.diff, id="skills-diff")
        self.proposal = proposal
        self.taken: set[int] = set()

    @property
    def count(self) -> int:
        """How many hunks there are."""
        return len(self.proposal.hunks)

    def action_take(self) -> None:
        """Mark the hunk under the eye to be accepted, or take the mark away; go to the next."""
        hunk = self.current
        if hunk < 0:
            return
        self.taken ^= {hunk}
        if hunk + 1 < self.count:
            self.action_hunk(1)
        self.refresh()
        self.post_message(self.Marked())

    def action_answer(self, accept: bool) -> None:
        """Accept what is marked, all when nothing is; or refuse all of it."""
        some = bool(self.taken) and len(self.taken) < self.count
        groups = self.proposal.hunks
        numbers = tuple(n for hunk in sorted(self.taken) for n in groups[hunk])
        self.post_message(self.Answered(self.proposal, accept, numbers if some else None))

    def render_line(self, y: int) -> Strip:
        """One visible line; the header of a marked hunk begins with a tick."""
        strip = super().render_line(y)
        hunk = self._hunk_that_begins(y + self.scroll_offset.y)
        if hunk not in self.taken:
            return strip
        tick = Segment("✓ ", look_of(self)["ok"])
        marked = Strip.join([Strip([tick], 2), strip])
        return marked.crop(0, min(marked.cell_length, self.size.width))

    def _hunk_that_begins(self, line: int) -> int:
        if self._lines is None or not self._lines.hunks:
            return -1
        hunk = self._lines.hunk_at(line)
        return hunk if hunk >= 0 and self._lines.start_of(hunk) == line else -1
