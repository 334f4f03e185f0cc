"""The door of a sandbox: it hands its socket out, and leaves the command as it found it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from hermes_tui.backends import egress_door
from hermes_tui.backends.egress import Egress
from hermes_tui.backends.sandbox import Sandbox, Streams, start

WAYS = [
    pytest.param(True, id="python"),
    pytest.param(
        False,
        id="perl",
        marks=pytest.mark.skipif(not shutil.which("perl"), reason="no perl on this machine"),
    ),
]
STATE = 'cat /proc/self/status; ls /proc/self/fd; echo "env:$PERL_BADLANG:"'


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def opened(python: bool, command: str, **more: str) -> tuple[socket.socket, str, int]:
    """The socket a door hands out, what the command behind it says, and the port."""
    ours, theirs = socket.socketpair()
    port = free_port()
    argv = egress_door.arguments(theirs.fileno(), python)
    argv[-1] = str(port)
    env = {"PATH": os.environ["PATH"], **egress_door.QUIET, **more}
    with theirs, ours:
        child = subprocess.Popen(
            [*argv, "/bin/sh", "-c", command],
            pass_fds=[theirs.fileno()],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        theirs.close()
        ours.settimeout(5)
        _, numbers, _, _ = socket.recv_fds(ours, 1, 1)
        text, _ = child.communicate(timeout=5)
    return socket.socket(fileno=numbers[0]), text, port


@pytest.mark.parametrize("python", WAYS)
def test_what_connects_inside_is_met_outside(python: bool) -> None:
    door, _, port = opened(python, "true")
    with door, socket.create_connection(("127.0.0.1", port), 2):
        assert door.getsockname() == ("127.0.0.1", port)
        door.settimeout(2)
        met, _ = door.accept()
        met.close()


@pytest.mark.parametrize("python", WAYS)
def test_the_command_gets_no_descriptor_signal_or_variable_of_the_door(python: bool) -> None:
    door, text, _ = opened(python, STATE)
    door.close()
    status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    ignored = int(status["SigIgn"], 16)
    for one in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGFPE):
        assert not ignored & 1 << one - 1, f"{one.name} is ignored"
    assert "env::" in text
    descriptors = [line for line in text.splitlines() if line.isdigit()]
    assert descriptors == ["0", "1", "2", "3"]  # 3: the folder that `ls` reads


@pytest.mark.parametrize("python", WAYS)
def test_a_locale_that_is_not_installed_is_no_warning(python: bool) -> None:
    door, text, _ = opened(python, "echo said", LC_ALL="xx_XX.UTF-8", LANG="xx_XX.UTF-8")
    door.close()
    assert text == "said\n"


@pytest.mark.parametrize("python", WAYS)
def test_a_command_of_several_words_arrives_as_it_is(python: bool) -> None:
    door, text, _ = opened(python, 'printf "%s|" "$0" a\\ b "$"; exit 0')
    door.close()
    assert text == "/bin/sh|a b|$|"


@pytest.mark.sandbox
@pytest.mark.parametrize("python", WAYS)
async def test_in_the_sandbox_a_closed_pipe_ends_what_writes_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: bool
) -> None:
    if python:
        monkeypatch.setattr(egress_door, "_CALLS", {})
        egress_door.perl_calls.cache_clear()
    for name in ("work", "home", "scratch"):
        (tmp_path / name).mkdir()
    sandbox = Sandbox(
        level=3,
        workspace=str(tmp_path / "work"),
        home=str(tmp_path / "home"),
        scratch=str(tmp_path / "scratch"),
        egress=Egress(),
    )
    argv = ["/bin/bash", "-c", "yes | head -n 1; echo ${PIPESTATUS[0]} $PERL_BADLANG"]
    cwd, env = sandbox.workspace, {"PATH": os.environ["PATH"]}
    process = await start(argv, sandbox, cwd=cwd, env=env, streams=Streams())
    text = b""
    while chunk := await process.read():
        text += chunk
    await process.wait()
    await process.kill()
    egress_door.perl_calls.cache_clear()
    assert text.decode().split() == ["y", str(128 + signal.SIGPIPE)]
