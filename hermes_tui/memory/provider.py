"""What a memory provider is: five questions, asked off the person's clock.

The statements of this home are always kept by `memory.facts`; a provider comes on top of them.
Outside packages offer one through the entry point group `hermes_tui.memory`: a function that
takes `ProviderSettings` and returns a `Provider`. It is used when `memory.provider` names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import Fact, Source, Who
from hermes_tui.memory.place import Place

GROUP = "hermes_tui.memory"


class ProviderError(HermesError):
    """The memory provider can't be used or reached just now; the built-in memory goes on."""


class ProviderSettings(Struct, frozen=True, kw_only=True):
    """What a provider is told: address, workspace, key, the person's and the agent's name there.

    timeout_s: seconds a request may take.
    """

    url: str = ""
    workspace: str = ""
    key: str = ""
    person: str = "user"
    agent: str = "hermes"
    timeout_s: float = 8.0


class Heard(Struct, frozen=True, kw_only=True):
    """One message of a conversation. message: `SESSION:NUMBER`; ts: Unix seconds."""

    session: str
    message: str
    by: Who
    text: str
    ts: float = 0.0


class Answer(Struct, frozen=True, kw_only=True):
    """An answer about the person, with what it rests on; not known when there is no text."""

    text: str = ""
    facts: tuple[Fact, ...] = ()
    sources: tuple[Source, ...] = ()
    by: str = ""


class Provider(Protocol):
    """A memory provider. Every method may raise ProviderError; calls are given a deadline.

    name: what `memory.provider` calls it.
    """

    name: str

    async def observe(self, messages: tuple[Heard, ...], place: Place) -> None:
        """Take in the messages of a turn that has ended, oldest first."""
        ...

    async def card(self, place: Place) -> tuple[str, ...]:
        """Lasting lines about the person, for the prompt's frozen part."""
        ...

    async def context(self, said: str, session: str, place: Place) -> str:
        """What may matter for what was just said; empty for nothing."""
        ...

    async def ask(self, question: str, session: str, place: Place) -> Answer:
        """Answer a question about the person."""
        ...

    async def conclude(self, fact: Fact) -> None:
        """Take over a statement that was remembered here."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


Make = Callable[[ProviderSettings], Provider]


def made(name: str, settings: ProviderSettings) -> Provider:
    """The provider of a name: `honcho`, or one that a package brings. Raises ProviderError."""
    if name == "honcho":
        from hermes_tui.memory.honcho import HonchoProvider

        return HonchoProvider(settings)
    from importlib.metadata import entry_points

    found = {one.name: one for one in entry_points(group=GROUP)}
    if name not in found:
        known = ", ".join(sorted({"builtin", "honcho", *found}))
        raise ProviderError(f"there is no memory provider {name!r}", f"providers: {known}")
    try:
        make: Make = found[name].load()
        return make(settings)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ProviderError(
            f"the memory provider {name!r} can't be loaded: {error}",
            "update or remove its package, or set memory.provider to builtin",
        ) from error
