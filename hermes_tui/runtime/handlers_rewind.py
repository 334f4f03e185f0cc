"""What the core does to go back: look, take back chat and files, list the checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import HermesError
from hermes_tui.runtime import branches
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def rewind(core: Core, intent: intents.Rewind, face: Face) -> intents.WentBack:
    """Take conversation, files or both back to just before a turn."""
    return await branches.rewind(core, await core.session(intent.session), intent)


async def look_back(core: Core, intent: intents.LookBack, face: Face) -> intents.BackView:
    """What going back would do to files."""
    from hermes_tui.runtime import going_back

    session = await core.session(intent.session)
    if intent.turn:
        pick = going_back.before_turn(intent.turn)
    elif intent.checkpoint:
        pick = going_back.by_id(intent.checkpoint)
    else:
        pick = going_back.last_change
    return await going_back.view(core, session, pick)


async def restore_files(core: Core, intent: intents.RestoreFiles, face: Face) -> intents.WentBack:
    """Take files back to a checkpoint, or undo their last change."""
    from hermes_tui.runtime import going_back

    session = await core.session(intent.session)
    if session.conversation.in_turn:
        raise HermesError("the agent is at work", "stop it first, or wait for the end of the turn")
    number = intent.checkpoint
    pick = going_back.by_id(number) if number else going_back.last_change
    wish = going_back.Wish(pick=pick, yours=intent.yours, face=intent.face)
    return await going_back.go_back(core, session, wish)


async def list_checkpoints(
    core: Core, intent: intents.ListCheckpoints, face: Face
) -> intents.CheckpointList:
    """The checkpoints of a session, newest first."""
    session = await core.session(intent.session)
    rows = await core.checkpoints.rows.of(session.key)
    listed = [
        intents.CheckpointInfo(
            id=row.id,
            turn=row.turn,
            kind=row.kind,
            made=row.made,
            files=row.files,
            bytes=row.bytes,
            changed=row.changed,
            ended=bool(row.after),
            problem=row.problem,
        )
        for row in reversed(rows)
    ]
    kept = core.checkpoints
    return intents.CheckpointList(
        checkpoints=tuple(listed), used=await kept.used(), budget=kept.budget
    )
