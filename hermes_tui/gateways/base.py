"""What a platform of chats is to the rest: messages come in, texts become messages and go out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

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
    doubt: the answer was lost, so that it may have gone out all the same.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        retry_after: float = 0.0,
        dead: bool = False,
        doubt: bool = False,
    ) -> None:
        super().__init__(message, hint)
        self.doubt = doubt
        self.retry_after = retry_after
        self.dead = dead


class GoneError(SendError):
    """The message that was to be changed is not there any more, or can't be changed now."""


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


class Abilities(Struct, frozen=True, kw_only=True):
    """What a platform can do.

    keyed: it shows a message once, however often it is sent under one key. edits: a message can
    be changed, so often that `edit_s` seconds lie between two changes.
    """

    keyed: bool = False
    edits: bool = False
    edit_s: float = 2.0
    buttons: bool = False
    files: bool = False
    typing: bool = False
    threads: bool = False


class InFile(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that came with a message, kept at `path`. kind: `image`, `voice` or `file`.

    problem: why it was not kept; the message is taken all the same.
    """

    name: str
    kind: str = "file"
    mime: str = ""
    path: str = ""
    size: int = 0
    problem: str = ""


class Inbound(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message as it came in.

    message: the platform's own id, the same however often it comes; sender: the platform's
    stable id of who wrote it; name: how they call themselves, which decides nothing. ts: when
    it was sent, in Unix seconds. group: others read along; spoken_to: it is meant for the
    agent (a direct chat, a mention, an answer to it). pressed: what a button carried; the text
    is then empty. reply_to: the message it answers. untrusted: where it comes from when no
    person wrote it.
    """

    platform: str
    chat: str
    message: str
    sender: str
    text: str = ""
    thread: str = ""
    name: str = ""
    ts: float = 0.0
    group: bool = False
    spoken_to: bool = True
    pressed: str = ""
    reply_to: str = ""
    untrusted: str = ""
    files: tuple[InFile, ...] = ()


class Button(Struct, frozen=True, kw_only=True):
    """A button under a message. value: comes back as `Inbound.pressed`, at most 40 bytes."""

    label: str
    value: str


class MenuEntry(Struct, frozen=True, kw_only=True):
    """A command as platforms list it. args: how its arguments read, empty for none."""

    name: str
    help: str
    args: str = ""


class ConflictError(HermesError):
    """Somebody else receives with the same account."""


class RefusedError(HermesError):
    """The platform refuses the account, or a setting is missing: trying again is of no use."""


class AccountError(SendError, RefusedError):
    """The platform refuses the account, found when something was asked of it.

    One message did not go, and to connect is of no use either.
    """


class Desk(Protocol):
    """Where a gateway hands in what it hears."""

    @property
    def menu(self) -> tuple[MenuEntry, ...]:
        """Commands to register with the platform."""
        ...

    def knows(self, sender: str, chat: str, group: bool) -> bool:
        """Whether somebody may talk here: asked before a file of theirs is fetched."""
        ...

    async def take(self, message: Inbound) -> bool:
        """Keep a message. Acknowledge it to the platform only after this returned.

        False: it was known already, or nobody may hear it. Raises StoreError: not kept.
        """
        ...

    async def keep_file(
        self, name: str, mime: str, kind: str, pieces: AsyncIterator[bytes]
    ) -> InFile:
        """Keep a file that came in; one that is too large has a `problem` and no path."""
        ...

    def alive(self) -> None:
        """Something came from the platform, if only an empty answer: it is still there."""
        ...

    async def mark(self, name: str = "") -> str:
        """Where an earlier run had come to (an offset, an id, a time); empty at first."""
        ...

    async def keep_mark(self, value: str, name: str = "") -> None:
        """Keep how far everything was taken."""
        ...


class Gateway(Transport, Protocol):
    """A platform: what comes in and what goes out.

    What an ability does not cover is not called. All of these raise SendError for one message
    that did not go; `run` raises ConflictError, RefusedError, or any other error to be
    connected anew after a while.
    """

    @property
    def able(self) -> Abilities:
        """What it can do."""
        ...

    async def run(self, desk: Desk) -> None:
        """Connect and receive, until cancelled. What came while nobody listened comes first."""
        ...

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Change a message that was sent. Raises GoneError when it can't be changed any more."""
        ...

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Send a message with buttons; the platform's number of it."""
        ...

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Send a file; the platform's number of the message."""
        ...

    async def typing(self, to: Address) -> None:
        """Show that an answer is being written, for some seconds."""
        ...

    async def close(self) -> None:
        """Let go of every connection."""
        ...


class Listener(Protocol):
    """The core's HTTP listener, as gateways with webhooks use it."""

    def add(self, method: str, path: str, handler: Handler) -> None:
        """Have calls of a path answered. They carry signatures of their own."""
        ...

    def remove(self, path: str) -> None:
        """Answer calls of a path no more."""
        ...


class Call(Struct, frozen=True, kw_only=True):
    """One HTTP call. headers: lower-case names; query: decoded."""

    method: str
    path: str
    headers: dict[str, str]
    query: dict[str, str]
    body: bytes
    remote: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """The answer to a call."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}


Handler = Callable[[Call], Awaitable[Answer]]


class Setup(Struct, frozen=True, kw_only=True):
    """What a gateway is made from. config: its part of the settings; secret: the value of a
    variable or stored secret, empty when there is none; listener: None without an HTTP port.
    """

    config: Any
    secret: Callable[[str], str]
    listener: Listener | None = None
