"""Honcho as memory provider, through its own SDK (`honcho-ai`, an extra), imported at first use.

The person and the agent are two peers of one workspace, sessions are sessions; statements are
handed over as conclusions of the agent about the person.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hermes_tui.intents.memory import Fact, Source
from hermes_tui.memory.place import Place
from hermes_tui.memory.provider import Answer, Heard, ProviderError, ProviderSettings

if TYPE_CHECKING:
    from honcho import Honcho
    from honcho.peer import Peer
    from honcho.session import Session

_MESSAGE = 25_000
"""Characters of one message that Honcho takes."""
_QUERY = 10_000
_LINES = 40


class HonchoProvider:
    """A workspace of a Honcho server, hosted or one's own."""

    name = "honcho"

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self._client: Honcho | None = None
        self._peers: dict[str, Peer] = {}
        self._sessions: dict[str, Session] = {}
        self._loading = asyncio.Lock()

    async def observe(self, messages: tuple[Heard, ...], place: Place) -> None:
        """Add a turn's messages to the session, each under its peer."""
        if not messages:
            return
        async with self._errors():
            person, agent = await self._peer(self._person(place)), await self._agent()
            session = await self._session(messages[0].session, person, agent)
            made = [
                (person if one.by == "user" else agent).message(
                    one.text[:_MESSAGE],
                    metadata={"message": one.message},
                    created_at=datetime.fromtimestamp(one.ts, UTC) if one.ts else None,
                )
                for one in messages
                if one.text.strip()
            ]
            await session.aio.add_messages(made)

    async def card(self, place: Place) -> tuple[str, ...]:
        """The peer card."""
        async with self._errors():
            person = await self._peer(self._person(place))
            return tuple((await person.aio.get_card() or ())[:_LINES])
        return ()

    async def context(self, said: str, session: str, place: Place) -> str:
        """What Honcho's representation of the person holds for what was said."""
        async with self._errors():
            person, agent = await self._peer(self._person(place)), await self._agent()
            talk = await self._session(session, person, agent)
            return await person.aio.representation(
                session=talk, search_query=said[:_QUERY], search_top_k=8, max_conclusions=8
            )
        return ""

    async def ask(self, question: str, session: str, place: Place) -> Answer:
        """Honcho's dialectic answer, with the messages it read as sources."""
        async with self._errors():
            person = await self._peer(self._person(place))
            found: Any = await person.aio.chat(
                question[:_QUERY],
                session=_safe(session) if session else None,
                reasoning_level="low",
                include_evidence=True,
                timeout=self._settings.timeout_s,
            )
            read: list[Any] = list(found.evidence.messages) if found.evidence else []
            sources = tuple(
                Source(
                    who="provider",
                    session=one.session_id,
                    message=one.id,
                    ts=one.created_at.timestamp(),
                )
                for one in read[:10]
            )
            return Answer(text=str(found.content or ""), sources=sources, by=self.name)
        return Answer(by=self.name)

    async def conclude(self, fact: Fact) -> None:
        """A statement as the agent's conclusion about the person."""
        async with self._errors():
            person, agent = await self._peer(self._person_of(fact.person)), await self._agent()
            await agent.conclusions_of(person).aio.create([{"content": fact.text}])

    async def close(self) -> None:
        """Close the SDK's connections."""
        client, self._client = self._client, None
        if client is not None:
            await client._async_http_client.close()
            client._http.close()

    # --- inside ------------------------------------------------------------------------------

    async def _honcho(self) -> Honcho:
        async with self._loading:
            if self._client is None:
                self._client = await asyncio.to_thread(self._make)
            return self._client

    def _make(self) -> Honcho:
        """Importing and making it takes long enough for a thread of its own."""
        from honcho import Honcho

        return Honcho(
            base_url=self._settings.url or None,
            api_key=self._settings.key or None,
            workspace_id=self._settings.workspace or "hermes",
            timeout=self._settings.timeout_s,
            max_retries=1,
        )

    async def _peer(self, name: str) -> Peer:
        if name not in self._peers:
            self._peers[name] = await (await self._honcho()).aio.peer(name)
        return self._peers[name]

    async def _agent(self) -> Peer:
        return await self._peer(_safe(self._settings.agent))

    async def _session(self, name: str, person: Peer, agent: Peer) -> Session:
        if name not in self._sessions:
            client = await self._honcho()
            self._sessions[name] = await client.aio.session(_safe(name), peers=[person, agent])
        return self._sessions[name]

    def _person(self, place: Place) -> str:
        return self._person_of(place.person)

    def _person_of(self, person: str) -> str:
        return _safe(person or self._settings.person)

    @asynccontextmanager
    async def _errors(self) -> AsyncGenerator[None]:
        """What goes wrong there, as a sentence here."""
        try:
            await self._honcho()
            from honcho.http.exceptions import HonchoError
        except ImportError as error:
            raise ProviderError(
                "Honcho's SDK is not installed", "pip install 'hermes-tui[honcho]'"
            ) from error
        except ValueError as error:
            raise ProviderError(f"Honcho can't be set up: {error}", "check memory.url") from error
        try:
            yield
        except HonchoError as error:
            said = " ".join(error.message.split())[:200]
            raise ProviderError(f"Honcho: {said}", "hermes config get memory") from error
        except ValueError as error:
            said = " ".join(str(error).split())[:200]
            raise ProviderError(f"Honcho answered what its SDK can't read: {said}") from error


def _safe(name: str) -> str:
    """A name as Honcho takes it: letters, digits, `_` and `-`."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:200] or "unnamed"
