"""The tools of a session: a few the model is told of, and all others that `find_tools` finds.

The schemas that are sent are the same for ever, however many tools there are. A tool of the
second kind is a row of `FOUND`; its module is imported when it is looked for or used.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, Literal

from hermes_tui.config import ToolsConfig
from hermes_tui.models.base import ToolSchema
from hermes_tui.tools.ask import ask_user
from hermes_tui.tools.base import Tool
from hermes_tui.tools.files import edit_file, read_file, write_file
from hermes_tui.tools.find import find_tools_in, use_tool
from hermes_tui.tools.memory import remember
from hermes_tui.tools.search_files import search_files
from hermes_tui.tools.shell import process, run_command_tool
from hermes_tui.tools.skills import use_skill
from hermes_tui.tools.todo import todo

Profile = Literal["full", "lean"]
MOST_SHOWN = 12
"""Schemas sent with every prompt, `find_tools` and `use_tool` included."""

FOUND: dict[str, str] = {
    "recall": "hermes_tui.tools.recall:recall",
    "read_earlier": "hermes_tui.tools.earlier:read_earlier",
    "run_code": "hermes_tui.tools.code:run_code_tool",
    "delegate": "hermes_tui.tools.delegate:delegate",
    "subagents": "hermes_tui.tools.delegate:subagents",
    "web_search": "hermes_tui.tools.web_search:web_search",
    "web_extract": "hermes_tui.tools.web_extract:web_extract",
    "http_request": "hermes_tui.tools.http_request:http_request",
    "vision": "hermes_tui.tools.vision:vision",
    "find_skills": "hermes_tui.tools.skills:find_skills",
    "propose_skill": "hermes_tui.tools.propose_skill:propose_skill",
    "forget": "hermes_tui.tools.memory:forget",
    "ask_user_model": "hermes_tui.tools.memory:ask_user_model",
    "cron": "hermes_tui.tools.cron:cron",
    "send_message": "hermes_tui.tools.chats:send_message",
}
"""Tools that are not sent but found: name to `module:attribute`, where the attribute is a `Tool`
or a function that makes one of the `ToolsConfig`.
"""

_LEAN: dict[str, tuple[str, tuple[str, ...]]] = {
    "read_file": ("Read a text file.", ("path", "offset")),
    "write_file": ("Write a whole file.", ("path", "content")),
    "edit_file": ("Replace a piece of a file.", ("path", "old", "new")),
    "search_files": ("Search file contents.", ("pattern", "path")),
    "run_command": ("Run a shell command.", ("command",)),
    "ask_user": ("Ask the user a question.", ("question",)),
}
"""The tools of the lean profile: (description, arguments shown); the others keep defaults."""


class ToolSet(Mapping[str, Tool]):
    """All tools by name; those behind a row of `FOUND` are imported when they are taken out."""

    def __init__(self, shown: Iterable[Tool], found: Mapping[str, Tool | Callable[[], Tool]]):
        self._tools: dict[str, Tool | Callable[[], Tool]] = {one.name: one for one in shown}
        self._shown = tuple(self._tools)
        self._tools |= {name: one for name, one in found.items() if name not in self._tools}

    def __getitem__(self, name: str) -> Tool:
        """The tool of a name."""
        one = self._tools[name]
        if not isinstance(one, Tool):
            one = self._tools[name] = one()
        return one

    def __contains__(self, name: object) -> bool:
        """Whether there is one, without importing it."""
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        """Names: the shown ones in the order the model sees them, then the others."""
        return iter(self._tools)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._tools)

    @property
    def shown(self) -> dict[str, Tool]:
        """The tools whose schemas the model gets, in their order."""
        return {name: self[name] for name in self._shown}


def build(
    config: ToolsConfig,
    profile: Profile = "full",
    more: Iterable[Tool] = (),
    only: Container[str] | None = None,
) -> ToolSet:
    """All tools. more: those of other packages and servers; they never take a name of ours.

    only: names of the tools there may be, None for all; finding and using them always may.
    """
    every = (
        read_file,
        write_file,
        edit_file,
        search_files,
        run_command_tool(config.command_timeout_s),
        process,
        todo,
        ask_user,
        remember,
        use_skill,
    )
    names = (*FOUND, *(one.name for one in every))
    every = tuple(one for one in every if only is None or one.name in only)
    if profile == "lean":
        return ToolSet([_lean(one) for one in every if one.name in _LEAN], {})
    found: dict[str, Tool | Callable[[], Tool]] = {
        name: _maker(place, config) for name, place in FOUND.items() if only is None or name in only
    }
    outer = [one for one in more if one.name not in names]
    found |= {one.name: one for one in outer if only is None or one.name in only}
    tools = ToolSet([*every, find_tools_in(lambda: tools), use_tool], found)
    return tools


def _maker(place: str, config: ToolsConfig) -> Callable[[], Tool]:
    def make() -> Tool:
        module, _, attribute = place.partition(":")
        one: Any = getattr(importlib.import_module(module), attribute)
        return one if isinstance(one, Tool) else one(config)

    return make


def _lean(tool: Tool) -> Tool:
    """The same tool, of which the model is told less."""
    description, shown = _LEAN[tool.name]
    known = tool.schema.parameters["properties"]
    properties = {
        name: {key: value for key, value in known[name].items() if key in ("type", "items")}
        for name in shown
    }
    required = [name for name in tool.schema.parameters.get("required", ()) if name in shown]
    parameters = {"type": "object", "properties": properties, "required": required}
    lean = copy.copy(tool)
    lean.description = description
    lean.schema = ToolSchema(name=tool.name, description=description, parameters=parameters)
    return lean
