"""What a tool is: a typed function; content for the model and details for the screen apart."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, get_type_hints

import msgspec
from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.events import Picture, TodoItem
from hermes_tui.models.base import ToolSchema
from hermes_tui.security.policy import Action
from hermes_tui.tools.kit import Kit


class ToolResult(Struct, frozen=True, kw_only=True):
    """for_model is what the model reads, details what screens show (small, JSON-able).

    output_path and output_bytes: the whole output on disk, when it is more than for_model.
    untrusted: where text in it came from that neither the person nor the agent wrote, such as a
    host; found: addresses that a search returned, as they stand. pictures: what a model that
    sees gets beside the text.
    """

    for_model: str
    details: dict[str, Any] = {}
    failed: bool = False
    output_path: str = ""
    output_bytes: int = 0
    untrusted: str = ""
    found: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()


class Services(Protocol):
    """What the tools of one session use of the core."""

    @property
    def kit(self) -> Kit:
        """What the web and file tools share."""
        ...

    @property
    def processes(self) -> Any:
        """The core's background processes (`tools.processes.Processes`)."""
        ...

    @property
    def memory(self) -> Any:
        """What is remembered: `remember`, `forget` and `ask`, each for this session."""
        ...

    @property
    def recall(self) -> Any:
        """Search over all conversations: `find`, for this session."""
        ...

    @property
    def skills(self) -> Any:
        """The skills: `find`, `names` and `load`, each for this session."""
        ...

    @property
    def subagents(self) -> Any:
        """Work in sessions of its own: `begin`, `wait`, `list`, `stop`, `steer`."""
        ...

    @property
    def chats(self) -> Any:
        """Chats elsewhere: `send`, for this session."""
        ...

    @property
    def jobs(self) -> Any:
        """The jobs at set times: `add` for this session, and `keeping` for all of them."""
        ...


class Context(Services, Protocol):
    """What a running tool may use of its surroundings. One object a call.

    cwd: the session's working folder; env: the session's environment whitelist; outputs:
    folder for this session's long outputs; window_chars: how much the model may see of one
    result, in characters; protected: files that no tool may read or write; paths: real paths
    that were decided about.
    """

    session: str
    call_id: str
    cwd: str
    env: dict[str, str]
    outputs: str
    window_chars: int
    protected: tuple[str, ...]
    paths: tuple[str, ...]

    def progress(self, text: str) -> None:
        """Show more output of this call; cheap, coalesced."""
        ...

    async def ask(self, text: str, options: tuple[str, ...] = ()) -> str:
        """Ask the person and wait; raises ToolError when nobody is there to answer."""
        ...

    async def leave(self, action: Action, where: str) -> str:
        """Decide about, record and if need be ask for something besides the call, done `where`.

        Why it may not be done; empty when it may.
        """
        ...

    async def set_todo(self, items: tuple[TodoItem, ...]) -> None:
        """Replace the session's to-do list."""
        ...

    def sandbox(self, background: bool = False) -> Any:
        """What surrounds a process of this call (`backends.sandbox.Sandbox`); None for nothing.

        background: the process outlives the call.
        """
        ...

    def secrets_hidden(self) -> Any:
        """Hides secrets in a text that is kept on disk (`tools.output.TextStream`)."""
        ...

    def inner_calls(self) -> Any:
        """Makes calls of other tools for this one (`agent.inner_calls.InnerCalls`)."""
        ...

    def tools_shown(self) -> Mapping[str, Any]:
        """The session's tools by name."""
        ...

    def earlier(self, turn: int, call: str, find: str) -> str:
        """What was said or returned earlier in the conversation, as it was."""
        ...

    def waited(self) -> float:
        """Seconds this call has spent waiting for a person."""
        ...

    def tool_names(self) -> tuple[str, ...]:
        """All tools of the session."""
        ...


Body = Callable[..., Awaitable[ToolResult]]
Describe = Callable[[dict[str, Any], str], Action]


