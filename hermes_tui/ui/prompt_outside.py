"""The prompt's text in the person's own editor: the screen steps aside for it."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from textual.app import SuspendNotSupported

from hermes_tui.backends import process
from hermes_tui.paste import clean

_USUAL = ("nano", "vim", "vi", "emacs", "micro")


class Edited(NamedTuple):
    """text: what the editor left, None when the text stays as it was. problem: for the person."""

    text: str | None = None
    problem: str = ""


class Screen(Protocol):
    """An app that can step aside."""

    def suspend(self) -> AbstractContextManager[None]:
        """Give the terminal to another program for a while."""
        ...


def editor(env: Mapping[str, str]) -> list[str]:
    """The command line of the person's editor, without the file; empty when there is none."""
    for name in ("VISUAL", "EDITOR"):
        if env.get(name, "").strip():
            return shlex.split(env[name])
    found = next((one for one in _USUAL if shutil.which(one, path=env.get("PATH"))), "")
    return [found] if found else []


async def edit(screen: Screen, text: str, folder: Path) -> Edited:
    """Edit a text outside. Whatever the editor does, the file is gone afterwards.

    An editor that fails leaves the text as it was; what it saved all the same is kept as a copy.
    """
    env = dict(os.environ)
    argv = editor(env)
    if not argv:
        return Edited(problem="no editor was found: set EDITOR to one")
    file = await asyncio.to_thread(_write, folder, text)
    try:
        with screen.suspend(), _keys_for_the_editor():
            # No error may leave this block: the screen would not come back.
            code, problem = await asyncio.to_thread(_run, [*argv, str(file)], env)
        saved = await asyncio.to_thread(_read, file, text)
    except SuspendNotSupported:
        return Edited(problem="this screen can't step aside for an editor")
    finally:
        await asyncio.to_thread(file.unlink, missing_ok=True)
    if problem:
        return Edited(problem=problem)
    if saved is None:
        return Edited(problem="the file is gone or no text; the prompt is as it was")
    if code == 0:
        return Edited(saved)
    ended = f"{argv[0]} ended with {code}"
    if saved == text:
        return Edited(problem=f"{ended}; nothing was changed")
    return Edited(f"{text}\n\n{saved}" if text else saved, f"{ended}; both texts are kept")


def _run(argv: list[str], env: Mapping[str, str]) -> tuple[int, str]:
    try:
        return process.run_in_terminal(argv, env=env), ""
    except OSError as error:
        return 1, f"{argv[0]} can't be started: {error.strerror}"


@contextmanager
def _keys_for_the_editor() -> Generator[None]:
    """An interrupt typed in the editor's terminal is the editor's alone."""
    before = signal.signal(signal.SIGINT, _pass_over)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _pass_over(signum: int, frame: object) -> None:
    """Unlike an ignored signal, one that is handled is not ignored by the editor, too."""
    del signum, frame


def _write(folder: Path, text: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=folder, prefix="prompt-", suffix=".md")
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return Path(name)


def _read(file: Path, before: str) -> str | None:
    """What was saved, without the newline that editors put at the end."""
    try:
        saved = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    if saved == before or before.endswith("\n"):
        return saved if saved == before else clean(saved)
    return clean(saved.removesuffix("\n"))
