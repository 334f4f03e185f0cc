"""A session's events as what a document tells: who said what, and what was done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from hermes_tui import events as ev
from hermes_tui.events import Record


class Item(Struct, kw_only=True):
    """One part of a document. ts: Unix seconds.

    kind `said`: `who` said `text`, Markdown; `done`: the tool `who` did `about`, ended `status`
    after `seconds`, was given `arguments` and gave `text`; `note`: a sentence of the core.
    """

    kind: Literal["said", "done", "note"]
    ts: float
    who: str = ""
    text: str = ""
    about: str = ""
    status: str = ""
    arguments: str = ""
    seconds: float = 0.0


def tell(records: Iterable[Record]) -> list[Item]:
    """The items of a session, in the order in which the model saw them."""
    return _Teller().tell(records)


class _Teller:
    def __init__(self) -> None:
        self.items: list[Item] = []
        self.typed: dict[str, str] = {}
        self.calls: dict[str, Item] = {}

    def tell(self, records: Iterable[Record]) -> list[Item]:
        for record in records:
            self._take(record.event, record.ts)
        return self.items

    def _take(self, event: ev.Event, ts: float) -> None:
        match event:
            case ev.InputReceived() | ev.InputEdited():
                self.typed[event.input_id] = event.text
            case ev.InputTaken():
                self._said("You", self.typed.get(event.input_id, ""), ts)
            case ev.ReplyReceived():
                self._said("Hermes", event.text, ts)
            case ev.MessageImported():
                who = {"user": "You", "assistant": "Hermes"}.get(event.role, event.role)
                self._said(who, event.text, ts)
            case ev.ToolStarted() | ev.ToolEnded() | ev.RanAgain() | ev.ShellRan():
                self._done(event, ts)
            case ev.Notice():
                self._note(event.text, event.hint, ts)
            case ev.TurnEnded() if event.outcome != "done":
                self._note(event.error or event.outcome, event.hint, ts)
            case ev.Rewound():
                self._note(f"the conversation was taken back to before turn {event.turn}", "", ts)
            case _:
                return

    def _said(self, who: str, text: str, ts: float) -> None:
        if text.strip():
            self.items.append(Item(kind="said", ts=ts, who=who, text=text))

    def _note(self, text: str, hint: str, ts: float) -> None:
        self.items.append(Item(kind="note", ts=ts, text=f"{text} {hint}".strip()))

    def _done(
        self, event: ev.ToolStarted | ev.ToolEnded | ev.RanAgain | ev.ShellRan, ts: float
    ) -> None:
        if isinstance(event, ev.ShellRan):
            status = "ok" if event.exit_code == 0 else f"exit {event.exit_code}"
            item = self._call("", "your shell", ts)
            item.about, item.text, item.status = event.command, event.output, status
            item.seconds = event.seconds
            return
        item = self._call(event.call_id, event.tool, ts)
        if isinstance(event, ev.ToolStarted | ev.RanAgain):
            item.about, item.arguments = event.summary, event.arguments
        if isinstance(event, ev.ToolEnded | ev.RanAgain):
            item.status, item.text, item.seconds = event.status, event.for_model, event.seconds

    def _call(self, call_id: str, tool: str, ts: float) -> Item:
        if call_id and call_id in self.calls:
            return self.calls[call_id]
        item = Item(kind="done", ts=ts, who=tool, status="running")
        self.items.append(item)
        self.calls[call_id] = item
        return item
