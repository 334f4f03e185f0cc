"""Finds a session by what a person calls it."""

from __future__ import annotations

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.intents import ListSessions, SessionInfo
from hermes_tui.runtime.client import CoreClient

_ALL = 1_000_000


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
