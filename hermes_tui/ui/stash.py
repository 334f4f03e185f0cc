"""Drafts that outlive the screen: one of each session, and those that were put away.

Kept as small files in the home, readable by their owner alone. A draft that may hold a secret
is never written: it lives as long as this process.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from hermes_tui.ui.prompt_document import Draft

if TYPE_CHECKING:
    from hermes_tui.security.secrets import Redactor

T = TypeVar("T")
Check = Callable[[str], object]
"""Whether a text holds a secret: anything true when it does."""


class Kept(Struct, frozen=True, kw_only=True):
    """A draft put away. at: Unix time."""

    at: float
    draft: Draft


class DraftBox:
    """The drafts of one home. Methods wait for the disk: call them in a thread.

    secret: tells whether a text may not be written; None: no text may.
    """

    def __init__(self, folder: Path, secret: Check | None) -> None:
        self._folder = folder
        self._secret = secret
        self._unwritten: dict[str, Draft] = {}
        self._private: list[Kept] = []

    # --- the draft of a session ----------------------------------------------------------------

    def keep(self, session: str, draft: Draft) -> None:
        """Remember what is in the prompt of a session; an empty draft forgets it."""
        self._unwritten.pop(session, None)
        path = self._path(session)
        if not draft.pieces:
            path.unlink(missing_ok=True)
        elif self._writable(draft):
            self._write(path, msgspec.json.encode(draft))
        else:
            path.unlink(missing_ok=True)
            self._unwritten[session] = draft

    def of(self, session: str) -> Draft:
        """The draft of a session, empty when there is none."""
        if session in self._unwritten:
            return self._unwritten[session]
        return _read(self._path(session), Draft) or Draft()

    def _path(self, session: str) -> Path:
        # Ids of imported sessions are any text.
        return self._folder / f"{hashlib.sha256(session.encode()).hexdigest()[:32]}.json"

    # --- drafts put away -----------------------------------------------------------------------

    def put_away(self, draft: Draft) -> bool:
        """Put a draft on top of the stash. False: it is kept in memory only."""
        kept = Kept(at=time.time(), draft=draft)
        if not self._writable(draft):
            self._private.append(kept)
            return False
        with self._locked():
            self._write_stash((*self._stash(), kept))
        return True

    def bring_back(self) -> Draft | None:
        """Take the newest draft from the stash; None when it is empty."""
        with self._locked():
            stored = self._stash()
            newest = stored[-1] if stored else None
            if self._private and (newest is None or self._private[-1].at >= newest.at):
                return self._private.pop().draft
            if newest is not None:
                self._write_stash(stored[:-1])
        return newest.draft if newest is not None else None

    @property
    def count(self) -> int:
        """How many drafts are put away."""
        return len(self._private) + len(self._stash())

    def _stash(self) -> tuple[Kept, ...]:
        return _read(self._folder / "stash.json", tuple[Kept, ...]) or ()

    def _write_stash(self, kept: tuple[Kept, ...]) -> None:
        self._write(self._folder / "stash.json", msgspec.json.encode(kept))

    # --- within --------------------------------------------------------------------------------

    def _writable(self, draft: Draft) -> bool:
        return self._secret is not None and not self._secret(draft.text)

    def _write(self, path: Path, data: bytes) -> None:
        """Write a file so that it is there whole or not at all."""
        import tempfile  # not needed before there is something to keep

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=".draft-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(name, path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Alone with the stash, whatever other screens do."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _read(path: Path, kind: type[T]) -> T | None:
    """What a file holds; None when there is none, or none that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


class SecretCheck:
    """Whether a text holds what looks like a secret; loaded when it is first asked."""

    def __init__(self) -> None:
        self._redactor: Redactor | None = None

    def __call__(self, text: str) -> bool:
        """Whether something in it should not be written to disk."""
        if self._redactor is None:
            from hermes_tui.security.secrets import Redactor

            self._redactor = Redactor()
        return bool(self._redactor.redact(text, "chat").found)
