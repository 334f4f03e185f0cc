"""What a sandboxed command may reach besides its workspace and the system."""

from __future__ import annotations

from msgspec import Struct


class Grants(Struct, frozen=True, kw_only=True):
    """Named extras; everything else stays out of sight.

    read, write: files and folders outside the workspace; reveal: files of the workspace that
    would be masked as secret but may be read; env: names of environment variables passed on;
    ssh_agent: the person's ssh agent may sign; git_config: `.git/config` may be written.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    reveal: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    ssh_agent: bool = False
    git_config: bool = False


def is_within(path: str, folder: str) -> bool:
    """Whether an absolute path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
