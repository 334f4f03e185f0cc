"""What the rail asks the core for below the sessions, and what happened that makes it ask."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec.structs import replace

from hermes_tui.events import (
    Event,
    GatewaysChanged,
    JobsChanged,
    MemoryChanged,
    SkillsChanged,
)
from hermes_tui.intents import (
    ListAgents,
    ListFacts,
    ListGateways,
    ListJobs,
    ListProcesses,
    ShowLearning,
)
from hermes_tui.ui.face import Face
from hermes_tui.ui.rail_around import Around, midnight, of_today

Part = Literal["background", "scheduled", "gateways", "facts", "skills"]
PARTS: tuple[Part, ...] = get_args(Part)
_MOST = 40


def parts_of(event: Event) -> set[Part]:
    """The parts that an event may have changed, beside the first one, which is always asked."""
    match event:
        case JobsChanged():
            return {"scheduled"}
        case GatewaysChanged():
            return {"gateways"}
        case MemoryChanged():
            return {"facts"}
        case SkillsChanged():
            return {"skills"}
        case _:
            return set()


async def anew(face: Face, around: Around, part: Part) -> Around:
    """The same with one part as it is now. Raises HermesError."""
    match part:
        case "background":
            processes = (await face.ask(ListProcesses())).processes
            agents = (await face.ask(ListAgents())).agents
            return replace(around, processes=processes, agents=agents)
        case "scheduled":
            return replace(around, jobs=(await face.ask(ListJobs())).jobs)
        case "gateways":
            return replace(around, gateways=(await face.ask(ListGateways(set_up=True))).gateways)
        case "facts":
            facts = (await face.ask(ListFacts(limit=_MOST))).facts
            return replace(around, facts=of_today(facts, face.now()))
        case "skills":
            since = midnight(face.now())
            days = (face.now() - since) / 86_400
            skills = (await face.ask(ShowLearning(days=days))).skills
            fresh = (one for one in skills if one.since >= since or one.state == "proposed")
            return replace(around, skills=tuple(fresh))
