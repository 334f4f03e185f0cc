"""Looking after the store in a living core: daily copies, room on the disk, what damage left."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError, NotFoundError, StoreError
from hermes_tui.events import Notice, Record, Trouble
from hermes_tui.intents import Copied, DeleteSession, OpenSession, Standing
from hermes_tui.runtime.face import Face
from hermes_tui.store import spool

if TYPE_CHECKING:
    import apsw

    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

FIRST_S = 300.0
EVERY_S = 3600.0
_DAY_S = 86_400.0
_AT_ONCE = 20
_MB = 1_000_000
RESTORE = "`hermes restore` brings the newest good copy back; what you write is kept meanwhile"
_log = logging.getLogger(__name__)


class Caring:
    """The care of one core. `start` waits a while first: a short life needs none."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._copying = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        core.db.on_damage = self._damage_found
        core.db.rebuild["fact_index"] = _index_facts

    async def start(self, first_s: float = FIRST_S) -> None:
        """Look after the store from now on. Raises StoreError."""
        await take_in_spool(self._core)
        self._task = self._core.spawn(self._live(first_s))

    def greet(self, face: Face) -> None:
        """A face came in: tell it when nothing can be written."""
        if damage := self._core.db.damage:
            face.deliver(_trouble(damage))

    def _damage_found(self, damage: str) -> None:
        if damage:
            _log.error("%s; nothing is written to it any more", damage)
            self._core.announce(Trouble(text=damage, hint=RESTORE))
            return
        _log.warning("a search index was damaged and has been made anew")
        if not self._core.end_reason:
            self._core.recall.start()

    async def close(self) -> None:
        """Stop; a copy that is being made is finished or thrown away."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _live(self, first_s: float) -> None:
        await asyncio.sleep(first_s)
        while True:
            try:
                await self.look(time.time())
            except (HermesError, OSError) as error:
                _log.warning("the store could not be looked after: %s", error)
            await asyncio.sleep(EVERY_S)

    async def look(self, now: float) -> None:
        """Do what is due."""
        from hermes_tui.store import snapshots

        config = self._core.config.backup
        kept = await asyncio.to_thread(snapshots.kept, self._core.home.backups)
        fresh = bool(kept) and now - kept[0].stat().st_mtime < _DAY_S
        if config.daily and not fresh and not self._core.db.damage:
            await self.copy(now)
        if config.disk_mb:
            await self.keep_to_room(now)

    async def copy(self, now: float) -> Copied:
        """Copy the database, prove the copy, forget the oldest. Raises StoreError."""
        from hermes_tui.store import snapshots

        core = self._core
        async with self._copying:
            try:
                made = await asyncio.to_thread(
                    snapshots.take, core.home.database, core.home.backups, now
                )
            except StoreError as error:
                core.db.examine()
                core.announce(Trouble(text=error.message, hint=error.hint))
                raise
            await asyncio.to_thread(snapshots.prune, core.home.backups, core.config.backup.keep)
        return Copied(
            path=str(made.path),
            made=made.made,
            bytes=made.bytes,
            sessions=made.sessions,
            events=made.events,
        )

    # --- room --------------------------------------------------------------------------------

    async def keep_to_room(self, now: float) -> None:
        """Remove what is least missed when the home takes more room than it may."""
        from hermes_tui.store import room

        home, config = self._core.home.path, self._core.config.backup
        most = config.disk_mb * _MB
        over = await asyncio.to_thread(room.used, home) - most
        if over <= 0:
            return
        removed = await asyncio.to_thread(room.make_now, home, over, now)
        for gone in removed:
            _log.info("removed to make room: %s (%s bytes)", gone.what, f"{gone.bytes:,}")
            over -= gone.bytes
        if over > 0 and config.drop_sessions:
            over = await self._drop_sessions(most)
        if over > 0:
            text = f"{home} takes {over / _MB:,.0f} MB more than backup.disk_mb allows"
            _log.warning("%s", text)
            self._core.announce(
                Trouble(text=text, hint="`hermes doctor` shows what takes the room")
            )

    async def _drop_sessions(self, most: int) -> int:
        """Remove the oldest sessions until the home takes no more than `most`; bytes above it."""
        from hermes_tui.store import room

        core = self._core
        while True:
            await core.db.vacuum()
            over = await asyncio.to_thread(room.used, core.home.path) - most
            oldest = await self._oldest() if over > 0 else []
            if not oldest:
                return over
            await self._drop(oldest, over)

    async def _drop(self, sessions: list[tuple[str, str, int]], over: int) -> None:
        from hermes_tui.runtime.handlers_sessions import delete_session

        for session, title, taken in sessions:
            if over <= 0:
                return
            await delete_session(self._core, DeleteSession(session=session), Face("care"))
            outputs = self._core.home.outputs / session
            await asyncio.to_thread(shutil.rmtree, outputs, ignore_errors=True)
            _log.info("removed to make room: the session %s (%s)", session, title)
            over -= taken

    async def _oldest(self) -> list[tuple[str, str, int]]:
        busy = {one.id for one in self._core.sessions.values() if one.needed}
        from hermes_tui.store import care_rows

        most = _AT_ONCE + len(busy)
        rows = await self._core.db.read(lambda c: care_rows.oldest(c, most))
        return [row for row in rows if row[0] not in busy][:_AT_ONCE]


async def take_in_spool(core: Core) -> None:
    """Put what came while the database was damaged into its sessions; nothing is begun with it."""
    kept = spool.waiting(core.home.database)
    if not kept:
        return
    from hermes_tui.store import care_rows

    ids = [one.input_id for one in kept]
    known = await core.db.read(lambda c: care_rows.inputs_among(c, ids))
    for which, events in spool.received(kept).items():
        fresh = [(ts, event) for ts, event in events if event.input_id not in known]
        if not fresh:
            continue
        session = await _session(core, which)
        await session.import_events(fresh)
        text = f"{len(fresh)} messages came while the database was damaged; they are in here now"
        await session.add(Notice(text=text, hint="what you send next goes to the agent with them"))
    await asyncio.to_thread(spool.clear, core.home.database)


async def _session(core: Core, which: str) -> Session:
    try:
        return await core.session(which)
    except NotFoundError:
        standing = Standing(cwd=str(core.home.path))
        wanted = OpenSession(which="new", standing=standing, title="came while damaged")
        return await core.shelf.create(wanted)


def _index_facts(connection: apsw.Connection) -> None:
    from hermes_tui.memory.rows import fill_index

    fill_index(connection)


def _trouble(text: str) -> Record:
    return Record(session="", n=0, ts=time.time(), event=Trouble(text=text, hint=RESTORE))
