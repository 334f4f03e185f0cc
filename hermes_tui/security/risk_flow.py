"""What any command may do by where it writes, what it reads and where its data flows."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import shown
from hermes_tui.security.risk_leaks import fetched_and_run, sent, shell_given_away
from hermes_tui.security.risk_roles import ROLES
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_state import UNKNOWN

_PRINTS = frozenset(
    {
        "echo",
        "printf",
        "cat",
        "tee",
        "base64",
        "xxd",
        "print",
        "rev",
        "od",
        "hexdump",
        "column",
        "say",
    }
)
_DATABASE = re.compile(r".*\.(?:db|sqlite3?|db3|mdb|kdbx|rdb|ldb|frm|ibd)\Z")
_NOTHING = frozenset({":", "true", "{}"})
_STARTING = re.compile(
    r"(?:GIT_(?:SSH(?:_COMMAND)?|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS"
    r"|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL"
    r"|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|BROWSER|RSYNC_RSH|CVS_RSH|PROMPT_COMMAND"
    r"|PS[0-4]|FCEDIT|MAKEFLAGS|npm_config_script_shell)\Z"
)
_TAME = re.compile(
    r"(?:ssh(?!.*(?:ProxyCommand|LocalCommand))|less|more|most|cat|vim?|nvim|nano|emacs|code"
    r"|subl|delta|bat|true|false|:|echo|micro|pico|ed|helix|hx|firefox|w3m|lynx|col|never"
    r"|always)(?:\s|\Z)"
)
_LOADING = re.compile(
    r"(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT"
    r"|PERL5DB|NODE_OPTIONS|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS"
    r"|PYTHONWARNINGS|GCONV_PATH|PYTHONBREAKPOINT|GIT_CONFIG_COUNT|GIT_CONFIG_GLOBAL"
    r"|GIT_TEMPLATE_DIR|GIT_EXEC_PATH|ZDOTDIR|INPUTRC|BASH_FUNC_\S*)\Z"
)


def flow(command: Command, scene: Scene) -> None:
    """Note everything that holds for any program."""
    if command.swarm:
        scene.find("process", "it starts copies without end", floor=True, outside=True)
    _written(command, scene)
    _removed(command, scene)
    _read(command, scene)
    _assigned(command, scene)
    shell_given_away(command, scene)
    sent(command, scene)
    fetched_and_run(command, scene)


def _written(command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    for path in dict.fromkeys(facts.writes):
        zone = scene.places.zone(path)
        if zone == "device":
            if path.startswith(("/dev/kmsg",)):
                continue
            scene.find("disk", f"it writes to the device {path}", floor=True, outside=True)
        elif zone == "self":
            scene.find(
                "self-tampering", "it changes the agent's own files", floor=True, outside=True
            )
        elif path in ("/proc/sysrq-trigger", "/proc/sys/kernel/sysrq"):
            scene.find("service", "it stops or restarts the machine", floor=True, outside=True)
        elif scene.places.starts_code(path):
            inside = zone == "workspace"
            scene.find(
                "persistence",
                f"it changes {shown(path, scene)}, which is run later by itself",
                outside=not inside,
            )
        elif zone == "system":
            scene.find("overwrite", f"it changes the system file {path}", outside=True)
        elif zone == "unknown":
            scene.opaque.append("which file it writes can't be known")
    _emptied(command, scene)


def _emptied(command: Command, scene: Scene) -> None:
    """`> file` with nothing to write in it."""
    nothing = (not command.argv and command.name != "{" and not command.assigns) or (
        command.name in _NOTHING
        or (command.name == "cat" and command.argv[1:] == ("/dev/null",))
        or (command.name in ("printf", "echo") and command.argv[1:] in (("",), ("-n",), ("-n", "")))
    )
    for target in command.redirects:
        if not target.writes or target.op in (">>", "&>>", "<>") or target.fd not in ("", "1"):
            continue
        for path in scene.resolve(target.path, command):
            kept = scene.places.zone(path) in ("workspace", "home", "other")
            if kept and (nothing or _DATABASE.match(path)):
                scene.find("overwrite", f"it empties or overwrites {shown(path, scene)}")


def _removed(command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    for path in facts.removes:
        zone = scene.places.zone(path)
        if zone == "self":
            scene.find(
                "self-tampering", "it deletes the agent's own files", floor=True, outside=True
            )
        elif zone == "device":
            scene.find("disk", f"it deletes the device {path}", outside=True)


def _read(command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    role = ROLES.get(command.name)
    for path in dict.fromkeys(facts.reads):
        if scene.places.is_own(path):
            touches = role is None or role.operands == "script" or command.name in ("sqlite3", "mv")
            if (
                touches
                and command.name not in ("file", "sqlite3")
                and command.name in ROLES
                and role
                and role.operands == "script"
            ):
                continue
            if command.name in ("sqlite3", "duckdb"):
                scene.find(
                    "self-tampering", "it opens the agent's own database", floor=True, outside=True
                )
            else:
                _own_read(path, facts.deep, scene)
            continue
        secret = scene.places.secret(path, facts.deep)
        if secret:
            scene.find(
                "secret-reading",
                f"it reads {shown(secret, scene)}, which holds secrets",
                outside=True,
            )
    if command.name in _PRINTS and not facts.hosts:
        named = [one for one in command.sources if isinstance(one, str)]
        if named and "secret" in scene.taints(frozenset(named)):
            scene.find("secret-reading", f"it prints the variable {sorted(named)[0]}")
    _touched(command, scene)


def _own_read(path: str, deep: bool, scene: Scene) -> None:
    """The agent's keys are shown to nobody by it; its other files are looked at on request."""
    keys = scene.places.holds_own_keys(path, deep)
    reason = "it reads the agent's own keys" if keys else "it reads the agent's own files"
    scene.find("secret-reading", reason, floor=keys, outside=True)


