"""`hermes daemon install`: have the system start the agent, watch it and start it again."""

from __future__ import annotations

import getpass
import os
import plistlib
import shutil
import sys
from pathlib import Path

from hermes_tui.cli import daemon
from hermes_tui.errors import HermesError
from hermes_tui.home import ENV, Home

NAME = "hermes-tui"
LABEL = "org.hermes-tui.agent"
_WATCH_S = 90

UNIT = """\
[Unit]
Description=Hermes TUI, the agent of {home}
Documentation=man:systemd.service(5)
# A start that fails again and again is given up until somebody looks.
StartLimitIntervalSec=600
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={start}
ExecStop={stop}
Environment={env}
WatchdogSec={watch}
Restart=on-failure
RestartSec=10
SuccessExitStatus=143
TimeoutStartSec=60
TimeoutStopSec=100
KillMode=mixed
UMask=0077

# What the agent never needs. Commands of its tools run in a sandbox of their own, which needs
# namespaces and mounts: those stay.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateUsers=yes
ProtectSystem=full
ProtectClock=yes
ProtectHostname=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=user mnt pid ipc uts net cgroup
SystemCallArchitectures=native
SystemCallFilter=@system-service @mount seccomp landlock_create_ruleset
SystemCallFilter=landlock_add_rule landlock_restrict_self
SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap
SystemCallErrorNumber=EPERM
DevicePolicy=closed
KeyringMode=private

[Install]
WantedBy=default.target
"""


def unit(home: Home) -> str:
    """The systemd unit of a home's agent."""
    return UNIT.format(
        home=_plain(str(home.path)),
        start=_line(_program("--core")),
        stop=_line(_program("daemon", "stop", "--drain", "60")),
        env=_quoted(f"{ENV}={home.path}"),
        watch=_WATCH_S,
    )


def agent(home: Home) -> bytes:
    """The launchd agent of a home's agent."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": _program("--core"),
            "EnvironmentVariables": {ENV: str(home.path)},
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 30,
            "ExitTimeOut": 100,
            "Umask": 0o077,
            "ProcessType": "Interactive",
        }
    )


def install(home: Home, mac: bool = sys.platform == "darwin") -> int:
    """Write the file and say what starts it. Nothing is started here."""
    home.ensure()
    if mac:
        path = _agent_path()
        _write(path, agent(home))
        print(f"written: {path}")
        print(f"start it: launchctl bootstrap gui/{os.getuid()} {path}")
        return 0
    path = _unit_path()
    _write(path, unit(home).encode())
    print(f"written: {path}")
    print(f"start it: systemctl --user daemon-reload && systemctl --user enable --now {NAME}")
    if not _lingers():
        print("it would end when you log out; to have it go on:")
        print(f"          loginctl enable-linger {getpass.getuser()}")
    if shutil.which("systemctl") is None:
        print("there is no systemd on this machine: `hermes daemon start` works without it")
    return 0


def show(home: Home, mac: bool = sys.platform == "darwin") -> int:
    """Print the file that `install` would write, and where; write nothing."""
    print(f"# would be written: {_agent_path() if mac else _unit_path()}", file=sys.stderr)
    print(agent(home).decode() if mac else unit(home), end="")
    return 0


def uninstall(mac: bool = sys.platform == "darwin") -> int:
    """Remove the file; what runs goes on."""
    path = _agent_path() if mac else _unit_path()
    if not path.exists():
        print("it was not installed")
        return 0
    path.unlink()
    off = f"launchctl bootout gui/{os.getuid()}/{LABEL}"
    print(f"removed: {path}")
    print(f"end it:  {off if mac else f'systemctl --user disable --now {NAME}'}")
    return 0


def _agent_path() -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def _unit_path() -> Path:
    config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(os.path.expanduser(config)) / "systemd" / "user" / f"{NAME}.service"


def _program(*arguments: str) -> list[str]:
    """The command line for this very installation."""
    return [*daemon.command()[:-1], *arguments]


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_bytes(data)
        os.replace(fresh, path)
    except OSError as error:
        raise HermesError(f"{path} can't be written: {error.strerror}", "is it yours?") from error


def _lingers() -> bool:
    """Whether this person's services go on after they log out."""
    return Path("/var/lib/systemd/linger", getpass.getuser()).exists()


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).replace("%", "%%")


def _line(words: list[str]) -> str:
    """A command line; `$` would be replaced in it (`man 5 systemd.service`, "Command lines")."""
    return " ".join(_quoted(word).replace("$", "$$") for word in words)


def _quoted(word: str) -> str:
    """One word in quotes, with what a unit file gives a meaning to made plain."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("%", "%%") + '"'
