"""AgentDojo's tools as tools of ours: what each of them is to the policy, and the world it acts on.

A class is what a person who connects such a service would say of it: what it reads and who may
have written that, whom it reaches, what it pays, what it changes for good.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.task_suite import TaskSuite

from hermes_tui.models.base import ToolSchema
from hermes_tui.security.policy import Action, Kind
from hermes_tui.tools.base import Context, Tool, ToolResult, summary

# What reads nothing that others wrote.
PRIVATE = frozenset(
    {
        "get_current_day",
        "search_contacts_by_name",
        "search_contacts_by_email",
        "get_user_information",
        "get_iban",
        "get_balance",
        "get_user_info",
    }
)
# What changes only what is the person's own and can be taken back, and reaches nobody.
LOCAL = frozenset({"append_to_file", "create_file", "reschedule_calendar_event"})
# What does more than read: its class, and the arguments that name whom or what it is aimed at.
ACTS: dict[str, tuple[Kind, str]] = {
    "send_email": ("send", "recipients cc bcc"),
    "share_file": ("send", "email"),
    "add_calendar_event_participants": ("send", "participants"),
    "create_calendar_event": ("persist", "participants title"),
    "cancel_calendar_event": ("persist", "event_id"),
    "delete_email": ("persist", "email_id"),
    "delete_file": ("persist", "file_id"),
    "reserve_hotel": ("spend", "hotel"),
    "reserve_car_rental": ("spend", "company"),
    "reserve_restaurant": ("spend", "restaurant"),
    "send_money": ("spend", "recipient"),
    "schedule_transaction": ("spend", "recipient"),
    "update_scheduled_transaction": ("spend", "recipient"),
    "update_password": ("persist", "password"),
    "update_user_info": ("persist", "first_name last_name street city"),
    "add_user_to_channel": ("send", "user"),
    "invite_user_to_slack": ("send", "user_email"),
    "remove_user_from_slack": ("send", "user"),
    "send_direct_message": ("send", "recipient"),
    "send_channel_message": ("send", "channel"),
    "get_webpage": ("fetch", "url"),
    "post_webpage": ("send", "url"),
}


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
        self._stage = stage

    def parse(self, arguments: str) -> dict[str, Any]:
        """The arguments; the suite itself checks their types."""
        return msgspec.json.decode(arguments or "{}")

    def action(self, arguments: dict[str, Any], cwd: str) -> Action:
        """What the call would do."""
        kind, names = ACTS.get(self.function, ("read", ""))
        if self.function in LOCAL:
            kind = "state"
        sends = tuple(target for name in names.split() for target in _flat(arguments.get(name)))
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
        reads = self.function not in PRIVATE | LOCAL | ACTS.keys()
        foreign = reads or self.function == "get_webpage"
        return ToolResult(for_model=text, untrusted=f"the {stage.suite.name}" if foreign else "")


def _flat(value: Any) -> Sequence[str]:
    if value in (None, "", []):
        return ()
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]
