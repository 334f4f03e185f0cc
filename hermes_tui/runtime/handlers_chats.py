"""What the core does about chats when a face asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui import intents
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.gateways.registry import PLATFORMS
from hermes_tui.intents import Done, GatewayInfo, GatewayList, PairingList, PersonInfo
from hermes_tui.runtime.answers_chats import repeat, shown
from hermes_tui.runtime.face import Face
from hermes_tui.store.pairing import Person, Request

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def send_out(core: Core, intent: intents.SendOut, face: Face) -> intents.SentOut:
    """Send a text to a chat."""
    chats = core.outside.outbox
    if chats is None:
        raise HermesError("no gateway is set up", "`hermes gateway setup telegram`")
    number = await chats.put(intent.target, intent.text, key=intent.key)
    row = await chats.settled(number, intent.wait_s)
    if row is None:
        return intents.SentOut(number=number, target=intent.target, state="expired")
    return intents.SentOut(
        number=number,
        target=row.target,
        state="waiting" if row.state == "sending" else row.state,
        proof=row.proof,
        error=row.error,
        doubt=row.doubt,
    )


async def list_gateways(core: Core, intent: intents.ListGateways, face: Face) -> GatewayList:
    """How the gateways are."""
    if intent.set_up and core.outside.outbox is None:
        return GatewayList()
    await core.outside.chats.people.load()
    found = await core.outside.chats.infos(intent.chats)
    return GatewayList(gateways=tuple(one for one in found if not intent.set_up or shown(one)))


async def call_home(core: Core, intent: intents.CallHome, face: Face) -> Done:
    """What waits in a session is told in the person's own chats."""
    chats = core.outside.outbox
    if chats is not None:
        from hermes_tui.runtime.chats.calling import call

        session = await core.session(intent.session)
        for ask_id in intent.asks:
            await call(chats, session, ask_id)
    return Done()


async def change_gateway(core: Core, intent: intents.ChangeGateway, face: Face) -> GatewayInfo:
    """Start, stop or connect anew, by the settings as they are now."""
    if intent.name not in PLATFORMS:
        raise NotFoundError(f"no gateway {intent.name!r}", f"one of {', '.join(PLATFORMS)}")
    await core.settings.refresh()
    chats = core.outside.chats
    gate = chats.gate(intent.name)
    if intent.change != "start":
        await gate.close()
    if intent.change != "stop":
        if not getattr(core.config, intent.name).enabled:
            raise HermesError(
                f"{intent.name} is not enabled", f"`hermes gateway setup {intent.name}`"
            )
        await chats.start()
        await chats.people.load()
        gate.start()
    found = await chats.infos(20)
    return next(one for one in found if one.name == intent.name)


async def list_pairing(core: Core, intent: intents.ListPairing, face: Face) -> PairingList:
    """Who may talk, and who asks to."""
    pairing = core.outside.chats.people.pairing
    named = tuple(
        PersonInfo(platform=name, sender=owner, role="owner", from_settings=True)
        for name in PLATFORMS
        for owner in getattr(getattr(core.config, name), "owners", ())
    )
    let_in = tuple(map(_person, await pairing.people()))
    requests = tuple(map(_request, await pairing.requests()))
    return PairingList(people=(*named, *let_in), requests=requests)


async def make_code(core: Core, intent: intents.MakeCode, face: Face) -> PersonInfo:
    """A code to hand on."""
    _known(intent.platform)
    pairing = core.outside.chats.people.pairing
    return _request(await pairing.make_code(intent.platform, intent.role))


async def approve(core: Core, intent: intents.Approve, face: Face) -> PersonInfo:
    """Let somebody in."""
    people = core.outside.chats.people
    platform, colon, sender = intent.who.partition(":")
    if colon:
        _known(platform)
        person = Person(platform=platform, sender=sender, role=intent.role)
        await people.pairing.let_in(person)
    else:
        person = await people.pairing.approve(intent.who, intent.role)
    await people.load()
    return _person(person)


async def revoke(core: Core, intent: intents.Revoke, face: Face) -> Done:
    """Let somebody in no more."""
    people = core.outside.chats.people
    platform, _, sender = intent.who.partition(":")
    if not await people.pairing.revoke(platform, sender):
        if sender in people.settings(platform).owners:
            raise HermesError(
                f"{sender} is an owner by the settings",
                f"take the id out of {platform}.owners: `hermes config edit`",
            )
        raise NotFoundError(f"{intent.who!r} was not let in", "`hermes pairing list`")
    await people.load()
    return Done()


async def link_chat(core: Core, intent: intents.LinkChat, face: Face) -> intents.ChatInfo:
    """Link a chat with a session, or part them."""
    chats = core.outside.chats
    await chats.start()
    session = await core.session(intent.session)
    if intent.off:
        chat = await chats.part(session, intent.target)
    else:
        chat = await chats.link(session, intent.target)
        if intent.handoff:
            await repeat(core, session, chat)
    title = session.conversation.title
    return intents.ChatInfo(key=chat.key, target=chat.target, session=session.id, title=title)


async def say_as(core: Core, intent: intents.SayAs, face: Face) -> Done:
    """Something was typed in a chat that a terminal holds; without a text it is only shown."""
    chats = core.outside.chats
    await chats.start()
    person = Person(platform="cli", sender=intent.name, name=intent.name, role=intent.role)
    if chats.people.role("cli", intent.name) != intent.role:
        await chats.people.pairing.let_in(person)
        await chats.people.load()
    chats.terminal.listen(intent.name, face)
    chats.wake(f"cli:{intent.name}")
    if intent.text or intent.pressed:
        await chats.terminal.say(intent.name, intent.text, intent.message, intent.pressed)
    return Done()


def _known(platform: str) -> None:
    if platform not in PLATFORMS:
        raise NotFoundError(f"no gateway {platform!r}", f"one of {', '.join(PLATFORMS)}")


def _person(one: Person) -> PersonInfo:
    return PersonInfo(
        platform=one.platform, sender=one.sender, name=one.name, role=one.role, since=one.since
    )


def _request(one: Request) -> PersonInfo:
    return replace(
        PersonInfo(platform=one.platform, sender=one.sender, name=one.name, role=one.role),
        code=one.code,
        expires=one.expires,
    )
