"""The surroundings of a tool call, as a test needs them: everything it did can be looked at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.events import TodoItem
from hermes_tui.security.policy import Action
from hermes_tui.tools.kit import Kit
from hermes_tui.tools.processes import Background, Processes


class FakeContext:
    """A `Context` whose asks are answered from `answers` and whose changes are recorded."""

    def __init__(self, folder: Path, window_chars: int = 12_000) -> None:
        self.session = "s1"
        self.call_id = "call_1"
        self.cwd = str(folder)
        self.env = {"PATH": os.environ["PATH"], "HOME": os.path.expanduser("~")}
        self.outputs = str(folder / "outputs")
        self.window_chars = window_chars
        self.protected: tuple[str, ...] = ()
        self.paths: tuple[str, ...] = ()
        self.kit = Kit()
        self.around: Any = None
        self.waiting: Callable[[], float] = lambda: 0.0
        self.shown: list[str] = []
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.answers: list[str] = []
        self.wanted: list[tuple[Action, str]] = []
        self.refuses = ""
        self.todo: tuple[TodoItem, ...] = ()
        self.changes: list[tuple[str, str]] = []
        self.matches: list[tuple[str, str]] = []
        self.processes = Processes(self._changed, self._matched)
        self.skills: Any = None
        self.recall: Any = None

    def _changed(self, one: Background) -> None:
        self.changes.append((one.id, one.status))

    def _matched(self, one: Background, lines: str) -> None:
        self.matches.append((one.id, lines))

    def progress(self, text: str) -> None:
        self.shown.append(text)

    async def ask(self, text: str, options: tuple[str, ...] = ()) -> str:
        self.asked.append((text, options))
        if not self.answers:
            raise ToolError("nobody is here to answer")
        return self.answers.pop(0)

    async def leave(self, action: Action, where: str) -> str:
        self.wanted.append((action, where))
        return self.refuses

    def sandbox(self, background: bool = False) -> Any:
        return self.around

    def secrets_hidden(self) -> None:
        return None

    def inner_calls(self) -> Any:
        raise ToolError("no tools can be called from here")

    def tools_shown(self) -> dict[str, Any]:
        return {}

    def earlier(self, turn: int, call: str, find: str) -> str:
        return f"{turn} {call} {find}"

    def waited(self) -> float:
        return self.waiting()

    async def set_todo(self, items: tuple[TodoItem, ...]) -> None:
        self.todo = items
