"""Who may read, write and run: chmod, chown, access lists, users, rights of root."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import Handler, setuid
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse, spec

_MODE = re.compile(
    r"[-+=]?[0-7]{1,5}|[ugoa]*(?:[-+=][rwxXstugo]*)+(?:,[ugoa]*(?:[-+=][rwxXstugo]*)+)*"
)


def _chmod(command: Command, scene: Scene) -> None:
    args = [arg for arg in command.argv[1:] if not re.fullmatch(r"-[Rvcf]+", arg)]
    options = parse(
        command.argv[1:], spec("", "recursive reference= verbose changes quiet silent help version")
    )
    if options.has("help", "version"):
        return
    deep = options.has("R", "recursive")
    args = [arg for arg in args if not arg.startswith("--")]
    mode = next((arg for arg in args if _MODE.fullmatch(arg)), "")
    paths = scene.paths((arg for arg in args if arg != mode), command)
    setuid(mode, scene)
    if _opens(mode):
        scene.find("permission", "it lets everybody change files")
    elif (deep and _closes(mode)) or re.fullmatch(r"=?0+", mode):
        scene.find("permission", "it takes everybody's rights away")
    elif _opens_secret(mode, paths, scene):
        scene.find("permission", "it lets others read a secret")
    if any(scene.places.zone(path) in ("system", "device", "self") for path in paths):
        scene.find("permission", "it changes rights on the system", outside=True)
    if deep and any(scene.places.vital(path) for path in paths if path != scene.places.workspace):
        scene.find("permission", "it changes rights on a whole system or home folder", outside=True)


def _opens(mode: str) -> bool:
    """Whether a mode lets others write."""
    if re.fullmatch(r"[-+=]?[0-7]+", mode):
        return not mode.startswith("-") and bool(int(mode.lstrip("+="), 8) & 0o002)
    parts = mode.split(",")
    return any(
        re.match(r"(?:[ug]*[oa][ugoa]*|)[+=][rxXst]*w", part)
        and (part[0] not in "+=" or part[:1] == "=")
        for part in parts
        if part
    )


def _closes(mode: str) -> bool:
    if re.fullmatch(r"=?[0-7]+", mode):
        return not int(mode.lstrip("="), 8) & 0o400
    return any(
        re.match(r"[ugoa]*[ua]?[ugoa]*-[wxX]*r|[ua]+=(?:,|\Z)", part)
        and not part.startswith(("o", "g"))
        for part in mode.split(",")
    )


def _opens_secret(mode: str, paths: list[str], scene: Scene) -> bool:
    secret = any(scene.places.secret(path, deep=True) for path in paths)
    if re.fullmatch(r"[0-7]+", mode):
        return secret and bool(int(mode, 8) & 0o044)
    return secret and bool(re.search(r"[goa][ugoa]*[+=][wxXst]*r|^\+[wx]*r", mode))


def _chown(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:], spec("", "recursive reference= from= no-dereference verbose help version")
    )
    if options.has("help", "version"):
        return
    paths = scene.paths(options.operands[1:], command)
    if options.has("R", "recursive"):
        scene.find("permission", "it changes the owner of a whole folder", outside=True)
    elif any(scene.places.zone(path) != "workspace" for path in paths):
        scene.find("permission", "it changes the owner of a file", outside=True)
    elif options.operands and re.match(r"(?:root|0)\b", options.operands[0]):
        scene.find("permission", "it gives a file to root", outside=True)


def _setfacl(command: Command, scene: Scene) -> None:
    text = " ".join(command.argv[1:])
    if re.search(
        r"\bo(?:ther)?::?\w*w|-R|-b|--remove-all|--recursive|\bu:\w+:\w*w|--restore", text
    ):
        scene.find("permission", "it changes who may use files")


def _chattr(command: Command, scene: Scene) -> None:
    scene.find("permission", "it changes protections of files", outside=True)


def _umask(command: Command, scene: Scene) -> None:
    if command.argv[1:2] and re.fullmatch(r"0*[0-7]?[0-57]?[0-1]", command.argv[1]):
        scene.find("permission", "it lets everybody change files made from now on")


def _windows(command: Command, scene: Scene) -> None:
    scene.find("permission", "it changes who may use files", outside=True)


def _privilege(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if args and all(arg in ("-V", "--version", "-h", "--help", "-l", "-k", "-K") for arg in args):
        return
    scene.find("privilege", "it runs with the rights of another user", outside=True)


def _users(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if not args and command.name not in (
        "passwd",
        "chpasswd",
        "newusers",
        "vipw",
        "vigr",
        "newgrp",
    ):
        return
    if any(arg in ("--help", "--version", "-S", "--status") for arg in args):
        return
    scene.find("privilege", "it changes users or their rights", outside=True)


def _namespaces(command: Command, scene: Scene) -> None:
    scene.find("privilege", f"{command.name} changes what the command may reach", outside=True)


PROGRAMS: dict[str, Handler] = {
    "chmod": _chmod,
    "gchmod": _chmod,
    **dict.fromkeys(("chown", "chgrp", "gchown"), _chown),
    "setfacl": _setfacl,
    "chattr": _chattr,
    "chflags": _chattr,
    "setfattr": _chattr,
    "umask": _umask,
    **dict.fromkeys(("icacls", "takeown", "cacls"), _windows),
    **dict.fromkeys(
        names("sudo doas su pkexec runuser gosu su-exec run0 sudoedit setuidgid"), _privilege
    ),
    **dict.fromkeys(
        names(
            "useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd "
            "passwd chpasswd chsh chfn vipw vigr chage newusers dscl dseditgroup sysadminctl "
            "addgroup delgroup newgrp faillock"
        ),
        _users,
    ),
    **dict.fromkeys(("nsenter", "setcap", "chroot", "unshare", "capsh", "setpriv"), _namespaces),
}
