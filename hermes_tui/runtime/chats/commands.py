"""What is typed with a `/` in a chat, and what buttons do."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar, cast

from hermes_tui import commands
from hermes_tui.commands import Command
from hermes_tui.config import EFFORTS
from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Inbound
from hermes_tui.intents import (
    AnswerApproval,
    AnswerQuestion,
    ChangeSession,
    ForkSession,
    Intent,
    ListModels,
    ListSessions,
    ListSkills,
    ReadSkill,
    RunCommand,
    Send,
)
from hermes_tui.runtime.chats.asking import ANSWER
from hermes_tui.runtime.chats.desk import target_of
from hermes_tui.store.chats import Chat, Nonce

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats
    from hermes_tui.runtime.session import Session

R = TypeVar("R")
Handler = Callable[["Talk", str], Awaitable[str]]
FOR_GUESTS = frozenset({"start", "help", "whoami", "session.new", "stop", "status"})
_LISTED = 15


class Talk:
    """One command in one chat."""

    def __init__(self, chats: Chats, message: Inbound, chat: Chat, session: Session) -> None:
        self.chats = chats
        self.message = message
        self.chat = chat
        self.session = session

    @property
    def owner(self) -> bool:
        """Whether the owner of this home speaks."""
        return self.chats.people.role(self.message.platform, self.message.sender) == "owner"

    async def ask(self, intent: Intent[R]) -> R:
        """Have the core do something, as any face would."""
        from hermes_tui.runtime.handlers import handle

        done = await handle(self.chats.core, intent, self.chats.telling.face)
        return cast("R", done)

    async def switch(self, session: Session) -> None:
        """Put another session into this chat."""
        self.chat = await self.chats.place(self.message, session, self.chat.person)
        self.session = session


async def run(chats: Chats, message: Inbound) -> None:
    """Run one command and answer in the chat; a problem is an answer."""
    target = target_of(message)
    try:
        text = await _answer(chats, message)
    except HermesError as error:
        text = f"{error.message}. {error.hint}" if error.hint else f"{error.message}."
    await chats.say(target, text, key=f"{target}#{message.message}")


async def _answer(chats: Chats, message: Inbound) -> str:
    line = message.text.strip()
    head, _, rest = line.partition(" ")
    line = f"{head.partition('@')[0]} {rest}"  # `/status@botname` in groups
    command, name, args = commands.parse(line)
    chat = await chats.chat_for(message)
    talk = Talk(chats, message, chat, await chats.core.session(chat.session))
    if command is None and talk.owner and await _is_skill(talk, name):
        return await _send(talk, line.strip(), "auto")
    if command is None or "chat" not in command.surfaces:
        near = ", ".join(commands.nearest(name, "chat"))
        return f"There is no command /{name} here. Nearest: {near}."
    if not talk.owner and command.id not in FOR_GUESTS:
        return "Only the owner can do that."
    handler = None if command.by == "core" else HANDLERS.get(command.id)
    if handler is None:  # what screens have a view for, too: here it is a text
        asked = RunCommand(session=talk.session.id, command=command.id, args=args)
        return (await talk.ask(asked)).text
    return await handler(talk, args)


async def _is_skill(talk: Talk, name: str) -> bool:
    found = (await talk.ask(ListSkills(cwd=talk.session.cwd))).skills
    return any(one.name == name and one.on and not one.held for one in found)


# --- buttons and codes ---------------------------------------------------------------------


async def press(chats: Chats, message: Inbound) -> None:
    """A button was pressed. Only the owner's press counts, and each button once."""
    target = target_of(message)
    if chats.people.role(message.platform, message.sender) != "owner":
        return
    found = await chats.rows.use(message.pressed, target)
    if found is None:
        text = "This was answered already, or is over."
        await chats.say(target, text, key=f"{target}#{message.message}")
        return
    said = await _choose(chats, found, found.choice)
    await chats.say(target, said, key=f"{target}#{message.message}")


async def _choose(chats: Chats, nonce: Nonce, choice: str, reason: str = "") -> str:
    from hermes_tui.runtime.handlers import handle

    face = chats.telling.face
    if choice.startswith(ANSWER):
        text = choice.removeprefix(ANSWER)
        answer = AnswerQuestion(
            session=nonce.session, ask_id=nonce.ask, text=text, face=nonce.target
        )
        answered = await handle(chats.core, answer, face)
        return "" if answered.accepted else f"It was answered {answered.by or 'already'}."
    approval = AnswerApproval(
        session=nonce.session,
        ask_id=nonce.ask,
        verdict=choice,  # type: ignore[arg-type]
        reason=reason,
        face=nonce.target,
    )
    answered = await handle(chats.core, approval, face)
    if not answered.accepted:
        return f"It was answered {answered.by or 'already'}."
    return "Denied." if choice == "deny" else "Allowed."


async def _approve(talk: Talk, args: str) -> str:
    code, _, word = args.partition(" ")
    verdict = word.strip() or "once"
    if verdict not in ("once", "session", "always", "deny"):
        raise HermesError(f"{verdict!r} is no answer", "once, session, always or deny")
    return await _by_code(talk, code, verdict)


async def _deny(talk: Talk, args: str) -> str:
    code, _, reason = args.partition(" ")
    return await _by_code(talk, code, "deny", reason.strip())


async def _by_code(talk: Talk, code: str, verdict: str, reason: str = "") -> str:
    if not code:
        waiting = talk.session.conversation.approvals.values()
        if not waiting:
            return "Nothing waits for an approval."
        return "\n".join(f"- {one.title}" for one in waiting) + "\n\nSay it with its code."
    found = await talk.chats.rows.use(code.upper(), talk.chat.target)
    if found is None or found.choice.startswith(ANSWER):
        raise HermesError("nothing waits under this code", "codes work once, in their own chat")
    return await _choose(talk.chats, found, verdict, reason)


