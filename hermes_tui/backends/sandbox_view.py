"""What one sandboxed command sees: worked out once, then built by whichever level there is."""

from __future__ import annotations

import hashlib
import os
import pwd
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from hermes_tui.backends.leftovers import MARK
from hermes_tui.backends.limits import Limits
from hermes_tui.errors import ToolError
from hermes_tui.security import grants_git, grants_names, grants_roots
from hermes_tui.security.grants import Grants, is_within
from hermes_tui.security.grants_index import Found, index_of

if TYPE_CHECKING:
    from hermes_tui.backends.egress import Egress

Profile = Literal["read-only", "workspace", "full"]

_ETC = (
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "crypto-policies",
    "debian_version", "fonts", "gai.conf", "gitconfig", "host.conf", "inputrc", "java-17-openjdk",
    "java-21-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload",
    "locale.alias", "locale.conf", "localtime", "lsb-release", "magic", "magic.mime", "maven",
    "mime.types", "nix", "os-release", "papersize", "perl", "pki", "php", "profile", "profile.d",
    "protocols", "python3", "python3.11", "python3.12", "python3.13", "R", "rpc", "services",
    "shells", "ssl", "terminfo", "timezone", "vulkan", "xdg",
)  # fmt: skip
_ETC_PLAIN = ("group", "hosts", "nsswitch.conf", "passwd")
_PASSED = frozenset(
    [
        "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM",
        "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL", "PAGER", "CI",
        "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME", "PYTHONUNBUFFERED",
    ]
)  # fmt: skip
_TOP_FOLDERS = frozenset(
    [
        "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt",
        "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/var", "/Users",
        "/private", "/private/tmp", "/var/tmp", "/Library", "/System", "/Applications", "/Volumes",
    ]
)  # fmt: skip
_MASKS = 150
_KEYS_OF_SYSTEM = ("/etc/ssl/private", "/etc/pki/tls/private")


class Sandbox(Struct, frozen=True, kw_only=True):
    """What surrounds one command. Paths are absolute.

    level: 3 bubblewrap, 2 Landlock and seccomp (or sandbox-exec), 1 nothing; home: the person's
    home folder, which is hidden; scratch: a folder of the core's for caches and stand-ins;
    hidden: never to be seen, such as the agent's own state; egress: the way to the network,
    None for no network at all.
    """

    level: int
    workspace: str
    home: str
    scratch: str
    hidden: tuple[str, ...] = ()
    profile: Profile = "workspace"
    grants: Grants = Grants()
    limits: Limits = Limits()
    egress: Egress | None = None


class View(Struct, frozen=True, kw_only=True):
    """Real paths. read, write: visible; frozen: visible, but not to be changed; pinned: not to
    be renamed; masked: not to be read; texts: small files of its own by path; agent: the
    socket of the person's ssh agent, when that is granted.
    """

    workspace: str
    home: str
    cache: str
    tools: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    texts: tuple[tuple[str, bytes], ...] = ()
    agent: str = ""
    found: Found = Found()


def unfit(sandbox: Sandbox) -> str:
    """Why a folder can't be a sandbox's workspace; empty when it can."""
    workspace = os.path.realpath(sandbox.workspace)
    if workspace in _TOP_FOLDERS or any(
        is_within(workspace, one) for one in ("/proc", "/sys", "/dev", "/etc", "/boot")
    ):
        return f"{workspace} is a folder of the system, not one to work in"
    if is_within(os.path.realpath(sandbox.home), workspace):
        return f"{workspace} holds your whole home, which the sandbox is there to hide"
    for hidden in map(os.path.realpath, sandbox.hidden):
        if is_within(workspace, hidden):
            return f"{workspace} is the agent's own folder"
        if sandbox.level < 3 and is_within(hidden, workspace):
            return f"{workspace} holds the agent's own folder, and only level 3 can hide it"
    return ""


def look(sandbox: Sandbox, env: Mapping[str, str]) -> View:
    """Work out what is visible; reads the disk. Raises ToolError for an unfit workspace."""
    reason = unfit(sandbox)
    if reason:
        raise ToolError(f"no sandbox here: {reason}", "work in a folder of its own")
    home, workspace = (os.path.realpath(one) for one in (sandbox.home, sandbox.workspace))
    found = index_of(workspace).find(by_number=sandbox.level < 3)
    outside = grants_git.repository(workspace, home)
    read = [os.path.realpath(one) for one in sandbox.grants.read]
    write = [os.path.realpath(one) for one in sandbox.grants.write]
    git = list(found.git)
    masked = [*found.secrets]
    if outside is not None:
        git.append(outside.git)
        if outside.read:
            read.append(outside.read)
            masked += index_of(outside.read).find().secrets
    (read if sandbox.profile == "read-only" else write).append(workspace)
    if outside is not None:
        (read if sandbox.profile == "read-only" else write).append(outside.git)
    tools = grants_roots.tool_roots(env.get("PATH", ""), home)
    if sandbox.egress is not None:
        tools += grants_roots.interpreter_roots(sys.executable, sys.base_prefix)
    masked += [one for root in tools for one in _credentials(root)]
    masked += [os.path.realpath(one) for one in sandbox.hidden]
    masked += [one for one in _KEYS_OF_SYSTEM if os.access(one, os.R_OK)]
    revealed = {os.path.realpath(one) for one in sandbox.grants.reveal}
    pinned, frozen = _held_still(found, git, sandbox.grants.git_config)
    masked = [one for one in masked if one not in revealed and os.path.exists(one)]
    return View(
        workspace=workspace,
        home=home,
        cache=cache_of(sandbox, workspace),
        tools=tools,
        read=tuple(sorted(set(read))),
        write=tuple(sorted(set(write))),
        frozen=frozen,
        pinned=tuple(sorted({*pinned, *_ways(masked, workspace)})),
        masked=_fewer(masked, workspace),
        texts=_texts(home),
        agent=env.get("SSH_AUTH_SOCK", "") if sandbox.grants.ssh_agent else "",
        found=found,
    )


