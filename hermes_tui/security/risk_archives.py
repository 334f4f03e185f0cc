"""Archives, disk images and copies: which files tar, zip, rsync, dd and their kin touch."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise

from hermes_tui.security.risk_scene import Facts, Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import Options, parse, spec
from hermes_tui.security.shell_state import UNKNOWN

_TAR = spec(
    "b:C:f:F:g:H:I:K:L:N:T:V:X:",
    "file= directory= files-from= exclude= exclude-from= use-compress-program= to-command= "
    "checkpoint-action= checkpoint= transform= strip-components= absolute-names overwrite "
    "remove-files create extract get list append update delete rsh-command= owner= group= mode= "
    "unlink-first recursive-unlink info-script= new-volume-script= rmt-command= one-top-level= "
    "keep-old-files overwrite-dir gzip bzip2 xz zstd auto-compress preserve-permissions",
)
_RSYNC = spec(
    "e:f:T:B:M:",
    "rsh= rsync-path= exclude= include= filter= files-from= delete delete-before delete-during "
    "delete-after delete-excluded delete-delay dry-run remove-source-files archive recursive "
    "backup-dir= temp-dir= partial-dir= compare-dest= link-dest= password-file= port= log-file= "
    "bwlimit= chmod= chown= itemize-changes progress inplace existing ignore-existing relative "
    "force max-delete= compress verbose quiet checksum update perms times links",
)
_UNZIP = spec("d:x:P:", "")


def tar_options(argv: tuple[str, ...]) -> Options:
    """The options of tar, whose first argument may lack its dash."""
    args: list[str] = list(argv[1:])
    if args and re.fullmatch(r"[a-zA-Z]+", args[0]) and set(args[0]) & set("cxtruA"):
        bundle, rest = args[0], args[1:]
        args = []
        for letter in bundle:
            args.append(f"-{letter}")
            if letter in _TAR.values and rest:
                args.append(rest.pop(0))
        args += rest
    return parse(args, _TAR)


def rsync_options(argv: tuple[str, ...]) -> Options:
    """The options of rsync."""
    return parse(argv[1:], _RSYNC)


def dd_operands(argv: tuple[str, ...]) -> dict[str, str]:
    """`if=`, `of=` and the other operands of dd."""
    return {key: value for key, _, value in (word.partition("=") for word in argv[1:])}


def unzip_options(argv: tuple[str, ...]) -> Options:
    """The options of unzip."""
    return parse(argv[1:], _UNZIP)


def remote_host(word: str) -> str:
    """The host of `user@host:path` or `rsync://host/…`; empty for a local path."""
    found = re.match(r"(?:[\w.+-]+://)?(?:[^@/:\s]*@)?(\[[^\]]+\]|[\w.\ue000-]+)::?(?!//)", word)
    if "://" in word:
        return re.sub(r"^[\w.+-]+://(?:[^@/]*@)?([^/:]*).*", r"\1", word)
    if (
        not found
        or "/" in word[: found.end() - 1].rpartition("@")[2]
        or word.startswith(("/", ".", UNKNOWN))
    ):
        return ""
    return found.group(1)


def archive_facts(name: str, command: Command, facts: Facts, scene: Scene) -> bool:
    """Fill in the facts of an archiver or copier; False for other programs."""
    known = _KNOWN.get(name)
    if known is None:
        return False
    known(command, facts, scene)
    return True


def _tar(command: Command, facts: Facts, scene: Scene) -> None:
    options = tar_options(command.argv)
    archive = [one for one in options.every("f", "file") if one != "-"]
    remote = [remote_host(one) for one in archive if remote_host(one)]
    facts.hosts += remote
    folders = options.every("C", "directory")
    if options.has("x", "extract", "get"):
        facts.reads += scene.paths(archive, command)
        facts.writes += scene.paths(folders or ["."], command)
    elif options.has("c", "create", "r", "append", "u", "update"):
        facts.deep = True
        facts.writes += scene.paths(archive, command)
        base = folders[-1] if folders else "."
        facts.reads += scene.paths((posixpath.join(base, one) for one in options.operands), command)
        facts.reads += scene.paths(options.every("T", "files-from"), command)
        facts.sends = bool(remote)


def _zip(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("i:x:b:n:t:P:", ""))
    facts.deep = True
    facts.writes += scene.paths(options.operands[:1], command)
    facts.reads += scene.paths(options.operands[1:], command)


def _seven(command: Command, facts: Facts, scene: Scene) -> None:
    words = [word for word in command.argv[1:] if not word.startswith("-")]
    facts.deep = True
    if words[:1] in (["a"], ["u"], ["m"], ["r"]):
        facts.writes += scene.paths(words[1:2], command)
        facts.reads += scene.paths(words[2:], command)
    elif words[:1] in (["x"], ["e"]):
        folders = [word[2:] for word in command.argv if word.startswith("-o")]
        facts.writes += scene.paths(folders or ["."], command)


def _unzip(command: Command, facts: Facts, scene: Scene) -> None:
    options = unzip_options(command.argv)
    facts.reads += scene.paths(options.operands[:1], command)
    if not options.has("l", "t", "v", "Z", "p", "z"):
        facts.writes += scene.paths(options.every("d") or ["."], command)


def _rsync(command: Command, facts: Facts, scene: Scene) -> None:
    options = rsync_options(command.argv)
    facts.deep = True
    words = options.operands
    _copied_over(words, command, facts, scene)
    if options.has("n", "dry-run"):
        facts.writes.clear()


def _scp(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("c:D:F:i:J:l:o:P:S:X:"))
    facts.deep = options.has("r")
    _copied_over(options.operands, command, facts, scene)


def _copied_over(words: list[str], command: Command, facts: Facts, scene: Scene) -> None:
    """Sources and a target, each of which may be on another host."""
    if len(words) < 2:
        facts.hosts += [remote_host(one) for one in words if remote_host(one)]
        return
    sources, target = words[:-1], words[-1]
    facts.hosts += [host for host in map(remote_host, words) if host]
    local = [one for one in sources if not remote_host(one)]
    facts.reads += scene.paths(local, command)
    if remote_host(target):
        facts.sends = bool(local)
        return
    facts.writes += scene.paths([target], command)
    if not target.endswith("/.."):
        names = (posixpath.join(target, posixpath.basename(one.rstrip("/"))) for one in sources)
        facts.writes += scene.paths(names, command)
    if len(local) < len(sources):
        facts.taint.add("network")


def _dd(command: Command, facts: Facts, scene: Scene) -> None:
    operands = dd_operands(command.argv)
    facts.reads += scene.paths([operands["if"]] if operands.get("if") else [], command)
    facts.writes += scene.paths([operands["of"]] if operands.get("of") else [], command)


def _cpio(command: Command, facts: Facts, scene: Scene) -> None:
    if any(arg.startswith("-") and "i" in arg for arg in command.argv[1:]):
        facts.writes += scene.paths(["."], command)


def _vim(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("c:s:S:u:i:T:w:", "cmd= version help"))
    facts.reads += scene.paths((w for w in options.operands if not w.startswith("+")), command)


def _ssh_keygen(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("b:C:f:t:N:P:m:n:O:r:s:V:z:I:D:E:F:R:a:Y:"))
    if not options.has("l", "y", "F", "B", "R", "p", "Y", "e"):
        facts.writes += scene.paths(options.every("f"), command)
    elif options.has("y", "p", "e"):
        facts.reads += scene.paths(options.every("f"), command)


def _openssl(command: Command, facts: Facts, scene: Scene) -> None:
    words = command.argv[1:]
    for flag, word in pairwise(words):
        if flag in ("-in", "-key", "-inkey", "-kfile"):
            facts.reads += scene.resolve(word, command)
        elif flag in ("-out", "-keyout"):
            facts.writes += scene.resolve(word, command)
        elif flag == "-connect":
            facts.hosts.append(word.rsplit(":", 1)[0])
            facts.sends = True


_KNOWN = {
    **dict.fromkeys(("tar", "gtar", "bsdtar", "star"), _tar),
    "zip": _zip,
    **dict.fromkeys(("7z", "7za", "7zr", "rar"), _seven),
    "unzip": _unzip,
    "rsync": _rsync,
    "scp": _scp,
    "dd": _dd,
    "dcfldd": _dd,
    "dc3dd": _dd,
    "cpio": _cpio,
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view", "gvim"), _vim),
    "ssh-keygen": _ssh_keygen,
    "openssl": _openssl,
}
