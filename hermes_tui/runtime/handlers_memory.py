"""What the core does about memory when a face asks: look, write, take back, ask, move."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import Fact, Source
from hermes_tui.memory import asking, moving, saying
from hermes_tui.memory.choosing import origin
from hermes_tui.memory.facts import Wish, source
from hermes_tui.memory.finding import short
from hermes_tui.memory.place import Place, visible
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.remembering import SECRET, SECRET_HINT, Remembering
from hermes_tui.search.index import Asking, look
from hermes_tui.search.where import Asker

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_HITS = 5


async def list_facts(core: Core, intent: intents.ListFacts, face: Face) -> intents.FactList:
    """Statements, and how many of them there are in all."""
    facts = core.memory.memory.facts
    found = await facts.list(
        intent.query, card=intent.card, everything=intent.everything, limit=intent.limit
    )
    place = await _place(core, intent.session)
    if place.person or place.chat or place.group:
        found = tuple(one for one in found if visible(one, place))
    told = await facts.told(intent.session) if intent.session else 0
    return intents.FactList(facts=found, kept=await facts.count(), told=told)


async def show_fact(core: Core, intent: intents.ShowFact, face: Face) -> intents.FactStory:
    """Everything about one statement."""
    return await core.memory.memory.facts.story(intent.which)


async def add_fact(core: Core, intent: intents.AddFact, face: Face) -> intents.Written:
    """Remember what a person states."""
    remembering = core.memory
    await _no_secret(remembering, intent.text)
    wish = Wish(
        text=intent.text,
        kind=intent.kind,
        scope=intent.scope,
        where=intent.place,
        source=source("user", intent.session),
    )
    outcome, batch = await remembering.memory.remember(wish, await _place(core, intent.session))
    facts = (outcome.fact, *outcome.replaced)
    return _written(remembering, saying.of_outcome(outcome), batch, facts)


async def edit_fact(core: Core, intent: intents.EditFact, face: Face) -> intents.Written:
    """Change a statement."""
    remembering = core.memory
    await _no_secret(remembering, intent.text)
    fact, batch, replaced = await remembering.memory.facts.edit(intent, Place())
    text = f"{fact.id} is now «{short(fact.text)}»"
    text += f", {fact.state}" if fact.state != "current" else ""
    text += f"; it replaces {', '.join(one.id for one in replaced)}" if replaced else ""
    if intent.pinned is not None:
        text += ", pinned" if fact.pinned else ", not pinned"
    return _written(remembering, text + ".", batch, (fact, *replaced))


async def merge_facts(core: Core, intent: intents.MergeFacts, face: Face) -> intents.Written:
    """Make one statement of two."""
    remembering = core.memory
    fact, batch = await remembering.memory.facts.merge(intent.keep, intent.other, intent.text)
    return _written(remembering, f"Merged into {fact.id} «{short(fact.text)}».", batch, (fact,))


async def forget_fact(core: Core, intent: intents.ForgetFact, face: Face) -> intents.Written:
    """Forget a statement."""
    remembering = core.memory
    if intent.erase:
        fact = await remembering.memory.facts.erase(intent.which)
        text = f"Erased {fact.id} for good. What was said in sessions is still in their logs."
        return _written(remembering, text, 0, ())
    fact, batch = await remembering.memory.facts.forget(intent.which)
    return _written(remembering, f"Forgot {fact.id} «{short(fact.text)}».", batch, (fact,))


async def undo_memory(core: Core, intent: intents.UndoMemory, face: Face) -> intents.Written:
    """Take a write back."""
    remembering = core.memory
    facts, batch = await remembering.memory.facts.undo(intent.batch)
    return _written(remembering, saying.of_undo(facts), batch, tuple(facts))


async def ask_memory(core: Core, intent: intents.AskMemory, face: Face) -> intents.Text:
    """Answer a question about the person, with sources."""
    return intents.Text(text=await answer(core, intent.question, intent.session))


async def export_memory(core: Core, intent: intents.ExportMemory, face: Face) -> intents.Text:
    """Everything that counts, as the text of a file."""
    return intents.Text(text=await moving.export(core.memory.memory.facts, intent.what))


async def import_memory(core: Core, intent: intents.ImportMemory, face: Face) -> intents.Written:
    """Take in the text of a file."""
    remembering = core.memory
    await _no_secret(remembering, intent.text)
    moved = await moving.take_in(
        remembering.memory.facts,
        intent.text,
        intent.what,
        replace=intent.replace,
        force=intent.force,
    )
    return _written(remembering, str(moved), moved.batch, ())


async def answer(core: Core, question: str, session: str) -> str:
    """A Markdown answer about the person: what is noted, what was said, or not known."""
    if not question.strip():
        raise HermesError("there is no question", "/me QUESTION")
    place = await _place(core, session)
    found = await core.memory.memory.ask(question, session, place)
    if found.text:
        read = [f"- {origin(one)} ({one.message})" for one in found.sources]
        return "\n".join([found.text, *(["", "Read for it:", *read] if read else [])])
    said = await _said(core, question, place)
    return "\n".join(
        [asking.NOT_KNOWN, *(["", "Said in sessions, not noted:", *said] if said else [])]
    )


async def _said(core: Core, question: str, place: Place) -> list[str]:
    """What a person said that has every word of a question, as far as it may come up here."""
    asker = Asker(person=place.person, chat=place.chat, group=place.group)
    found = await look(core.db, Asking(text=question, limit=50, asker=asker))
    good = [
        hit for hit in found.hits if hit.role == "user" and asking.holds_all(question, hit.text)
    ]
    lines: list[str] = []
    for hit in good[:_HITS]:
        by = Source(who="user", session=hit.session, ts=hit.ts, title=hit.title)
        lines.append(f"- «{short(hit.text, 160)}» ({origin(by)}; {hit.message})")
    return lines


async def _place(core: Core, session: str) -> Place:
    found = await core.session(session) if session else None
    return await core.memory.place_of(found)


async def _no_secret(remembering: Remembering, text: str) -> None:
    """Raises HermesError for a text that holds a secret."""
    if text and await asyncio.to_thread(remembering.holds_secret, text):
        raise HermesError(SECRET, SECRET_HINT)


def _written(
    remembering: Remembering, text: str, batch: int, facts: tuple[Fact, ...]
) -> intents.Written:
    remembering.changed(text, batch)
    return intents.Written(text=text, batch=batch, facts=facts)
