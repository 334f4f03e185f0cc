"""What a platform of chats is to the rest: texts become messages, messages are sent."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from hermes_tui.errors import HermesError


class Entity(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a text that is shown in some way; offset and length as the platform counts.

    value: the address of a link, the language of code.
    """

    kind: str
    offset: int
    length: int
    value: str = ""


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message as it is sent: the text, and what is shown how, if the platform takes it apart.

    size: its length in the platform's own units.
    """

    text: str
    entities: tuple[Entity, ...] = ()
    size: int = 0


class Address(Struct, frozen=True, kw_only=True):
    """Where a message goes. thread: a topic or thread in a chat; empty for none."""

    platform: str
    chat: str
    thread: str = ""

    @classmethod
    def of(cls, target: str) -> Address:
        """The address that a target such as `telegram:12345:7` names. Raises HermesError."""
        platform, _, rest = target.partition(":")
        chat, _, thread = rest.partition(":")
        if not (platform and chat):
            raise HermesError(f"{target!r} names no chat", "such as telegram:12345")
        return cls(platform=platform, chat=chat, thread=thread)


class SendError(HermesError):
    """A message did not go out.

    retry_after: seconds the platform asked to wait. dead: it never will (blocked, no such chat).
    """

    def __init__(
        self, message: str, hint: str = "", *, retry_after: float = 0.0, dead: bool = False
    ) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after
        self.dead = dead


class Transport(Protocol):
    """A way out to one platform."""

    @property
    def platform(self) -> str:
        """Its name, the first word of targets."""
        ...

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes; at least one, none too long."""
        ...

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message; the platform's number of it. key: the same one for the same message.

        Raises SendError.
        """
        ...
