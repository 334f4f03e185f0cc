"""What the core answers about chats: how it is, and which chats a session is linked with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hermes_tui import __version__
from hermes_tui.events import ReplyReceived
from hermes_tui.intents import GatewayInfo
from hermes_tui.runtime.session import Session
from hermes_tui.store.chats import Chat

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_LOOK_BACK = 400
_CHATS = 20


async def status(core: Core, session: Session, args: str) -> str:
    """What the agent does, by what, and how its gateways are."""
    talk = session.conversation
    state = session.info.state
    lines = [
        f"**{talk.title or 'untitled'}** (`{session.id}`): {state}, turn {talk.turn}",
        f"model {talk.model or core.config.model.name or 'as found'}, mode {talk.mode}",
    ]
    lines += [f"waits for you: {one.title}" for one in talk.approvals.values()]
    lines += [f"asks you: {one.text}" for one in talk.questions.values()]
    others = [one.conversation.title for one in core.sessions.values() if one.working]
    if others:
        lines.append("at work: " + ", ".join(title or "untitled" for title in others))
    lines += [f"background: {line}" for line in core.running()]
    up = (time.time() - core.started) / 3600
    lines.append(f"hermes {__version__}, awake for {up:.1f} h")
    if talk.person == "" and core.outside.outbox is not None:
        found = await core.outside.outbox.infos(0)
        lines += [f"{one.name}: {one.state}" for one in found if one.enabled and one.name != "cli"]
    return "\n".join(f"- {line}" for line in lines)


async def gateways(core: Core, session: Session, args: str) -> str:
    """Every gateway that is set up, what is wrong with it, and its chats."""
    infos: list[GatewayInfo] = []
    if core.outside.outbox is not None:
        await core.outside.chats.people.load()
        infos = [one for one in await core.outside.chats.infos(_CHATS) if shown(one)]
    lines: list[str] = []
    for one in infos:
        late = f", {one.waiting} waiting" * bool(
            one.waiting
        ) + f", {one.failed} failed today" * bool(one.failed)
        seen = max(one.last_in, one.last_out)
        last = (
            f", last message {time.strftime('%d %b %H:%M', time.localtime(seen))}" if seen else ""
        )
        why = f": {one.problem}" if one.problem else ""
        lines.append(f"- **{one.name}** {one.state}{why}{late}{last}")
        lines += [
            f"    - `{chat.target}` {chat.title}"
            + (f", gets nothing: {chat.parked}" if chat.parked else "")
            for chat in one.chats
        ]
    return "\n".join(lines) or "No gateway is set up; `hermes gateway setup telegram` begins one."


def shown(one: GatewayInfo) -> bool:
    """Whether a gateway is worth a line: one that is set up, a terminal only while it is there."""
    return one.enabled and (one.name != "cli" or one.state == "on")


async def link(core: Core, session: Session, args: str) -> str:
    """Link or part a chat and this session; alone: the chats it is linked with."""
    chats = core.outside.chats
    await chats.start()
    word, _, rest = args.partition(" ")
    if word == "off":
        chat = await chats.part(session, rest.strip())
        return f"{chat.target} and this session go separate ways from now on."
    if args:
        chat = await chats.link(session, args.strip())
        return f"{chat.target} and this session are one conversation now."
    mine = chats.telling.bound(session.id)
    lines = [f"- `{one.target}`" for one in mine]
    return "\n".join(lines) or "No chat is linked; `/link telegram` links your own there."


async def handoff(core: Core, session: Session, args: str) -> str:
    """Link a chat, and repeat there what was said last."""
    if not args.strip():
        return "Say where to: `/handoff telegram`, or another chat of yours."
    chats = core.outside.chats
    await chats.start()
    chat = await chats.link(session, args.strip())
    await repeat(core, session, chat)
    return f"It goes on in {chat.target}, and here."


async def repeat(core: Core, session: Session, chat: Chat) -> None:
    """Say in a chat where a conversation stands."""
    after = max(session.last - _LOOK_BACK, 0)
    said = [
        record.event.text
        for record in await core.log.read(session.id, after=after)
        if isinstance(record.event, ReplyReceived) and record.event.text.strip()
    ]
    head = f"*{session.conversation.title or 'A conversation'}* goes on here."
    text = f"{head}\n\n{said[-1]}" if said else head
    await core.outside.chats.say(chat.target, text, key=f"{chat.key}|handoff{session.last}")