class Tool:
    """A tool: schema for the model, `describe` for the policy, `run` for the effect.

    repeatable: running it twice does no harm, so an interrupted call is simply run again.
    resource: two calls that name the same resource run one after the other; None = any order.
    words: what people say who need it, for `find_tools`. origin: the package or server it comes
    from, empty for the tools of this program.
    """

    origin = ""

    def __init__(
        self,
        body: Body,
        describe: Describe | None,
        repeatable: bool,
        resource: Callable[[dict[str, Any], str], str | None] | None,
        words: str = "",
    ) -> None:
        self.name = body.__name__
        self.body = body
        self.repeatable = repeatable
        self.words = words
        self._describe = describe
        self._resource = resource
        self.description, notes = _docs(body)
        self.arguments = _arguments(body)
        self.schema = ToolSchema(
            name=self.name,
            description=self.description,
            parameters=_schema(self.arguments, notes),
        )

    def parse(self, arguments: str) -> dict[str, Any]:
        """Arguments from the model's JSON; raises ToolError with a sentence it can act on."""
        try:
            made = msgspec.convert(
                msgspec.json.decode(arguments or "{}"), self.arguments, strict=False
            )
        except msgspec.MsgspecError as error:
            raise ToolError(f"bad arguments for {self.name}: {error}") from error
        return {name: getattr(made, name) for name in self.arguments.__struct_fields__}

    def action(self, arguments: dict[str, Any], cwd: str) -> Action:
        """What the call would do, for the policy and the approval card."""
        if self._describe is None:
            return Action(tool=self.name, kind="read", title=summary(arguments))
        return self._describe(arguments, cwd)

    def resource(self, arguments: dict[str, Any], cwd: str) -> str | None:
        """What the call needs for itself while it runs, such as a file it writes."""
        return self._resource(arguments, cwd) if self._resource else None

    async def run(self, arguments: dict[str, Any], ctx: Context) -> ToolResult:
        """Do it."""
        return await self.body(**arguments, ctx=ctx)


def tool(
    *,
    describe: Describe | None = None,
    repeatable: bool = False,
    resource: Callable[[dict[str, Any], str], str | None] | None = None,
    words: str = "",
) -> Callable[[Body], Tool]:
    """Make a tool of an async function.

    Its signature becomes the JSON schema, its docstring's first paragraph the description,
    lines of the form `name: text` the notes on its arguments. `describe(arguments, cwd)` tells
    the policy what the call would do; without it the tool only reads. `words`: what people say
    who need it, beside the words of the docstring; only `find_tools` reads them.
    """
    return lambda body: Tool(body, describe, repeatable, resource, words)


def summary(arguments: dict[str, Any], limit: int = 120) -> str:
    """The first argument as one line, for lists and cards."""
    first = next((str(value) for value in arguments.values() if value not in ("", None)), "")
    line = " ".join(first.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _docs(body: Body) -> tuple[str, dict[str, str]]:
    text = inspect.getdoc(body) or ""
    head, _, rest = text.partition("\n\n")
    names = set(inspect.signature(body).parameters)
    notes: dict[str, str] = {}
    last = ""
    for line in rest.splitlines():
        name, colon, note = line.partition(":")
        if colon and name.strip() in names:
            last = name.strip()
            notes[last] = note.strip()
        elif last and line.strip():
            notes[last] += " " + line.strip()
    return " ".join(head.split()), notes


def _arguments(body: Body) -> type[Struct]:
    hints = get_type_hints(body)
    fields: list[Any] = []
    for name, parameter in inspect.signature(body).parameters.items():
        if name == "ctx":
            continue
        if parameter.default is inspect.Parameter.empty:
            fields.append((name, hints[name]))
        else:
            fields.append((name, hints[name], parameter.default))
    return msgspec.defstruct(body.__name__, fields, kw_only=True, forbid_unknown_fields=False)


def _schema(arguments: type[Struct], notes: dict[str, str]) -> dict[str, Any]:
    (schema,), parts = msgspec.json.schema_components([arguments], ref_template="#/$defs/{name}")
    made = dict(parts.pop(arguments.__name__) if "$ref" in schema else schema)
    made.pop("title", None)
    for name, shown in made["properties"].items():
        if "$ref" in shown:  # an object stands where it is used: that is what models read best
            part = parts.pop(shown.pop("$ref").rpartition("/")[2])
            part["description"] = " ".join(part.get("description", "").split())
            made["properties"][name] = {**part, **shown}
    for name, note in notes.items():
        if name in made["properties"]:
            made["properties"][name] = {**made["properties"][name], "description": note}
    for part in parts.values():
        part.pop("title", None)
    return {**made, "$defs": parts} if parts else made
