"""Programs whose work is to show secrets, to watch the person, or to start things by themselves."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene, secret_variable
from hermes_tui.security.risk_system import only_asks
from hermes_tui.security.risk_types import Finding
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse, spec


def _shows(scene: Scene, what: str) -> None:
    scene.find("secret-reading", f"it shows {what}", outside=True)


def _environment(command: Command, scene: Scene) -> None:
    words = [arg for arg in command.argv[1:] if not arg.startswith("-") and "=" not in arg]
    if command.name == "env" and words:
        return
    named = [word for word in words if secret_variable(word)]
    if named:
        _shows(scene, f"the variable {named[0]}")
    elif (
        not words and not only_asks(command) and not command.wraps and not _filtered(command, scene)
    ):
        scene.findings.append(
            Finding(
                cls="secret-reading",
                reason="it shows the whole environment, where keys may be",
                harmless_inside=True,
            )
        )


_SECRET_WORD = re.compile(
    r"pass|pw|secret|token|key|auth|cred|login|api|^\W*$|aws|azure|gcp|\.", re.IGNORECASE
)


def _seekers(command: Command, scene: Scene) -> list[str]:
    """What the programs that get a command's output look for."""
    return [
        " ".join(one.argv[1:])
        for one in scene.commands
        if command.number in one.stdin.sources
        and one.name in ("grep", "egrep", "rg", "awk", "sed", "ag")
    ]


def _filtered(command: Command, scene: Scene) -> bool:
    """Whether only lines about something harmless are shown."""
    sought = _seekers(command, scene)
    return bool(sought) and not any(
        _SECRET_WORD.search(one) or "-v" in one.split() for one in sought
    )


