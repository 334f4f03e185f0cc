"""Chats: send a text to one, see the gateways, say who may talk there."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from hermes_tui.intents.base import Done, Intent


class SentOut(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a text: its number, where it went, how it stands and what proves it.

    state: `sent`, `waiting` (it is tried again), `failed` or `expired`. doubt: it may have
    arrived twice.
    """

    number: int
    target: str
    state: str
    proof: str = ""
    error: str = ""
    doubt: bool = False


class SendOut(Intent[SentOut], frozen=True, kw_only=True):
    """Send a text to a chat such as `telegram:12345`; wait up to `wait_s` seconds until it went."""

    reply: ClassVar[Any] = SentOut
    target: str
    text: Annotated[str, Meta(max_length=1_000_000)]
    key: str = ""
    wait_s: Annotated[float, Meta(ge=0, le=300)] = 30.0


# --- gateways ------------------------------------------------------------------------------


class ChatInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat with a session in it. last_in: Unix seconds; parked: why it gets nothing."""

    key: str
    target: str
    session: str
    title: str = ""
    person: str = ""
    group: bool = False
    last_in: float = 0.0
    parked: str = ""


class GatewayInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a gateway is.

    state: `on`, `starting`, `waiting` (it connects again), `refused` (a setting or the account),
    `conflict` (somebody else receives there) or `off`. last_in, last_out: Unix seconds of the
    last message; age: seconds since the last sign of life. waiting: messages not sent yet;
    failed: in the last day; doubtful: of that day, those that may have been shown twice.
    """

    name: str
    enabled: bool = False
    state: str = "off"
    problem: str = ""
    last_in: float = 0.0
    last_out: float = 0.0
    age: float = 0.0
    waiting: int = 0
    failed: int = 0
    doubtful: int = 0
    owners: int = 0
    chats: tuple[ChatInfo, ...] = ()


class GatewayList(Struct, frozen=True, kw_only=True):
    """All gateways there are."""

    gateways: tuple[GatewayInfo, ...] = ()


class ListGateways(Intent[GatewayList], frozen=True, kw_only=True):
    """How the gateways are, with their newest chats. set_up: only those that are set up."""

    reply: ClassVar[Any] = GatewayList
    chats: int = 20
    set_up: bool = False


class ChangeGateway(Intent[GatewayInfo], frozen=True, kw_only=True):
    """Start a gateway, stop it until the next start, or connect it anew."""

    reply: ClassVar[Any] = GatewayInfo
    name: str
    change: Literal["start", "stop", "restart"]


class CallHome(Intent[Done], frozen=True, kw_only=True):
    """Something waits in a session and nobody looks: tell it in the person's own chats.

    asks: ids of approvals and questions. Without such a chat nothing happens.
    """

    reply: ClassVar[Any] = Done
    session: str
    asks: tuple[str, ...]


# --- who may talk --------------------------------------------------------------------------


class PersonInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who may talk, or asks to. code: approves a request; expires: Unix seconds."""

    platform: str
    sender: str = ""
    name: str = ""
    role: str = "guest"
    since: float = 0.0
    code: str = ""
    expires: float = 0.0
    from_settings: bool = False


class PairingList(Struct, frozen=True, kw_only=True):
    """Who may talk, and who wrote without being known."""

    people: tuple[PersonInfo, ...] = ()
    requests: tuple[PersonInfo, ...] = ()


class ListPairing(Intent[PairingList], frozen=True, kw_only=True):
    """Who may talk, and what is pending."""

    reply: ClassVar[Any] = PairingList


class MakeCode(Intent[PersonInfo], frozen=True, kw_only=True):
    """A code to hand on; whoever writes it to the agent within an hour may talk."""

    reply: ClassVar[Any] = PersonInfo
    platform: str
    role: Literal["owner", "guest"] = "guest"


class Approve(Intent[PersonInfo], frozen=True, kw_only=True):
    """Let in whom a pending code stands for, or somebody by `platform:sender`."""

    reply: ClassVar[Any] = PersonInfo
    who: str
    role: Literal["owner", "guest"] = "guest"


class Revoke(Intent[Done], frozen=True, kw_only=True):
    """Let somebody in no more, from their next message on. who: `platform:sender`."""

    reply: ClassVar[Any] = Done
    who: str


# --- sessions in chats ---------------------------------------------------------------------


class LinkChat(Intent[ChatInfo], frozen=True, kw_only=True):
    """Have a chat and a session be one conversation. target: a chat, or a platform's name for
    the home chat there. handoff: what was last said is repeated there; off: part them instead.
    """

    reply: ClassVar[Any] = ChatInfo
    session: str
    target: str
    handoff: bool = False
    off: bool = False


class SayAs(Intent[Done], frozen=True, kw_only=True):
    """Something was typed in a chat that a terminal holds. pressed: a button of `ChatSaid`."""

    reply: ClassVar[Any] = Done
    name: str
    text: str = ""
    message: str = ""
    pressed: str = ""
    role: Literal["owner", "guest"] = "owner"
