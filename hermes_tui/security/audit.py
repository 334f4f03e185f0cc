"""The audit log: every decision about what the agent does, on disk before it is done.

Lines are added and never changed; `audit_chain` says how they hang together, `audit_check` how
that is proved. Entries that come at the same time are written and synced together, off the event
loop. An entry that can't be written raises, so what it is about does not happen.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from hermes_tui.errors import StoreError
from hermes_tui.home import Home
from hermes_tui.security import audit_chain
from hermes_tui.security.audit_chain import End

Kind = Literal[
    "decided", "answered", "unknown", "rule", "blocked", "granted", "changed", "sealed", "broken"
]
Clean = Callable[[str], str]
FILE_BYTES = 8_000_000
_LONGEST = 4_000


class AuditEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was decided.

    kind: `decided` (the policy: allow, ask or deny), `answered` (a person, or the time limit),
    `unknown` (a call that a crash cut off: whether it took effect is not known), `rule` (a
    standing rule came or went), `blocked` (a secret was kept in), `granted` (a host, a file),
    `changed` (mode, settings), `sealed` (a line that a crash cut off was closed), `broken` (the
    end of the log was not as it had been left).

    call_id, ask_id: of the call and the question it is about. action: the kind of action;
    digest: of exactly that action. rules: the standing rules that cover it. mode, level (of the
    sandbox, 0 where none matters), contained (it runs inside it), taint (where untrusted text
    had come from): the circumstances. face, who, where: who answered, and on what.
    """

    kind: Kind
    session: str = ""
    turn: int = 0
    call_id: str = ""
    ask_id: str = ""
    tool: str = ""
    action: str = ""
    title: str = ""
    detail: str = ""
    cwd: str = ""
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    digest: str = ""
    verdict: str = ""
    reason: str = ""
    rules: tuple[str, ...] = ()
    mode: str = ""
    level: int = 0
    contained: bool = False
    taint: str = ""
    attended: bool = True
    face: str = ""
    who: str = ""
    where: str = ""
    torn: str = ""


class AuditLine(AuditEntry, frozen=True, kw_only=True):
    """An entry as it stands in the log: with its number, Unix time and place in the chain."""

    n: int
    ts: float
    prev: str
    sum: str