# --- talking -------------------------------------------------------------------------------


async def _send(talk: Talk, text: str, how: str) -> str:
    if not text:
        raise HermesError(f"/{how} needs a text")
    send = Send(
        session=talk.session.id,
        text=text,
        how=how,  # type: ignore[arg-type]
        input_id=f"{talk.chat.target}#{talk.message.message}",
        standing=talk.chats.standing(talk.session),
        attended=talk.owner,
        face=talk.chat.target,
    )
    sent = await talk.ask(send)
    return {"queue": "It waits for the end of this turn.", "steer": "The agent gets it."}.get(
        sent.state, ""
    )


async def _queue(talk: Talk, args: str) -> str:
    return await _send(talk, args, "queue")


async def _steer(talk: Talk, args: str) -> str:
    return await _send(talk, args, "steer")


async def _stop(talk: Talk, args: str) -> str:
    stopped = await talk.session.stop()
    if not stopped.was_running:
        return "Nothing is running."
    back = "\n".join(f"> {text}" for text in stopped.texts)
    return f"Stopped. This was not sent:\n\n{back}" if back else "Stopped."


# --- sessions ------------------------------------------------------------------------------


async def _new(talk: Talk, args: str) -> str:
    chat = await talk.chats.begin(talk.message, args.strip() or "New conversation")
    return f"A new session ({chat.session}). The one before stays in /sessions."


async def _sessions(talk: Talk, args: str) -> str:
    found = (await talk.ask(ListSessions(query=args, limit=_LISTED))).sessions
    lines = [
        f"- `{one.id}` {one.title or 'untitled'}, {one.state}, "
        f"{time.strftime('%d %b %H:%M', time.localtime(one.updated))}"
        + (" (this one)" if one.id == talk.session.id else "")
        for one in found
    ]
    return "\n".join(lines) or "No session found."


async def _resume(talk: Talk, args: str) -> str:
    if not args:
        raise HermesError("/resume needs a session", "/sessions lists them")
    await talk.switch(await talk.chats.core.session(args.strip()))
    title = talk.session.conversation.title or talk.session.id
    return f"This chat goes on with «{title}», which the screen shows, too."


async def _fork(talk: Talk, args: str) -> str:
    made = await talk.ask(ForkSession(session=talk.session.id, title=args))
    await talk.switch(await talk.chats.core.session(made.id))
    return f"This chat goes on with a copy, «{made.title}»."


async def _title(talk: Talk, args: str) -> str:
    if not args:
        return talk.session.conversation.title or "This session has no title yet."
    changed = await talk.ask(ChangeSession(session=talk.session.id, title=args))
    return f"This session is now «{changed.title}»."


# --- model, mode, skills -------------------------------------------------------------------


async def _model(talk: Talk, args: str) -> str:
    if args:
        changed = await talk.ask(ChangeSession(session=talk.session.id, model=args))
        return f"The model is {changed.model}."
    known = await talk.ask(ListModels())
    now = talk.session.conversation.model or known.current or "the first the endpoint offers"
    names = "\n".join(f"- `{name}`" for name in known.models[:_LISTED])
    return f"The model is {now}.\n\n{names}".strip()


async def _mode(talk: Talk, args: str) -> str:
    if not args:
        return f"The mode is {talk.session.conversation.mode}: ask, auto-edit, plan or yolo."
    changed = await talk.ask(ChangeSession(session=talk.session.id, mode=args))
    return f"The mode is {changed.mode}."


async def _effort(talk: Talk, args: str) -> str:
    if not args:
        own = talk.session.conversation.effort
        now = own or f"{talk.chats.core.config.model.effort}, as the settings say"
        return f"The effort is {now}: default, {', '.join(EFFORTS)}."
    changed = await talk.ask(ChangeSession(session=talk.session.id, effort=args.strip()))
    return f"The effort is {changed.effort or 'as the settings say'}."


async def _skills(talk: Talk, args: str) -> str:
    if args:
        return (await talk.ask(ReadSkill(name=args))).text
    skills = (await talk.ask(ListSkills())).skills
    return "\n".join(f"- `/{one.name}` {one.description}" for one in skills) or "No skills yet."


# --- help ----------------------------------------------------------------------------------


def _line(one: Command) -> str:
    args = f" {one.args}" if one.args else ""
    return f"- `/{one.slash}{args}` {one.help}"


async def _help(talk: Talk, args: str) -> str:
    named = commands.BY_SLASH.get(args.strip().lstrip("/")) if args else None
    if named is not None:
        return _line(named)
    here = (one for one in commands.COMMANDS if one.slash and "chat" in one.surfaces)
    return "\n".join(_line(one) for one in here if talk.owner or one.id in FOR_GUESTS)


async def _start(talk: Talk, args: str) -> str:
    return "Hello. Say what to do, or /help for what else there is."


async def _whoami(talk: Talk, args: str) -> str:
    role = "the owner" if talk.owner else "a guest"
    message = talk.message
    lines = [f"You are `{message.sender}` on {message.platform}, {role}."]
    lines.append(f"This chat is `{talk.chat.target}`, session `{talk.session.id}`.")
    return "\n".join(lines)


HANDLERS: dict[str, Handler] = {
    "stop": _stop,
    "queue": _queue,
    "steer": _steer,
    "approve": _approve,
    "deny": _deny,
    "session.new": _new,
    "session.list": _sessions,
    "session.resume": _resume,
    "session.fork": _fork,
    "session.title": _title,
    "model": _model,
    "mode": _mode,
    "effort": _effort,
    "skills": _skills,
    "help": _help,
    "start": _start,
    "whoami": _whoami,
}
