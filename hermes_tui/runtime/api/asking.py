"""From what a caller wants to a request: the session it belongs to, what is said in it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.faults import point
from hermes_tui.http.base import HttpError
from hermes_tui.http.hearing import Hearing
from hermes_tui.http.reading import Said, Wanted
from hermes_tui.intents import (
    ChangeSession,
    ForkSession,
    ImportedMessage,
    ImportSession,
    OpenSession,
)
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.notes import title_of
from hermes_tui.runtime.session import Session
from hermes_tui.runtime.standing import here
from hermes_tui.security.policy import MODES
from hermes_tui.store.http_rows import HttpRows, Request

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

FACE = "api"
OURS = "hermes"
"""The name under which the agent with its usual model is asked for."""
_NAME = 200
_TOLD = "[The program that asks gives these instructions for the conversation:]"


class Asking:
    """Makes requests. One for each name at a time, so that a name gets one session."""

    def __init__(self, core: Core, rows: HttpRows) -> None:
        self._core = core
        self._rows = rows
        self._naming: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def models(self) -> tuple[str, ...]:
        """The models that can be asked for, the usual one first."""
        config = self._core.config
        return tuple(dict.fromkeys(filter(None, (OURS, config.model.name, *config.http.models))))

    async def request(self, wanted: Wanted, id: str, digest: str, lasting: bool) -> Request:
        """A request, kept. Raises HttpError."""
        model = self._model(wanted.model)
        wanted = self._clean(wanted)
        if wanted.mode and wanted.mode not in MODES:
            modes = ", ".join(MODES)
            raise HttpError(400, f"there is no mode {wanted.mode!r}; modes: {modes}", param="mode")
        name = _name(wanted)
        alone = self._naming.setdefault(name or id, asyncio.Lock())
        async with alone:
            session = await self._session(wanted, name, model)
            told = await self._tell(session, wanted)
            text = await self._text(session, wanted)
        row = Request(
            id=id,
            way=wanted.way,
            session=session.id,
            created=time.time(),
            digest=digest,
            start=session.last,
            text="\n\n".join(filter(None, (told, text))),
            model=model,
            mode=wanted.mode,
            attended=wanted.attended,
            lasting=lasting or wanted.background,
            asked=_asked(wanted),
        )
        # who waits for the answer hears nothing before the input is on disk, and this row with it
        await self._rows.keep(row, durable=wanted.background)
        point("http kept")
        return row

    def _clean(self, wanted: Wanted) -> Wanted:
        """What is wanted without the secrets of this home, before any of it is kept."""
        redactor = self._core.surroundings.redactor
        if not redactor.holds_any:
            return wanted
        return replace(
            wanted,
            text=redactor.redact_held(wanted.text).text,
            instructions=redactor.redact_held(wanted.instructions).text,
            history=tuple(
                replace(one, text=redactor.redact_held(one.text).text) for one in wanted.history
            ),
        )

    def _model(self, name: str) -> str:
        if name in ("", OURS):
            return ""
        if name not in self.models():
            known = ", ".join(self.models())
            raise HttpError(
                404,
                f"there is no model {name!r} here; there are: {known}",
                code="model_not_found",
                param="model",
            )
        return name

    # --- the session ---------------------------------------------------------------------

    async def _session(self, wanted: Wanted, name: str, model: str) -> Session:
        if wanted.previous:
            return await self._after(wanted.previous)
        if not name:
            session = await self._new(title_of(wanted.text), model, wanted.mode)
            client = LocalClient(self._core, FACE)
            await client.ask(ChangeSession(session=session.id, archived=True))
            await client.close()
            return session
        known = await self._rows.session(name) or name
        try:
            session = await self._core.session(known)
        except NotFoundError:
            session = None
        if session is None or session.id != known:
            session = await self._new(name.removeprefix("user:"), model, wanted.mode)
            await self._rows.name(name, session.id)
        elif session.conversation.person or session.conversation.delegated:
            raise HttpError(409, "that session is not yours to talk in", param="session")
        return session

    async def _new(self, title: str, model: str, mode: str) -> Session:
        folder = await asyncio.to_thread(_folder, self._core.config.http.folder)
        opened = OpenSession(
            which="new",
            title=title,
            standing=replace(here(), cwd=folder),
            model=model,
            mode=mode,
            face=FACE,
        )
        return await self._core.shelf.create(opened)

    async def _after(self, previous: str) -> Session:
        """The session of an earlier response; a copy when it has gone on since."""
        gone = HttpError(404, f"there is no response resp_{previous}", param="previous_response_id")
        row = await self._rows.request(previous)
        if row is None:
            raise gone
        try:
            session = await self._core.session(row.session)
        except NotFoundError:
            raise gone from None
        turn = await self._turn_of(row)
        if not turn:
            raise HttpError(409, f"resp_{previous} has no answer yet", param="previous_response_id")
        if session.conversation.turn <= turn:
            return session
        client = LocalClient(self._core, FACE)
        try:
            fork = ForkSession(session=session.id, turn=turn + 1, title=session.conversation.title)
            made = await client.ask(fork)
            await client.ask(ChangeSession(session=made.id, archived=True))
        finally:
            await client.close()
        return await self._core.session(made.id)

    async def _turn_of(self, row: Request) -> int:
        heard = Hearing(row.id)
        heard.hear_all(await self._core.log.read(row.session, after=row.start))
        return heard.turn if heard.over else 0

    # --- what is said --------------------------------------------------------------------

    async def _tell(self, session: Session, wanted: Wanted) -> str:
        """Bring in what a new session does not know; what is to be said before the text."""
        talk = session.conversation
        told = f"{_TOLD}\n{wanted.instructions}" if wanted.instructions else ""
        known = await self._core.log.imported(session.id) if told else frozenset[str]()
        mark = f"told-{_digest(told)}"
        fresh = not (talk.messages or talk.inputs)
        if not fresh:
            return "" if mark in known or told in _said(session) else told
        said = [ImportedMessage(id=mark, role="user", text=told, ts=time.time())] if told else []
        said += [_imported(n, one) for n, one in enumerate(wanted.history)]
        if said:
            client = LocalClient(self._core, FACE)
            await client.ask(ImportSession(id=session.id, messages=tuple(said)))
            await client.close()
        return ""

    async def _text(self, session: Session, wanted: Wanted) -> str:
        parts = [wanted.text] if wanted.text.strip() else []
        folder = str(self._core.home.outputs / session.id / "attached")
        for picture in wanted.pictures:
            parts.append(await asyncio.to_thread(_kept, picture, folder))
        return "\n".join(parts)


def _said(session: Session) -> str:
    return "\n".join(session.conversation.said)


def _imported(n: int, one: Said) -> ImportedMessage:
    role = one.role if one.role in ("user", "assistant") else "user"
    id = f"{n}-{_digest(role + one.text)}"
    return ImportedMessage(id=id, role=role, text=one.text, ts=time.time())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def _kept(picture: bytes, folder: str) -> str:
    from hermes_tui.tools.picture_files import keep_picture

    try:
        kept, look = keep_picture(picture, folder, "the picture")
    except HermesError as error:
        raise HttpError(400, f"{error.message}; {error.hint}", param="content") from error
    return f"[attached image {kept.path} ({look})]"


def _name(wanted: Wanted) -> str:
    name = wanted.session or (f"user:{wanted.user}" if wanted.user else "")
    if len(name) > _NAME or not name.isprintable():
        raise HttpError(400, f"a session's name is at most {_NAME} printable characters")
    return name.strip()


def _asked(wanted: Wanted) -> dict[str, str | bool | None]:
    if wanted.way != "response":
        return {}
    return {
        "background": wanted.background,
        "instructions": wanted.instructions or None,
        "previous_response_id": f"resp_{wanted.previous}" if wanted.previous else None,
    }


def _folder(where: str) -> str:
    folder = Path(os.path.expanduser(where))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


def digest_of(wanted: Wanted) -> str:
    """A digest of everything that was asked, but how the answer is to come."""
    plain = replace(wanted, stream=False, usage=False)
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:32]
