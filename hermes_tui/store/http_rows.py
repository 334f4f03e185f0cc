"""What was asked over HTTP: which request became which input of which session, and named sessions.

Rows of the table `marks`, under the platform `http`: `request:ID` and `session:NAME`.
"""

from __future__ import annotations

import time
from functools import partial

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.store.db import Database

_GET = "SELECT value FROM marks WHERE platform = 'http' AND name = ?"
_PUT = "INSERT OR REPLACE INTO marks (platform, name, value) VALUES ('http', ?, ?)"


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request. id: also the id of its input.

    way: `chat`, `response` or `run`. digest: of what was asked, so that another request under the
    same key is noticed. start: the session's last event before it. text: what is said, until it
    is. lasting: it goes on when its caller hangs up. sent: it is in the session's log. refused:
    why it never will be. asked: fields of a response that repeat the request.
    """

    id: str
    way: str
    session: str
    created: float
    digest: str = ""
    start: int = 0
    text: str = ""
    model: str = ""
    mode: str = ""
    attended: bool = False
    lasting: bool = False
    sent: bool = False
    refused: str = ""
    asked: dict[str, str | bool | None] = {}


class HttpRows:
    """The rows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def request(self, id: str) -> Request | None:
        """A request by its id."""
        found = await self._db.read(partial(_value, f"request:{id}"))
        return msgspec.json.decode(found, type=Request) if found else None

    async def keep(self, row: Request, *, durable: bool = True) -> None:
        """Keep a request as it stands."""
        data = msgspec.json.encode(row).decode()
        await self._db.write(partial(_put, f"request:{row.id}", data), durable=durable)

    async def unsent(self) -> tuple[Request, ...]:
        """Requests that an earlier core took and did not come to, oldest first."""
        found = await self._db.read(_unsent)
        rows = (msgspec.json.decode(one, type=Request) for one in found)
        return tuple(sorted(rows, key=lambda one: one.created))

    async def session(self, name: str) -> str:
        """The id of a session that callers know by a name; empty when there is none."""
        return await self._db.read(partial(_value, f"session:{name}"))

    async def name(self, name: str, session: str) -> None:
        """Give a session a name that callers know it by."""
        await self._db.write(partial(_put, f"session:{name}", session))

    async def forget(self, days: float) -> None:
        """Forget requests that are older than so many days; their sessions stay."""
        before = time.time() - days * 86_400
        await self._db.write(partial(_forget, before), durable=False)


def _value(name: str, c: apsw.Connection) -> str:
    return str(c.execute(_GET, (name,)).get or "")


def _put(name: str, value: str, c: apsw.Connection) -> None:
    c.execute(_PUT, (name, value))


def _unsent(c: apsw.Connection) -> tuple[str, ...]:
    rows = c.execute(
        "SELECT value FROM marks WHERE platform = 'http' AND name GLOB 'request:*'"
        " AND value ->> 'sent' IS NULL AND value ->> 'refused' IS NULL"
    )
    return tuple(str(row[0]) for row in rows)


def _forget(before: float, c: apsw.Connection) -> None:
    c.execute(
        "DELETE FROM marks WHERE platform = 'http' AND name GLOB 'request:*'"
        " AND CAST(value ->> 'created' AS REAL) < ?",
        (before,),
    )
