"""What the core does with subagents for faces: list, stop, steer, begin; a question beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.intents import AgentInfo, Done
from hermes_tui.runtime.agent_transcript import transcript
from hermes_tui.runtime.face import Face
from hermes_tui.store.subagents import Row

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session


async def list_agents(core: Core, intent: intents.ListAgents, face: Face) -> intents.AgentList:
    """All of them, those that run first."""
    found = await core.subagents.list(intent.session, intent.limit)
    return intents.AgentList(agents=tuple(_info(core, row) for row in found))


async def read_agent(core: Core, intent: intents.ReadAgent, face: Face) -> intents.Text:
    """What one has said and done."""
    found = await core.subagents.list()
    row = next((one for one in found if one.id == intent.agent), None)
    if row is None:
        raise NotFoundError(f"there is no subagent {intent.agent!r}", "/agents lists them")
    records = await core.log.read(row.session)
    live = core.sessions.get(row.session)
    partial = live.partial if live is not None else ""
    return intents.Text(text=transcript(records, partial, intent.limit))


async def stop_agent(core: Core, intent: intents.StopAgent, face: Face) -> Done:
    """Stop one."""
    await core.subagents.stop(intent.agent, "stopped by a person")
    return Done()


async def steer_agent(core: Core, intent: intents.SteerAgent, face: Face) -> Done:
    """Tell one something more."""
    if not intent.text.strip():
        raise HermesError("there is nothing to tell it")
    await core.subagents.steer(intent.agent, intent.text, face.name)
    return Done()


async def begin_agent(core: Core, intent: intents.BeginAgent, face: Face) -> AgentInfo:
    """Have a text worked on in a session of its own."""
    return _info(core, await _begin(core, await core.session(intent.session), intent.text))


async def _begin(core: Core, session: Session, text: str) -> Row:
    text = text.strip()
    if not text:
        raise HermesError("there is nothing to do", "write it after the command: /bg TEXT")
    talk = session.conversation
    row = Row(
        id="",
        parent=session.id,
        session="",
        goal=session.redactor.redact_held(text).text,
        aim="bg",
        cwd=session.cwd,
        env=session.env,
        attended=True,
        mode=talk.mode,
        model=talk.model,
    )
    (begun,) = await core.subagents.begin([row])
    return begun


async def answer(core: Core, session: Session, command: str, text: str) -> str:
    """The answer to `/bg` and `/btw`; the model's comes as an event."""
    if command == "bg":
        row = await _begin(core, session, text)
        return f"It is worked on as {row.id}, in a session of its own; its answer appears here."
    from hermes_tui.runtime import aside

    await aside.begin(core, session, text)
    return "Asked beside the conversation; the answer appears here."


async def ask_aside(core: Core, intent: intents.AskAside, face: Face) -> Done:
    """Ask about the conversation without adding to it."""
    from hermes_tui.runtime import aside

    await aside.begin(core, await core.session(intent.session), intent.text)
    return Done()


def _info(core: Core, row: Row) -> AgentInfo:
    live = core.sessions.get(row.session)
    asks = live is not None and (live.conversation.approvals or live.conversation.questions)
    usage = live.conversation.usage if live is not None else None
    running = row.state == "running"
    return AgentInfo(
        id=row.id,
        session=row.session,
        parent=row.parent,
        goal=row.goal,
        state="waiting" if running and asks else row.state,
        aim=row.aim,
        depth=row.depth,
        started=row.started,
        ended=row.ended,
        tokens=usage.prompt + usage.completion if running and usage else row.used,
        steps=live.conversation.step if running and live else row.steps,
        text=row.text,
        why=row.why,
    )
