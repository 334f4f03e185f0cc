"""What a server may ask for while one of its tools runs: an answer of the person, or of the model.

Both go to the person who is there in that session. Nobody there, or no call under way: refused.
A server never learns more than what was typed for it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.mcp.accepted import visible
from hermes_tui.mcp.servers import Server
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context
from hermes_tui.tools.plain_text import clean

if TYPE_CHECKING:
    import mcp_types

ALLOW, REFUSE = "allow", "refuse"
_MOST_ASKS = 10
"""Questions in one call; a server that asks on and on is refused."""
_MOST_TOKENS = 4096
_MOST_SHOWN = 20_000
"""Characters; what is longer is refused unread."""
_MOST_OPTIONS = 8
_YES, _NO = "yes", "no"


class Wanted(Struct, frozen=True, kw_only=True):
    """What a server wants of the model: messages as (role, text), without what nobody sees."""

    session: str
    system: str
    messages: tuple[tuple[str, str], ...]
    max_tokens: int


class Said(Struct, frozen=True, kw_only=True):
    """What the model answered, and which one it was."""

    text: str
    model: str


Complete = Callable[[Wanted], Awaitable[Said]]


class _Running:
    """A call under way."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.asks = 0


class Asking:
    """Answers one server's questions through the session whose call is under way."""

    def __init__(self, name: str, server: Server) -> None:
        self.name = name
        self.server = server
        self.complete: Complete | None = None
        self._running: list[_Running] = []
        self._since: dict[object, float] = {}
        self._waited = 0.0

    @contextmanager
    def during(self, ctx: Context) -> Generator[None]:
        """While a call of this context runs, the server may ask."""
        one = _Running(ctx)
        self._running.append(one)
        try:
            yield
        finally:
            self._running.remove(one)

    # --- the model -----------------------------------------------------------------------

    async def sampling(self, context: Any, params: mcp_types.CreateMessageRequestParams) -> Any:
        """Let the model answer, if the person allows it."""
        import mcp_types

        running = self._latest()
        if running is None or self.complete is None:
            return _refused("no call is under way that it could belong to")
        wanted = Wanted(
            session=running.ctx.session,
            system=visible(params.system_prompt or ""),
            messages=tuple((one.role, visible(_text_of(one.content))) for one in params.messages),
            max_tokens=min(params.max_tokens, _MOST_TOKENS),
        )
        try:
            self._count(running)
            with self._waiting():
                place = f"the server {self.name}"
                if why := await running.ctx.leave(self._action(wanted), place):
                    return _refused(why)
                said = await self.complete(wanted)
        except HermesError as error:
            return _refused(error.message)
        return mcp_types.CreateMessageResult(
            role="assistant",
            content=mcp_types.TextContent(type="text", text=said.text),
            model=said.model,
            stop_reason="endTurn",
        )

    def _action(self, wanted: Wanted) -> Action:
        """What is asked for, with all that the model would read."""
        texts = [("system", wanted.system)] if wanted.system else []
        shown = "\n\n".join(f"[{role}]\n{text}" for role, text in (*texts, *wanted.messages))
        if len(shown) > _MOST_SHOWN:
            raise HermesError(f"it is longer than a person can check: {len(shown):,} characters")
        return Action(
            tool=f"{self.name}.sampling",
            kind="spend",
            title=f"let your model answer {self.name}, at most {wanted.max_tokens:,} tokens",
            detail=shown,
            undo="the server gets the answer",
        )

    # --- the network ---------------------------------------------------------------------

    async def may_reach(self, host: str) -> bool:
        """Whether the server's program may reach a host, while one of its tools runs."""
        running = self._latest()
        if running is None:
            return False
        action = Action(
            tool=f"{self.name}.network",
            kind="send",
            title=f"let the server {self.name} reach {host}",
            detail=f"{self.server.line}\n{host}",
            sends=(host,),
            undo="what was sent can't be taken back",
        )
        try:
            self._count(running)
            with self._waiting():
                return not await running.ctx.leave(action, "local, through the sandbox's proxy")
        except HermesError:
            return False

    # --- the person ----------------------------------------------------------------------

    async def elicitation(self, context: Any, params: mcp_types.ElicitRequestParams) -> Any:
        """Ask the person what the server wants to know, one field after the other."""
        import mcp_types

        running = self._latest()
        if running is None:
            return mcp_types.ElicitResult(action="cancel")
        try:
            if isinstance(params, mcp_types.ElicitRequestURLParams):
                return await self._to_address(running, params)
            return await self._form(running, params)
        except HermesError:
            return mcp_types.ElicitResult(action="cancel")

    async def _to_address(self, running: _Running, params: Any) -> Any:
        import mcp_types

        text = f"The server {self.name} wants you to open this address yourself: {params.url}\n"
        answer = await self._ask(running, text + params.message, ("opened", REFUSE))
        return mcp_types.ElicitResult(action="accept" if answer == "opened" else "decline")

    async def _form(self, running: _Running, params: Any) -> Any:
        import mcp_types

        fields: dict[str, dict[str, Any]] = dict(params.requested_schema.get("properties") or {})
        required: list[str] = list(params.requested_schema.get("required") or ())
        head = f"The server {self.name} asks: {params.message}"
        if not fields:
            answer = await self._ask(running, head, (ALLOW, REFUSE))
            action = "accept" if answer == ALLOW else "decline"
            return mcp_types.ElicitResult(action=action, content={} if answer == ALLOW else None)
        content: dict[str, Any] = {}
        for name, field in fields.items():
            value = await self._field(running, head, (name, field), name in required)
            if value is _REFUSED:
                return mcp_types.ElicitResult(action="decline")
            if value is not None:
                content[name] = value
        return mcp_types.ElicitResult(action="accept", content=content)

    async def _field(
        self, running: _Running, head: str, named: tuple[str, dict[str, Any]], required: bool
    ) -> Any:
        """What the person says for one field; asked again once when it does not fit."""
        name, field = named
        title = str(field.get("title") or name)
        about = f" ({field['description']})" if field.get("description") else ""
        choices = choices_of(field)
        options = (*choices[:_MOST_OPTIONS], REFUSE)
        why = ""
        for _ in range(2):
            text = f"{head}\n{title}{about}{'' if required else ', or nothing'}{why}"
            answer = (await self._ask(running, text, options)).strip()
            if answer == REFUSE:
                return _REFUSED
            if not answer and not required:
                return field.get("default")
            try:
                value = value_of(answer, field)
            except ValueError as error:
                why = f"\n{error}"
                continue
            return value if await self._may_have(running, answer) else _REFUSED
        return _REFUSED

    async def _may_have(self, running: _Running, answer: str) -> bool:
        """Whether a server may have an answer: the person is asked again about a secret."""
        hidden = running.ctx.secrets_hidden()
        if hidden is None or hidden.feed(answer) + hidden.finish() == answer:
            return True
        text = f"What you typed looks like a secret. Shall the server {self.name} have it?"
        return await self._ask(running, text, (REFUSE, ALLOW)) == ALLOW

    # --- both ----------------------------------------------------------------------------

    async def _ask(self, running: _Running, text: str, options: tuple[str, ...]) -> str:
        self._count(running)
        with self._waiting():
            return await running.ctx.ask(clean(text), options)

    @contextmanager
    def _waiting(self) -> Generator[None]:
        mark = object()
        self._since[mark] = time.monotonic()
        try:
            yield
        finally:
            self._waited += time.monotonic() - self._since.pop(mark)

    def waited(self) -> float:
        """Seconds in which the server has waited for us."""
        now = time.monotonic()
        return self._waited + max((now - one for one in self._since.values()), default=0.0)

    def _count(self, running: _Running) -> None:
        running.asks += 1
        if running.asks > _MOST_ASKS:
            raise HermesError(f"the server {self.name} asks too much")

    def _latest(self) -> _Running | None:
        return self._running[-1] if self._running else None


