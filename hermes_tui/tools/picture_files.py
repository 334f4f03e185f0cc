"""Pictures that tools show to models: a copy is kept, so that what was seen stays what it was."""

from __future__ import annotations

import hashlib
import os

from hermes_tui.errors import ToolError
from hermes_tui.events import Picture
from hermes_tui.models.pictures import LARGEST, Look, look_of
from hermes_tui.security import paths


def keep_picture(content: bytes, folder: str, name: str) -> tuple[Picture, Look]:
    """Keep a picture in the folder under a digest of it; what it is.

    Raises ToolError when it is none that a model takes, or too large for one.
    """
    look = look_of(content)
    if look is None:
        raise ToolError(
            f"{name} is no picture that a model can be shown",
            "PNG, JPEG, GIF and WebP are; convert it with a command first",
        )
    if len(content) > LARGEST:
        raise ToolError(
            f"{name} has {len(content):,} bytes, too many for a model",
            f"make it smaller than {LARGEST:,} bytes with a command first",
        )
    digest = hashlib.sha256(content).hexdigest()[:24]
    path = os.path.join(folder, f"picture-{digest}.{look.ending}")
    if not os.path.exists(path):
        path = _write(folder, os.path.basename(path), content)
    return Picture(path=path, media=look.media), look


def _write(folder: str, name: str, content: bytes) -> str:
    """Where it is kept: under another name when somebody keeps the same picture right now."""
    try:
        file, path = paths.create_private(folder, name)
        with file:
            file.write(content)
    except OSError as error:
        raise ToolError(f"the picture can't be kept: {error.strerror or error}") from error
    return path
