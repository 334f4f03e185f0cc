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
    """Run a job's script. What a person wrote is allowed by its exact text, and never more.

    What the agent wrote is decided as any command is with nobody there.
    """
    timeout = max(int(job.spec.limit_s), 1)
    arguments = json.dumps({"command": job.spec.script, "timeout_s": timeout})
    intent = CallTool(tool="run_command", arguments=arguments, standing=standing)

    def made(core: Core, intent: CallTool, call: ToolCall) -> Alone:
        return _Script(core, intent, call, job)

    return await run_alone(core, intent, made)


class _Script(Alone):
    """As any single call, but that a person's own command is allowed."""

    def __init__(self, core: Core, intent: CallTool, call: ToolCall, job: Job) -> None:
        super().__init__(core, intent, call)
        self._rules = (f"run_command {job.spec.script}",) if job.by == "person" else ()

    def situation(self) -> Situation:
        """As in any session, with nobody there."""
        here = super().situation()
        return replace(here, rules=(*here.rules, *self._rules))
