"""Files taken back in plain mode: what would change is said first, then a number decides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.intents import BackView, LookBack, RestoreFiles, Rewind
from hermes_tui.plain.speech import count, sentence, speakable
from hermes_tui.rewind_text import What, view_lines, went_back

if TYPE_CHECKING:
    from hermes_tui.plain.face import PlainFace

_NUMBERS = {"1": False, "2": True}


async def back(face: PlainFace, turn: int, what: What) -> None:
    """Go back to before a turn; files only once it was said what becomes of them."""
    session = face.session.id
    view = BackView()
    if what != "chat":
        view = await face.client.ask(LookBack(session=session, turn=turn))

    async def go(yours: bool) -> None:
        intent = Rewind(session=session, turn=turn, what=what, yours=yours, face="plain")
        done = await face.client.ask(intent)
        if what != "files":
            face.say(f"You had said: {done.text}", "Say it again, or something else.")
        if done.files or done.stayed or what == "files":
            face.say(sentence(went_back(done)))

    if view.problem and what == "files":
        raise HermesError(view.problem)
    if view.count and not view.problem:
        _ask(face, view, go)
    else:
        await go(False)


async def undo(face: PlainFace, args: str) -> None:
    """Say what the last change of files was, and take it back if that is wanted."""
    number = args.removeprefix("#")
    if number and not number.isdecimal():
        raise HermesError(f"{args!r} is no number of a checkpoint", "/checkpoints lists them")
    session = face.session.id
    view = await face.client.ask(LookBack(session=session, checkpoint=int(number or 0)))
    if view.problem or not view.count:
        face.say(sentence(view.problem or "The files are as they were then"))
        return

    async def go(yours: bool) -> None:
        intent = RestoreFiles(
            session=session, checkpoint=view.checkpoint, yours=yours, face="plain"
        )
        face.say(sentence(went_back(await face.client.ask(intent))))

    _ask(face, view, go)


def _ask(face: PlainFace, view: BackView, go: Callable[[bool], Awaitable[None]]) -> None:
    face.say(f"{count(view.count, 'file')} would change back.")
    face.say(*(speakable(line) for line in view_lines(view)))
    if view.yours:
        agents = "1 take back the agent's changes alone; 2 take back all of them"
        face.say(f"{agents}; 0, or Enter, leave everything.")
    else:
        face.say("1 take them back; 0, or Enter, leave everything.")

    async def given(text: str) -> None:
        wanted = text.strip()
        if wanted not in _NUMBERS or (wanted == "2" and not view.yours):
            face.say("Nothing was taken back.")
        else:
            await go(_NUMBERS[wanted])

    face.expects = given
