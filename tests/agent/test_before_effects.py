"""Nothing is done before it is on disk that it was decided and that it begins."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hermes_tui.errors import StoreError
from hermes_tui.events import ApprovalAsked, ToolStarted, Trouble, TurnEnded
from hermes_tui.home import Home
from hermes_tui.security.audit import Audit, AuditEntry
from hermes_tui.security.audit_check import entries
from hermes_tui.security.policy import Action
from hermes_tui.store.db import Database
from hermes_tui.tools.base import Tool, ToolResult, tool
from tests.fakes.scripted_model import Call, ScriptedModel, call, calls, say
from tests.fakes.small_core import say_to, small_core, until


class Marks:
    """A tool that says when it ran, and what was on disk by then."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.ran: list[tuple[str, list[str]]] = []

    def tool(self, asks: bool = False) -> Tool:
        def describe(arguments: dict[str, Any], cwd: str) -> Action:
            kind = "execute" if asks else "state"
            return Action(tool="mark", kind=kind, title=arguments["name"], detail="mark")

        @tool(describe=describe)
        async def mark(name: str, *, ctx: Any) -> ToolResult:
            """Leave a mark."""
            recorded = [one.title for one in entries(self.home.audit)]
            self.ran.append((name, recorded))
            return ToolResult(for_model="marked")

        return mark


async def test_what_runs_at_once_is_all_in_the_audit_log_before_any_of_it(
    home: Home, scripted: ScriptedModel
) -> None:
    marks = Marks(home)
    names = ["a", "b", "c"]
    scripted.script = [calls(*(Call("mark", {"name": one}) for one in names)), say("ok")]
    async with small_core(home, scripted.url, marks.tool()) as core:
        session, face = await core.session(mode="yolo")
        await say_to(session, "go")
        await until(face, TurnEnded)
    assert sorted(marks.ran) == [(one, names) for one in names]


async def test_nothing_runs_while_the_audit_log_is_still_being_written(
    home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, asked = asyncio.Event(), asyncio.Event()
    record = Audit.record

    async def slowly(self: Audit, *made: AuditEntry) -> None:
        asked.set()
        await gate.wait()
        await record(self, *made)

    monkeypatch.setattr(Audit, "record", slowly)
    marks = Marks(home)
    scripted.script = [call("mark", name="a"), say("ok")]
    async with small_core(home, scripted.url, marks.tool()) as core:
        session, face = await core.session(mode="yolo")
        await say_to(session, "go")
        await asyncio.wait_for(asked.wait(), 5)
        await until(face, ToolStarted)  # its start is stored and shown, and yet it waits
        assert marks.ran == []
        gate.set()
        await until(face, TurnEnded)
    assert marks.ran == [("a", ["a"])]


async def test_nothing_runs_before_its_start_is_stored(
    home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = Marks(home)
    scripted.script = [call("mark", name="a"), say("ok")]
    async with small_core(home, scripted.url, marks.tool()) as core:
        session, face = await core.session(mode="yolo")
        record = core.audit.record

        async def recorded(*made: AuditEntry) -> None:
            monkeypatch.setattr(core.db._writer, "_run", full_disk(core.db))
            await record(*made)

        monkeypatch.setattr(core.audit, "record", recorded)
        await say_to(session, "go")
        await until(face, Trouble)
        assert marks.ran == []
        monkeypatch.undo()


def full_disk(db: Database) -> Any:
    def fail_all(jobs: list[Any]) -> None:
        error = StoreError("the disk is full: nothing was written", "free some space")
        db._resolve([(job, None, error) for job in jobs])

    return fail_all


async def test_a_call_whose_audit_entry_cannot_be_written_is_not_made(
    home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = Marks(home)
    scripted.script = [call("mark", name="a"), say("never")]
    async with small_core(home, scripted.url, marks.tool()) as core:
        session, face = await core.session(mode="yolo")

        async def full(*made: AuditEntry) -> None:
            raise StoreError("the audit log can't be written: no room, so nothing was done")

        with monkeypatch.context() as patched:
            patched.setattr(core.audit, "record", full)
            await say_to(session, "go")
            ended = (await until(face, TurnEnded))[-1]
        assert isinstance(ended, TurnEnded)
        assert ended.outcome != "done"
        assert marks.ran == []


async def test_what_is_asked_is_in_the_audit_log_before_anybody_sees_it(
    home: Home, scripted: ScriptedModel
) -> None:
    marks = Marks(home)
    scripted.script = [call("mark", name="a"), say("ok")]
    async with small_core(home, scripted.url, marks.tool(asks=True)) as core:
        session, face = await core.session()
        await say_to(session, "go")
        await until(face, ApprovalAsked)
        assert [(one.title, one.verdict) for one in entries(home.audit)] == [("a", "ask")]
        await session.halt()
