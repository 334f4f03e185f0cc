"""A client whose core always answers the same, for pictures of the screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from hermes_tui import intents
from hermes_tui.errors import NotFoundError
from hermes_tui.events import Record
from hermes_tui.intents import SessionView
from tests.fakes import story, story_around


class CannedClient:
    """Answers from `tests.fakes.story`; `push` sends an event, `asked` has all intents."""

    def __init__(self, view: SessionView) -> None:
        self.view = view
        self.asked: list[Any] = []
        self.agents, self.jobs = story_around.AGENTS, story_around.JOBS
        self.gateways, self.learned = story_around.GATEWAYS, story_around.LEARNED
        self.new_facts = story_around.NEW_FACTS
        self._records: asyncio.Queue[Record] = asyncio.Queue()

    async def ask(self, intent: Any) -> Any:
        self.asked.append(intent)
        match intent:
            case intents.OpenSession():
                return self.view
            case intents.ListSessions():
                return intents.SessionList(sessions=(self.view.info, *story.SESSIONS))
            case intents.ListFacts(limit=40):
                return intents.FactList(facts=self.new_facts)
            case intents.ListFacts():
                found = story.FACTS if intent.query else (*story.FACTS, *story.CARD)
                return intents.FactList(facts=found, kept=312, told=24)
            case intents.ShowFact():
                return story.story_of(intent.which)
            case intents.Search():
                return intents.Hits(hits=story.HITS)
            case intents.ListSkills():
                return intents.SkillList(skills=story.SKILLS)
            case intents.ShowSkill():
                return story.skill_story(intent.name)
            case intents.CheckSkill():
                return story.check_of(intent.text)
            case intents.ReadSkill():
                return intents.Text(text=story.SKILL)
            case intents.ReadOutput():
                return intents.Text(text="\n".join(f"posts/{n}.html" for n in range(2000)))
            case intents.PromptHistory():
                return intents.Lines(lines=("earlier",))
            case intents.ListModels():
                return intents.ModelList(models=("opus", "sonnet"), current="opus")
            case intents.ListSettings():
                return intents.SettingList(settings=story.SETTINGS)
            case intents.ListProcesses():
                return intents.ProcessList(processes=story.PROCESSES)
            case intents.ListAgents():
                return intents.AgentList(agents=self.agents)
            case intents.ListJobs():
                return intents.JobList(jobs=self.jobs, awake=True)
            case intents.JobHistory():
                return intents.JobRuns(runs=())
            case intents.ListGateways():
                return intents.GatewayList(gateways=self.gateways)
            case intents.ShowLearning():
                return intents.LearningReport(on=True, skills=self.learned)
            case intents.ReadAgent():
                return intents.Text(text="48 of 2,311 files differ; looking into posts/ now\n")
            case intents.ReadProcess():
                return intents.Text(text="listening on 127.0.0.1:5173\n")
            case intents.GetStatus():
                return intents.CoreInfo(pid=1, version="0", started=0.0, home="/")
            case _:
                raise NotFoundError(f"the canned core does not know {type(intent).__name__}")

    async def events(self) -> AsyncIterator[Record]:
        while True:
            yield await self._records.get()

    def push(self, record: Record) -> None:
        self._records.put_nowait(record)

    async def close(self) -> None:
        return
