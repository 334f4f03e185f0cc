"""Finds a session by what a person calls it, and reads the messages out of its events."""

from __future__ import annotations

from msgspec import Struct

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import InputReceived, InputTaken, MessageImported, Record, ReplyReceived
from hermes_tui.intents import History, ListSessions, SessionInfo
from hermes_tui.runtime.client import CoreClient

_ALL = 1_000_000
_PAGE = 1000


class Said(Struct, frozen=True, kw_only=True):
    """One message: who said what, and when in Unix seconds. id: as search gives it."""

    id: str
    role: str
    text: str
    ts: float


async def find(client: CoreClient, which: str) -> SessionInfo:
    """The session of an id, the start of one, or a title. Raises NotFoundError, HermesError."""
    every = (await client.ask(ListSessions(limit=_ALL))).sessions
    wanted = which.strip().casefold()
    matches = [s for s in every if s.id == which]
    matches = matches or [s for s in every if s.title.strip().casefold() == wanted]
    matches = matches or [s for s in every if wanted and s.id.startswith(which)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(s.id for s in matches[:5])
        raise HermesError(f"{which!r} fits {len(matches)} sessions", f"give one of the ids: {ids}")
    raise NotFoundError(f"there is no session {which!r}", _near(which, every))


def _near(which: str, every: tuple[SessionInfo, ...]) -> str:
    from difflib import get_close_matches

    names = [one for s in every for one in (s.title, s.id) if one]
    near = get_close_matches(which, names, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return hint + "`hermes sessions list` shows all"


async def records(client: CoreClient, info: SessionInfo) -> list[Record]:
    """All stored events of a session, oldest first."""
    pages: list[tuple[Record, ...]] = []
    before, more = 2**53, True
    while more:
        page = await client.ask(History(session=info.id, before=before, limit=_PAGE))
        pages.append(page.records)
        more = page.more and bool(page.records)
        before = page.records[0].n if page.records else 0
    return [record for page in reversed(pages) for record in page]


async def messages(client: CoreClient, info: SessionInfo) -> list[Said]:
    """What was said in a session, in the order the model saw it."""
    found: list[Said] = []
    typed: dict[str, tuple[int, InputReceived]] = {}
    for record in await records(client, info):
        event, where = record.event, f"{info.id}:{record.n}"
        if isinstance(event, InputReceived):
            typed[event.input_id] = record.n, event
        elif isinstance(event, InputTaken) and event.input_id in typed:
            n, received = typed[event.input_id]
            said = Said(id=f"{info.id}:{n}", role="user", text=received.text, ts=record.ts)
            found.append(said)
        elif isinstance(event, ReplyReceived) and event.text:
            found.append(Said(id=where, role="assistant", text=event.text, ts=record.ts))
        elif isinstance(event, MessageImported):
            said = Said(id=event.message_id, role=event.role, text=event.text, ts=record.ts)
            found.append(said)
    return found
