"""Answers to what a run waits for: approve, deny, answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct

from hermes_tui.http.base import HttpError
from hermes_tui.http.reading import decoded
from hermes_tui.intents import AnswerApproval, Answered, AnswerQuestion
from hermes_tui.runtime.api.asking import FACE
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.session import Session
from hermes_tui.store.http_rows import Request

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

T = TypeVar("T")


class _Yes(Struct, forbid_unknown_fields=True):
    ask_id: str = ""
    verdict: Literal["once", "session", "always"] = "once"
    rule: str = ""


class _No(Struct, forbid_unknown_fields=True):
    ask_id: str = ""
    reason: str = ""


class _Text(Struct, forbid_unknown_fields=True):
    text: str
    ask_id: str = ""


async def answer(core: Core, row: Request, what: str, body: bytes) -> None:
    """Answer what a run waits for. Raises HttpError."""
    session = await core.session(row.session)
    intent = _intent(session, what, body or b"{}")
    client = LocalClient(core, FACE)
    try:
        answered: Answered = await client.ask(intent)
    finally:
        await client.close()
    if not answered.accepted:
        by = f" by {answered.by}" if answered.by else ""
        raise HttpError(409, f"it was answered before{by}", code="answered")


def _intent(session: Session, what: str, body: bytes) -> Any:
    talk = session.conversation
    match what:
        case "approve":
            yes = decoded(body, _Yes)
            return AnswerApproval(
                session=session.id,
                ask_id=_which(yes.ask_id, talk.approvals),
                verdict=yes.verdict,
                rule=yes.rule,
                face=FACE,
            )
        case "deny":
            no = decoded(body, _No)
            ask_id = _which(no.ask_id, talk.approvals)
            return AnswerApproval(
                session=session.id, ask_id=ask_id, verdict="deny", reason=no.reason, face=FACE
            )
        case "answer":
            text = decoded(body, _Text)
            ask_id = _which(text.ask_id, talk.questions)
            return AnswerQuestion(session=session.id, ask_id=ask_id, text=text.text, face=FACE)
        case _:
            raise HttpError(404, "a run can be stopped, approved, denied or answered")


def _which(ask_id: str, waiting: dict[str, T]) -> str:
    """The question that is meant; without its id the only one."""
    if ask_id:
        return ask_id
    if len(waiting) != 1:
        raise HttpError(
            409 if waiting else 404,
            f"{len(waiting)} things wait: say which by its ask_id" if waiting else "nothing waits",
            param="ask_id",
        )
    return next(iter(waiting))
