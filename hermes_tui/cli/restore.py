"""`hermes restore`: the database as it was, from a copy or from a backup."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from hermes_tui import __version__
from hermes_tui.cli import output
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.runtime.lock import CoreLock
from hermes_tui.store import archive, snapshots

app = typer.Typer(**PLAIN)


@app.command()
def restore(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A backup, or a copy; else the newest good copy."),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the copies there are.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Put the database back as it was; what is there now is set aside, never lost.

    The agent must not run (`hermes daemon stop`). Messages that came while the database was
    damaged are put in at the next start.

    Example: hermes restore ~/hermes-backup.tar.gz
    """
    home = Home.find().ensure()
    if show:
        _list(home, json)
        return
    source = Path(os.path.abspath(file)) if file else _newest_good(home)
    if not source.exists():
        raise HermesError(f"there is no {source}", "`hermes restore --list` shows the copies")
    lock = CoreLock(home)
    lock.take(__version__)
    try:
        if not yes and not output.confirmed(f"Put back {source.name}?"):
            raise HermesError("nothing was changed", "--yes goes ahead without a question")
        told = _put_back(home, source)
        if json:
            output.emit({"file": str(source), "told": told})
        else:
            print("\n".join(told))
    finally:
        lock.release()


def _put_back(home: Home, source: Path) -> list[str]:
    now = time.time()
    aside = home.aside / time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    if source.suffix == snapshots.END:
        proof = snapshots.put_back(source, home.database, aside, now)
        made = proof_time(source)
    else:
        with tempfile.TemporaryDirectory(prefix=".restore-", dir=home.path) as folder:
            manifest = archive.unpack(source, Path(folder))
            fresh = Path(folder, archive.DATABASE)
            proof = snapshots.put_back(fresh, home.database, aside, now)
            _files_back(home, Path(folder), list(manifest.files), aside)
            made = manifest.made
    lost = f"what was said after {output.when(made)} is not in it"
    return [
        f"the database is as of {output.when(made)}: {proof.sessions:,} sessions, "
        f"{proof.events:,} events",
        f"{lost}; what was there before is in {aside}",
    ]


def proof_time(copy: Path) -> float:
    """When a copy was made, Unix seconds."""
    return copy.stat().st_mtime


def _files_back(home: Home, unpacked: Path, names: list[str], aside: Path) -> None:
    """Settings, skills and the rest: what is there is set aside first, file by file."""
    for name in names:
        if name == archive.DATABASE or name.startswith("audit/"):
            continue  # the record of decisions is never set back
        old, kept = home.path / name, aside / name
        if old.exists():
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy2(old, kept)
        old.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.replace(unpacked / name, old)


def _newest_good(home: Home) -> Path:
    for path in snapshots.kept(home.backups):
        try:
            snapshots.prove(path)
        except HermesError as error:
            print(f"passed over: {error.message}")
            continue
        return path
    raise HermesError("there is no good copy", "`hermes backup FILE` makes one while all is well")


def _list(home: Home, json: bool) -> None:
    rows: list[tuple[str, ...]] = []
    for path in [*snapshots.kept(home.backups), *sorted(home.backups.glob("before-*.db"))]:
        try:
            proof = snapshots.prove(path)
            state = f"{proof.sessions:,} sessions, {proof.events:,} events"
        except HermesError as error:
            state = error.message
        rows.append(
            (
                output.when(proof_time(path)),
                f"{path.stat().st_size / 1e6:,.1f} MB",
                state,
                str(path),
            )
        )
    if json:
        output.emit(
            [dict(zip(("made", "size", "holds", "file"), row, strict=True)) for row in rows]
        )
        return
    if not rows:
        print("there are no copies yet; the agent makes one every day it runs")
        return
    output.table(rows, ("MADE", "SIZE", "HOLDS", "FILE"))
