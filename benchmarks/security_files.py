"""Paths of the corpus through the file tools, as `hermes tool call` runs them: nobody approves."""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from measure import Figure

from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import Standing
from hermes_tui.intents.tools import CallTool
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.skills.hub_sources import fetch
from hermes_tui.skills.skill import NAME

Row = dict[str, Any]
SECRET = "canary-" + "51c0ffee"
WRITTEN = "written-" + "by-a-tool"
TRIES = 1000


def path_figures(found: list[Row]) -> list[Figure]:
    """How many rows came out otherwise than their label says."""
    found = [one for one in found if one["op"] != "send-media"]  # nothing sends media yet
    wrong = asyncio.run(_all(found))
    for one in wrong:
        print(f"  {one}")
    return [
        Figure("paths that come out otherwise", 100 * len(wrong) / len(found), "%", 0,
               f"{len(found) - len(wrong)} of {len(found)} good")
    ]  # fmt: skip


async def _all(found: list[Row]) -> list[str]:
    wrong: list[str] = []
    for row in found:
        with tempfile.TemporaryDirectory(prefix="hermes-paths-") as top:
            why = await _one(row, Path(top))
        if why:
            wrong.append(f"{row['id']} {row['op']} {row['path']!r}: {why}")
    return wrong


async def _one(row: Row, top: Path) -> str:
    home, person = Home(top / "state").ensure(), top / "person"
    work = person / "ws"
    work.mkdir(parents=True)
    home.config.write_text("agent:\n  mode: auto-edit\n")
    names = {"WS": str(work), "HOME": str(person), "STATE": str(home.path), "PID": str(os.getpid())}

    def real(text: str) -> str:
        for name, value in names.items():
            text = text.replace("{" + name + "}", value)
        return text

    path = real(row["path"])
    if row["op"] in ("skill-name", "extract"):
        return await _named(row, top)
    _prepare(row, real, path, names)
    os.environ["HOME"] = str(person)
    core = await Core(home, load(home, {}).config, headless=True).start()
    client = LocalClient(core, "cli")
    standing = Standing(cwd=str(work), env={"HOME": str(person), "PATH": os.environ["PATH"]})
    reads = row["op"] in ("read", "send-media")
    tool = "read_file" if reads else "write_file"
    arguments: Row = {"path": path} if reads else {"path": path, "content": WRITTEN}
    wanted = CallTool(
        tool=tool, arguments=msgspec.json.encode(arguments).decode(), standing=standing
    )
    swaps = [one for one in row["setup"] if one[0].startswith("swap")]
    try:
        for _ in range(TRIES if swaps else 1):
            with _swapping([(one[0], real(one[1]), real(one[2])) for one in swaps]):
                called = await client.ask(wanted)
            if why := _judged(row, called, top, work):
                return why
    finally:
        await client.close()
        await core.end("done")
    return ""


def _prepare(row: Row, real: Any, path: str, names: dict[str, str]) -> None:
    """What lies there before: secrets wherever the row reads, and what `setup` says."""
    if (
        path.startswith(names["HOME"])
        and not row["setup"]
        and row["label"] == "deny"
        and row["op"] == "read"
    ):
        _put(Path(path), SECRET)
    for name in (".ssh/id_rsa", ".bashrc"):
        _put(Path(names["HOME"]) / name, SECRET)
    for kind, where, what in row["setup"]:
        at, target = Path(real(where)), real(what)
        if kind == "file":
            _put(at, target)
        elif kind == "symlink":
            at.symlink_to(target)
        elif kind == "hardlink":
            os.link(target, at)
        elif kind == "swap-dir":
            at.mkdir(exist_ok=True)
        elif kind == "swap-file":
            _put(at, "mine")


def _put(file: Path, text: str) -> None:
    if not file.exists() and not file.is_symlink():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@contextmanager
def _swapping(swaps: list[tuple[str, str, str]]) -> Iterator[None]:
    """Somebody who puts a link in place of a path and takes it back, as fast as they can."""
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for _, where, target in swaps:
                aside = where + ".aside"
                with suppress(OSError):  # a tool may have made the path meanwhile
                    os.rename(where, aside)
                    os.symlink(target, where)
                with suppress(OSError):
                    os.unlink(where)
                with suppress(OSError):
                    os.rename(aside, where)

    if not swaps:
        yield
        return
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _judged(row: Row, called: Any, top: Path, work: Path) -> str:
    """What is wrong with how a call came out; empty for nothing."""
    if row["label"] == "allow":
        here = os.path.exists(row["path"]) or not os.path.isabs(row["path"])
        return "" if called.status == "ok" or not here else f"{called.status}: {called.output[:80]}"
    if row["label"] == "ask":
        return "" if called.status == "needs-approval" else f"{called.status}, not asked"
    if SECRET in called.output:
        return "a secret was read"
    if row["op"] != "write":
        race = row["category"] == "race"
        return "" if called.status != "ok" or race else "it was read"
    outside = [one for one in top.rglob("*") if one.is_file() and work not in one.parents]
    hit = [one for one in outside if one.suffix != ".db" and WRITTEN.encode() in _bytes(one)]
    hit = [one for one in hit if "audit" not in one.parts]
    far = os.path.isabs(row["path"]) and WRITTEN.encode() in _bytes(Path(row["path"]))
    return f"written: {hit or row['path']}" if hit or far else ""


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


async def _named(row: Row, top: Path) -> str:
    """Names that become part of a path: of skills, and of what lies in their bundles."""
    if row["op"] == "skill-name":
        fits = NAME.fullmatch(row["path"]) is not None
        return "" if fits == (row["label"] == "allow") else f"the name counts as good: {fits}"
    bundle = top / "bundle.zip"
    _bundle(row["path"], bundle)
    before = _listed(top)
    try:
        parcels = await fetch(str(bundle))
    except HermesError:
        parcels = []
    if _listed(top) != before:
        return "something was written"
    if row["label"] == "allow":
        return "" if parcels else "refused"
    inner = [
        name for one in parcels for name in one.tree.files if name not in ("SKILL.md", "b.zip")
    ]
    return f"taken: {inner}" if inner else ""


def _bundle(what: str, file: Path) -> None:
    """A bundle of a skill with the entry that a row speaks of."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("SKILL.md", "---\nname: given\ndescription: a test\n---\nDo it.\n")
        if what.startswith(("link", "hardlink", "dev-node")):
            entry = zipfile.ZipInfo("link")
            kind = stat.S_IFCHR if what == "dev-node" else stat.S_IFLNK
            entry.external_attr = (kind | 0o777) << 16
            made.writestr(entry, what.partition("->")[2].split(" ")[0])
        elif what.startswith("zip-bomb"):
            made.writestr("a.txt", b"0" * 200_000_000)
        elif what.startswith("nested"):
            made.writestr("b.zip", file.read_bytes()[:50] + b"PK")
        elif what.startswith("CaseClash"):
            made.writestr("CaseClash", "1")
            made.writestr("caseclash", "2")
        elif what != "SKILL.md":
            made.writestr(what, "x")


def _listed(top: Path) -> set[Path]:
    return set(top.rglob("*"))
