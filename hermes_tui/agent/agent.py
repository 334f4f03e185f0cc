"""What the loop needs: an agent (model, tools, limits) and the session it works in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from hermes_tui.agent.conversation import Conversation
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    QuestionAnswered,
    QuestionAsked,
    Transient,
)
from hermes_tui.models.base import Model, ToolSchema
from hermes_tui.security.audit import AuditEntry
from hermes_tui.security.policy import Action, Situation
from hermes_tui.security.secrets import Redactor
from hermes_tui.tools.base import Services, Tool


class Prefix(Struct, frozen=True, kw_only=True):
    """The first part of a session's prompt, frozen at its first turn.

    parts: what the system text is made of, as (name, bytes).
    """

    system: str
    tools: tuple[ToolSchema, ...]
    parts: tuple[tuple[str, int], ...] = ()


class Agent(Struct, frozen=True, kw_only=True):
    """Who answers in one turn. attempts: tries of a model request; parallel: calls at once.

    summariser: the model that shortens long conversations, None for the same one.
    """

    model: Model
    tools: Mapping[str, Tool]
    prefix: Prefix
    max_rounds: int = 200
    attempts: int = 4
    parallel: int = 8
    output_chars: int = 12_000
    summariser: Model | None = None
    price_in: float | None = None
    price_out: float | None = None


class TurnSession(Protocol):
    """The session as the loop sees it; `runtime.session.Session` is the one there is.

    protected: files that no tool may read or write; services: what its tools use of the core.
    """

    id: str
    cwd: str
    env: dict[str, str]
    outputs: str
    protected: tuple[str, ...]
    services: Services

    @property
    def conversation(self) -> Conversation:
        """Everything the log amounts to so far."""
        ...

    async def add(
        self, events: Sequence[Event] | Event, *, durable: bool = True, hold: bool = False
    ) -> None:
        """Store events, then show them.

        hold: keep them back until the next `add`, which stores both in one commit.
        durable=False: survives the death of the process, and of the machine with the next add.
        """
        ...

    def emit(self, event: Transient) -> None:
        """Show something that is not stored."""
        ...

    def take_steering(self) -> list[Event]:
        """What was typed meanwhile, entering the conversation now."""
        ...

    @property
    def steering_waiting(self) -> bool:
        """Whether something was typed that the model has not seen."""
        ...

    def situation(self) -> Situation:
        """Mode, workspace, presence and rules, as the policy wants them."""
        ...

    @property
    def redactor(self) -> Redactor:
        """Hides the home's secrets, and whatever looks like one."""
        ...

    async def know_sandbox(self) -> None:
        """Have `situation` know which sandbox there is; tried once in the life of a core."""
        ...

    def sandbox(self, command: str, egress: Any) -> Any:
        """What surrounds a process that is to be contained (`backends.sandbox.Sandbox`)."""
        ...

    async def record(self, *entries: AuditEntry) -> None:
        """Have entries in the audit log before what they are about happens."""
        ...

    def undo(self, action: Action) -> str:
        """How what an action changes could be brought back; empty: as its tool says."""
        ...

    async def checkpoint(self) -> None:
        """Keep how the folder is, before the turn's first effect that may change it."""
        ...

    async def approval(self, asked: ApprovalAsked) -> ApprovalAnswered:
        """Wait for the answer to an approval that was added."""
        ...

    async def question(self, asked: QuestionAsked) -> QuestionAnswered:
        """Wait for the answer to a question that was added."""
        ...
