"""Contents kept once each, by their digest: one small file a content, for its owner's eyes only."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from hermes_tui.errors import StoreError

_RAW, _PACKED = b"r", b"z"
_SAMPLE = 65_536


class Blobs:
    """A folder of contents. Not meant for two writers of one process at a time.

    Nothing is synced to disk: a machine that loses power may lose contents written last, and
    `get` says so, because every content is checked against its digest.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written = 0
        """Bytes put on disk since this object was made."""

    def put(self, content: bytes) -> str:
        """Keep a content; its digest. Raises OSError."""
        digest = digest_of(content)
        path = self._path(digest)
        if path.exists() and self._sound(digest):
            return digest
        for folder in (self.folder.parent, self.folder, path.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        stored = _pack(content)
        temporary = path.with_name(f".new-{os.urandom(6).hex()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(stored)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        self.written += len(stored)
        return digest

    def get(self, digest: str) -> bytes:
        """A content. Raises StoreError when it is gone or damaged."""
        try:
            stored = self._path(digest).read_bytes()
            content = zlib.decompress(stored[1:]) if stored[:1] == _PACKED else stored[1:]
        except (OSError, zlib.error) as error:
            raise StoreError(f"a kept content is lost: {error}", _HINT) from error
        if digest_of(content) != digest:
            raise StoreError("a kept content is damaged", _HINT)
        return content

    def has(self, digest: str) -> bool:
        """Whether a content is there; its bytes are not looked at."""
        return self._path(digest).exists()

    def sizes(self) -> dict[str, int]:
        """Bytes on disk of every content, by digest."""
        return {digest: size for folder in self._folders() for digest, size in _sizes(folder)}

    def drop(self, digests: Iterable[str]) -> None:
        """Forget contents; those that are not there are no matter. Raises OSError."""
        for digest in digests:
            self._path(digest).unlink(missing_ok=True)

    def sweep_unfinished(self) -> None:
        """Remove what a process that died was just writing."""
        for folder in self._folders():
            for one in folder.glob(".new-*"):
                one.unlink(missing_ok=True)

    def _folders(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [one for one in self.folder.iterdir() if len(one.name) == 2 and one.is_dir()]

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest[2:]

    def _sound(self, digest: str) -> bool:
        try:
            self.get(digest)
        except StoreError:
            return False
        return True


_HINT = "this checkpoint can't be used any more; a later one may"


def digest_of(content: bytes) -> str:
    """The name of a content: 160 bits of BLAKE2b, in hexadecimal."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def _sizes(folder: Path) -> list[tuple[str, int]]:
    with os.scandir(folder) as entries:
        return [
            (folder.name + one.name, one.stat().st_size)
            for one in entries
            if not one.name.startswith(".")
        ]


def _pack(content: bytes) -> bytes:
    """Compressed if the beginning shows that it pays."""
    if len(content) < 64:
        return _RAW + content
    if len(content) > _SAMPLE:
        sample = content[:_SAMPLE]
        if len(zlib.compress(sample, 1)) > 0.9 * len(sample):
            return _RAW + content
    packed = zlib.compress(content, 1)
    return _PACKED + packed if len(packed) < len(content) else _RAW + content
