"""Going back to before a turn, and going on elsewhere from there, in plain mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.events import InputReceived, InputTaken, Record, Rewound
from hermes_tui.intents import ForkSession, History
from hermes_tui.plain import undoing
from hermes_tui.plain.speech import count, one_line
from hermes_tui.rewind_text import wish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_tui.plain.face import PlainFace

SHOWN = 20


async def fork(face: PlainFace, title: str) -> None:
    """Go on with this conversation in a new session."""
    from hermes_tui.plain.commands import switch

    if face.working:
        raise HermesError("a turn is still going on", "fork when it has ended, or /stop it")
    info = await face.client.ask(ForkSession(session=face.session.id, title=title))
    await switch(face, info.id)
    face.say("This is a fork; the session before stays as it is.")


async def rewind(face: PlainFace, wanted: str) -> None:
    """Go back to before a turn; without a number, ask which."""
    turns = turns_of(await _records(face))
    if not turns:
        face.say("There is no turn to go back to.")
    elif wanted:
        await _back(face, turns, wanted)
    else:
        _ask(face, turns)


def _ask(face: PlainFace, turns: dict[int, str]) -> None:
    face.say(f"{count(len(turns), 'turn')}. Type the number of the one to go back to, or 0.")
    face.say(*(f"{number}: {one_line(text)}" for number, text in list(turns.items())[-SHOWN:]))

    async def given(text: str) -> None:
        if text.strip() in ("", "0"):
            face.say("Nothing was taken back.")
        else:
            await _back(face, turns, text)

    face.expects = given


async def _back(face: PlainFace, turns: dict[int, str], wanted: str) -> None:
    number, what = wish(wanted.strip())
    if number not in turns:
        numbers = ", ".join(map(str, turns))
        raise HermesError(f"there is no turn {one_line(wanted)!r}", f"turns: {numbers}")
    await undoing.back(face, number, what)


async def _records(face: PlainFace) -> list[Record]:
    records: list[Record] = []
    before, more = 2**53, True
    while more:
        page = await face.client.ask(History(session=face.session.id, before=before))
        records[:0] = page.records
        before = page.records[0].n if page.records else 0
        more = page.more and bool(page.records)
    return records


def turns_of(records: Iterable[Record]) -> dict[int, str]:
    """What began each turn that is part of the conversation, by its number."""
    texts: dict[str, str] = {}
    turns: dict[int, str] = {}
    for record in records:
        match record.event:
            case InputReceived(input_id=name, text=text):
                texts[name] = text
            case InputTaken(input_id=name, turn=turn):
                turns.setdefault(turn, texts.get(name, ""))
            case Rewound(turn=first):
                turns = {turn: text for turn, text in turns.items() if turn < first}
            case _:
                continue
    return turns
