"""`hermes daemon`: who the core is, the lock and the socket say; a restart cuts nobody off."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.cli import quick
from hermes_tui.cli.daemon_logs import show
from hermes_tui.cli.start_log import CoreLog, last_lines
from tests.fakes.scripted_model import call, say
from tests.launch.hermes import Place, alive, command, until

OTHER_CORE = """
import fcntl, os, socket, sys
held = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
fcntl.flock(held, fcntl.LOCK_EX)
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("ready", flush=True)
while True:
    one, _ = server.accept()
    if one.recv(1000):
        one.sendall(b'{"error": {"message": "I speak protocol 99", "hint": ""}}\\n')
    one.close()
"""


def test_start_waits_until_it_answers_and_stop_until_it_is_gone(place: Place) -> None:
    assert place.run("daemon", "status").code == 3
    started = place.run("daemon", "start")
    assert (started.code, started.err) == (0, "")
    pid = place.core()
    assert f"pid {pid}" in started.out
    assert "already running" in place.run("daemon", "start").out
    assert place.core() == pid
    assert place.run("daemon", "status").code == 0
    assert place.run("daemon", "stop").out == "stopped\n"
    assert not place.core()
    assert not place.home.socket.exists()
    assert place.run("daemon", "stop").out == "not running\n"


def test_status_for_scripts_is_json(place: Place) -> None:
    assert json.loads(place.run("daemon", "status", "--json").out) == {"running": False}
    place.run("daemon", "start")
    told = json.loads(place.run("daemon", "status", "--json").out)
    assert told["pid"] == place.core()
    assert told["running"] is True


def test_the_daemon_has_no_terminal_and_a_session_of_its_own(place: Place) -> None:
    place.run("daemon", "start")
    pid = place.core()
    assert os.getsid(pid) == pid
    targets = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)]
    assert targets == [os.devnull, str(place.home.log), str(place.home.log)]


def test_a_pid_file_of_a_stranger_is_no_core(place: Place) -> None:
    place.home.lock.write_text(f"pid {os.getpid()}, version 0.1.0\n")
    assert place.run("daemon", "status").code == 3
    assert place.run("daemon", "start").code == 0
    assert place.core() != os.getpid()


def test_a_failed_start_gives_the_reason(place: Place) -> None:
    place.home.config.write_text("agent:\n  mode: yollo\n")
    ran = place.run("daemon", "start")
    assert ran.code == 3
    assert "mode" in ran.err
    assert "Traceback" not in ran.err


def test_restart_changes_the_core_and_keeps_the_home(place: Place) -> None:
    place.model.script = [say("one"), say("two")]
    place.run("daemon", "start")
    before = place.status()
    place.run("-z", "hi")
    assert place.run("daemon", "restart").code == 0
    assert place.status()["started"] != before["started"]
    assert place.run("-z", "again", "--continue").out == "two\n"


def test_restart_lets_the_running_turn_finish(place: Place) -> None:
    place.model.script = [say("the whole answer", gate="go")]
    place.run("daemon", "start")
    before = place.status()
    asking = place.start("-z", "hi")
    until(lambda: place.model.requests)
    restarting = place.start("daemon", "restart")
    until(lambda: restarting.poll() is None)
    place.model.open("go")
    assert asking.communicate(timeout=10)[0] == "the whole answer\n"
    assert restarting.wait(10) == 0
    assert place.status()["started"] != before["started"]


def test_the_agent_can_restart_itself_from_a_tool(place: Place) -> None:
    line = shlex.join(command("daemon", "restart"))
    place.model.script = [call("run_command", command=line), say("I will be back.")]
    place.run("daemon", "start")
    before = place.status()
    assert place.run("-z", "restart yourself", "--mode", "yolo").out == "I will be back.\n"
    assert "restarts when" in place.model.last.messages[-1]["content"]
    until(lambda: place.restarted(before))


def test_the_lock_is_free_at_once_when_the_core_is_killed_beside_a_living_tool(
    place: Place,
) -> None:
    pid_file = place.folder / "pid"
    sleeper = f"echo $$ > {pid_file}; exec sleep 60"
    place.model.script = [call("run_command", command=sleeper), say("never")]
    place.run("daemon", "start")
    asking = place.start("-z", "sleep", "--mode", "yolo")
    tool = int(until(lambda: pid_file.exists() and pid_file.read_text().strip()))
    try:
        os.kill(place.core(), signal.SIGKILL)
        until(lambda: not quick.held(place.home), seconds=1)
        assert alive(tool)
        assert asking.wait(5) != 0
        place.model.script = [say("back")]
        assert place.run("daemon", "start").code == 0
    finally:
        os.kill(tool, signal.SIGKILL)


def test_a_core_of_another_protocol_can_still_be_stopped(place: Place) -> None:
    """An upgrade may change the protocol; the kernel knows who listens."""
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER_CORE, place.home.socket, place.home.lock],
        stdout=subprocess.PIPE,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"ready\n"
    assert place.run("daemon", "stop").code == 0
    assert other.wait(5) == -signal.SIGTERM


def test_sigterm_ends_a_core_in_order(place: Place) -> None:
    place.run("daemon", "start")
    pid = place.core()
    os.kill(pid, signal.SIGTERM)
    os.kill(pid, signal.SIGTERM)
    until(lambda: not alive(pid))
    assert not place.home.socket.exists()


def test_sighup_and_stop_keys_mean_nothing_to_a_daemon(place: Place) -> None:
    place.run("daemon", "start")
    pid = place.core()
    for one in (signal.SIGHUP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGPIPE):
        os.kill(pid, one)
    place.model.script = [say("still here")]
    assert place.run("-z", "hi").out == "still here\n"


def test_a_home_with_a_long_path_has_a_core_too(place: Place, tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120) / ("y" * 120)
    place.more = {"HERMES_TUI_HOME": str(deep), "XDG_RUNTIME_DIR": str(tmp_path)}
    try:
        assert place.run("daemon", "start").code == 0
        place.model.script = [say("deep")]
        assert place.run("-z", "hi").out == "deep\n"
    finally:
        assert place.run("daemon", "stop").code == 0


def test_the_log_starts_anew_by_size_and_loses_no_line(tmp_path: Path) -> None:
    path = tmp_path / "core.log"
    log = CoreLog(path, limit=100)
    for number in range(10):
        os.write(log.fd, f"line {number:02} ..........\n".encode())
        log.turn_over()
    old = path.with_name("core.log.1").read_text()
    assert path.stat().st_size <= 100
    assert old.endswith("line 05 ..........\n")
    assert path.read_text().startswith("line 06")
    assert path.stat().st_mode & 0o077 == 0
    assert last_lines(path) == ["line 09 .........."]


def test_logs_prints_the_end_of_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "core.log"
    path.write_text("".join(f"{n}\n" for n in range(100)))
    assert show(path, ["-n", "2"]) == 0
    assert capsys.readouterr().out == "98\n99\n"


def test_logs_follows_a_log_that_starts_anew(place: Place) -> None:
    place.home.log.write_text("first\n")
    following = place.start("daemon", "logs", "-f")
    assert following.stdout is not None
    assert following.stdout.readline() == "first\n"
    with place.home.log.open("a") as file:
        file.write("second\n")
    assert following.stdout.readline() == "second\n"
    os.replace(place.home.log, place.home.path / "core.log.1")
    place.home.log.write_text("third\n")
    assert following.stdout.readline() == "third\n"
    following.send_signal(signal.SIGINT)
    assert following.wait(5) == 130


def test_help_is_there_for_each_way_to_ask(place: Place) -> None:
    for words in (["daemon"], ["daemon", "--help"], ["daemon", "start", "--help"]):
        assert "example: hermes daemon restart" in place.run(*words).out
    assert place.run("daemon", "strat").code == 1
