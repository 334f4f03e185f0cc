"""Files taken back to a checkpoint: looked at, written down, done; finished after a crash.

The journal is one file. It is on disk before the first file changes and gone when the last one
has, so a core that starts and finds it finishes what it says.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError, NotFoundError, StoreError
from hermes_tui.events import FilesRestored, Notice, Rewound
from hermes_tui.faults import point
from hermes_tui.intents import BackView, FileChange, WentBack
from hermes_tui.runtime.back_plan import Plan, make_plan
from hermes_tui.runtime.checkpoints import with_look
from hermes_tui.store.checkpoints import Checkpoint
from hermes_tui.store.checkpoints_restore import Restorer
from hermes_tui.store.checkpoints_tree import above

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session
    from hermes_tui.store.checkpoints_folder import Look

SHOWN = 400
_log = logging.getLogger(__name__)
Pick = Callable[[list[Checkpoint]], Checkpoint]


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be done. pick: finds the checkpoint among a session's; yours: take back as well
    what is not the agent's doing; chat: the event that takes the conversation back, if it is to.
    """

    pick: Pick
    yours: bool = False
    chat: Rewound | None = None
    face: str = ""


class _Journal(Struct, frozen=True, kw_only=True):
    """A restore under way. target, undo: digests of trees; paths: as bytes of the file system."""

    session: str
    checkpoint: int
    turn: int
    undo_id: int
    root: str
    target: str
    undo: str
    paths: tuple[bytes, ...]
    chat: Rewound | None
    face: str


# --- which checkpoint --------------------------------------------------------------------------


def before_turn(turn: int) -> Pick:
    """The first checkpoint at or after a turn; NotFoundError when no file was touched since."""

    def pick(rows: list[Checkpoint]) -> Checkpoint:
        found = next((row for row in rows if row.turn >= turn and row.kind != "back"), None)
        if found is None:
            raise NotFoundError(f"this session changed no file since turn {turn} began")
        return _sound(found)

    return pick


def by_id(number: int) -> Pick:
    """The checkpoint of a number."""

    def pick(rows: list[Checkpoint]) -> Checkpoint:
        found = next((row for row in rows if row.id == number), None)
        if found is None:
            raise NotFoundError(f"there is no checkpoint {number} here", "/checkpoints lists them")
        return _sound(found)

    return pick


def last_change(rows: list[Checkpoint]) -> Checkpoint:
    """The newest checkpoint since which files changed in the session itself."""
    found = next((row for row in reversed(rows) if row.changed or row.problem), None)
    if found is None:
        raise NotFoundError("the agent has changed no file here")
    return _sound(found)


def _sound(row: Checkpoint) -> Checkpoint:
    if not row.before:
        when = time.strftime("%H:%M", time.localtime(row.made))
        text = f"turn {row.turn} ({when}) has no checkpoint: {row.problem}"
        raise NotFoundError(text, "/checkpoints lists those there are")
    return row


# --- looking -----------------------------------------------------------------------------------


async def view(core: Core, session: Session, pick: Pick) -> BackView:
    """What going back would do; a problem is told, not raised."""
    async with core.checkpoints.lock:
        try:
            plan, _ = await _plan(core, session, pick)
        except (HermesError, OSError) as error:
            return BackView(problem=str(error).split("\n", maxsplit=1)[0])
    names = plan.shown()
    changes = [
        FileChange(path=_safe(one), change=plan.change_of(one), yours=plan.is_yours(one))
        for one in names
    ]
    return BackView(
        turn=plan.row.turn,
        checkpoint=plan.row.id,
        made=plan.row.made,
        changes=tuple(changes[:SHOWN]),
        count=len(changes),
        yours=sum(one.yours for one in changes),
        left=tuple(f"{_safe(path)}: {why}" for path, why in sorted(plan.left.items())[:SHOWN]),
    )


async def _plan(core: Core, session: Session, pick: Pick) -> tuple[Plan, Look]:
    """The plan, and what the folder holds now. With the lock held."""
    kept = core.checkpoints
    rows = await kept.rows.of(session.key)
    pick(rows)  # what can't be done is told before anything is read
    look = await kept.look(session)
    if not session.working:
        await kept.close_rows(rows, session.cwd, look.tree)
        rows = await kept.rows.of(session.key)
    row = pick(rows)
    if row.root != session.cwd:
        raise HermesError(f"that checkpoint is of another folder, {row.root}")
    since = [one for one in rows if one.id >= row.id and one.root == row.root]
    now = (look.tree, look.entries)
    return await asyncio.to_thread(make_plan, since, now, kept.tree), look


# --- doing -------------------------------------------------------------------------------------


async def go_back(core: Core, session: Session, wish: Wish) -> WentBack:
    """Take files back, and the conversation if wished. Raises HermesError when nothing is done."""
    try:
        return await asyncio.shield(core.checkpoints.start(_go_back(core, session, wish)))
    except OSError as error:
        text = f"files can't be taken back: {error.strerror or error}"
        raise HermesError(text, "nothing was changed, or /checkpoints shows from where") from error


