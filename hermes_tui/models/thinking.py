"""Keeps a model's thinking apart from its answer when both arrive as one text."""

from __future__ import annotations

_TAGS = ("think", "thinking", "thought", "reasoning")
_OPEN = {f"<{tag}>": f"</{tag}>" for tag in _TAGS}


class ThinkingSplitter:
    """Splits streamed text into answer and thinking.

    Thinking is what stands in `<think>…</think>` (or thinking, thought, reasoning) at the very
    beginning of a reply, and in further such blocks right after it. The same tags anywhere
    later are what the model says about them, and stay text.
    """

    def __init__(self) -> None:
        self._held = ""
        self._close = ""
        self._seen = False
        self._over = False

    def feed(self, piece: str) -> tuple[str, str]:
        """(text, thinking) that is certain now; what might be a tag is held back."""
        if self._over:
            return piece, ""
        self._held += piece
        thinking = self._thought()
        while not self._close and self._opened():
            thinking += self._thought()
        text = ""
        if self._over:
            text, self._held = self._held, ""
        return text, thinking

    def end(self) -> tuple[str, str]:
        """The rest when the reply is over."""
        rest, self._held = self._held, ""
        if self._close:
            return "", rest
        return ("" if self._seen and not rest.strip() else rest), ""

    def _thought(self) -> str:
        """Take the thinking that is certain; closes the block when its end is there."""
        if not self._close:
            return ""
        thought, end, rest = self._held.partition(self._close)
        if end:
            self._held, self._close = rest, ""
            return thought
        kept = _overlap(thought, self._close)
        self._held = thought[len(thought) - kept :]
        return thought[: len(thought) - kept]

    def _opened(self) -> bool:
        """Whether a block begins here; when none ever can, the splitter is over."""
        start = self._held.lstrip()
        for tag, close in _OPEN.items():
            if start.startswith(tag):
                self._held, self._close, self._seen = start[len(tag) :], close, True
                return True
        if not any(tag.startswith(start) for tag in _OPEN):
            self._over = True
            self._held = start if self._seen else self._held
        return False


def _overlap(text: str, mark: str) -> int:
    """Length of the longest end of `text` that `mark` begins with."""
    sizes = range(min(len(text), len(mark) - 1), 0, -1)
    return next((size for size in sizes if text.endswith(mark[:size])), 0)
