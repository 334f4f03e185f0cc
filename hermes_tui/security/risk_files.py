"""Deleting, overwriting, moving: which uses of rm, mv, find, tar and their kin lose data."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from itertools import pairwise

from hermes_tui.security.risk_archives import (
    dd_operands,
    rsync_options,
    tar_options,
    unzip_options,
)
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse, spec
from hermes_tui.security.shell_state import UNKNOWN
from hermes_tui.security.shell_wrappers import find_starts

Handler = Callable[[Command, Scene], None]
_THROWAWAY_NAME = re.compile(
    r".*(?:\.(?:o|obj|a|lo|la|so|pyc|pyo|class|tmp|temp|bak|swp|swo|orig|rej|gcda|gcno|aux"
    r"|toc|out|cache"
    r"|pid|lock|stamp|map|d|profraw|rlib|rmeta|tsbuildinfo)|~)\Z"
)
_THROWAWAY_FOLDER = re.compile(
    r"/(?:build|dist|target|out|tmp|temp|__pycache__|node_modules|\.cache|coverage|htmlcov"
    r"|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.next|\.nuxt|\.parcel-cache|obj|_build)/"
)
_DATA = re.compile(r".*\.(?:db|sqlite3?|db3|mdb|sql|dump|kdbx|wal|ldb|rdb|frm|ibd|parquet|bson)\Z")
_IMAGE = re.compile(
    r".*\.(?:img|iso|bin|raw|qcow2|dat|out|test|tmp|swap|vmdk)\Z|.*/(?:test|tmp|out|zero|junk"
    r"|speed)[\w.-]*\Z"
)
_EMPTY = frozenset({"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
_RM = spec(
    "",
    "recursive force interactive dir verbose preserve-root no-preserve-root one-file-system "
    "help version",
)


def throwaway(path: str, scene: Scene) -> bool:
    """Whether a single file can be made again: build output, caches, scratch."""
    zone = scene.places.zone(path)
    if zone == "scratch":
        return UNKNOWN not in path and path.count("/") > 1
    if zone != "workspace" or any(char in path for char in "*?[" + UNKNOWN):
        return False
    below = path[len(scene.places.workspace) :]
    return bool(_THROWAWAY_NAME.match(path) or _THROWAWAY_FOLDER.search(below))


def shown(path: str, scene: Scene) -> str:
    """A path the way people write it."""
    path = path.replace(UNKNOWN, "…")
    for folder, name in ((scene.places.workspace, "."), (scene.places.home, "~")):
        if path.startswith(folder + "/"):
            return (name + path[len(folder) :]).removeprefix("./")
    return path


def outside_workspace(path: str, scene: Scene) -> bool:
    """Whether changing a path needs more than the sandbox gives."""
    return scene.places.zone(path) not in ("workspace", "scratch")


def remove_everything(path: str, command: Command, scene: Scene) -> None:
    """A folder goes with all that is in it."""
    vital = "" if command.place == "container" else scene.places.vital(path)
    if vital:
        scene.find("destruction", f"it deletes {vital}", floor=True, outside=True)
    else:
        scene.find(
            "destruction",
            f"it deletes {shown(path, scene)} and everything in it",
            outside=outside_workspace(path, scene),
        )


def _rm(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], _RM)
    if options.has("help", "version") or not options.operands:
        return
    deep = options.has("r", "R", "recursive")
    for path in scene.paths(options.operands, command):
        globbed = any(char in posixpath.basename(path) for char in "*?[")
        if deep:
            remove_everything(path, command, scene)
        elif globbed and scene.places.vital(path) and not command.place:
            scene.find(
                "destruction", f"it deletes {scene.places.vital(path)}", floor=True, outside=True
            )
        elif globbed or UNKNOWN in path:
            scene.find(
                "bulk", "it deletes many files at once", outside=outside_workspace(path, scene)
            )
        elif not throwaway(path, scene):
            scene.find(
                "destruction",
                f"it deletes {shown(path, scene)}",
                outside=outside_workspace(path, scene),
            )


def _delete(command: Command, scene: Scene) -> None:
    """unlink, shred and others that only delete."""
    options = parse(
        command.argv[1:], spec("n:s:N:", "iterations= size= random-source= help version")
    )
    if options.has("help", "version"):
        return
    for path in scene.paths(options.operands, command):
        if scene.places.zone(path) == "device":
            scene.find("disk", f"it overwrites the device {path}", floor=True, outside=True)
        else:
            scene.find(
                "destruction",
                f"it deletes {shown(path, scene)}",
                outside=outside_workspace(path, scene),
            )


def _rmdir(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("", "parents ignore-fail-on-non-empty help version"))
    if options.has("p", "parents"):
        scene.find("destruction", "it deletes a chain of folders")


def _trash(command: Command, scene: Scene) -> None:
    if command.name == "gio" and command.argv[1:2] not in (("trash",), ("remove",)):
        return
    if "--help" not in command.argv:
        scene.find("destruction", "it deletes files or empties the bin", outside=True)


def _mv(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec("t:S:", "target-directory= suffix= force no-clobber update help version"),
    )
    if options.has("help", "version") or len(options.operands) + options.has("t") < 2:
        return
    folder = options.value("t", "target-directory")
    sources = options.operands if folder else options.operands[:-1]
    target = folder or options.operands[-1]
    for path in scene.paths(sources, command):
        vital = "" if command.place else scene.places.vital(path)
        if vital:
            scene.find("destruction", f"it moves {vital} away", floor=True, outside=True)
        elif scene.places.zone(path) in ("system", "self"):
            scene.find("destruction", f"it moves {path} away", outside=True)
    if target in _EMPTY:
        scene.find("destruction", "it moves files into nothing")
    elif _loses(target, options.has("f", "force"), scene, command):
        scene.find("overwrite", f"it may overwrite {target}")


def _loses(target: str, forced: bool, scene: Scene, command: Command) -> bool:
    return forced or any(_DATA.match(path) for path in scene.paths([target], command))


def _cp(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec(
            "t:S:m:o:g:",
            "target-directory= suffix= mode= owner= group= force no-clobber recursive archive help",
        ),
    )
    words = options.operands
    mode = options.value("m", "mode") if command.name == "install" else ""
    if mode:
        setuid(mode, scene)
    if options.has("help") or len(words) < 2 or options.has("n", "no-clobber"):
        return
    if any(word in _EMPTY for word in words[:-1]):
        scene.find("overwrite", f"it empties {words[-1]}")
    elif _DATA.match(words[-1]) and options.has("f", "force"):
        scene.find("overwrite", f"it may overwrite {words[-1]}")


def setuid(mode: str, scene: Scene) -> None:
    """Note a mode that gives a program its owner's rights."""
    numeric = re.fullmatch(r"0*([0-7]{4,5})", mode)
    if (numeric and int(numeric[1], 8) & 0o6000) or re.search(r"[+=][rwxXt]*s", mode):
        scene.find("permission", "it gives a program its owner's rights (setuid)", outside=True)


