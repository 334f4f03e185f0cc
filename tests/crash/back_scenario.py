"""Files and chat taken back, by processes killed at any point of it; prints what each life left.

python -m tests.crash.back_scenario FOLDER

One line of JSON for each point passed: its name, and what the folder and the conversation were
after the next core had started and ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from hermes_tui.config import Config
from hermes_tui.events import FilesRestored, InputReceived, InputTaken, TurnEnded, TurnStarted
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Rewind, Standing
from hermes_tui.runtime import going_back, ledger
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.store import checkpoints_restore

Life = Callable[[Core, LocalClient, str], Coroutine[Any, Any, None]]
WATCHED: tuple[Any, ...] = (going_back, ledger, checkpoints_restore)


def make(work: Path) -> None:
    """The folder as it was."""
    (work / "sub").mkdir(parents=True)
    (work / "changed").write_text("old")
    (work / "sub" / "deleted").write_text("old")
    (work / "link").symlink_to("changed")


def mess(work: Path) -> None:
    """What the turn did to it."""
    (work / "changed").write_text("new")
    shutil.rmtree(work / "sub")
    (work / "link").unlink()
    (work / "fresh").mkdir()
    (work / "fresh" / "file").write_text("new")
    (work / "fresh").chmod(0o500)


async def live(folder: Path, life: Life) -> None:
    """A core, from start to end."""
    core = await Core(Home(folder / "home"), Config(), headless=True).start(listen=False)
    client = LocalClient(core)
    standing = Standing(cwd=str(folder / "work"), env={"PATH": "/usr/bin:/bin"})
    view = await client.ask(OpenSession(which="last-or-new", standing=standing))
    await life(core, client, view.info.id)
    await client.close()
    await core.end("done")


async def turn(core: Core, client: LocalClient, name: str) -> None:
    """One turn that makes a mess."""
    session = await core.session(name)
    began = [InputReceived(input_id="i", text="mess"), TurnStarted(turn=1)]
    await session.add([*began, InputTaken(input_id="i", turn=1)])
    await session.checkpoint()
    await asyncio.to_thread(mess, Path(session.cwd))
    await session.add(TurnEnded(turn=1))
    session.changes_ended()


async def back(core: Core, client: LocalClient, name: str) -> None:
    """Go back to before it."""
    await client.ask(Rewind(session=name, turn=1, what="both"))


async def nothing(core: Core, client: LocalClient, name: str) -> None:
    """Start and end, and say how the session is."""
    session = await core.session(name)
    records = await core.log.read(session.id)
    told = sum(isinstance(record.event, FilesRestored) for record in records)
    seen = listed(Path(session.cwd))
    print(json.dumps({"files": seen, "turns": list(session.conversation.marks), "told": told}))


def listed(work: Path) -> dict[str, str]:
    """Every path below a folder, and what it is."""
    return {str(path.relative_to(work)): content(path) for path in sorted(work.rglob("*"))}


def content(path: Path) -> str:
    """What a path is, in a word."""
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return "folder" if path.is_dir() else path.read_text()


def in_child(folder: Path, life: Life, point: Callable[[str], None]) -> int:
    """One life in a process of its own; how it ended."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        for module in WATCHED:
            module.point = point
        asyncio.run(live(folder, life))
        sys.stdout.flush()
        code = 0
    finally:
        os._exit(code)


def killed_at(number: int) -> Callable[[str], None]:
    """A point that kills the process when it is passed so many times."""
    passed = 0

    def point(name: str) -> None:
        nonlocal passed
        passed += 1
        if passed == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return point


def quiet(name: str) -> None:
    """A point that does nothing."""


def main(top: Path) -> None:
    """Go back once undisturbed to learn the points, then once for each of them."""
    place, names = top / "place", top / "names"
    make(place / "work")
    assert in_child(place, turn, quiet) == 0
    shutil.copytree(place, top / "first", symlinks=True)
    assert in_child(place, back, lambda name: append(names, name)) == 0
    for number, name in enumerate(names.read_text().split("\n")[:-1], 1):
        put_back(top / "first", place)
        assert in_child(place, back, killed_at(number)) == -signal.SIGKILL
        print(name, end="\t")
        assert in_child(place, nothing, quiet) == 0


def append(path: Path, name: str) -> None:
    """One more line of a file."""
    with path.open("a") as file:
        file.write(name + "\n")


def put_back(source: Path, place: Path) -> None:
    """Home and workspace as they were before, at the same place."""
    if (fresh := place / "work" / "fresh").is_dir():
        fresh.chmod(0o700)
    shutil.rmtree(place)
    shutil.copytree(source, place, symlinks=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
