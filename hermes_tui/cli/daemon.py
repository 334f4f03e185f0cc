"""`hermes daemon`: the agent without a screen. Who it is, the lock and the socket say, no file."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

from hermes_tui.cli import quick
from hermes_tui.cli.start_log import last_lines
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.home import Home
from hermes_tui.runtime import installed

START_S = 20.0
DRAIN_S = 60.0
_POLL_S = 0.03
RUNNING, NOT_RUNNING, DEAF = 0, 3, 1
RESTART = "restart"
_LOGS = "`hermes daemon logs` has the whole story"

HELP = """\
usage: hermes daemon start               run the agent without a screen
       hermes daemon stop [--drain S]    end it; running turns get S seconds (default 60) first
       hermes daemon restart [--drain S] end it and start the installed version in its place
       hermes daemon status [--json]     0: running, 3: not running, 1: does not answer
       hermes daemon logs [-f] [-n N]    the last lines of its log; -f follows
       hermes daemon install [--dry-run] have the system start it, watch it, start it again
       hermes daemon uninstall           undo that; what runs goes on

A turn that did not finish before the agent ended goes on when it is started again.

example: hermes daemon restart && hermes daemon status
"""

CODE = """\
import sys
path = sys.argv.pop(1)
sys.path.insert(next((i for i, p in enumerate(sys.path) if "-packages" in p), len(sys.path)), path)
from hermes_tui.launcher import main
sys.exit(main())
"""
"""Starts the package of a given folder: before what is installed, after the standard library."""


def run(arguments: list[str]) -> int:
    """Run `hermes daemon …`; the exit code."""
    action, rest = (arguments or ["--help"])[0], arguments[1:]
    if action in ("-h", "--help", "help") or "--help" in rest or "-h" in rest:
        print(HELP, end="")
        return 0
    home = Home.find()
    match action, rest:
        case "start", []:
            return start(home)
        case "stop", _:
            return stop(home, _drain(rest))
        case "restart", _:
            return restart(home, _drain(rest))
        case "status", [] | ["--json"]:
            return status(home, bool(rest))
        case "install", ["--dry-run"]:
            return _installed(home, "show")
        case "install" | "uninstall", []:
            return _installed(home, action)
        case "logs", _:
            return _logs(home, rest)
        case _:
            raise HermesError(
                f"not understood: hermes daemon {' '.join(arguments)}", "hermes daemon --help"
            )


def command() -> list[str]:
    """The command line of a core without a screen, for this very installation."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [sys.executable, "-P", "-c", CODE, package, "--core"]


def start(home: Home) -> int:
    """Start a core without a screen, unless one lives, and wait until it answers."""
    line = quick.connect(home, "daemon")
    word = "already running" if line else "started"
    line = line or launch(home)
    print(f"{word} (pid {line.pid}, version {line.version})")
    return 0


def launch(home: Home) -> quick.Line:
    """Start a core in a process of its own and wait until it answers; a line to it.

    Raises CoreError with the last line of its log when it does not come up.
    """
    from hermes_tui.backends.process import spawn_detached

    home.ensure()
    pid = spawn_detached(command(), cwd=str(home.path), env=os.environ, log=str(home.log))
    return _wait_for(home, pid)


def stop(home: Home, drain: float) -> int:
    """End the core, by its socket or, if it speaks another protocol, by a signal."""
    if not _end(home, "stopped by `hermes daemon stop`", drain):
        print("not running")
        return 0
    if not quick.wait_until_free(home, drain + START_S):
        raise CoreError("the agent has not ended yet", _LOGS)
    print("stopped")
    return 0


def restart(home: Home, drain: float) -> int:
    """End the core and have the installed version take its place.

    The core does it itself, as its last act, so that it works from inside its own tools too.
    """
    line = _understood(home)
    if line is None:
        stop(home, drain)
        return start(home)
    before = line.ask("get_status", wait_s=quick.ANSWER_S)
    line.tell("end_core", reason=RESTART, drain=drain)
    if _inside(line.pid):
        print("the agent restarts when the running turn has ended")
        return 0
    fresh = _wait_for_other(home, before, drain + START_S)
    print(f"restarted (pid {fresh.pid}, version {fresh.version})")
    return 0