def _dd(command: Command, scene: Scene) -> None:
    operands = dd_operands(command.argv)
    source, target = operands.get("if", ""), operands.get("of", "")
    if source:
        for path in scene.resolve(source, command):
            if scene.places.zone(path) == "device":
                scene.find("secret-reading", f"it reads the device {path}", outside=True)
    for path in scene.resolve(target, command) if target else []:
        if scene.places.zone(path) in ("workspace", "other", "home") and not _IMAGE.match(path):
            scene.find("overwrite", f"it overwrites {shown(path, scene)}")


def _truncate(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("s:r:", "size= reference= no-create help version"))
    for path in scene.paths(options.operands, command):
        growing = options.value("s", "size").startswith("+") or _IMAGE.match(path)
        if not (growing or scene.places.zone(path) == "scratch"):
            scene.find("overwrite", f"it cuts off {shown(path, scene)}")


def _find(command: Command, scene: Scene) -> None:
    starts = scene.paths(find_starts(command.argv), command)
    args = command.argv[1:]
    filters = {
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-user",
        "-newer",
        "-mtime",
        "-size",
        "-empty",
        "-inum",
    }
    narrow = bool(filters & set(args))
    runs = {word for at, word in enumerate(args) if at and args[at - 1] in ("-exec", "-execdir")}
    removes = bool({"rm", "/bin/rm", "/usr/bin/rm"} & runs) and any(
        re.fullmatch(r"-\w*[rR]\w*|--recursive", word) for word in args
    )
    for path in starts:
        vital = "" if command.place else scene.places.vital(path)
        if vital and not narrow and ("-delete" in args or removes):
            scene.find("destruction", f"it deletes {vital}", floor=True, outside=True)
        elif "-delete" in args:
            scene.find(
                "bulk", f"it deletes what it finds in {shown(path, scene)}",
                outside=outside_workspace(path, scene),
            )  # fmt: skip
    for flag, word in pairwise(args):
        if flag in ("-fprintf", "-fprint", "-fls", "-fprint0"):
            scene.facts[command.number].writes += scene.resolve(word, command)


