"""The script of a job: one command, decided, contained and recorded as any call of a tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.cron.jobs import Job
from hermes_tui.events import ToolCall
from hermes_tui.intents import Standing
from hermes_tui.intents.tools import CallTool, ToolCalled
from hermes_tui.runtime.tool_call import Alone, run_alone
from hermes_tui.security.policy import Situation

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def run_script(core: Core, job: Job, standing: Standing) -> ToolCalled:
    """Run a job's script. That very command was allowed when the job was made, no other."""
    timeout = max(int(job.spec.limit_s), 1)
    arguments = json.dumps({"command": job.spec.script, "timeout_s": timeout})
    intent = CallTool(tool="run_command", arguments=arguments, standing=standing)

    def made(core: Core, intent: CallTool, call: ToolCall) -> Alone:
        return _Script(core, intent, call, job.spec.script)

    return await run_alone(core, intent, made)


class _Script(Alone):
    """As any single call, but that its one command is allowed."""

    def __init__(self, core: Core, intent: CallTool, call: ToolCall, script: str) -> None:
        super().__init__(core, intent, call)
        self._rule = f"run_command {script}"

    def situation(self) -> Situation:
        """As in any session, with nobody there, and the script allowed by its exact text."""
        here = super().situation()
        return replace(here, rules=(*here.rules, self._rule))
