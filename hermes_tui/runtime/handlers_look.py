"""What the core looks up for a face: history, search, skills, outputs, models, paths."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import ModelError
from hermes_tui.runtime import answers
from hermes_tui.runtime.face import Face
from hermes_tui.search.pattern import find_pattern
from hermes_tui.search.within import find_within

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def find(core: Core, intent: intents.Search, face: Face) -> intents.Hits:
    """Search all messages."""
    return await core.recall.find(intent)


async def find_in_session(core: Core, intent: intents.FindInSession, face: Face) -> intents.Found:
    """Find a text in one session."""
    pattern = find_pattern(intent.query, intent.regex)
    if pattern is None:
        return intents.Found()
    most = intent.limit
    found = await find_within(core.db, intent.session, pattern, intent.before, most + 1)
    return intents.Found(numbers=found[:most], more=len(found) > most)


async def read_output(core: Core, intent: intents.ReadOutput, face: Face) -> intents.Text:
    """The output of a call, whole if it was kept on disk."""
    ended = await core.log.output(intent.session, intent.call_id)
    path = Path(ended.output_path)
    folder = core.home.outputs / intent.session
    whole = None
    if ended.output_path and path.is_relative_to(folder):
        whole = await asyncio.to_thread(_part, path, intent.offset, intent.limit)
    if whole is None:
        whole = ended.for_model[intent.offset : intent.offset + intent.limit]
    return intents.Text(text=whole)


def _part(path: Path, offset: int, limit: int) -> str | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(limit).decode("utf-8", "replace")


async def prompt_history(core: Core, intent: intents.PromptHistory, face: Face) -> intents.Lines:
    """What was typed before."""
    return intents.Lines(lines=await core.log.typed(intent.limit))


async def list_models(core: Core, intent: intents.ListModels, face: Face) -> intents.ModelList:
    """The models the endpoint offers; a problem is told, not raised."""
    from hermes_tui.models.choose import list_models as ask

    current = core.config.model.name
    if 0 in (core.config.spend.day, core.config.spend.day_tokens):
        problem = "spend.day allows no call at all: no provider was asked what it offers"
        return intents.ModelList(current=current, problem=problem)
    try:
        names = await ask(core.config.model, core.home, dict(os.environ))
    except ModelError as error:
        return intents.ModelList(current=current, problem=str(error))
    return intents.ModelList(models=tuple(names), current=current)


async def run_command(core: Core, intent: intents.RunCommand, face: Face) -> intents.Text:
    """A command that the core answers with text."""
    session = await core.session(intent.session)
    if intent.command in ("bg", "btw"):
        from hermes_tui.runtime import handlers_agents

        said = await handlers_agents.answer(core, session, intent.command, intent.args)
        return intents.Text(text=said)
    return intents.Text(text=await answers.answer(core, session, intent.command, intent.args))


async def complete_path(core: Core, intent: intents.CompletePath, face: Face) -> intents.Lines:
    """Files of the session's folder that match what was typed."""
    session = await core.session(intent.session)
    names = await core.paths.find(session.cwd, intent.typed, intent.limit, session.env)
    return intents.Lines(lines=names)
