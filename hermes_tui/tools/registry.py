"""The tools a model gets, in one fixed order, for a full and for a lean prompt."""

from __future__ import annotations

import copy
from typing import Literal

from hermes_tui.config import ToolsConfig
from hermes_tui.models.base import ToolSchema
from hermes_tui.tools.ask import ask_user
from hermes_tui.tools.base import Tool
from hermes_tui.tools.files import edit_file, read_file, write_file
from hermes_tui.tools.search_files import search_files
from hermes_tui.tools.shell import process, run_command_tool
from hermes_tui.tools.todo import todo

Profile = Literal["full", "lean"]

_LEAN: dict[str, tuple[str, tuple[str, ...]]] = {
    "read_file": ("Read a text file.", ("path", "offset")),
    "write_file": ("Write a whole file.", ("path", "content")),
    "edit_file": ("Replace a piece of a file.", ("path", "old", "new")),
    "search_files": ("Search file contents.", ("pattern", "path")),
    "run_command": ("Run a shell command.", ("command",)),
    "ask_user": ("Ask the user a question.", ("question",)),
}
"""The tools of the lean profile: (description, arguments shown); the others keep defaults."""


def build(config: ToolsConfig, profile: Profile = "full") -> dict[str, Tool]:
    """All tools by name, in the order the model sees them."""
    every = (
        read_file,
        write_file,
        edit_file,
        search_files,
        run_command_tool(config.command_timeout_s),
        process,
        todo,
        ask_user,
    )
    if profile == "full":
        return {one.name: one for one in every}
    return {one.name: _lean(one) for one in every if one.name in _LEAN}


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
