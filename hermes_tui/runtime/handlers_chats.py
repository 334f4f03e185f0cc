"""What the core does about chats when a face asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import HermesError
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def send_out(core: Core, intent: intents.SendOut, face: Face) -> intents.SentOut:
    """Send a text to a chat."""
    chats = core.outside.outbox
    if chats is None:
        raise HermesError("no gateway is set up", "`hermes config set telegram.enabled true`")
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
