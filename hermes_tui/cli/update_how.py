"""How this copy of hermes was installed, and the commands that look for and install a newer one."""

from __future__ import annotations

import os
import re
import shutil
import site
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import msgspec

from hermes_tui.errors import HermesError

NAME = "hermes-tui"
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w.-]+)['\"]")
_REQUIRED = re.compile(r"[\w.-]+")
_DRY = ("install", "--upgrade", "--dry-run", "--no-deps")
_NO_INSTALLER = "install pip or uv (https://docs.astral.sh/uv) beside it, or install hermes anew"


class How(msgspec.Struct, frozen=True, kw_only=True):
    """A way of installing: its name, what looks for a newer version, what installs it.

    `update` may be several commands, run one after the other until one fails. `back` is said when
    the new version does not start.
    """

    name: str
    look: tuple[str, ...]
    update: tuple[tuple[str, ...], ...]
    back: str


class _Folder(msgspec.Struct, frozen=True):
    editable: bool = False


class _Origin(msgspec.Struct, frozen=True):
    """`direct_url.json`, as https://packaging.python.org/specifications/direct-url/ has it."""

    dir_info: _Folder = _Folder()


def how(package: Path, source: str = "") -> How:
    """How the package in that folder came here. `source`: install this file or folder instead.

    Raises HermesError when nothing here could install it.
    """
    known = distribution(package)
    if known is None or _editable(known):
        return _checkout(package.parent, source, editable=known is not None)
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists() and (pipx := shutil.which("pipx")):
        update = (pipx, "install", "--force", source) if source else (pipx, "upgrade", NAME)
        return _way("pipx", update, f"pipx install --force {NAME}=={known.version}")
    if (prefix / "uv-receipt.toml").exists() and (uv := _uv()):
        update = (uv, "tool", "install", "--force", source)
        update = update if source else (uv, "tool", "upgrade", NAME)
        return _way("uv tool", update, f"uv tool install --force {NAME}=={known.version}")
    return _environment(known, source)


def distribution(package: Path) -> metadata.Distribution | None:
    """The installed distribution whose files these are, or which points at them; None: neither."""
    for one in metadata.distributions(name=NAME):
        if _editable(one) or Path(str(one.locate_file(package.name))).resolve() == package:
            return one
    return None


def extras(known: metadata.Distribution) -> list[str]:
    """The extras whose every package is here, so that an update brings those along too."""
    wanted: dict[str, list[str]] = {}
    for line in known.requires or ():
        extra, name = _EXTRA.search(line), _REQUIRED.match(line)
        if extra and name:
            wanted.setdefault(extra[1], []).append(name[0])
    return sorted(
        extra
        for extra, names in wanted.items()
        if extra != "dev" and all(_present(name) for name in names)
    )


def _present(name: str) -> bool:
    return any(True for _ in metadata.distributions(name=name))


def _editable(known: metadata.Distribution) -> bool:
    text = known.read_text("direct_url.json")
    return bool(text) and msgspec.json.decode(text, type=_Origin).dir_info.editable


def _checkout(root: Path, source: str, editable: bool) -> How:
    if source:
        raise HermesError(
            "hermes runs from a folder of source code here; it can't install another one over it",
            f"work in {root}, or install the other one with pip",
        )
    if not (root / ".git").exists():
        raise HermesError(
            f"hermes runs from {root}, which is neither installed nor a git checkout",
            "put the newer source there, then `hermes daemon restart`",
        )
    git = shutil.which("git")
    if git is None:
        raise HermesError("hermes is a git checkout here, and git is missing", "install git")
    here = (git, "-C", str(root))
    steps: tuple[tuple[str, ...], ...] = ((*here, "pull", "--ff-only"),)
    if editable:
        steps += ((*_installer()[0], "install", "--quiet", "--editable", str(root)),)
    look = (*here, "fetch", "--quiet")
    return How(name="git", look=look, update=steps, back=f"git -C {root} checkout ORIG_HEAD")


def _environment(known: metadata.Distribution, source: str) -> How:
    installer, name = _installer((known.read_text("INSTALLER") or "").strip())
    there = [*installer, "install", "--upgrade"]
    if name == "pip" and _for_one_user(known):
        there.append("--user")
    chosen = extras(known)
    what = (source or NAME) + (f"[{','.join(chosen)}]" if chosen else "")
    back = f"{' '.join(installer)} install {NAME}=={known.version}"
    return _way(name, (*there, what), back)


def _way(name: str, update: tuple[str, ...], back: str) -> How:
    installer, kind = _installer()
    report = ("-qq", "--report", "-") if kind == "pip" else ()
    return How(name=name, look=(*installer, *_DRY, *report, NAME), update=(update,), back=back)


def _installer(preferred: str = "") -> tuple[tuple[str, ...], str]:
    """What installs into this very environment: pip inside it, or uv from outside."""
    uv = _uv()
    if uv and (preferred == "uv" or find_spec("pip") is None):
        return (uv, "pip"), "uv"
    if find_spec("pip") is None:
        raise HermesError("nothing here can install packages: no pip, no uv", _NO_INSTALLER)
    return (sys.executable, "-m", "pip"), "pip"


def _uv() -> str | None:
    return shutil.which("uv")


def _for_one_user(known: metadata.Distribution) -> bool:
    mine = os.path.realpath(site.getusersitepackages())
    return os.path.realpath(str(known.locate_file(""))) == mine