async def _go_back(core: Core, session: Session, wish: Wish) -> WentBack:
    async with core.checkpoints.lock:
        plan, look = await _plan(core, session, wish.pick)
        paths = plan.paths(wish.yours)
        text = wish.chat.text if wish.chat else ""
        if not paths:
            if wish.chat is not None:
                await session.add(wish.chat)
            return WentBack(text=text)
        journal = await _write_down(core, session, wish, (plan, look, paths))
        stayed = await _finish(core, session, journal)
        return WentBack(
            text=text,
            files=_count(paths, stayed),
            undo=journal.undo_id,
            stayed=tuple(f"{_safe(path)}: {why}" for path, why in stayed.items()),
        )


async def _write_down(
    core: Core, session: Session, wish: Wish, planned: tuple[Plan, Look, list[str]]
) -> _Journal:
    plan, look, paths = planned
    turn = session.conversation.turn
    row = Checkpoint(turn=turn, kind="back", made=time.time(), root=session.cwd)
    undo_id = await core.checkpoints.rows.add(session.key, with_look(row, look))
    journal = _Journal(
        session=session.id,
        checkpoint=plan.row.id,
        turn=plan.row.turn,
        undo_id=undo_id,
        root=session.cwd,
        target=plan.row.before,
        undo=look.tree,
        paths=tuple(os.fsencode(path) for path in paths),
        chat=wish.chat,
        face=wish.face,
    )
    await asyncio.to_thread(_store, core, journal)
    point("restore written down")
    return journal


async def _finish(core: Core, session: Session | None, journal: _Journal) -> dict[str, str]:
    """Do what the journal says, however much of it is done; what stayed, and why."""
    if session is not None and journal.chat and journal.chat.turn in session.conversation.marks:
        await session.add(journal.chat)
    stayed, after = await asyncio.to_thread(_put_back, core, journal)
    point("restore done")
    if session is not None:
        await core.checkpoints.rows.close([journal.undo_id], after)
        if not await _told_already(core, session, journal.undo_id):
            await session.add(_restored(journal, stayed))
    await asyncio.to_thread(core.home.restoring.unlink, missing_ok=True)
    point("restore forgotten")
    return stayed


async def _told_already(core: Core, session: Session, undo_id: int) -> bool:
    """Whether the end of it is in the log, the process having died right after."""
    newest = [record.event for record in await core.log.read(session.id, limit=20)]
    return any(isinstance(one, FilesRestored) and one.undo == undo_id for one in newest)


def _put_back(core: Core, journal: _Journal) -> tuple[dict[str, str], str]:
    kept = core.checkpoints
    target, undo = kept.tree(journal.target), kept.tree(journal.undo)
    paths = [os.fsdecode(path) for path in journal.paths]
    stayed = Restorer(journal.root, target, undo, kept.blobs).run(paths)
    after = {path: entry for path, entry in undo.items() if path not in paths or path in stayed}
    after |= {path: target[path] for path in paths if path in target and path not in stayed}
    return stayed, kept.keep_tree(after)


def _restored(journal: _Journal, stayed: dict[str, str]) -> FilesRestored:
    paths = [os.fsdecode(path) for path in journal.paths]
    return FilesRestored(
        checkpoint=journal.checkpoint,
        turn=journal.turn,
        undo=journal.undo_id,
        paths=tuple(_safe(path) for path in paths[:SHOWN]),
        count=_count(paths, stayed),
        stayed=tuple(f"{_safe(path)}: {why}" for path, why in sorted(stayed.items())[:SHOWN]),
        face=journal.face,
    )


def _count(paths: Sequence[str], stayed: Mapping[str, str]) -> int:
    """How many went back, folders only where nothing in them did."""
    inner = {one for path in paths for one in above(path)}
    return sum(path not in inner and path not in stayed for path in paths)


# --- after a crash -----------------------------------------------------------------------------


async def finish_interrupted(core: Core) -> None:
    """Finish a restore that a crash cut off, if there is one."""
    try:
        text = await asyncio.to_thread(core.home.restoring.read_bytes)
        journal = msgspec.msgpack.decode(text, type=_Journal)
    except FileNotFoundError:
        return
    except (OSError, msgspec.MsgspecError) as error:
        await _give_up(core, None, error)
        return
    try:
        session = await core.session(journal.session)
    except NotFoundError:
        session = None
    try:
        async with core.checkpoints.lock:
            await _finish(core, session, journal)
    except (StoreError, OSError) as error:
        await _give_up(core, session, error)


async def _give_up(core: Core, session: Session | None, error: Exception) -> None:
    """It can't be finished, now or ever: say so, and keep the note of it out of the way."""
    _log.error("a restore that was cut off could not be finished: %s", error)
    if session is not None:
        text = f"taking files back was cut off and could not be finished: {error}"
        hint = "/checkpoints lists what you can go back to"
        await session.add(Notice(text=text, hint=hint, level="error"))
    await asyncio.to_thread(core.home.restoring.unlink, missing_ok=True)


def _store(core: Core, journal: _Journal) -> None:
    """On disk, whole or not at all."""
    path = core.home.restoring
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
        file.write(msgspec.msgpack.encode(journal))
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _safe(path: str) -> str:
    """A path that any face can write: undecodable bytes become question marks."""
    return os.fsencode(path).decode("utf-8", "replace")