_REFUSED = object()


def choices_of(field: dict[str, Any]) -> tuple[str, ...]:
    """The answers a field has, where there are few."""
    if field.get("type") == "boolean":
        return (_YES, _NO)
    listed: list[Any] = field.get("enum") or [
        one.get("const") for one in field.get("oneOf") or () if isinstance(one, dict)
    ]
    return tuple(str(one) for one in listed)


def value_of(answer: str, field: dict[str, Any]) -> Any:
    """An answer as the field's type. Raises ValueError with a sentence."""
    kind = field.get("type", "string")
    if kind == "boolean":
        if answer.lower() not in (_YES, _NO, "y", "n", "true", "false"):
            raise ValueError("answer yes or no")
        return answer.lower() in (_YES, "y", "true")
    if kind in ("integer", "number"):
        return _number(answer, field, kind)
    if kind == "array":
        return [part.strip() for part in answer.split(",") if part.strip()]
    choices = choices_of(field)
    if choices and answer not in choices:
        raise ValueError(f"it must be one of {', '.join(choices)}")
    if len(answer) < int(field.get("minLength") or 0):
        raise ValueError(f"it must have at least {field['minLength']} characters")
    return answer


def _number(answer: str, field: dict[str, Any], kind: str) -> int | float:
    try:
        value = int(answer) if kind == "integer" else float(answer)
    except ValueError:
        raise ValueError("answer with a number") from None
    low, high = field.get("minimum"), field.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        raise ValueError(f"it must lie between {low} and {high}")
    return value


def _text_of(content: Any) -> str:
    parts = cast("list[Any]", content if isinstance(content, list) else [content])
    return "\n".join(getattr(one, "text", "") or f"[{one.type}]" for one in parts)


def _refused(why: str) -> Any:
    import mcp_types

    return mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message=f"not answered: {why}")