def _touched(command: Command, scene: Scene) -> None:
    """Programs that change what they are given: chmod, chown, ln, rsync and the like."""
    if command.place or command.name not in (
        "chmod",
        "chown",
        "chgrp",
        "setfacl",
        "chattr",
        "ln",
        "umount",
        "setfattr",
        "patch",
        "ed",
        "vim",
        "vi",
        "nano",
        "nvim",
        "emacs",
        "gdb",
        "strace",
    ):
        return
    words = [word for word in command.argv[1:] if not word.startswith("-") and len(word) < 500]
    if any(scene.places.is_own(path) for path in scene.paths(words, command)):
        scene.find("self-tampering", "it changes the agent's own files", floor=True, outside=True)


def _assigned(command: Command, scene: Scene) -> None:
    pairs = list(command.assigns)
    if command.name in ("export", "declare", "typeset", "env"):
        pairs += [
            (one.partition("=")[0], one.partition("=")[2]) for one in command.argv[1:] if "=" in one
        ]
    for name, value in pairs:
        if (
            _LOADING.match(name)
            and value
            and not (
                name == "NODE_OPTIONS"
                and not re.search(r"-r|--require|--import|--loader|--eval|-e", value)
            )
            and not (name == "PYTHONWARNINGS" and "." not in value)
        ):
            scene.find("remote-execution", f"it has other programs load code ({name})")
        elif (
            _STARTING.match(name)
            and value
            not in (
                "cat",
                "less",
                "",
                "true",
                ":",
                "echo",
                "vim",
                "vi",
                "nano",
                "false",
                "code --wait",
            )
            and not name.startswith("PS")
        ):
            if UNKNOWN in value:
                scene.opaque.append("which program is started can't be known")
            elif name == "PROMPT_COMMAND":
                scene.judge(value, command)
                scene.find("persistence", "it has the shell run a command at each prompt")
            elif not scene.judge(value, command) and not _TAME.match(value):
                scene.find("remote-execution", f"it has other programs start {value} ({name})")
