"""What a session has seen of files, so that it never changes one that has changed since."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.tools import diff

_KEPT_FILES = 256
_KEPT_TEXT = 300_000
_KEPT_TEXTS = 32
_SHOWN = 4_000


class _Seen(Struct, frozen=True):
    """A file as it was: a digest of its bytes and, of short ones, its text."""

    digest: bytes
    text: str | None


class FileMemory:
    """The files a session has read or written, as they were then."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, _Seen] = OrderedDict()

    def saw(self, real: str, content: bytes, text: str | None = None) -> None:
        """Remember a file as it is now. text: what was shown of it, to tell differences by."""
        kept = text if text is not None and len(text) <= _KEPT_TEXT else None
        self._seen[real] = _Seen(hashlib.sha256(content).digest(), kept)
        self._seen.move_to_end(real)
        while len(self._seen) > _KEPT_FILES:
            self._seen.popitem(last=False)
        self._forget_texts()

    def forget(self, real: str) -> None:
        """A file is gone, or nothing is known of it any more."""
        self._seen.pop(real, None)

    def refuse_changed(self, real: str, content: bytes, text: str | None = None) -> None:
        """Raise ToolError with the difference when a file is not as it was when last seen.

        It counts as seen then, so that the same call made again goes through.
        """
        before = self._seen.get(real)
        if before is None or before.digest == hashlib.sha256(content).digest():
            return
        self.saw(real, content, text)
        raise ToolError(
            f"{real} has changed since you read it; nothing was written",
            self._difference(real, before.text, text),
        )

    def refuse_gone(self, real: str) -> None:
        """Raise ToolError when a file that was seen is no longer there."""
        if real in self._seen and not os.path.lexists(real):
            self.forget(real)
            raise ToolError(
                f"{real} has been deleted since you read it; nothing was written",
                "call again if it is to be made anew",
            )

    def _difference(self, real: str, old: str | None, new: str | None) -> str:
        again = "see whether the change still fits, then make it again"
        if old is None or new is None:
            return f"read it anew; {again}"
        changed = diff.shorten(diff.unified(old, new, real), _SHOWN)
        return f"{again}; what has changed:\n{changed}"

    def _forget_texts(self) -> None:
        """Texts are kept of the last few files only."""
        for real in list(self._seen)[: -_KEPT_TEXTS or None]:
            if self._seen[real].text is not None:
                self._seen[real] = _Seen(self._seen[real].digest, None)
