"""The system starts the agent, hears that it lives, and can stop it in order."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.cli import daemon, daemon_install
from hermes_tui.cli.start_notify import Notifier
from hermes_tui.home import ENV, Home


@pytest.fixture
def unit(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed unit in a configuration folder of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert daemon_install.install(home, mac=False) == 0
    return tmp_path / "config" / "systemd" / "user" / "hermes-tui.service"


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The socket of a service manager, named by the environment."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(str(tmp_path / "notify"))
    sock.settimeout(8)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", "200000")
    yield sock
    sock.close()


def analyze(unit: Path, *words: str) -> subprocess.CompletedProcess[str]:
    run = unit.parent / "run"
    run.mkdir(mode=0o700, exist_ok=True)
    command = ["systemd-analyze", *words, "--user", str(unit)]
    env = {**os.environ, "XDG_RUNTIME_DIR": str(run)}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


IS_MAC = sys.platform == "darwin"
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="needs systemd-analyze"
)


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path) -> None:
    said = analyze(unit, "verify", "--man=no")
    assert [line for line in said.stderr.splitlines() if "hermes-tui" in line] == []
    assert said.returncode == 0


@needs_systemd
def test_the_unit_leaves_little_open(unit: Path) -> None:
    said = analyze(unit, "security", "--offline=true", "--no-pager")
    score = re.search(r"exposure level .*: ([\d.]+)", said.stdout)
    assert score is not None
    assert float(score[1]) <= 4.0


def test_a_start_that_fails_again_and_again_is_given_up(unit: Path) -> None:
    text = unit.read_text()
    assert "StartLimitBurst=5" in text
    assert "Restart=on-failure" in text
    assert 'daemon" "stop" "--drain"' in text


def test_nothing_in_a_path_is_read_as_an_order_to_systemd(tmp_path: Path) -> None:
    text = daemon_install.unit(Home(tmp_path / 'a "b" %h $HOME\nExecStart=evil'))
    assert not [line for line in text.splitlines() if line.startswith("ExecStart=evil")]
    assert "%%h" in text
    lines = [line for line in text.splitlines() if line.startswith("Exec")]
    assert len(lines) == 2
    assert not re.search(r"(?<![$])[$](?![$])", "".join(lines))


def test_launchd_is_told_the_same(home: Home) -> None:
    told = plistlib.loads(daemon_install.agent(home))
    assert told["EnvironmentVariables"] == {ENV: str(home.path)}
    assert told["KeepAlive"] == {"SuccessfulExit": False}
    assert told["ProgramArguments"][-1] == "--core"


def test_a_dry_run_shows_the_file_and_writes_nothing(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(ENV, str(home.path))
    assert daemon.run(["install", "--dry-run"]) == 0
    shown = capsys.readouterr()
    wanted = daemon_install.agent(home).decode() if IS_MAC else daemon_install.unit(home)
    assert shown.out == wanted
    assert str(tmp_path) in shown.err or IS_MAC
    assert not (tmp_path / "config").exists()


def test_what_was_installed_can_be_removed(unit: Path) -> None:
    assert daemon_install.uninstall(mac=False) == 0
    assert not unit.exists()


def test_the_core_tells_that_it_is_ready_lives_and_ends(home: Home, manager: socket.socket) -> None:
    process = subprocess.Popen(
        daemon.command(), cwd=home.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        process.send_signal(signal.SIGTERM)
        said = manager.recv(100)
        while said == b"WATCHDOG=1":
            said = manager.recv(100)
        assert said == b"STOPPING=1"
        assert process.wait(8) == 143
    finally:
        process.kill()
        process.wait(5)


def test_without_a_manager_nothing_is_sent() -> None:
    notifier = Notifier({})
    notifier.tell("READY=1")
    assert notifier.every_s == 0
