"""Installed skills: what arrives waits in quarantine until the person has seen and accepted it.

What is accepted is pinned by a digest over all its files; an update is another arrival, shown as a
diff and asked about again. The agent reads nothing that waits.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.skills import hub_sources, records, scan
from hermes_tui.skills.folders import hub_folder, waiting_folder
from hermes_tui.skills.hub_sources import Kind, Parcel
from hermes_tui.skills.library import digest_of
from hermes_tui.skills.merge import diff
from hermes_tui.skills.records import Draft, Mark
from hermes_tui.skills.scan import Capabilities, Threat
from hermes_tui.skills.service import Skills
from hermes_tui.skills.skill import FILE, Finding, lint, parse
from hermes_tui.skills.tree import Tree, read_tree, write_text, write_tree


class Receipt(Struct, frozen=True, kw_only=True):
    """Where a skill came from. digest: over all its files, as they were seen."""

    name: str
    source: str
    kind: Kind
    digest: str
    pinned: str = ""
    ts: float = 0.0


class Arrival(Struct, frozen=True, kw_only=True):
    """A skill that waits to be accepted, with all that should be seen before. diff: against what
    is installed, or against nothing; binaries: files that no diff shows; findings: rules of the
    format it breaks; replaces: origin of the skill of that name it takes the place of."""

    receipt: Receipt
    what: Literal["install", "update"]
    description: str
    diff: str
    capabilities: Capabilities
    threats: tuple[Threat, ...] = ()
    findings: tuple[Finding, ...] = ()
    binaries: tuple[str, ...] = ()
    replaces: str = ""


class Hub:
    """Fetches, keeps waiting, accepts, updates and removes installed skills."""

    def __init__(self, skills: Skills) -> None:
        self.skills = skills
        self._hub = hub_folder(skills.home)
        self._waiting = waiting_folder(skills.home)

    async def fetch(self, source: str, cwd: str = "") -> list[Arrival]:
        """Fetch the skills of a source; they wait. What is installed just so is left out.

        Raises HermesError for a source that can't be used; then nothing of it is kept.
        """
        named = _named(source, cwd)
        parcels = await hub_sources.fetch(source, cwd)
        return await asyncio.to_thread(self._keep, parcels, named)

    async def waiting(self) -> list[Arrival]:
        """All that waits, by name."""
        return await asyncio.to_thread(self._all_waiting)

    async def accept(self, name: str, digest: str = "") -> Receipt:
        """Let a waiting skill in, exactly as it was shown; another digest is refused."""
        receipt, tree = await asyncio.to_thread(self._take, name)
        if tree.digest != receipt.digest or digest not in ("", receipt.digest):
            raise HermesError(f"{name} is not what was shown", "fetch it again and look again")
        self._refuse_own(name)
        await asyncio.to_thread(self._install, receipt, tree)
        text = tree.files[FILE].decode("utf-8", "replace")
        await self._mark(name, text, receipt)
        await self.skills.ready()
        return receipt

    async def discard(self, name: str) -> None:
        """Throw away what waits under a name."""
        await asyncio.to_thread(self._take, name)
        await asyncio.to_thread(self._drop_waiting, name)

    async def update(self, name: str = "") -> list[Arrival]:
        """Fetch installed skills again; those that differ now wait to be accepted."""
        receipts = [one for one in await self.installed() if name in ("", one.name)]
        if name and not receipts:
            raise NotFoundError(f"{name} was not installed from anywhere")
        found: list[Arrival] = []
        for source in dict.fromkeys(one.source for one in receipts):
            wanted = {one.name for one in receipts if one.source == source}
            parcels = [one for one in await hub_sources.fetch(source) if one.name in wanted]
            found += await asyncio.to_thread(self._keep, parcels, source)
        return found

    async def remove(self, name: str) -> None:
        """Take an installed skill away; its history stays."""
        known = [one.name for one in await self.installed()]
        if name not in known:
            raise NotFoundError(f"{name} was not installed from anywhere")
        await asyncio.to_thread(shutil.rmtree, self._hub / name, True)
        await asyncio.to_thread((self._hub / f"{name}.json").unlink, True)
        await self.skills.ready()

    async def installed(self) -> list[Receipt]:
        """What is installed, by name."""
        return await asyncio.to_thread(lambda: [one for _, one in _receipts(self._hub)])

    # --- on disk -------------------------------------------------------------------------------

    def _keep(self, parcels: list[Parcel], source: str) -> list[Arrival]:
        arrivals: list[Arrival] = []
        for one in parcels:
            receipt = Receipt(
                name=one.name,
                source=source,
                kind=one.kind,
                digest=one.tree.digest,
                pinned=one.pinned,
                ts=time.time(),
            )
            have = _receipt(self._hub / f"{one.name}.json")
            if have is not None and have.digest == receipt.digest:
                continue
            write_tree(self._waiting / one.name, one.tree.files)
            _write_receipt(self._waiting / f"{one.name}.json", receipt)
            arrivals.append(self._arrival(receipt, one.tree))
        return arrivals

    def _all_waiting(self) -> list[Arrival]:
        return [
            self._arrival(receipt, read_tree(self._waiting / name))
            for name, receipt in _receipts(self._waiting)
        ]

    def _arrival(self, receipt: Receipt, tree: Tree) -> Arrival:
        name, texts = receipt.name, tree.texts()
        old = self._hub / name
        before = read_tree(old).texts() if (old / FILE).is_file() else {}
        skill = parse(texts.get(FILE, ""), name)
        known = {one.name: one.origin for one in self.skills.all()}
        return Arrival(
            receipt=receipt,
            what="update" if before else "install",
            description=skill.description,
            diff=_difference(before, texts),
            capabilities=scan.capabilities(skill, texts, tree.size),
            threats=scan.threats(texts),
            findings=lint(texts.get(FILE, ""), name),
            binaries=tree.binaries,
            replaces="" if before else known.get(name, ""),
        )

    def _take(self, name: str) -> tuple[Receipt, Tree]:
        receipt = _receipt(self._waiting / f"{name}.json")
        if receipt is None or receipt.name != name:
            raise NotFoundError(f"no skill {name!r} waits to be accepted")
        return receipt, read_tree(self._waiting / name)

    def _install(self, receipt: Receipt, tree: Tree) -> None:
        write_tree(self._hub / receipt.name, tree.files)
        _write_receipt(self._hub / f"{receipt.name}.json", receipt)
        self._drop_waiting(receipt.name)

    def _drop_waiting(self, name: str) -> None:
        shutil.rmtree(self._waiting / name, ignore_errors=True)
        (self._waiting / f"{name}.json").unlink(missing_ok=True)

    # --- in the store --------------------------------------------------------------------------

    def _refuse_own(self, name: str) -> None:
        own = [one for one in self.skills.all() if one.name == name]
        if own and own[0].origin in ("user", "learned"):
            raise HermesError(
                f"you have a skill {name!r} of your own, which would hide this one",
                "rename or remove yours first",
            )

    async def _mark(self, name: str, text: str, receipt: Receipt) -> None:
        """The person has seen and accepted this text, whatever it says."""
        mark = self.skills.marks.get(name, Mark(name=name))
        new = msgspec.structs.replace(mark, accepted=digest_of(text), enabled=True, since=0.0)
        draft = Draft(name=name, text=text, by="update", reason=f"installed from {receipt.source}")
        await self.skills.db.write(lambda c: records.set_mark(c, new))
        await self.skills.db.write(lambda c: records.add_version(c, draft))
        await self.skills.read_marks()


def _named(source: str, cwd: str) -> str:
    """A source as it can be fetched again from anywhere."""
    if "://" in source or hub_sources.kind_of(source) not in ("folder", "zip"):
        return source
    return os.path.abspath(os.path.join(cwd, os.path.expanduser(source)))


def _difference(old: dict[str, str], new: dict[str, str]) -> str:
    names = sorted({*old, *new}, key=lambda one: (one != FILE, one))
    return "".join(diff(old.get(name, ""), new.get(name, ""), name) for name in names)


def _receipts(folder: Path) -> list[tuple[str, Receipt]]:
    found = [(file.stem, _receipt(file)) for file in sorted(folder.glob("*.json"))]
    return [(name, one) for name, one in found if one is not None and (folder / name).is_dir()]


def _receipt(file: Path) -> Receipt | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Receipt)
    except (OSError, msgspec.MsgspecError):
        return None


def _write_receipt(file: Path, receipt: Receipt) -> None:
    data = msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode()
    write_text(file, data + "\n")