def status(home: Home, as_json: bool) -> int:
    """Print how the core is."""
    try:
        line = quick.connect(home, "daemon", patience=quick.ANSWER_S)
        info = line.ask("get_status", wait_s=quick.ANSWER_S) if line else None
    except CoreError as error:
        print(json.dumps({"running": True, "problem": error.message}) if as_json else str(error))
        return DEAF
    if info is None:
        print(json.dumps({"running": False}) if as_json else "not running")
        return NOT_RUNNING
    on_disk = installed.version()
    if as_json:
        print(json.dumps({"running": True, **info, "installed": on_disk}))
    else:
        print("\n".join(_described(info, on_disk)))
    return RUNNING


def _described(info: dict[str, Any], on_disk: str) -> list[str]:
    up = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(info["started"]))
    lines = [
        f"running    pid {info['pid']}, version {info['version']}, since {up}",
        f"home       {info['home']}",
        f"model      {info.get('model') or 'none chosen yet'}",
        f"screens    {info.get('faces', 0)}",
    ]
    if info.get("damage"):
        lines.append(f"store      {info['damage']}; nothing is written: hermes restore")
    named = (("working", "working"), ("waiting", "waiting"), ("processes", "processes"))
    lines += [f"{label:<10} {', '.join(info[key])}" for key, label in named if info.get(key)]
    if info.get("outdated") or on_disk != info["version"]:
        lines.append(f"installed  version {on_disk}, other files than it runs on;")
        lines.append("           `hermes daemon restart` changes over, after the running turns")
    return lines


def _drain(rest: list[str]) -> float:
    match rest:
        case []:
            return DRAIN_S
        case ["--drain", seconds] if seconds.replace(".", "", 1).isdigit():
            return float(seconds)
        case _:
            raise HermesError(f"not understood: {' '.join(rest)}", "hermes daemon --help")


def _understood(home: Home) -> quick.Line | None:
    """A line to the core, None when there is none or it speaks another protocol."""
    try:
        return quick.connect(home, "daemon")
    except CoreError:
        return None


def _end(home: Home, reason: str, drain: float) -> bool:
    line = _understood(home)
    if line is not None:
        line.tell("end_core", reason=reason, drain=drain)
        line.wait_for_end(drain + START_S)
        return True
    sock = quick.dial(home)
    if sock is None:
        return False
    pid = quick.peer(sock)
    sock.close()
    if not pid:
        raise CoreError("the core speaks another protocol and its pid is not known", "end it")
    os.kill(pid, signal.SIGTERM)
    return True


def _inside(core: int) -> bool:
    """Whether this process was started by that core, as a tool's is."""
    pid = os.getpid()
    while pid > 1:
        if pid == core:
            return True
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            # No /proc here, or its end was reached: only a person waits at a terminal.
            return not os.path.isdir("/proc/self") and not os.isatty(0)
    return False


def _wait_for(home: Home, pid: int) -> quick.Line:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        sock = quick.dial(home)
        if sock is not None:
            sock.close()
            line = quick.connect(home, "daemon")
            if line is not None:
                return line
        ended, _ = os.waitpid(pid, os.WNOHANG)
        if ended and not quick.held(home):
            break
        time.sleep(_POLL_S)
    said = last_lines(home.log)
    raise CoreError(f"the agent did not start: {said[0] if said else 'no reason given'}", _LOGS)


def _wait_for_other(home: Home, before: dict[str, Any], seconds: float) -> quick.Line:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        line = _understood(home)
        if line is not None and _started(line) not in (None, before["started"]):
            return line
        if line is not None:
            line.close()
        time.sleep(_POLL_S)
    raise CoreError("the agent did not come back", _LOGS)


def _started(line: quick.Line) -> float | None:
    """When the core at the other end began; None when it is just ending."""
    try:
        return line.ask("get_status", wait_s=quick.ANSWER_S)["started"]
    except CoreError:
        return None


def _installed(home: Home, action: str) -> int:
    from hermes_tui.cli import daemon_install

    if action == "show":
        return daemon_install.show(home)
    return daemon_install.install(home) if action == "install" else daemon_install.uninstall()


def _logs(home: Home, rest: list[str]) -> int:
    from hermes_tui.cli.daemon_logs import show

    return show(home.log, rest)
