"""Questions in chats: as buttons that work once, and as codes where there are none."""

from __future__ import annotations

import time

import msgspec

from hermes_tui.events import ApprovalAsked, QuestionAsked
from hermes_tui.store.chats import Chat, Chats, Nonce, code

LIVES_S = 7 * 86_400.0
_MOST_SHOWN = 2500
_LABELS = (("once", "Allow once"), ("session", "Allow in this session"), ("deny", "Deny"))
ANSWER = "answer:"
"""A choice that answers a question of the agent begins so."""


async def approval(rows: Chats, chat: Chat, asked: ApprovalAsked) -> tuple[str, str]:
    """(text, buttons as JSON) that ask for an approval."""
    made = [(label, _nonce(chat, asked.ask_id, choice)) for choice, label in _LABELS]
    await rows.offer([nonce for _, nonce in made], asked.until or time.time() + LIVES_S)
    fence = "diff" if asked.detail_kind == "diff" else ""
    detail = asked.detail.strip()
    if len(detail) > _MOST_SHOWN:
        more = len(detail) - _MOST_SHOWN
        detail = f"{detail[:_MOST_SHOWN]}\n… {more:,} signs more; the screen shows all"
    lines = [f"**May I?** {asked.title}"]
    if detail and detail != asked.title:
        lines.append(f"````{fence}\n{detail}\n````")
    lines.append(f"{asked.reason}. {asked.undo}".strip(". ") + f" ({asked.where})")
    lines.append(
        f"`/approve {made[0][1].nonce}` allows it once, `/deny {made[0][1].nonce}` does not."
    )
    return "\n\n".join(lines), _buttons(made)


async def question(rows: Chats, chat: Chat, asked: QuestionAsked) -> tuple[str, str]:
    """(text, buttons as JSON) that ask what the agent asks."""
    made = [(one[:40], _nonce(chat, asked.ask_id, ANSWER + one)) for one in asked.options[:8]]
    await rows.offer([nonce for _, nonce in made], time.time() + LIVES_S)
    choices = "\n".join(f"- {one}" for one in asked.options)
    text = f"{asked.text}\n\n{choices}" if choices else asked.text
    return text, _buttons(made)


def _nonce(chat: Chat, ask: str, choice: str) -> Nonce:
    return Nonce(nonce=code(), target=chat.target, session=chat.session, ask=ask, choice=choice)


def _buttons(made: list[tuple[str, Nonce]]) -> str:
    return msgspec.json.encode([(label, one.nonce) for label, one in made]).decode()
