"""What was typed before, walked through with up and down while the draft waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hermes_tui.paste import line_count
from hermes_tui.ui.prompt_document import Draft, Piece

FOLD_LINES = 60
FOLD_CHARACTERS = 8_000


class PromptHistory:
    """Earlier inputs, newest first. Entries typed here keep their folded pastes."""

    def __init__(self) -> None:
        self._entries: list[Draft] = []
        self._at = -1
        self._draft = Draft()
        self._edited: dict[int, Draft] = {}

    @property
    def walking(self) -> bool:
        """Whether an earlier input is shown in place of the draft."""
        return self._at >= 0

    def texts(self, shell: str = "") -> Iterator[str]:
        """The inputs of one kind that are plain text, newest first."""
        for entry in self._entries:
            if entry.shell == shell and len(entry.pieces) == 1 and not entry.pieces[0].folded:
                yield entry.pieces[0].text

    def set(self, lines: Iterable[str]) -> None:
        """The stored inputs, newest first, behind those typed here since."""
        typed = {entry.text for entry in self._entries}
        self._entries += [_entry(line) for line in lines if line and line not in typed]

    def add(self, draft: Draft) -> None:
        """An input that was sent; sending it again only moves it to the front."""
        text = draft.text
        others = (one for one in self._entries if (one.shell, one.text) != (draft.shell, text))
        self._entries = [draft, *others]
        self.leave()

    def older(self, now: Draft) -> Draft | None:
        """The input before the one shown, None at the oldest. now: what is in the prompt."""
        if self._at + 1 >= len(self._entries):
            return None
        self._keep(now)
        self._at += 1
        return self._edited.get(self._at, self._entries[self._at])

    def newer(self, now: Draft) -> Draft | None:
        """The input after the one shown, the draft after the newest, None when not walking."""
        if self._at < 0:
            return None
        self._keep(now)
        self._at -= 1
        if self._at < 0:
            return self._draft
        return self._edited.get(self._at, self._entries[self._at])

    def _keep(self, now: Draft) -> None:
        if self._at < 0:
            self._draft = now
        elif (now.shell, now.text) != (self._entries[self._at].shell, self._entries[self._at].text):
            self._edited[self._at] = now

    def leave(self) -> None:
        """What is in the prompt is the draft now."""
        self._at = -1
        self._edited.clear()


def _entry(text: str) -> Draft:
    folded = len(text) > FOLD_CHARACTERS or line_count(text) > FOLD_LINES
    return Draft(pieces=(Piece(text=text, folded=folded),))
