"""Answers to approvals and questions, by number or in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hermes_tui import approval_text
from hermes_tui.events import ApprovalAsked, QuestionAsked, Verdict
from hermes_tui.intents import AnswerApproval, Answered, AnswerQuestion, GetStatus

if TYPE_CHECKING:
    from hermes_tui.plain.face import PlainFace

NOBODY = "nobody is here any more: the input has ended"


async def take(face: PlainFace, text: str) -> bool:
    """Use a text as the answer to the oldest open ask. False: it is something to say."""
    ask = next(iter(face.pending.values()), None)
    if ask is None:
        return False
    if isinstance(ask, ApprovalAsked):
        return await choose(face, ask, text.strip())
    await _question(face, ask, text.strip())
    return True


async def choose(face: PlainFace, ask: ApprovalAsked, choice: str) -> bool:
    """One of the numbered choices. False: no choice."""
    match choice:
        case "1":
            await approve(face, ask, "once")
        case "2":
            await approve(face, ask, "session")
        case "3" if ask.rule:
            await rule(face, ask)
        case "4":
            await deny(face, ask)
        case "5":
            await edit(face, ask)
        case _:
            return False
    return True


async def rule(face: PlainFace, ask: ApprovalAsked) -> None:
    """Show the exact rule, and save it when it is confirmed."""
    face.say(f"This rule will be saved: {approval_text.revealed(ask.rule)}")
    face.say("Press Enter to save it, or type another rule, or 0 to go back.")

    async def given(text: str) -> None:
        if text.strip() == "0":
            face.say(*_again(ask))
        else:
            await approve(face, ask, "always", rule=text.strip() or ask.rule)

    face.expects = given


async def deny(face: PlainFace, ask: ApprovalAsked) -> None:
    """Ask for a reason, and deny."""
    face.say("Why not? The agent reads it. Press Enter for no reason.")

    async def given(text: str) -> None:
        await approve(face, ask, "deny", reason=text.strip())

    face.expects = given


async def edit(face: PlainFace, ask: ApprovalAsked) -> None:
    """Ask for other arguments, and run with them."""
    now = approval_text.editable(ask)
    face.say(f"Now it is: {now}", "Type what should run instead, or 0 to go back.")

    async def given(text: str) -> None:
        if text.strip() in ("", "0"):
            face.say(*_again(ask))
            return
        try:
            arguments = approval_text.edited(ask, text)
        except msgspec.DecodeError as error:
            face.say(f"That is no JSON object: {error}. Try again, or 0 to go back.")
            face.expects = given
            return
        await approve(face, ask, "once", arguments=arguments)

    face.expects = given


async def approve(face: PlainFace, ask: ApprovalAsked, verdict: Verdict, **more: str) -> None:
    """Send the answer to an approval."""
    answer = AnswerApproval(
        session=face.session.id, ask_id=ask.ask_id, verdict=verdict, face="plain", **more
    )
    _said(face, await face.client.ask(answer))


async def nobody(face: PlainFace, ask: ApprovalAsked | QuestionAsked) -> None:
    """Answer for a person who is not there any more."""
    face.pending.pop(ask.ask_id, None)
    if isinstance(ask, ApprovalAsked):
        await approve(face, ask, "deny", reason=NOBODY)
    else:
        await _question(face, ask, NOBODY)


async def cut_off(face: PlainFace) -> str:
    """What would be cut off if the core ended now, in words; empty for nothing."""
    status = await face.client.ask(GetStatus())
    others = status.faces - 1
    parts = (
        (len(status.working), "working session"),
        (len(status.waiting), "session that waits for an answer"),
        (len(status.processes), "background process"),
        (others, "other screen"),
    )
    return ", ".join(f"{number} × {name}" for number, name in parts if number > 0)


async def _question(face: PlainFace, ask: QuestionAsked, text: str) -> None:
    picked = text.isdecimal() and 1 <= int(text) <= len(ask.options)
    words = ask.options[int(text) - 1] if picked else text
    answer = AnswerQuestion(session=face.session.id, ask_id=ask.ask_id, text=words, face="plain")
    _said(face, await face.client.ask(answer))


def _said(face: PlainFace, answered: Answered) -> None:
    if not answered.accepted:
        face.say(f"It had been answered already{', by ' + answered.by if answered.by else ''}.")


def _again(ask: ApprovalAsked) -> tuple[str, ...]:
    from hermes_tui.plain import words

    return words.lines(ask)[-1:]