class Audit:
    """The log of one home, written by its core alone. Nothing is opened before the first entry."""

    def __init__(self, home: Home, *, clean: Clean | None = None, file_bytes: int = FILE_BYTES):
        """clean: hides secrets in a text; file_bytes: size at which the next file begins."""
        self.folder = home.audit
        self._clean = clean or _HomeSecrets(home)
        self._file_bytes = file_bytes
        self._waiting: deque[tuple[float, AuditEntry]] = deque()
        self._lock = threading.Lock()
        self._file = -1
        self._head = -1
        self._size = 0
        self._end = End()

    async def record(self, *entries: AuditEntry) -> None:
        """Write entries; done when they are on disk. Raises StoreError when they can't be.

        They are written whether or not whoever asked is still waiting.
        """
        if entries:
            self._take(entries)
            loop = asyncio.get_running_loop()
            await asyncio.shield(loop.run_in_executor(None, self._drain))

    def record_now(self, *entries: AuditEntry) -> None:
        """The same where there is no event loop."""
        self._take(entries)
        self._drain()

    def note(self, *entries: AuditEntry) -> None:
        """Have entries written with whatever is recorded next, or when the log is closed."""
        self._take(entries)

    def close(self) -> None:
        """Write what is noted and let go of the files."""
        if self._waiting:
            self._drain()
        with self._lock:
            self._let_go()

    def _take(self, entries: tuple[AuditEntry, ...]) -> None:
        now = time.time()
        self._waiting.extend((now, one) for one in entries)

    # --- on whatever thread writes ------------------------------------------------------------

    def _drain(self) -> None:
        """Write all that waits; what can't be written goes on waiting."""
        with self._lock:
            taken: list[tuple[float, AuditEntry]] = []
            while self._waiting:
                taken.append(self._waiting.popleft())
            if not taken:
                return
            try:
                self._write(taken)
            except OSError as error:
                self._waiting.extendleft(reversed(taken))
                self._let_go()
                raise StoreError(
                    f"the audit log can't be written: {error.strerror}, so nothing was done",
                    f"is there room for {self.folder}, and is it yours?",
                ) from error

    def _write(self, taken: list[tuple[float, AuditEntry]]) -> None:
        if self._file < 0:
            self._open()
        elif self._size >= self._file_bytes:
            self._start_file()
        end, made = self._end, b""
        for ts, entry in taken:
            raw, digest = audit_chain.line(end.n + 1, ts, end.sum, self._body(entry))
            end, made = End(end.n + 1, digest), made + raw + b"\n"
        self._append(made)
        self._end = end
        audit_chain.write_head(self._head, end)

    def _append(self, data: bytes) -> None:
        done = 0
        while done < len(data):
            done += os.write(self._file, data[done:])
        self._size += len(data)
        sync = os.fdatasync if hasattr(os, "fdatasync") else os.fsync
        sync(self._file)

    def _body(self, entry: AuditEntry) -> bytes:
        clean = self._clean
        shown = msgspec.structs.replace(
            entry,
            title=_short(clean(entry.title)),
            detail=_short(clean(entry.detail)),
            reason=_short(clean(entry.reason)),
            paths=tuple(_short(clean(one)) for one in entry.paths[:50]),
            rules=tuple(_short(clean(one)) for one in entry.rules),
            hosts=tuple(_short(clean(one)) for one in entry.hosts[:50]),
            taint=_short(clean(entry.taint)),
        )
        return msgspec.json.encode(shown)

    # --- files --------------------------------------------------------------------------------

    def _open(self) -> None:
        """Find the end of the chain and go on from there; what is wrong there is said for good."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = audit_chain.files(self.folder)
        head = audit_chain.read_head(self.folder)
        last, torn = _last(found)
        # Where lines are missing at the end the count goes on after them, so the gap stays.
        self._end = max(head or End(), last, key=lambda one: one.n)
        self._use(found[-1] if found else audit_chain.file_for(self.folder, self._end.n + 1))
        self._head = self._descriptor(self.folder / audit_chain.HEAD, os.O_RDWR)
        if not found:
            audit_chain.write_head(self._head, self._end)
            self._sync_folder()
        why = _wrong_end(head, last) if found or head else ""
        if torn or why:
            self._seal(torn, why)

    def _seal(self, torn: bytes, why: str) -> None:
        cut = f"a crash cut the line before this one off after {len(torn)} bytes"
        entry = AuditEntry(
            kind="broken" if why else "sealed",
            reason=why or cut,
            torn=hashlib.sha256(torn).hexdigest() if torn else "",
        )
        body = msgspec.json.encode(entry)
        raw, digest = audit_chain.line(self._end.n + 1, time.time(), self._end.sum, body)
        self._append((b"\n" if torn else b"") + raw + b"\n")
        self._end = End(self._end.n + 1, digest)
        audit_chain.write_head(self._head, self._end)

    def _start_file(self) -> None:
        os.close(self._file)
        self._file = -1
        self._use(audit_chain.file_for(self.folder, self._end.n + 1))
        self._sync_folder()

    def _sync_folder(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _use(self, path: os.PathLike[str]) -> None:
        self._file = self._descriptor(path, os.O_WRONLY | os.O_APPEND)
        self._size = os.fstat(self._file).st_size

    def _descriptor(self, path: os.PathLike[str], flags: int) -> int:
        return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def _let_go(self) -> None:
        for descriptor in (self._file, self._head):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._head = -1


def _last(files: list[Path]) -> tuple[End, bytes]:
    """The last good line of all, and what stands torn after it."""
    torn = b""
    for path in reversed(files):
        last, after = audit_chain.tail(path)
        torn = torn or after
        if last is not None:
            return last, torn
    return End(), torn


def _wrong_end(head: End | None, last: End) -> str:
    """What no crash does to the end of a log, in words; empty when all is well."""
    if head is None:
        return "the file that says where the log ends was missing: lines may have been removed"
    if last.n < head.n:
        return f"the log ended at line {last.n}, but {head.n} had been written"
    if last.n == head.n and last.sum != head.sum:
        return f"line {head.n} was another one when it was written"
    return ""


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} […{len(text) - 2 * half:,} characters…] {text[-half:]}"


class _HomeSecrets:
    """Hides the home's secrets in a text; reads them again when their file has changed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._stamp: tuple[int, int] | None = None
        self._redact: Clean | None = None

    def __call__(self, text: str) -> str:
        if not text:
            return text
        stamp = self._home.secrets_mark()
        if self._redact is None or stamp != self._stamp:
            from hermes_tui.security.secrets import Redactor
            from hermes_tui.security.vault import Vault

            redactor = Redactor(Vault(self._home).values())
            self._stamp, self._redact = stamp, lambda text: redactor.redact(text, "log").text
        return self._redact(text)