def system_folders() -> tuple[str, ...]:
    """Where the system's programs and libraries are."""
    return tuple(one for one in grants_roots.SYSTEM if os.path.exists(one))


def etc_paths() -> tuple[str, ...]:
    """What programs may need of /etc, and nothing personal."""
    return tuple(path for name in _ETC if os.path.exists(path := f"/etc/{name}"))


def plain_etc() -> tuple[str, ...]:
    """Files of /etc that level 3 replaces by short ones of its own."""
    return tuple(f"/etc/{name}" for name in _ETC_PLAIN)


def environment(sandbox: Sandbox, view: View, env: Mapping[str, str], home: str) -> dict[str, str]:
    """The variables a command gets: a whitelist, and where its caches are."""
    passed = {
        name: value
        for name, value in env.items()
        if name in _PASSED or name.startswith("LC_") or name in (MARK, *sandbox.grants.env)
    }
    cache = os.path.join(home, ".cache")
    made = {
        "HOME": home,
        "XDG_CACHE_HOME": cache,
        "CARGO_HOME": f"{cache}/cargo",
        "GOPATH": f"{cache}/go",
        "GRADLE_USER_HOME": f"{cache}/gradle",
        "npm_config_cache": f"{cache}/npm",
        "npm_config_update_notifier": "false",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    rustup = os.path.join(view.home, ".rustup")
    if any(is_within(rustup, one) for one in view.tools):
        made["RUSTUP_HOME"] = rustup
    if view.agent:
        made["SSH_AUTH_SOCK"] = view.agent
    return {**passed, **made}


def _held_still(found: Found, git: list[str], config: bool) -> tuple[list[str], tuple[str, ...]]:
    """(pinned, frozen): repositories' folders stay where they are, their hooks as they are."""
    frozen = list(found.frozen)
    places = [one for folder in git for one in (folder, *grants_git.modules(folder))]
    for folder in places:
        frozen.append(os.path.join(folder, "hooks"))
        if not config and os.path.isfile(os.path.join(folder, "config")):
            frozen.append(os.path.join(folder, "config"))
    return places, tuple(sorted(set(frozen))[: _MASKS * 2])


def _ways(masked: list[str], workspace: str) -> set[str]:
    """The folders between the workspace and what is masked: renaming one would bare it."""
    found: set[str] = set()
    for path in masked:
        folder = os.path.dirname(path)
        while folder != workspace and is_within(folder, workspace):
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


def _fewer(masked: list[str], workspace: str) -> tuple[str, ...]:
    """The same, but whole folders where they hold many: each mask costs time."""
    kept = set(masked)
    while len(kept) > _MASKS:
        folders = [os.path.dirname(one) for one in kept]
        inner = sorted({one for one in folders if _below(one, workspace)})
        fullest = max(inner, key=folders.count, default="")
        if not fullest:
            break
        kept = {one for one in kept if not is_within(one, fullest)} | {fullest}
    return tuple(sorted(one for one in kept if not any(_below(one, other) for other in kept)))


def _below(path: str, folder: str) -> bool:
    return path != folder and is_within(path, folder)


def _credentials(root: str) -> list[str]:
    """Files among a tool's own that look like keys; only its top folder is looked at."""
    try:
        with os.scandir(root) as entries:
            return [e.path for e in entries if grants_names.sort_of_file(e.name) == "secret"]
    except OSError:
        return []


def cache_of(sandbox: Sandbox, workspace: str) -> str:
    """A folder that is kept from one command to the next, of this workspace alone."""
    digest = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]
    path = os.path.join(os.path.realpath(sandbox.scratch), digest)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def _texts(home: str) -> tuple[tuple[str, bytes], ...]:
    settings = grants_git.harmless_settings(home)
    made = _etc_texts()
    return (*made, (f"{home}/.gitconfig", settings)) if settings else made


@cache
def _etc_texts() -> tuple[tuple[str, bytes], ...]:
    """Users, groups and hosts, reduced to this user and this machine."""
    try:
        me = pwd.getpwuid(os.getuid())
        who = f"{me.pw_name}:x:{me.pw_uid}:{me.pw_gid}::{me.pw_dir}:{me.pw_shell}\n"
        group = f"{me.pw_name}:x:{me.pw_gid}:\n"
    except KeyError:
        who, group = "", ""
    root = "root:x:0:0:root:/root:/bin/sh\n" if os.getuid() else ""
    nobody = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    texts = {
        "/etc/passwd": f"{who}{root}{nobody}",
        "/etc/group": f"{group}{'root:x:0:' if root else ''}\nnogroup:x:65534:\n",
        "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    }
    return tuple((path, text.encode()) for path, text in texts.items())