def _declared(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if (command.name == "set" and not args) or (
        args[:1] in (("-p",), ("-x",), ("-px",), ("-xp",)) and len(args) == 1
    ):
        scene.findings.append(
            Finding(
                cls="secret-reading",
                reason="it shows the whole environment, where keys may be",
                harmless_inside=True,
            )
        )


def _security(command: Command, scene: Scene) -> None:
    if re.match(r"find-|dump|export|unlock", " ".join(command.argv[1:])):
        _shows(scene, "passwords of the keychain")


_VERBS = {
    "secret-tool": r"lookup|search",
    "pass": r"(?:show|cp|edit|grep|otp)\b|(?!ls|list|init|find|insert|generate|git|help"
    r"|version|rm)\S",
    "gopass": r"show|cat|export|(?!ls|list|init|help|version|sync)\S",
    "op": r"(?:read|item get|document get|inject|signin)\b",
    "bw": r"(?:get|list|export|unlock)\b",
    "lpass": r"(?:show|export)\b",
    "keepassxc-cli": r"(?:show|export|clip)\b",
    "kwallet-query": r".*-r",
    "keyctl": r"(?:read|print|pipe)\b",
    "chamber": r"(?:read|export|list)\b",
    "doppler": r"secrets\b",
    "sops": r".*(?:-d|--decrypt|decrypt|exec-)",
    "age": r".*(?:-d|--decrypt)\b",
    "ansible-vault": r"(?:view|decrypt)\b",
    "wg": r".*(?:showconf|private-key)",
    "pdbedit": r".*-\w*[Lw]",
    "klist": r".*-k",
    "vaultwarden": r".*",
    "docker-credential-osxkeychain": r"get",
    "git-credential-store": r"get",
    "git-credential-libsecret": r"get",
    "git-credential-osxkeychain": r"get",
    "infisical": r"(?:secrets|export)\b",
    "berglas": r"access",
    "smbget": r".*",
}


def _vaults(command: Command, scene: Scene) -> None:
    if not only_asks(command) and re.match(_VERBS[command.name], " ".join(command.argv[1:])):
        _shows(scene, "stored passwords")


def _gpg(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if any(re.match(r"--export-(?:secret|ssh)|--export-secret", arg) for arg in args):
        _shows(scene, "private keys")
    elif any(arg in ("-d", "--decrypt", "--decrypt-files") for arg in args):
        _shows(scene, "what is encrypted for you")
    elif any(arg.startswith(("--delete", "--yes-delete")) for arg in args):
        scene.find("destruction", "it deletes keys", outside=True)
    elif any(arg in ("--recv-keys", "--import", "--send-keys") for arg in args):
        scene.find(
            "persistence" if "--import" in args else "network",
            "it changes which keys are trusted",
            outside=True,
        )


def _openssl(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if (
        args[:1] in (("rsa",), ("ec",), ("pkey",), ("pkcs12",), ("pkcs8",))
        and "-pubin" not in args
        and "-pubout" not in args
        and any(arg == "-in" for arg in args)
    ):
        _shows(scene, "a private key")
    if args[:1] in (("s_server",),):
        scene.find("network", "it waits for connections")


def _history(command: Command, scene: Scene) -> None:
    if any(arg in ("-c", "-d", "-w") or re.match(r"-\w*[cd]", arg) for arg in command.argv[1:]):
        scene.find("destruction", "it deletes the shell's history", outside=True)
        return
    if any(_SECRET_WORD.search(one) for one in _seekers(command, scene)):
        _shows(scene, "passwords typed into the shell")


def _ssh_keygen(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("b:C:f:t:N:P:m:n:O:r:s:V:z:I:D:E:F:R:a:Y:"))
    if options.has("p"):
        scene.find("secret-reading", "it changes the password of a private key", outside=True)
    elif options.has("R"):
        scene.find("persistence", "it changes which hosts are trusted", outside=True)
    elif options.has("D"):
        scene.find("remote-execution", "it loads a library")


def _ssh_copy(command: Command, scene: Scene) -> None:
    scene.find("persistence", "it lets a key log in on another machine", outside=True)


def _ssh_add(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if args and args[0] in ("-l", "-L", "-h", "-?"):
        return
    scene.find("secret-reading", "it loads or unloads private keys", outside=True)


def _crontab(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("u:"))
    if options.has("r"):
        scene.find("destruction", "it deletes all timed jobs", outside=True)
    elif not options.has("l", "V", "T") or options.operands:
        scene.find("persistence", "it has commands run by themselves", outside=True)


def _at(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("f:q:t:"))
    if command.name == "atrm" or options.has("r", "d"):
        scene.find("destruction", "it deletes timed jobs", outside=True)
    elif not options.has("l", "V", "c") and command.name != "atq":
        scene.find("persistence", "it has commands run later by themselves", outside=True)


def _startup(command: Command, scene: Scene) -> None:
    if not only_asks(command):
        scene.find("persistence", "it changes what runs by itself", outside=True)


def _visudo(command: Command, scene: Scene) -> None:
    if not {"-c", "--check", "-V"} & set(command.argv[1:]):
        scene.find("persistence", "it changes who may become root", outside=True)


def _systemd_run(command: Command, scene: Scene) -> None:
    scene.find("persistence", "it has a service run the command outside", outside=True)


def _defaults(command: Command, scene: Scene) -> None:
    if command.argv[1:2] in (("write",), ("delete",), ("import",)):
        scene.find("persistence", "it changes settings of the system", outside=True)


def _settings(command: Command, scene: Scene) -> None:
    if any(
        arg
        in (
            "set",
            "write",
            "reset",
            "reset-recursively",
            "load",
            "-s",
            "--install",
            "--set",
            "default",
            "install",
        )
        for arg in command.argv[1:3]
    ):
        scene.find("persistence", "it changes settings of the desktop or system", outside=True)


def _spies(command: Command, scene: Scene) -> None:
    if not only_asks(command):
        scene.find(
            "secret-reading",
            f"it records the screen, keys, sound or traffic ({command.name})",
            outside=True,
        )


def _clipboard(command: Command, scene: Scene) -> None:
    reads = command.name in ("pbpaste", "wl-paste") or any(
        arg in ("-o", "-out", "--output", "--out") for arg in command.argv[1:]
    )
    if reads:
        _shows(scene, "the clipboard")


def _tracer(command: Command, scene: Scene) -> None:
    if any(
        re.match(r"-p\d*\Z|--pid|--attach", arg) for arg in command.argv[1:]
    ) or command.name in ("gcore", "procdump", "memdump", "fmem"):
        scene.find("secret-reading", "it reads the memory of another process", outside=True)


def _ps(command: Command, scene: Scene) -> None:
    if any(
        re.fullmatch(r"-?[auxwfl]*e[auxwfl]*w+|-?[auxwf]*ww*e[a-z]*|eww+|axe\w*|auxe\w*", arg)
        and not arg.startswith("-e")
        for arg in command.argv[1:]
    ):
        _shows(scene, "the environment of other processes")


def _databases(command: Command, scene: Scene) -> None:
    if command.argv[1:2] in (("shadow",), ("gshadow",)):
        _shows(scene, "password hashes")


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(("env", "printenv"), _environment),
    **dict.fromkeys(("set", "export", "declare", "typeset", "readonly"), _declared),
    "security": _security,
    **dict.fromkeys(_VERBS, _vaults),
    **dict.fromkeys(("gpg", "gpg2"), _gpg),
    "openssl": _openssl,
    **dict.fromkeys(("history", "fc"), _history),
    "ssh-keygen": _ssh_keygen,
    "ssh-copy-id": _ssh_copy,
    "ssh-add": _ssh_add,
    "crontab": _crontab,
    **dict.fromkeys(("at", "batch", "atrm", "atq"), _at),
    "visudo": _visudo,
    "systemd-run": _systemd_run,
    "defaults": _defaults,
    **dict.fromkeys(
        names(
            "gsettings dconf xdg-settings xdg-mime update-alternatives kwriteconfig5 reg setx "
            "schtasks regedit lpadmin"
        ),
        _settings,
    ),
    **dict.fromkeys(
        (
            "loginitems",
            "sfltool",
            "update-binfmts",
            "udevadm-trigger",
            "authconfig",
            "pam-auth-update",
        ),
        _startup,
    ),
    **dict.fromkeys(
        names(
            "screencapture scrot import grim gnome-screenshot spectacle flameshot xinput xev "
            "logkeys arecord parecord tcpdump tshark dumpcap ngrep ettercap bettercap showkey "
            "evtest xwd fswebcam imagesnap maim parec mitmproxy mitmdump dsniff responder "
            "john hashcat hydra mimipenguin lazagne"
        ),
        _spies,
    ),
    **dict.fromkeys(("pbpaste", "wl-paste", "xclip", "xsel"), _clipboard),
    **dict.fromkeys(names("gcore strace ltrace gdb procdump lldb dtrace ptrace"), _tracer),
    "ps": _ps,
    "getent": _databases,
}
