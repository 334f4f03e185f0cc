"""Attached files: a copy of each is kept with the session, the prompt shows it as a chip.

All of this waits for the disk: it runs in a thread.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from hermes_tui.errors import HermesError
from hermes_tui.ui import figures
from hermes_tui.ui.attach_images import HEAD, ImageInfo, image_info
from hermes_tui.ui.attach_paths import readings
from hermes_tui.ui.prompt_document import Draft, Piece, text_draft

LARGEST = 50_000_000
_NAME = 80


def named_files(text: str, cwd: str) -> tuple[Path, ...]:
    """The files a pasted text names and that are worth a copy; none when one of them is no file.

    Other files than images stay what was pasted while they lie in the folder the agent works
    in: it reads them there.
    """
    for paths in readings(text):
        files = [Path(os.path.abspath(os.path.expanduser(path))) for path in paths]
        if all(_is_file(file) for file in files):
            return tuple(files) if any(_worth(file, cwd) for file in files) else ()
    return ()


def attach_all(files: Sequence[Path], folder: Path) -> Draft:
    """Copies of files as chips with a blank between them; raises HermesError."""
    blank = text_draft(" ").pieces
    pieces = [one for file in files for one in (attach_file(file, folder), *blank)]
    return Draft(pieces=tuple(pieces))


def attach_file(file: Path, folder: Path) -> Piece:
    """A copy of a file in the folder, as a chip. Raises HermesError when it can't be copied."""
    import shutil

    try:
        size = file.stat().st_size
        if size > LARGEST:
            most = figures.size(LARGEST)
            raise HermesError(f"{file.name} is too large to attach", f"at most {most}")
        info = _info(file)
        copy = _free_name(folder, file.name)
        shutil.copyfile(file, copy)
        copy.chmod(0o600)
    except OSError as error:
        raise HermesError(f"{file.name} can't be attached: {error.strerror or error}") from error
    return _piece(copy, size, info, f", a copy of {file}")


def attach_image(data: bytes, folder: Path) -> Piece:
    """Image bytes from the clipboard, kept as a file, as a chip. Raises HermesError."""
    info = image_info(data[:HEAD])
    if info is None:
        raise HermesError("what is on the clipboard is no image that is known here")
    try:
        copy = _free_name(folder, f"clipboard.{info.format.lower()}")
        copy.touch(mode=0o600)
        copy.write_bytes(data)
    except OSError as error:
        raise HermesError(f"the image can't be kept: {error.strerror or error}") from error
    return _piece(copy, len(data), info, ", from the clipboard")


def _is_file(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.stat().st_mode)
    except (OSError, ValueError):
        return False


def _info(file: Path) -> ImageInfo | None:
    with file.open("rb") as opened:
        return image_info(opened.read(HEAD))


def _worth(file: Path, cwd: str) -> bool:
    try:
        inside = bool(cwd) and file.resolve().is_relative_to(Path(cwd).resolve())
        return not inside or _info(file) is not None
    except OSError:
        return False


def _free_name(folder: Path, name: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    plain = "".join(c if c.isalnum() or c in "._- " else "_" for c in name).strip(" .")
    stem, dot, end = (plain or "file").rpartition(".")
    stem, end = (stem, dot + end) if stem else (end, "")
    stem, end = stem[:_NAME], end[:20]
    copy, number = folder / (stem + end), 1
    while copy.exists():
        number += 1
        copy = folder / f"{stem}-{number}{end}"
    return copy


def _piece(copy: Path, size: int, info: ImageInfo | None, origin: str) -> Piece:
    room = figures.size(size)
    if info is None:
        text = f"[attached file {copy} ({room}{origin})]"
        return Piece(text=text, folded=True, kind="file", about=f"{copy.name} · {room}")
    pixels = f"{info.width}×{info.height}" if info.width and info.height else info.format
    about = f"{info.format}, {pixels}, {room}{origin}"
    text = f"[attached image {copy} ({about})]"
    return Piece(text=text, folded=True, kind="image", about=f"{pixels} · {room}")
