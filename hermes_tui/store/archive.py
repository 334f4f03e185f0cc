"""A whole home in one file: a tar of what can't be made again, with a digest of every member."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec
from msgspec import Struct

from hermes_tui.errors import StoreError

MANIFEST = "manifest.json"
DATABASE = "state.db"
SECRETS = frozenset({"secrets.env", "pools.json"})
_LEFT_OUT = frozenset(
    {
        *("backups", "set-aside", "models", "scratch", "checkpoints"),
        *("spool.jsonl", "ui.json", "skills.index"),
    }
)
_ENDS = (".lock", ".sock", ".log", ".log.1")
_CHUNK = 1 << 20
_FORMAT = 1


class Manifest(Struct, frozen=True, kw_only=True):
    """What an archive says of itself. files: SHA-256 in hex by name."""

    format: int
    version: str
    made: float
    files: dict[str, str]


def write(home: Path, database: Path, target: Path, version: str, secrets: bool) -> Manifest:
    """Write an archive of a home, with `database` as its database; readable by its owner alone.

    secrets: take the keys along. Raises StoreError.
    """
    members = {DATABASE: database, **dict(_members(home, secrets))}
    making = target.with_name(f".{target.name}.making")
    try:
        files = {name: _digest(path) for name, path in members.items()}
        manifest = Manifest(format=_FORMAT, version=version, made=time.time(), files=files)
        fd = os.open(making, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as tar:
            _add_bytes(tar, MANIFEST, msgspec.json.encode(manifest))
            for name, path in members.items():
                tar.add(path, name, recursive=False)
        read(making)
        os.replace(making, target)
    except OSError as error:
        raise StoreError(f"{target} can't be written: {error.strerror or error}") from error
    finally:
        making.unlink(missing_ok=True)
    return manifest


def read(archive: Path) -> Manifest:
    """Read an archive whole and prove every member. Raises StoreError for anything else."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            manifest = _manifest(tar)
            seen = {one.name: _of(tar, one) for one in tar if one.name != MANIFEST}
    except (OSError, tarfile.TarError, EOFError, ValueError, msgspec.MsgspecError) as error:
        raise StoreError(f"{archive} is no sound backup: {error}", _OTHER) from error
    if seen != manifest.files:
        wrong = sorted(set(seen.items()) ^ set(manifest.files.items()))[0][0]
        raise StoreError(f"{archive} is no sound backup: {wrong} is not what it was", _OTHER)
    if DATABASE not in seen:
        raise StoreError(f"{archive} holds no database", _OTHER)
    return manifest


def unpack(archive: Path, folder: Path) -> Manifest:
    """Unpack a proved archive into an empty folder of ours. Raises StoreError, OSError."""
    manifest = read(archive)
    with tarfile.open(archive, "r:gz") as tar:
        for member in (one for one in tar if one.name in manifest.files):
            _out_to(folder / member.name, _opened(tar, member))
    return manifest


def _out_to(target: Path, source: IO[bytes]) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        for chunk in _chunks(source):
            file.write(chunk)


def _members(home: Path, secrets: bool) -> Iterator[tuple[str, Path]]:
    for folder, folders, names in os.walk(home):
        top = Path(folder) == home
        folders[:] = sorted(one for one in folders if not (top and one in _LEFT_OUT))
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file() or (top and _out(name, secrets)):
                continue
            yield path.relative_to(home).as_posix(), path


def _out(name: str, secrets: bool) -> bool:
    if name in SECRETS:
        return not secrets
    return name in _LEFT_OUT or name.startswith((DATABASE, ".")) or name.endswith(_ENDS)


def _manifest(tar: tarfile.TarFile) -> Manifest:
    first = tar.next()
    if first is None or first.name != MANIFEST:
        raise ValueError("it has no manifest")
    manifest = msgspec.json.decode(_opened(tar, first).read(), type=Manifest)
    if manifest.format != _FORMAT:
        raise ValueError("it is of a newer version of the program")
    return manifest


def _of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    parts = PurePosixPath(member.name)
    if not member.isreg() or parts.is_absolute() or ".." in parts.parts:
        raise ValueError(f"{member.name!r} has no place in a backup")
    return _sum(_opened(tar, member))


def _opened(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = tar.extractfile(member)
    if file is None:
        raise ValueError(f"{member.name!r} has no place in a backup")
    return file


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o600
    tar.addfile(info, io.BytesIO(data))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return _sum(file)


def _sum(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in _chunks(file):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


_OTHER = "try another one"
