"""The gate every model call passes: allowed before it is sent, written down when it is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.events import Usage
from hermes_tui.models.base import Delta, Message, Model, Request

if TYPE_CHECKING:
    from hermes_tui.models.prices import Price

BYTES_A_TOKEN = 4.0
_SCHEMA_BYTES = 400
"""About how long the schema of a tool's arguments is."""


class Scope(Struct, frozen=True, kw_only=True):
    """On whose account a call is: a session, a job (cron, a subagent's parent), a kind of task."""

    session: str = ""
    job: str = ""
    task: str = "chat"


class Call:
    """A call about to be made. own: the model runs in this home, no provider is asked.

    tokens: about how many the prompt has.
    """

    def __init__(self, model: Metered | None, scope: Scope, tokens: int = 0) -> None:
        self.scope = scope
        self.tokens = tokens
        self._model = model

    @property
    def provider(self) -> str:
        """Id of the provider, empty for one of nobody known."""
        return self._model.provider if self._model is not None else ""

    @property
    def model(self) -> str:
        """As the provider calls the model."""
        return self._model.name if self._model is not None else ""

    @property
    def price(self) -> Price | None:
        """What it costs, None where that is not known; looked up when it is asked for."""
        return self._model.price if self._model is not None else None

    async def learn(self) -> None:
        """Ask the endpoint for a price that is not known."""
        if self._model is not None:
            await self._model.learn()

    @property
    def own(self) -> bool:
        """Whether it runs in this home and costs nobody anything."""
        return self.provider == "embedded"


class Gate(Protocol):
    """Who allows calls and keeps account of them (`runtime.spending.Spending`)."""

    async def allow(self, call: Call) -> int:
        """Let a call pass and open its account. Raises ModelError of kind `cap`."""
        ...

    def settle(self, account: int, usage: Usage, guessed: bool = False) -> None:
        """Close the account with what was used. guessed: the provider did not say."""
        ...


class Metered:
    """Wraps a model; nothing is sent that the gate does not let pass."""

    def __init__(
        self, model: Model, gate: Gate, scope: Scope, provider: str, price: Price | None
    ) -> None:
        self._model = model
        self._gate = gate
        self._scope = scope
        self._price = price
        self.provider = provider
        self.repairs_calls = model.repairs_calls

    @property
    def name(self) -> str:
        """As the provider calls the model."""
        return self._model.name

    @property
    def window(self) -> int:
        """Context size in tokens."""
        return self._model.window

    @property
    def price(self) -> Price | None:
        """What it costs, None where that is not known."""
        if self._price is not None:
            return self._price
        from hermes_tui.models.prices import Price, price_of

        told = getattr(self._model, "told_prices", None)
        if told is not None:
            return Price(prompt=told[0], completion=told[1], cached=told[2])
        return price_of(self.name, self.provider)

    async def learn(self) -> None:
        """Ask the endpoint what it says of the model, if it was not asked yet."""
        learn = getattr(self._model, "learn_prices", None)
        if learn is not None:
            await learn()

    def __getattr__(self, name: str) -> Any:
        """What else the model has, such as whether it sees."""
        return getattr(self._model, name)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request if that is allowed; the usage that comes back has its cost."""
        call = Call(self, self._scope, guess(request))
        account = await self._gate.allow(call)
        used, made, begun = None, 0, False
        try:
            async for delta in self._model.stream(request):
                begun = True
                made += len(delta.text) + len(delta.reasoning)
                made += sum(len(one.arguments) for one in delta.calls)
                if delta.usage is not None:
                    used = self._priced(delta.usage)
                    delta = replace(delta, usage=used)
                yield delta
        finally:
            unsaid = Usage(prompt=call.tokens, completion=round(made / BYTES_A_TOKEN))
            told = used or (self._priced(unsaid) if begun else Usage())
            self._gate.settle(account, told, guessed=used is None and begun)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def _priced(self, usage: Usage) -> Usage:
        if usage.cost is not None or self.price is None:
            return usage
        return replace(usage, cost=self.price.of(usage))


def guess(request: Request) -> int:
    """About how many tokens a request has."""
    tools = sum(len(one.description) + _SCHEMA_BYTES for one in request.tools)
    return round((len(request.system) + tools + _length(request.messages)) / BYTES_A_TOKEN)


def _length(messages: Sequence[Message]) -> int:
    calls = sum(len(call.arguments) for one in messages for call in one.calls)
    return calls + sum(len(one.content) for one in messages)