def _tar(command: Command, scene: Scene) -> None:
    options = tar_options(command.argv)
    if options.has("help", "version", "t", "list"):
        return
    if options.has("P", "absolute-names") and options.has("x", "extract", "get"):
        scene.find("overwrite", "it unpacks to wherever the archive says", outside=True)
    if options.has("overwrite", "unlink-first", "recursive-unlink", "U"):
        scene.find("overwrite", "it overwrites files that are there")
    if options.has("remove-files", "delete"):
        scene.find("destruction", "it deletes the files it packs")
    programs = options.every(
        "to-command",
        "I",
        "use-compress-program",
        "info-script",
        "F",
        "rsh-command",
        "new-volume-script",
        "rmt-command",
    )
    programs += [one for one in options.every("checkpoint-action") if one.startswith("exec")]
    if any(
        not re.fullmatch(
            r"(?:p?(?:gzip|bzip2|xz|zstd|lz4|igz)|zstdmt|lzip|lzma|brotli)(?: -[\w]+)*", one
        )
        for one in programs
    ):
        scene.find("remote-execution", "it has the archiver run a program")


def _zip(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:], spec("i:x:b:n:t:P:", "move unzip-command= recurse-paths test")
    )
    short = [word for word in command.argv[1:] if re.fullmatch(r"-[A-Za-z]+", word)]
    if options.has("move") or any("m" in word and not word.startswith("-TT") for word in short):
        scene.find("destruction", "it deletes the files it packs")
    if options.has("unzip-command") or any(word.startswith("-TT") for word in command.argv):
        scene.find("remote-execution", "it has the archiver run a program")


def _unzip(command: Command, scene: Scene) -> None:
    options = unzip_options(command.argv)
    if options.has("o") and not options.has("l", "t", "p"):
        scene.find("overwrite", "it overwrites files that are there")
    if options.has(":"):
        scene.find("overwrite", "it unpacks to wherever the archive says", outside=True)


def _rsync(command: Command, scene: Scene) -> None:
    options = rsync_options(command.argv)
    if options.has("n", "dry-run"):
        return
    if any(flag.startswith(("del", "remove-source")) for flag in options.flags):
        scene.find("destruction", "it deletes files in the target or the source")
    programs = [*options.every("e", "rsh"), *options.every("rsync-path")]
    if any(not re.match(r"(?:/usr/bin/)?(?:ssh|rsh)(?:\s|\Z)", one) for one in programs):
        scene.find("remote-execution", "it has rsync run a program")


def _robocopy(command: Command, scene: Scene) -> None:
    if any(re.match(r"[/-](?:mir|purge|mov)", arg, re.IGNORECASE) for arg in command.argv[1:]):
        scene.find("destruction", "it deletes files in the target or the source")


def _sed(command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    if any(char in path for path in facts.writes for char in "*?["):
        scene.find("overwrite", "it rewrites many files in place")


def _cpio(command: Command, scene: Scene) -> None:
    short = "".join(arg[1:] for arg in command.argv[1:] if re.fullmatch(r"-[A-Za-z]+", arg))
    if "u" in short and "i" in short:
        scene.find("overwrite", "it overwrites files that are there")


def _windows(command: Command, scene: Scene) -> None:
    scene.find("destruction", "it deletes files")


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(("rm", "grm"), _rm),
    **dict.fromkeys(names("unlink shred srm wipe scrub rimraf del-cli gshred"), _delete),
    "rmdir": _rmdir,
    **dict.fromkeys(("trash", "trash-put", "trash-empty", "trash-rm", "rmtrash", "gio"), _trash),
    **dict.fromkeys(("mv", "gmv"), _mv),
    **dict.fromkeys(("cp", "gcp", "install", "ginstall"), _cp),
    **dict.fromkeys(("dd", "dcfldd", "dc3dd"), _dd),
    "truncate": _truncate,
    **dict.fromkeys(("find", "gfind"), _find),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "zip": _zip,
    "unzip": _unzip,
    "rsync": _rsync,
    "robocopy": _robocopy,
    "cpio": _cpio,
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("del", "erase", "rd", "deltree", "format", "cipher"), _windows),
}
