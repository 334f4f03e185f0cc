"""Every command of the table that plain mode has."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hermes_tui import commands
from hermes_tui.commands import Command
from hermes_tui.config import EFFORTS
from hermes_tui.errors import HermesError
from hermes_tui.events import ApprovalAsked, InputReceived, MessageImported, Record, ReplyReceived
from hermes_tui.intents import (
    ChangeSession,
    CloseSession,
    GetStatus,
    History,
    ListModels,
    ListSessions,
    ListSkills,
    OpenSession,
    ReadSkill,
    RunCommand,
    Search,
)
from hermes_tui.plain import answering, branching, first_run, undoing, words
from hermes_tui.plain.leaving import Left
from hermes_tui.plain.settings import settings
from hermes_tui.plain.speech import count, one_line, sentence

if TYPE_CHECKING:
    from hermes_tui.plain.face import PlainFace

Handler = Callable[["PlainFace", str], Awaitable[None]]
FOUND = 20


async def run_command(face: PlainFace, line: str) -> None:
    """Run a slash command. Raises HermesError; an unknown one is met with the nearest three."""
    command, name, args = commands.parse(line)
    if command is None and await _is_skill(face, name):
        await face.send(line, "auto")
    elif command is None or "plain" not in command.surfaces:
        near = ", ".join(commands.nearest(name, "plain"))
        face.say(f"There is no command /{one_line(name)} here. Nearest: {near}.")
    elif command.by == "core":
        ask = RunCommand(session=face.session.id, command=command.id, args=args)
        face.say(*(await face.client.ask(ask)).text.splitlines())
    else:
        await HANDLERS[command.id](face, args)


async def _is_skill(face: PlainFace, name: str) -> bool:
    """Whether `/name` calls a skill."""
    found = (await face.client.ask(ListSkills(cwd=face.request.standing.cwd))).skills
    return any(one.name == name and one.on and not one.held for one in found)


# --- talking -------------------------------------------------------------------------------


async def _stop(face: PlainFace, args: str) -> None:
    await face.stop()


async def _queue(face: PlainFace, args: str) -> None:
    await face.send(_needs(args, "queue"), "queue")


async def _steer(face: PlainFace, args: str) -> None:
    await face.send(_needs(args, "steer"), "steer")


async def _approve(face: PlainFace, args: str) -> None:
    asks = [one for one in face.pending.values() if isinstance(one, ApprovalAsked)]
    if not asks:
        face.say("Nothing waits for an approval.")
        return
    ask = asks[0]
    word, _, rest = args.partition(" ")
    match word:
        case "once" | "session":
            await answering.approve(face, ask, word)
        case "always" if ask.rule:
            await answering.rule(face, ask)
        case "deny":
            await answering.approve(face, ask, "deny", reason=rest.strip())
        case "details":
            face.say(*words.speak(words.asked(ask, most=1_000_000)))
        case _:
            face.say(*words.lines(ask))


# --- sessions ------------------------------------------------------------------------------


async def _new(face: PlainFace, args: str) -> None:
    await switch(face, "new", args)


async def _sessions(face: PlainFace, args: str) -> None:
    found = (await face.client.ask(ListSessions(query=args, limit=FOUND))).sessions
    if not found:
        face.say("No session found.")
    for one in found:
        here = ", this one" if one.id == face.session.id else ""
        when = time.strftime("%d %B %H:%M", time.localtime(one.updated))
        face.say(f"{one.id}: {one_line(one.title) or 'untitled'}, {one.state}, {when}{here}")


async def _resume(face: PlainFace, args: str) -> None:
    await switch(face, _needs(args, "resume"))


async def switch(face: PlainFace, which: str, title: str = "") -> None:
    """Show another session, and let go of the one shown."""
    left = face.session.id
    standing = face.request.standing
    await face.open(OpenSession(which=which, standing=standing, title=title, face="plain"))
    if left != face.session.id:
        await face.client.ask(CloseSession(session=left))


async def _title(face: PlainFace, args: str) -> None:
    title = _needs(args, "title")
    await face.client.ask(ChangeSession(session=face.session.id, title=title))


async def _export(face: PlainFace, args: str) -> None:
    from hermes_tui.runtime.export import export_session

    folder = face.request.standing.cwd
    path = await export_session(face.client, face.session, folder, args)
    face.say(f"The session is in {path}")


# --- model and mode ------------------------------------------------------------------------


async def _model(face: PlainFace, args: str) -> None:
    if args:
        await face.client.ask(ChangeSession(session=face.session.id, model=args))
        return
    known = await face.client.ask(ListModels())
    now = face.session.model or known.current or "the first the endpoint offers"
    face.say(f"This session's model is {now}.")
    if known.problem:
        face.say(sentence(f"The list of models can't be read: {known.problem}"))
    face.say(*(f"    {name}" for name in known.models))


async def _mode(face: PlainFace, args: str) -> None:
    if args:
        await face.client.ask(ChangeSession(session=face.session.id, mode=args))
    else:
        face.say(f"The mode is {face.session.mode}. Modes: ask, auto-edit, plan, yolo.")


async def _effort(face: PlainFace, args: str) -> None:
    if args:
        await face.client.ask(ChangeSession(session=face.session.id, effort=args))
        return
    usual = (await face.client.ask(GetStatus())).effort
    now = face.session.effort or f"{usual}, as the settings say"
    face.say(f"The effort is {now}. Efforts: default, {', '.join(EFFORTS)}.")


# --- looking -------------------------------------------------------------------------------


async def _skills(face: PlainFace, args: str) -> None:
    if args:
        face.say(*(await face.client.ask(ReadSkill(name=args))).text.splitlines())
        return
    skills = (await face.client.ask(ListSkills())).skills
    face.say(f"{count(len(skills), 'skill')}. /skills NAME reads one.")
    face.say(*(f"{one.name}: {one_line(one.description)}" for one in skills))


async def _memory(face: PlainFace, args: str) -> None:
    intent = RunCommand(session=face.session.id, command="memory", args=args)
    face.say(*(await face.client.ask(intent)).text.splitlines())
    if not args:
        return
    hits = (await face.client.ask(Search(query=args, limit=FOUND))).hits
    face.say(f"{count(len(hits), 'message')} found in all sessions.")
    for hit in hits:
        when = time.strftime("%d %B %Y", time.localtime(hit.ts))
        title = one_line(hit.title) or hit.session
        face.say(f"{title}, {when}, {hit.role or 'message'}: {one_line(hit.text)}")


async def _find(face: PlainFace, args: str) -> None:
    text = _needs(args, "find").casefold()
    found: list[str] = []
    before, more = 2**53, True
    while more:
        page = await face.client.ask(History(session=face.session.id, before=before))
        found = [*_matching(page.records, text), *found]
        before = page.records[0].n if page.records else 0
        more = page.more and bool(page.records)
    face.say(f"{count(len(found), 'message')} found in this session.")
    face.say(*found[-FOUND:])


def _matching(records: tuple[Record, ...], text: str) -> list[str]:
    said = (InputReceived, ReplyReceived, MessageImported)
    return [
        one_line(" ".join(words.lines(record.event)))
        for record in records
        if isinstance(record.event, said) and text in record.event.text.casefold()
    ]


# --- help and leaving ----------------------------------------------------------------------


async def _setup(face: PlainFace, args: str) -> None:
    await first_run.begin(face)


async def _keys(face: PlainFace, args: str) -> None:
    face.say(
        "Enter sends. While the agent works, what you type reaches it after the running tool.",
        "A number answers an approval or a question.",
        "ctrl+c stops the running turn; twice, with nothing running, it leaves.",
        "The end of input (ctrl+d) leaves; the agent goes on with what it does.",
        "On a terminal: alt+Enter, ctrl+j, or a backslash before Enter add a line; tab completes.",
    )


async def _help(face: PlainFace, args: str) -> None:
    wanted = args.removeprefix("/").lower()
    here = [one for one in commands.COMMANDS if one.slash and "plain" in one.surfaces]
    chosen = [one for one in here if one.slash == wanted] if wanted else here
    if not chosen:
        near = ", ".join(commands.nearest(wanted, "plain"))
        face.say(f"There is no command /{one_line(wanted)} here. Nearest: {near}.")
    face.say(*(_described(one) for one in chosen))


def _described(command: Command) -> str:
    usage = f"/{command.slash} {command.args}".strip()
    return f"{usage}: {command.help}"


async def _detach(face: PlainFace, args: str) -> None:
    raise Left("detach")


async def _quit(face: PlainFace, args: str) -> None:
    lost = await answering.cut_off(face)
    if not lost:
        raise Left("quit")
    face.say(f"This would be cut off: {lost}.", "1 leave it running, or press Enter; 2 end all.")

    async def given(text: str) -> None:
        raise Left("quit" if text.strip() == "2" else "detach")

    face.expects = given


def _needs(args: str, name: str) -> str:
    if not args:
        command = commands.BY_SLASH[name]
        raise HermesError("something is missing", f"/{name} {command.args}: {command.help}")
    return args


HANDLERS: dict[str, Handler] = {
    "stop": _stop,
    "queue": _queue,
    "steer": _steer,
    "approve": _approve,
    "session.new": _new,
    "session.list": _sessions,
    "session.resume": _resume,
    "session.fork": branching.fork,
    "rewind": branching.rewind,
    "undo": undoing.undo,
    "session.title": _title,
    "session.export": _export,
    "model": _model,
    "mode": _mode,
    "effort": _effort,
    "skills": _skills,
    "memory": _memory,
    "find": _find,
    "settings": settings,
    "setup": _setup,
    "keys": _keys,
    "help": _help,
    "detach": _detach,
    "quit": _quit,
}
