"""`hermes chat --as NAME`: a chat like any other, held by this terminal."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Literal

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import within_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.events import ChatSaid, CoreEnding
from hermes_tui.intents import SayAs
from hermes_tui.runtime.client import CoreClient

app = typer.Typer(
    **PLAIN,
    help="Talk as in a chat: the same commands, questions and rules as on a phone.\n\n"
    "Example: hermes chat --as ann",
)
_END_S = 0.5


@app.command()
def chat(
    name: Annotated[str, typer.Option("--as", help="Who talks: one conversation a name.")],
    guest: Annotated[
        bool, typer.Option("--guest", help="Talk as somebody else than the owner.")
    ] = False,
    wait: Annotated[
        float, typer.Option("--wait", min=0, help="Quiet seconds to wait for after the input ends.")
    ] = 60.0,
    json: Annotated[bool, typer.Option("--json", help="Print what is said as JSON lines.")] = False,
) -> None:
    """Read lines, print what the agent says; `N` presses the N-th button of the last question.

    Needs a living core (`hermes daemon start`, or a screen).
    Example: echo hi | hermes chat --as ann
    """
    role = "guest" if guest else "owner"
    asyncio.run(within_core(lambda client: _Talk(client, name, role, json).run(wait)))


class _Talk:
    def __init__(
        self, client: CoreClient, name: str, role: Literal["owner", "guest"], json: bool
    ) -> None:
        self._client = client
        self._name = name
        self._role: Literal["owner", "guest"] = role
        self._json = json
        self._buttons: tuple[tuple[str, str], ...] = ()
        self._heard = asyncio.Event()

    async def run(self, wait: float) -> None:
        """Until the input has ended and all is quiet."""
        await self._say("")
        listening = asyncio.create_task(self._listen())
        try:
            while line := await asyncio.to_thread(sys.stdin.readline):
                await self._line(line.rstrip("\n"))
            await self._quiet(wait)
        finally:
            listening.cancel()

    async def _line(self, line: str) -> None:
        if not line.strip():
            return
        number = int(line) if line.isdigit() else 0
        try:
            if 0 < number <= len(self._buttons):
                await self._say("", pressed=self._buttons[number - 1][1])
            else:
                await self._say(line)
        except HermesError as error:
            print(error, file=sys.stderr)

    async def _say(self, text: str, pressed: str = "") -> None:
        said = SayAs(name=self._name, text=text, pressed=pressed, role=self._role)
        await self._client.ask(said)

    async def _listen(self) -> None:
        async for record in self._client.events():
            if isinstance(record.event, CoreEnding):
                return
            if isinstance(record.event, ChatSaid):
                self._heard.set()
                self._show(record.event)

    def _show(self, said: ChatSaid) -> None:
        if self._json:
            output.emit_line(said)
            return
        if said.edits and said.text.endswith(" …"):
            return  # it still grows
        print(output.plain(said.text), flush=True)
        if said.file:
            print(f"[file {output.clean(said.file)}]", flush=True)
        if said.buttons:
            self._buttons = said.buttons
            for number, (label, _) in enumerate(said.buttons, 1):
                print(f"  {number} {output.clean(label)}", flush=True)

    async def _quiet(self, wait: float) -> None:
        """Wait for what is still said; the end is a while without anything."""
        limit = wait
        while True:
            self._heard.clear()
            try:
                async with asyncio.timeout(limit):
                    await self._heard.wait()
            except TimeoutError:
                return
            limit = min(wait, _END_S * 4)
