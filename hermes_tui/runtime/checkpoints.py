"""Checkpoints of sessions' folders: made before a turn changes anything, dropped when too many."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hermes_tui.errors import HermesError, StoreError
from hermes_tui.events import Notice
from hermes_tui.store.blobs import Blobs
from hermes_tui.store.checkpoints import Checkpoint, CheckpointKind, CheckpointRows
from hermes_tui.store.checkpoints_folder import Folder, Look, check_place, forget_others
from hermes_tui.store.checkpoints_ignore import MADE_ANEW
from hermes_tui.store.checkpoints_scan import Limits, NoCheckpoint
from hermes_tui.store.checkpoints_tree import Entry, decode, digests, encode

if TYPE_CHECKING:
    from hermes_tui.runtime.bench import Bench
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session
    from hermes_tui.security.policy import Action

T = TypeVar("T")
_AGAIN_S = 300.0
_LOWER = 0.8
_log = logging.getLogger(__name__)


class Checkpoints:
    """All checkpoints of one home. One thing at a time: `lock` is held by whoever uses it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.lock = asyncio.Lock()
        self.rows = CheckpointRows(core.db)
        self.blobs = Blobs(core.home.checkpoints / "contents")
        self._folders: dict[str, Folder] = {}
        self._turns: dict[str, int] = {}
        self._refused: dict[str, tuple[float, HermesError]] = {}
        self._told: set[tuple[str, str]] = set()
        self._used: int | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something to its end, whatever becomes of whoever wanted it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Wait for what is being done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    # --- around a turn -----------------------------------------------------------------------

    async def before(self, session: Session, kind: CheckpointKind = "turn") -> None:
        """Keep how the folder is, once a turn. What prevents it is told, never raised."""
        turn = session.conversation.turn
        if kind == "turn" and self._turns.get(session.id) == turn:
            return
        if self._core.config.checkpoints.enabled:
            await asyncio.shield(self.start(self._before(session, turn, kind)))

    async def _before(self, session: Session, turn: int, kind: CheckpointKind) -> None:
        async with self.lock:
            if kind == "turn" and self._turns.get(session.id) == turn:
                return
            rows = await self.rows.of(session.key)
            if kind != "turn" or all(r.turn != turn or r.kind != "turn" for r in rows):
                await self._keep(session, rows, turn, kind)
            if kind == "turn":
                self._turns[session.id] = turn

    async def _keep(
        self, session: Session, rows: list[Checkpoint], turn: int, kind: CheckpointKind
    ) -> None:
        row = Checkpoint(turn=turn, kind=kind, made=time.time(), root=session.cwd)
        try:
            look = await self.look(session)
        except (HermesError, OSError) as error:
            await self.rows.add(session.key, msgspec.structs.replace(row, problem=_told(error)))
            await self._tell(session, error)
            return
        await self.close_rows(rows, session.cwd, look.tree)
        await self.rows.add(session.key, with_look(row, look))

    async def _tell(self, session: Session, error: Exception) -> None:
        """Say once in a session why its folder is not kept."""
        text = f"no checkpoint: {_told(error)}; file changes here can't be taken back"
        if (session.id, text) not in self._told:
            self._told.add((session.id, text))
            hint = "the settings `checkpoints.…` hold the bounds"
            await session.add(Notice(text=text, hint=hint, level="warning"), durable=False)

    def ended(self, session: Session) -> None:
        """The turn has ended: note what the folder holds now, then keep to the size."""
        self.start(self._after(session))

    async def _after(self, session: Session) -> None:
        async with self.lock:
            await self.end_open(session)
            if self._used is None:
                self._used = await self.used()
            if self._used + self.blobs.written > self.budget:
                await self._collect()

    async def end_open(self, session: Session) -> None:
        """Close what is open, as of now. With the lock held, and no turn running."""
        rows = await self.rows.of(session.key)
        if not any(row.before and not row.after for row in rows):
            return
        try:
            await self.close_rows(rows, session.cwd, (await self.look(session)).tree)
        except (HermesError, OSError) as error:
            _log.warning("session %s: no checkpoint after the turn: %s", session.id, error)

    async def close_rows(self, rows: list[Checkpoint], root: str, tree: str) -> None:
        """What the open rows of a folder stand before has ended with this tree."""
        ids = [row.id for row in rows if row.before and not row.after and row.root == root]
        if ids:
            await self.rows.close(ids, tree)

    def promise(self, session: Bench, action: Action) -> str:
        """How an action could be undone, for whoever decides about it; empty when it can't be."""
        root = os.path.realpath(session.cwd)
        try:
            self._raise_refused(session.cwd)
            check_place(root, session.env.get("HOME", ""), str(self._core.home.path))
        except NoCheckpoint:
            return ""
        if not self._core.config.checkpoints.enabled:
            return ""
        if action.kind == "execute":
            return "files here: /undo; what it does elsewhere can't be undone"
        below = [os.path.relpath(path, root).split(os.sep) for path in action.paths]
        kept = all(parts[0] != ".." and MADE_ANEW.isdisjoint(parts) for parts in below)
        return "/undo" if action.kind == "write" and below and kept else ""

    # --- looking -----------------------------------------------------------------------------

    async def look(self, session: Session) -> Look:
        """Keep what a session's folder holds. Raises HermesError or OSError."""
        root = session.cwd
        self._raise_refused(root)
        if root not in self._folders:
            memory = self._core.home.checkpoints / "seen"
            own = str(self._core.home.path)
            self._folders[root] = Folder(root, self.blobs, memory, own)
        folder, limits = self._folders[root], self._limits()
        person = session.env.get("HOME", "")

        def work() -> Look:
            check_place(root, person, str(self._core.home.path))
            return folder.look(limits)

        try:
            return await asyncio.to_thread(work)
        except NoCheckpoint as error:
            self._refused[root] = (time.monotonic() + _AGAIN_S, error)
            raise

    def _raise_refused(self, root: str) -> None:
        """What was too much a moment ago is not tried again at once."""
        until, error = self._refused.get(root, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise error

    def _limits(self) -> Limits:
        config = self._core.config.checkpoints
        return Limits(
            files=config.max_files,
            file_bytes=config.file_mb * 1_000_000,
            total_bytes=config.store_mb * 1_000_000,
        )

    def tree(self, digest: str) -> dict[str, Entry]:
        """A kept tree; reads a file. Raises StoreError when it is lost."""
        return decode(self.blobs.get(digest))

    def keep_tree(self, entries: Mapping[str, Entry]) -> str:
        """Keep a tree whose contents are kept already; writes a file. Its digest."""
        return self.blobs.put(encode(entries))

    # --- size --------------------------------------------------------------------------------

    @property
    def budget(self) -> int:
        """Bytes that all checkpoints may take on disk."""
        room = self._core.config.backup.disk_mb // 2 or float("inf")
        return int(min(self._core.config.checkpoints.store_mb, room)) * 1_000_000

    async def used(self) -> int:
        """Bytes that all checkpoints take on disk."""
        return sum((await asyncio.to_thread(self.blobs.sizes)).values())

    def forget(self) -> None:
        """A session was deleted: forget, soon, what nothing else needs."""
        self.start(self._forget())

    async def _forget(self) -> None:
        async with self.lock:
            await self._collect()

    async def _collect(self) -> None:
        rows, roots = await self.rows.trees(), await self.rows.roots()
        try:
            dropped, used = await asyncio.to_thread(self._sweep, rows)
            await asyncio.to_thread(forget_others, self._core.home.checkpoints / "seen", roots)
        except OSError as error:
            _log.warning("checkpoints could not be tidied: %s", error)
            return
        if dropped:
            await self.rows.drop(dropped)
        self._used, self.blobs.written = used, 0
        self._folders.clear()

    def _sweep(self, rows: list[tuple[int, str, str]]) -> tuple[list[int], int]:
        """Remove what only the oldest rows need, or none; (rows that lost theirs, bytes left)."""
        self.blobs.sweep_unfinished()
        sizes = self.blobs.sizes()
        total = sum(sizes.values())
        allowed = self.budget * _LOWER if total > self.budget else float("inf")
        needed: set[str] = set()
        used, dropped = 0, list[int]()
        for id_, before, after in rows:
            fresh = (self._needs(before) | self._needs(after)) - needed
            size = sum(sizes.get(one, 0) for one in fresh)
            if needed and (dropped or used + size > allowed):
                dropped.append(id_)
                continue
            needed |= fresh
            used += size
        self.blobs.drop(sizes.keys() - needed)
        return dropped, used

    def _needs(self, digest: str) -> set[str]:
        if not digest:
            return set()
        try:
            return {digest} | digests(self.tree(digest))
        except StoreError:
            return {digest}


def with_look(row: Checkpoint, look: Look) -> Checkpoint:
    """The row of what was just looked at."""
    return msgspec.structs.replace(row, before=look.tree, files=look.files, bytes=look.total)


def _told(error: Exception) -> str:
    if isinstance(error, HermesError):
        return error.message
    if isinstance(error, OSError):
        return f"it could not be written: {error.strerror or error}"
    return str(error)
