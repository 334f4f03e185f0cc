"""`/memory`, `/remember`, `/forget` and `/me`, answered as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import HermesError
from hermes_tui.intents.memory import CARD, Fact, Kind
from hermes_tui.memory import asking, moving
from hermes_tui.memory.finding import short
from hermes_tui.runtime import handlers_memory as handlers
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_TITLES: dict[Kind, str] = {
    "about": "About you",
    "instruction": "Standing instructions",
    "preference": "Preferences",
    "pattern": "Working patterns",
    "expertise": "Expertise",
    "relation": "Relations",
    "project": "Projects",
    "fact": "Notes",
}
_ME = "/me, /me QUESTION, /me edit ID TEXT, /me forget ID|TEXT, /me undo, /me export"
_NOBODY = Face("memory")


async def memory(core: Core, session: Session, args: str) -> str:
    """How much is kept and how much of it this session was told; what fits a text."""
    intent = intents.ListFacts(query=args, session=session.id, limit=20)
    found = await handlers.list_facts(core, intent, _NOBODY)
    settings = core.config.memory
    head = (
        f"**Memory**: {found.kept:,} statements kept, {found.told} of them told to this session"
        f" (up to {settings.prompt_bytes:,} bytes at its start, then what changes and what fits)."
    )
    head += "" if settings.enabled else " It is switched off (memory.enabled)."
    if core.memory.memory.beside is not None and core.memory.memory.beside.trouble:
        head += f"\n\n! {core.memory.memory.beside.trouble}"
    lines = [_row(fact) for fact in found.facts]
    none = "\nNothing fits." if args else "\nNothing is remembered yet."
    return "\n".join([head, "", *lines] if lines else [head + none])


async def me(core: Core, session: Session, args: str) -> str:
    """The user card; or a question about it, or a change of it."""
    word, _, rest = args.partition(" ")
    rest = rest.strip()
    match word:
        case "":
            return await _card(core, session)
        case "edit":
            return await _edit(core, rest)
        case "forget":
            intent = intents.ForgetFact(which=_need(rest, "/me forget ID|TEXT"))
            return _done(await handlers.forget_fact(core, intent, _NOBODY))
        case "undo" if not rest:
            return _done(await handlers.undo_memory(core, intents.UndoMemory(), _NOBODY))
        case "export" if not rest:
            text = await moving.export(core.memory.memory.facts, "user")
            return f"```\n{text}```" if text else "There is nothing to export."
        case _:
            return await handlers.answer(core, args, session.id)


async def remember(core: Core, session: Session, args: str) -> str:
    """Remember a statement as the person's own."""
    intent = intents.AddFact(text=_need(args.strip(), "/remember TEXT"), session=session.id)
    return _done(await handlers.add_fact(core, intent, _NOBODY))


async def forget(core: Core, session: Session, args: str) -> str:
    """Forget one, by its id or words of it; it can be taken back."""
    intent = intents.ForgetFact(which=_need(args.strip(), "/forget ID|TEXT"))
    return _done(await handlers.forget_fact(core, intent, _NOBODY))


async def _card(core: Core, session: Session) -> str:
    intent = intents.ListFacts(session=session.id, card=True)
    found = (await handlers.list_facts(core, intent, _NOBODY)).facts
    if not found:
        return (
            "Nothing is noted about you yet. Say «remember that …», or wait: the agent notes what"
            " lasts.\n\n" + _ME
        )
    parts: list[str] = []
    for kind in CARD:
        of_kind = [fact for fact in found if fact.kind == kind and fact.state != "candidate"]
        if of_kind:
            parts += [f"**{_TITLES[kind]}**", "", *map(asking.told, of_kind), ""]
    waiting = [fact for fact in found if fact.state == "candidate"]
    if waiting:
        parts += ["**Not confirmed**", "", *map(asking.told, waiting[:20]), ""]
    return "\n".join([*parts, _ME])


async def _edit(core: Core, rest: str) -> str:
    which, _, text = _need(rest, "/me edit ID TEXT").partition(" ")
    intent = intents.EditFact(which=which, text=_need(text.strip(), "/me edit ID TEXT"))
    return _done(await handlers.edit_fact(core, intent, _NOBODY))


def _done(written: intents.Written) -> str:
    back = f" (`hermes memory undo {written.batch}` takes it back)" if written.batch else ""
    return written.text + back


def _need(text: str, usage: str) -> str:
    if not text:
        raise HermesError("something is missing", usage)
    return text


def _row(fact: Fact) -> str:
    state = "" if fact.state == "current" else f" ({fact.state})"
    return f"- {fact.id} {short(fact.text, 120)}{state}"


def titles() -> Sequence[tuple[Kind, str]]:
    """(kind, heading) in the order of the card."""
    return tuple(_TITLES.items())
