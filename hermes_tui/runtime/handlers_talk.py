"""What the core does with words: send, change, take back, stop, answer, the own shell."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

import msgspec

from hermes_tui import intents
from hermes_tui.errors import HermesError
from hermes_tui.events import Notice
from hermes_tui.intents import Done
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session
from hermes_tui.security import audit_entries

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def send(core: Core, intent: intents.Send, face: Face) -> intents.Sent:
    """Say something."""
    session = await core.session(intent.session)
    if not intent.text.strip():
        raise HermesError("there is nothing to send")
    if not intent.input_id:
        intent = msgspec.structs.replace(intent, input_id=uuid.uuid4().hex)
    untitled = not session.conversation.title
    sent = await session.send(intent)
    if untitled:
        await core.log.describe(session.key, session.info)
        if core.config.models.titles and core.lasting:
            from hermes_tui.runtime import titling

            core.spawn(titling.name(core, session, intent.text))
    return sent


async def withdraw(core: Core, intent: intents.Withdraw, face: Face) -> intents.Withdrawn:
    """Take a waiting input back."""
    return await (await core.session(intent.session)).withdraw(intent.input_id)


async def stop(core: Core, intent: intents.Stop, face: Face) -> intents.Stopped:
    """Stop the running turn."""
    return await (await core.session(intent.session)).stop()


async def answer_approval(core: Core, intent: intents.AnswerApproval, face: Face) -> Any:
    """Answer a pending approval; an "always" rule goes to the configuration file."""
    session = await core.session(intent.session)
    asked = session.conversation.approvals.get(intent.ask_id)
    if asked is not None and asked.until:
        from hermes_tui.runtime import parked

        answered = await parked.answer(core, session, asked, intent)
    else:
        answered = await session.answer_approval(intent)
    rule = intent.rule or (asked.rule if asked else "")
    if answered.accepted and intent.verdict == "always" and rule:
        await session.record(audit_entries.of_rule(session.id, rule, intent.face))
        await _save_rule(core, session, rule)
    return answered


async def _save_rule(core: Core, session: Session, rule: str) -> None:
    from hermes_tui.configuration import edit

    try:
        await asyncio.to_thread(edit.add, core.home, "policy.allow", rule)
        await core.settings.reload()
    except HermesError as error:
        text = f"the rule holds for this session only, it could not be saved: {error.message}"
        await session.add(Notice(text=text, hint=error.hint, level="warning"))


async def answer_question(core: Core, intent: intents.AnswerQuestion, face: Face) -> Any:
    """Answer a pending question."""
    return await (await core.session(intent.session)).answer_question(intent)


async def edit_input(core: Core, intent: intents.EditInput, face: Face) -> intents.Answered:
    """Change a waiting input."""
    session = await core.session(intent.session)
    return await session.edit_input(intent)


async def move_input(core: Core, intent: intents.MoveInput, face: Face) -> intents.Answered:
    """Put a waiting input somewhere else in the order."""
    session = await core.session(intent.session)
    return await session.move_input(intent)


async def run_shell(core: Core, intent: intents.RunShell, face: Face) -> Done:
    """Run a command in the person's own shell of the session; its end comes as an event."""
    session = await core.session(intent.session)
    core.spawn(session.run_shell(intent.command, intent.shell_id, intent.shared))
    return Done()


async def run_again(core: Core, intent: intents.RunAgain, face: Face) -> Done:
    """Run a tool call once more, beside the conversation."""
    from hermes_tui.runtime import again

    await again.begin(core, await core.session(intent.session), intent)
    return Done()


async def stop_shell(core: Core, intent: intents.StopShell, face: Face) -> Done:
    """Interrupt what runs in that shell."""
    (await core.session(intent.session)).stop_shell()
    return Done()
