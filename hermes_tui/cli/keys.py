"""`hermes keys`: what the terminal really sends for each key, and what it does here."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import Home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_tui.ui.keys import KeyTable

app = typer.Typer(
    **PLAIN,
    help="Press keys and see what the terminal sends for them.\n\nExample: hermes keys list --json",
)

_ENTER = "\x1b[>1u\x1b[?2004h"  # as the full screen asks for keys and pastes
_LEAVE = "\x1b[?2004l\x1b[<u"
_LEAVING = "ctrl+c"
_TOGETHER_S = 0.05


@app.callback(invoke_without_command=True)
def doctor(context: typer.Context) -> None:
    """Show each key as it is pressed: bytes, name, and the command it is bound to.

    What shows nothing never arrives: the terminal keeps it. ctrl+c twice ends.

    Example: hermes keys
    """
    if context.invoked_subcommand is None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise HermesError("keys are read from a terminal", "`hermes keys list` prints them")
        table = _table()
        print("Press keys; ctrl+c twice ends. A key that shows nothing never arrives here.")
        print(f"{'sent':<28} {'key':<22} does")
        _watch(table)


@app.command("list")
def list_(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List every command with its keys, yours included.

    Example: hermes keys list
    """
    table = _table()
    found = [one for one in table.commands if "ui" in one.surfaces]
    if json:
        output.emit([{"id": one.id, "title": one.title, "keys": one.keys} for one in found])
        return
    rows = [(one.id, ", ".join(one.keys), one.title) for one in found]
    output.table(rows, ("command", "keys", "what it does"))


def _table() -> KeyTable:
    """The keys that count in this home; what is wrong with the person's own is told."""
    from hermes_tui.ui.keys import KeyTable
    from hermes_tui.ui.keys_file import read_keys

    own = read_keys(Home.find().keys)
    for problem in own.problems:
        print(f"hermes: {output.clean(problem)}", file=sys.stderr)
    return KeyTable(own.keys)


def _watch(table: KeyTable) -> None:
    import termios
    import tty

    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        os.write(1, _ENTER.encode())
        asked_to_leave = False
        for sent, names in presses():
            for line in lines(sent, names, table):
                os.write(1, line.encode() + b"\r\n")
            if names == [_LEAVING] and asked_to_leave:
                return
            asked_to_leave = names == [_LEAVING]
    finally:
        os.write(1, _LEAVE.encode())
        termios.tcsetattr(0, termios.TCSAFLUSH, before)


def presses() -> Iterator[tuple[bytes, list[str]]]:
    """What arrives on standard input: the bytes of a press, and the keys they are read as."""
    import codecs
    import select

    from textual import events

    from hermes_tui.ui.paste_input import InputParser

    parser = InputParser()
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    while sent := os.read(0, 4096):
        began = time.monotonic()
        got = list(parser.feed(decode(sent)))
        while parser.waiting and time.monotonic() - began < 1:
            if select.select([0], [], [], _TOGETHER_S)[0]:
                more = os.read(0, 4096)
                sent += more
                got += parser.feed(decode(more))
            got += parser.tick()
        names = [one.key for one in got if isinstance(one, events.Key)]
        names += ["a paste" for one in got if isinstance(one, events.Paste)]
        yield sent, names


def lines(sent: bytes, names: list[str], table: KeyTable) -> list[str]:
    """A line for each key: the bytes as people write them, the name, the command."""
    bound = {one.key: one.id or "" for one in table.bindings()}
    shown = "".join(_shown(byte) for byte in sent)
    if not names:
        return [f"{shown:<28} {'no key':<22} -"]
    return [
        f"{shown if at == 0 else '':<28} {name:<22} {bound.get(name) or '-'}"
        for at, name in enumerate(names)
    ]


def _shown(byte: int) -> str:
    if byte == 0x1B:
        return "ESC "
    if byte < 0x20 or byte == 0x7F:
        return f"^{chr(byte ^ 0x40)} "
    return chr(byte) if byte < 0x7F else f"\\x{byte:02x}"
