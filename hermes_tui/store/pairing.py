"""Who may talk to the agent beside the owners of the settings, and the codes that let them in."""

from __future__ import annotations

import hashlib
import time
from functools import partial
from typing import Literal

import apsw
from msgspec import Struct

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.store.chats import code
from hermes_tui.store.db import Database

Role = Literal["owner", "guest"]
HOUR_S = 3600.0
AGAIN_S = 600.0
MOST_PENDING = 3
MOST_TRIES = 5


class Person(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who may talk to the agent. sender: the platform's id; name decides nothing."""

    platform: str
    sender: str
    name: str = ""
    role: Role = "guest"
    since: float = 0.0


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stranger who wrote, or a code that was made to be handed on (then without a sender)."""

    platform: str
    sender: str = ""
    chat: str = ""
    name: str = ""
    role: Role = "guest"
    code: str = ""
    expires: float = 0.0


class Pairing:
    """The rows of people and codes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def people(self) -> tuple[Person, ...]:
        """Everybody who was let in."""
        return await self._db.read(_people)

    async def requests(self) -> tuple[Request, ...]:
        """What is pending: strangers with the codes that let them in, codes made to hand on."""
        return await self._db.read(_requests)

    async def noticed(self, platform: str, sender: str, chat: str, name: str) -> bool:
        """A stranger wrote. True for a new request: one in ten minutes, three at most pending."""
        return await self._db.write(partial(_noticed, platform, sender, chat, name))

    async def make_code(self, platform: str, role: Role) -> Request:
        """A code to hand on; whoever writes it to the agent within an hour is let in."""
        return await self._db.write(partial(_make, platform, role))

    async def approve(self, text: str, role: Role | None = None) -> Person:
        """Let in whom a code of `requests` stands for. Raises HermesError."""
        return await self._db.write(partial(_approve, text.strip().upper(), role))

    async def redeem(self, platform: str, sender: str, name: str, text: str) -> Person | None:
        """Somebody wrote a code that was handed on: let them in. None when it is none.

        After five wrong codes in an hour nothing that this sender writes is a code.
        """
        return await self._db.write(partial(_redeem, platform, sender, name, text))

    async def let_in(self, person: Person) -> None:
        """Let somebody in by their id."""
        await self._db.write(partial(_let_in, person))

    async def revoke(self, platform: str, sender: str) -> bool:
        """Let somebody in no more; False when they were not in."""
        return await self._db.write(partial(_revoke, platform, sender))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _people(c: apsw.Connection) -> tuple[Person, ...]:
    rows = c.execute("SELECT platform, sender, name, role, since FROM people ORDER BY since")
    return tuple(
        Person(
            platform=str(row[0]),
            sender=str(row[1]),
            name=str(row[2]),
            role="owner" if row[3] == "owner" else "guest",
            since=float(row[4] or 0),
        )
        for row in rows
    )


def _requests(c: apsw.Connection) -> tuple[Request, ...]:
    rows = c.execute(
        "SELECT platform, sender, chat, name, role, shown, expires FROM pairing"
        " WHERE expires > ? ORDER BY id",
        (time.time(),),
    )
    return tuple(
        Request(
            platform=str(row[0]),
            sender=str(row[1]),
            chat=str(row[2]),
            name=str(row[3]),
            role="owner" if row[4] == "owner" else "guest",
            code=str(row[5]),
            expires=float(row[6] or 0),
        )
        for row in rows
    )


def _noticed(platform: str, sender: str, chat: str, name: str, c: apsw.Connection) -> bool:
    now = time.time()
    c.execute("DELETE FROM pairing WHERE expires < ?", (now,))
    again = "SELECT max(made) FROM pairing WHERE platform = ? AND sender = ?"
    if float(c.execute(again, (platform, sender)).get or 0) > now - AGAIN_S:
        return False
    c.execute("DELETE FROM pairing WHERE platform = ? AND sender = ?", (platform, sender))
    pending = "SELECT count(*) FROM pairing WHERE platform = ? AND sender != ''"
    if int(c.execute(pending, (platform,)).get or 0) >= MOST_PENDING:
        return False
    fresh = code()
    # This code is for the owner's eyes, to name a request by: nobody else ever sees it.
    _keep(Request(platform=platform, sender=sender, chat=chat, name=name, code=fresh), fresh, c)
    return True


def _make(platform: str, role: Role, c: apsw.Connection) -> Request:
    fresh = code()
    made = Request(platform=platform, role=role, code=fresh, expires=time.time() + HOUR_S)
    _keep(made, "", c)  # handed on, it is known to who made it, and here by its digest alone
    return made


def _keep(made: Request, shown: str, c: apsw.Connection) -> None:
    now = time.time()
    c.execute(
        "INSERT INTO pairing (platform, sender, chat, name, role, digest, shown, made, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            made.platform,
            made.sender,
            made.chat,
            made.name,
            made.role,
            _digest(made.code),
            shown,
            now,
            now + HOUR_S,
        ),
    )


def _approve(text: str, role: Role | None, c: apsw.Connection) -> Person:
    row = c.execute(
        "SELECT id, platform, sender, name, role FROM pairing"
        " WHERE digest = ? AND sender != '' AND expires > ?",
        (_digest(text), time.time()),
    ).fetchone()
    if row is None:
        raise NotFoundError(
            "no request with this code; codes live for an hour", "`hermes pairing list`"
        )
    given: Role = role or ("owner" if row[4] == "owner" else "guest")
    person = Person(platform=str(row[1]), sender=str(row[2]), name=str(row[3]), role=given)
    c.execute("DELETE FROM pairing WHERE id = ?", (row[0],))
    _let_in(person, c)
    return person


def _redeem(platform: str, sender: str, name: str, text: str, c: apsw.Connection) -> Person | None:
    now = time.time()
    tried = "SELECT count(*) FROM pairing_tries WHERE platform = ? AND sender = ? AND ts > ?"
    if int(c.execute(tried, (platform, sender, now - HOUR_S)).get or 0) >= MOST_TRIES:
        return None
    row = c.execute(
        "SELECT id, role FROM pairing"
        " WHERE platform = ? AND digest = ? AND sender = '' AND expires > ?",
        (platform, _digest(text.strip().upper()), now),
    ).fetchone()
    if row is None:
        c.execute("INSERT INTO pairing_tries VALUES (?, ?, ?)", (platform, sender, now))
        c.execute("DELETE FROM pairing_tries WHERE ts < ?", (now - HOUR_S,))
        return None
    c.execute("DELETE FROM pairing WHERE id = ?", (row[0],))
    role: Role = "owner" if row[1] == "owner" else "guest"
    person = Person(platform=platform, sender=sender, name=name, role=role, since=now)
    _let_in(person, c)
    return person


def _let_in(person: Person, c: apsw.Connection) -> None:
    if not (person.platform and person.sender):
        raise HermesError("nobody is named")
    c.execute(
        "INSERT OR REPLACE INTO people (platform, sender, name, role, since)"
        " VALUES (?, ?, ?, ?, ?)",
        (person.platform, person.sender, person.name, person.role, person.since or time.time()),
    )


def _revoke(platform: str, sender: str, c: apsw.Connection) -> bool:
    c.execute("DELETE FROM people WHERE platform = ? AND sender = ?", (platform, sender))
    return bool(c.changes())
