"""Skills fetched from somewhere else: a folder, a zip, a git repository, an index on the web.

Everything comes as bytes in memory, within limits; nothing of it is run, and no path or link of it
reaches the disk before it was looked at.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.skills.skill import FILE, NAME, parse
from hermes_tui.skills.tree import (
    LARGEST,
    MOST_BYTES,
    Tree,
    TreeError,
    check_limits,
    inner_path,
    read_tree,
)

Kind = Literal["folder", "zip", "git", "index"]

_MOST_SKILLS = 200
_ARCHIVE = 40_000_000
_CLONE_S = 120.0
_GIT = re.compile(r"(?:https?|ssh|git|file)://\S+?\.git(?:[#@]\S*)?\Z|git@[\w.-]+:\S+|git\+\S+")
_GITHUB = re.compile(r"https://(?:github|gitlab)\.com/[\w.-]+/[\w.-]+/?\Z")
_WELL_KNOWN = ("/.well-known/agent-skills/index.json", "/.well-known/skills/index.json")
_GIT_OPTIONS = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never", "-c", "protocol.https.allow=always"),
    *("-c", "protocol.http.allow=always", "-c", "protocol.ssh.allow=always"),
    *("-c", "protocol.git.allow=always", "-c", "protocol.file.allow=always"),
    *("-c", "transfer.fsckObjects=true", "-c", "credential.interactive=false"),
)


class Parcel(Struct, frozen=True, kw_only=True):
    """One skill as it came. pinned: what exactly it was fetched from, such as a commit."""

    name: str
    tree: Tree
    kind: Kind
    pinned: str = ""


def kind_of(source: str) -> Kind:
    """What a source is, by how it is written and by what lies there."""
    if _GIT.fullmatch(source) or _GITHUB.fullmatch(source):
        return "git"
    if source.startswith(("http://", "https://")):
        return "zip" if source.partition("?")[0].endswith((".zip", ".skill")) else "index"
    path = Path(os.path.expanduser(source))
    if path.is_file():
        return "zip"
    if (path / ".git").exists() or (path / "HEAD").is_file():
        return "git" if (path / "HEAD").is_file() else "folder"
    return "folder"


async def fetch(source: str, cwd: str = "") -> list[Parcel]:
    """All skills of a source. Raises HermesError with what is wrong with it."""
    kind = kind_of(source)
    if kind == "index":
        return await _from_index(source)
    if kind == "git":
        return await _from_git(source)
    if kind == "zip" and source.startswith(("http://", "https://")):
        return await asyncio.to_thread(_unzip, await _get(source, _ARCHIVE), source)
    path = _local(source, cwd)
    if kind == "zip":
        return await asyncio.to_thread(_unzip, await asyncio.to_thread(_read, path), path.name)
    return await asyncio.to_thread(_from_folder, path)


def _local(source: str, cwd: str) -> Path:
    return Path(cwd or ".", os.path.expanduser(source)).absolute()


# --- folders -------------------------------------------------------------------------------------


def _from_folder(path: Path, kind: Kind = "folder", pinned: str = "") -> list[Parcel]:
    if not path.is_dir():
        raise HermesError(f"{path} is no folder", "name a folder, a .zip, a git URL or an index")
    folders = _skill_folders(path)
    if not folders:
        raise HermesError(f"{path} holds no {FILE}", "a skill is a folder with a SKILL.md in it")
    if len(folders) > _MOST_SKILLS:
        raise HermesError(f"{path} holds over {_MOST_SKILLS} skills", "name one of its folders")
    return [_parcel(read_tree(one), one.name, kind, pinned) for one in folders]


def _skill_folders(path: Path) -> list[Path]:
    if (path / FILE).is_file():
        return [path]
    found: list[Path] = []
    for base, folders, names in os.walk(path, followlinks=False):
        depth = len(Path(base).relative_to(path).parts)
        folders[:] = sorted(one for one in folders if _goes_down(one)) if depth < 4 else []
        if FILE in names:
            found.append(Path(base))
            folders.clear()
    return found


def _goes_down(name: str) -> bool:
    return not name.startswith(".") or name in (".agents", ".claude")


def _parcel(tree: Tree, folder: str, kind: Kind, pinned: str = "") -> Parcel:
    text = tree.files[FILE].decode("utf-8", "replace")
    said = parse(text, folder).name
    name = said if NAME.fullmatch(said) else folder.lower()
    if not NAME.fullmatch(name):
        name = re.sub(r"[^a-z0-9]+", "-", name).strip("-")[:64].strip("-")
    if not name:
        raise HermesError(f"the skill in {folder!r} has no usable name", "give it one of a-z, 0-9")
    return Parcel(name=name, tree=tree, kind=kind, pinned=pinned)


# --- zips ----------------------------------------------------------------------------------------


def _unzip(data: bytes, source: str) -> list[Parcel]:
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files = _members(archive)
    except (BadZipFile, NotImplementedError, EOFError, RuntimeError, OSError) as error:
        raise HermesError(f"{source} is no zip that can be read: {error}") from error
    return _split(files, source)


def _members(archive: Any) -> dict[str, bytes]:
    """The files of a zip, each checked before a byte of it is unpacked."""
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    room = MOST_BYTES * 4
    members = archive.infolist()
    if len(members) > 50 * _MOST_SKILLS:
        raise TreeError(f"the zip has {len(members):,} entries", "that is no set of skills")
    for info in members:
        if info.is_dir():
            continue
        name = inner_path(info.filename)
        if name.casefold() in seen:
            raise TreeError(f"{name} is there twice, in large and small letters", "rename one")
        seen.add(name.casefold())
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):  # a zip need not say what a file is
            raise TreeError(f"{name} is a link or a special file", "nothing was written")
        with archive.open(info) as file:
            content = file.read(min(LARGEST, room) + 1)
        room -= len(content)
        if len(content) > LARGEST or room < 0:
            raise TreeError(f"{name} is too large when unpacked", "nothing was written")
        files[name] = content
    return files


def _split(files: dict[str, bytes], source: str) -> list[Parcel]:
    """Files of an archive, by the skills they belong to."""
    roots = sorted(PurePosixPath(name).parent for name in files if PurePosixPath(name).name == FILE)
    roots = [one for one in roots if not any(other in one.parents for other in roots)]
    if not roots:
        raise HermesError(f"{source} holds no {FILE}", "a skill is a folder with a SKILL.md in it")
    if len(roots) > _MOST_SKILLS:
        raise HermesError(f"{source} holds over {_MOST_SKILLS} skills", "fetch fewer at once")
    parcels: list[Parcel] = []
    for root in roots:
        inside = {
            PurePosixPath(name).relative_to(root).as_posix(): data
            for name, data in files.items()
            if PurePosixPath(name).is_relative_to(root)
        }
        tree = Tree(inside)
        check_limits(len(inside), tree.size)
        folder = root.name or PurePosixPath(source.partition("?")[0]).stem
        parcels.append(_parcel(tree, folder, "zip"))
    return parcels


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_ARCHIVE + 1)
    except OSError as error:
        raise HermesError(f"{path} can't be read: {error.strerror}") from error
    if len(data) > _ARCHIVE:
        raise TreeError(f"{path} is over {_ARCHIVE:,} bytes long", "unpack it and name a folder")
    return data


# --- git -----------------------------------------------------------------------------------------


async def _from_git(source: str) -> list[Parcel]:
    url, ref = _address(source)
    place = await asyncio.to_thread(tempfile.mkdtemp, prefix="hermes-skills-")
    folder = Path(place, "repo")
    try:
        branch = ("--branch", ref) if ref else ()
        await _git(
            *("clone", "--quiet", "--depth", "1", "--no-tags", "--no-recurse-submodules"),
            *("--template=", *branch, "--", url, str(folder)),
            cwd=place,
        )
        commit = (await _git("rev-parse", "HEAD", cwd=str(folder))).strip()
        parcels = await asyncio.to_thread(_from_folder, folder, "git", commit)
    finally:
        await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
    alone = len(parcels) == 1 and parcels[0].name == "repo"
    if alone:
        name = re.sub(r"\.git\Z", "", url.rstrip("/").rpartition("/")[2].rpartition(":")[2])
        return [msgspec.structs.replace(parcels[0], name=name.lower())]
    return parcels


def _address(source: str) -> tuple[str, str]:
    """(URL, branch or tag) of `URL`, `git+URL` or `URL#REF`."""
    url, _, ref = source.removeprefix("git+").partition("#")
    if ref.startswith("-") or url.startswith("-"):
        raise HermesError(f"{source!r} is no address of a repository")
    return (os.path.abspath(url) if "://" not in url and os.path.isdir(url) else url), ref


async def _git(*words: str, cwd: str) -> str:
    from hermes_tui.backends import process

    kept = ("PATH", "HOME", "SSH_AUTH_SOCK", "TMPDIR", "https_proxy", "http_proxy", "no_proxy")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_LFS_SKIP_SMUDGE": "1"}
    env |= {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "GIT_ASKPASS": "true"}
    try:
        git = await process.start(["git", *_GIT_OPTIONS, *words], cwd=cwd, env=env)
    except OSError as error:
        raise HermesError("git can't be started", "install git, or fetch a zip") from error
    output = b""
    try:
        async with asyncio.timeout(_CLONE_S):
            while chunk := await git.read():
                output = (output + chunk)[-20_000:]
            code = await git.wait()
    except TimeoutError as error:
        raise HermesError(f"git gave up after {_CLONE_S:g} s", "is the address right?") from error
    finally:
        await git.kill()
    if code:
        last = output.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise HermesError(f"git failed: {' '.join(last) or code}", "is the address right?")
    return output.decode("utf-8", "replace")


# --- indexes -------------------------------------------------------------------------------------


async def _from_index(source: str) -> list[Parcel]:
    """The skills of an index: files listed each, or an archive or a SKILL.md under a URL."""
    from urllib.parse import urljoin

    url, listed = await _index(source)
    parcels: list[Parcel] = []
    for one in listed[:_MOST_SKILLS]:
        name = str(one.get("name", ""))
        if not NAME.fullmatch(name):
            raise HermesError(f"the index names a skill {name!r}", "that is no name of a skill")
        if isinstance(one.get("url"), str):
            data = await _get(urljoin(url, one["url"]), _ARCHIVE, one.get("digest"))
            parcels.append(_single(name, data))
            continue
        files: dict[str, bytes] = {}
        for file in cast("list[Any]", one.get("files") or [FILE]):
            inner = inner_path(str(file))
            files[inner] = await _get(urljoin(url, f"{name}/{inner}"), LARGEST)
            check_limits(len(files), sum(len(data) for data in files.values()))
        if FILE not in files:
            raise HermesError(f"the index lists no {FILE} for {name!r}")
        parcels.append(Parcel(name=name, tree=Tree(files), kind="index", pinned=url))
    return parcels


def _single(name: str, data: bytes) -> Parcel:
    if not data.startswith(b"PK"):
        return Parcel(name=name, tree=Tree({FILE: data}), kind="index")
    parcels = _unzip(data, name)
    if len(parcels) != 1:
        raise HermesError(
            f"the archive of {name!r} holds {len(parcels)} skills", "it should be one"
        )
    return msgspec.structs.replace(parcels[0], name=name, kind="index")


async def _index(source: str) -> tuple[str, list[dict[str, Any]]]:
    """(its URL, its entries) of an index, named itself or the site it belongs to."""
    bare = source.rstrip("/")
    known = source.partition("?")[0].endswith(".json")
    tried = (source,) if known else tuple(bare + path for path in _WELL_KNOWN)
    problem: HermesError | None = None
    for url in tried:
        try:
            tree: Any = msgspec.json.decode(await _get(url, LARGEST))
        except msgspec.DecodeError as error:
            problem = HermesError(f"{url} is no index of skills: {error}")
            continue
        except HermesError as error:
            problem = error
            continue
        entries: Any = (
            cast("dict[str, Any]", tree).get("skills") if isinstance(tree, dict) else tree
        )
        if isinstance(entries, list) and all(
            isinstance(one, dict) for one in cast("list[Any]", entries)
        ):
            return url, cast("list[dict[str, Any]]", entries)
        problem = HermesError(f"{url} is no index of skills", 'it has no list "skills"')
    raise problem or HermesError(f"{source} is no index of skills")


async def _get(url: str, limit: int, digest: Any = None) -> bytes:
    """The bytes behind a URL that the person named, or that an index they named does."""
    from urllib.parse import urlsplit

    from hermes_tui.security.urls import Limits, Request, UrlRules
    from hermes_tui.security.urls import fetch as get

    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    rules = UrlRules(local=frozenset((f"{parts.hostname}:{port}",)))
    got = await get(Request(url=url), rules, limits=Limits(size=limit, seconds=60))
    if got.status != 200:
        raise HermesError(f"{url} answered {got.status}", "is the address right?")
    if got.truncated:
        raise TreeError(f"{url} is over {limit:,} bytes long", "that is too large for a skill")
    if isinstance(digest, str) and digest.startswith("sha256:"):
        import hashlib

        if hashlib.sha256(got.body).hexdigest() != digest.removeprefix("sha256:").lower():
            raise HermesError(f"{url} is not what its index promises", "its digest is another one")
    return got.body
