"""A person's home full of keys, a workspace, and a real agent whose model obeys the test."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.events import (
    ApprovalAsked,
    Event,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval, OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security.audit import AuditLine
from hermes_tui.security.audit_check import entries
from tests.fakes.sandbox_world import CANARY, KEYS
from tests.fakes.scripted_model import Call, ScriptedModel, calls, say

Owner = Callable[[ApprovalAsked], str]


def refuses(asked: ApprovalAsked) -> str:
    """An owner who says no to everything."""
    return "deny"


def keeps_inside(asked: ApprovalAsked) -> str:
    """An owner who says yes to whatever stays inside the sandbox."""
    return "once" if "inside the sandbox" in asked.where else "deny"


def agrees(asked: ApprovalAsked) -> str:
    """An owner who says yes to everything, once."""
    return "once"


class World:
    """One person, one workspace, one agent.

    `turn` has the model make calls, one after the other, and returns all that happened.
    """

    def __init__(self, top: Path, home: Home, model: ScriptedModel) -> None:
        self.person = top / "person"
        self.work = self.person / "projects" / "shop"
        self.home, self.model = home, model
        self.work.mkdir(parents=True)
        for name in KEYS:
            file = self.person / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{CANARY}\n")
        (self.person / ".bashrc").write_text("# as it was\n")
        (self.work / "notes.txt").write_text("mine\n")
        self.core: Core
        self.client: LocalClient
        self.session = ""

    async def start(self, settings: str = "") -> None:
        """Start the core and open a session."""
        model = f"model:\n  name: scripted\n  base_url: {self.model.url}\n"
        self.home.config.write_text(model + settings)
        await self.start_again("new")

    async def start_again(self, which: str = "") -> None:
        """Start a core on what there is, and open the session."""
        config = load(self.home, {}).config
        self.core = await Core(self.home, config, headless=True).start()
        self.client = LocalClient(self.core, "ui")
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.person)}
        standing = Standing(cwd=str(self.work), env=env)
        view = await self.client.ask(
            OpenSession(which=which or self.session, standing=standing, face="ui")
        )
        self.session = view.info.id

    async def stop(self) -> None:
        """End everything."""
        await self.client.close()
        await self.core.end("test over")

    async def turn(
        self, *wanted: Call, said: str = "go", owner: Owner = refuses, attended: bool = True
    ) -> list[Event]:
        """One turn in which the model makes the calls, one a reply; the owner answers questions."""
        self.model.script = [*(calls(one) for one in wanted), say("done")]
        await self.client.ask(Send(session=self.session, text=said, attended=attended))
        seen: list[Event] = []
        async with asyncio.timeout(30):
            async for record in self.client.events():
                seen.append(record.event)
                if isinstance(record.event, ApprovalAsked) and not record.event.until:
                    await self.answer(record.event, owner(record.event))
                if isinstance(record.event, TurnEnded):
                    return seen
        raise AssertionError("the turn did not end")

    async def answer(self, asked: ApprovalAsked, verdict: str) -> bool:
        """Answer a question; whether this answer counted."""
        intent = AnswerApproval(
            session=self.session,
            ask_id=asked.ask_id,
            verdict=verdict,  # type: ignore[arg-type]
        )
        return (await self.client.ask(intent)).accepted

    @property
    def audit(self) -> list[AuditLine]:
        """The audit log so far."""
        return list(entries(self.home.audit))

    def sent(self) -> bytes:
        """Every byte the model was ever sent."""
        return b"\n".join(one.body for one in self.model.requests)

    def outside(self) -> str:
        """A digest of names, modes and contents of all of the person's home but the workspace."""
        made = hashlib.sha256()
        for folder, folders, files in os.walk(self.person):
            folders[:] = sorted(one for one in folders if Path(folder, one) != self.work)
            for name in sorted(files):
                file = Path(folder, name)
                made.update(f"{file} {file.lstat().st_mode}".encode() + file.read_bytes())
            made.update(" ".join(folders).encode())
        return made.hexdigest()


def shell(command: str, **more: object) -> Call:
    """A call of run_command."""
    return Call("run_command", {"command": command, **more})


def ended(seen: list[Event]) -> list[ToolEnded]:
    """The ends of the calls."""
    return [one for one in seen if isinstance(one, ToolEnded)]


def asked(seen: list[Event]) -> list[ApprovalAsked]:
    """The questions."""
    return [one for one in seen if isinstance(one, ApprovalAsked)]


def started(seen: list[Event]) -> list[ToolStarted]:
    """The calls that ran."""
    return [one for one in seen if isinstance(one, ToolStarted)]


@pytest.fixture
async def world(
    tmp_path: Path, home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """A world whose agent runs, with the settings a new home has."""
    made = World(tmp_path, home, scripted)
    monkeypatch.setenv("HOME", str(made.person))
    await made.start()
    yield made
    await made.stop()
