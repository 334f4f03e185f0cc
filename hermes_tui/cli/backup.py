"""`hermes backup`: a home in one file."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from hermes_tui import __version__
from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import CopyStore
from hermes_tui.store import archive

app = typer.Typer(**PLAIN)


@app.command()
def backup(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Write this file (.tar.gz).")
    ] = None,
    secrets: Annotated[bool, typer.Option("--secrets", help="Take the keys along.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Copy the database, prove the copy, and pack it with settings, skills and the record.

    The agent may be at work meanwhile. Models, caches and checkpoints are left out, and keys
    unless --secrets is given.

    Example: hermes backup ~/hermes-backup.tar.gz
    """
    home = Home.find()
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = Path(os.path.abspath(file or f"hermes-backup-{stamp}.tar.gz"))
    if target.exists():
        raise HermesError(f"{target} exists already", "give another name")
    copied = with_core(lambda client: client.ask(CopyStore()))
    packed = archive.write(home.path, Path(copied.path), target, __version__, secrets)
    size = target.stat().st_size
    if json:
        output.emit(
            {
                "file": str(target),
                "bytes": size,
                "files": len(packed.files),
                "sessions": copied.sessions,
                "events": copied.events,
            }
        )
        return
    print(f"{target}: {size / 1e6:,.1f} MB, {len(packed.files)} files, read back and sound")
    print(f"{copied.sessions:,} sessions, {copied.events:,} events")
    if not secrets:
        print("keys are not in it; --secrets takes them along")
