"""AgentDojo's tools as tools of ours: what each of them is to the policy, and the world it acts on.

Nobody classified these tools: their classes come from the words of their names and fields, by
rules that know no tool (`dojo_classes`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import msgspec
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.task_suite import TaskSuite
from dojo_classes import classify, may_hold_text, reaches

from hermes_tui.models.base import ToolSchema
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, Tool, ToolResult, summary


@dataclass
class Stage:
    """The world that is being acted on; `done` are the calls that really ran."""

    suite: TaskSuite[Any]
    world: Any = None
    done: list[FunctionCall] = field(default_factory=list)

    def tools(self) -> tuple[Tool, ...]:
        """All tools of the suite."""
        return tuple(DojoTool(self, one) for one in self.suite.tools)


class DojoTool(Tool):
    """One tool of a suite."""

    def __init__(self, stage: Stage, function: Any) -> None:
        self.function: str = function.name
        self.name = f"{stage.suite.name}.{function.name}"
        self.origin = self.words = stage.suite.name
        self.description = function.description
        schema = function.parameters.model_json_schema()
        self.schema = ToolSchema(name=self.name, description=self.description, parameters=schema)
        self.repeatable = False
        self._class = classify(function.name, schema)
        self._stage = stage

    def parse(self, arguments: str) -> dict[str, Any]:
        """The arguments; the suite itself checks their types."""
        return msgspec.json.decode(arguments or "{}")

    def action(self, arguments: dict[str, Any], cwd: str) -> Action:
        """What the call would do."""
        kind, sends = reaches(self._class, arguments)
        return Action(
            tool=self.name,
            kind=kind,
            title=summary(arguments),
            detail=json.dumps(arguments, sort_keys=True),
            sends=sends,
            rule=f"{self.name} {sends[0]}" if len(sends) == 1 else "",
        )

    def resource(self, arguments: dict[str, Any], cwd: str) -> str | None:
        """One after the other."""
        return self._stage.suite.name

    async def run(self, arguments: dict[str, Any], ctx: Context) -> ToolResult:
        """Do it to the world of this task."""
        stage = self._stage
        stage.done.append(FunctionCall(function=self.function, args=arguments))
        runtime = FunctionsRuntime(stage.suite.tools)
        result, error = runtime.run_function(stage.world, self.function, arguments)
        if error:
            return ToolResult(for_model=error, failed=True)
        text = tool_result_to_str(result)
        foreign = self._class.kind in ("read", "fetch") and may_hold_text(text)
        return ToolResult(for_model=text, untrusted=f"the {stage.suite.name}" if foreign else "")
