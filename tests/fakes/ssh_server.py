"""A real sshd of this user on a free port, with a home of its own, and a link that can be cut."""

from __future__ import annotations

import contextlib
import getpass
import os
import queue
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import hermes_tui

PACKAGE = str(Path(hermes_tui.__file__).parent.parent)


class SshServer:
    """Start with `start`; `home` is the home folder of whoever logs in."""

    def __init__(self, folder: Path, agent_home: Path) -> None:
        self.home = folder / "far"
        self.port = _free_port()
        self._folder = folder
        self._agent_home = agent_home
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> SshServer:
        """Make keys, known hosts and a config for this process's HOME, and listen."""
        near = self._folder / "near" / ".ssh"
        near.mkdir(parents=True, mode=0o700)
        self.home.mkdir()
        host_key, own_key = self._folder / "host_key", near / "id_ed25519"
        for path in (host_key, own_key):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
            subprocess.run(command, check=True)
        allowed = self._folder / "allowed"
        allowed.write_text(own_key.with_suffix(".pub").read_text())
        config = self._folder / "sshd_config"
        config.write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {host_key}\nStrictModes no\n"
            f"PidFile none\nAuthorizedKeysFile {allowed}\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nUsePAM no\n"
            f"SetEnv HOME={self.home} HERMES_TUI_HOME={self._agent_home} SHELL=/bin/bash\n"
        )
        self.known = near / "known_hosts"
        public = host_key.with_suffix(".pub").read_text().split()[:2]
        self._public = " ".join(public)
        self.trust(self.port)
        if os.geteuid() == 0:  # what sshd wants of root, and of nobody else
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        command = ["/usr/sbin/sshd", "-D", "-e", "-f", str(config)]
        log = (self._folder / "sshd.log").open("wb")
        self._process = subprocess.Popen(command, stderr=log)
        log.close()
        _until_open(self.port)
        return self

    def trust(self, port: int) -> None:
        """Have the server's key be known under a port."""
        with self.known.open("a") as file:
            file.write(f"[127.0.0.1]:{port} {self._public}\n")

    def install(self, name: str = ".local/bin/hermes") -> Path:
        """Put a `hermes` into the far home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'#!/bin/sh\nPYTHONPATH={PACKAGE} exec {sys.executable} -m hermes_tui.launcher "$@"\n'
        )
        path.chmod(0o755)
        return path

    def place(self, port: int = 0) -> str:
        """Where to attach to."""
        return f"{getpass.getuser()}@127.0.0.1:{port or self.port}"

    def stop(self) -> None:
        """End the server."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(5)


PACKET = 1400
"""Bytes that are lost together."""


class Weather(NamedTuple):
    """How a link is: seconds one way, the share of packets lost, seconds until they come again."""

    delay: float = 0.0
    loss: float = 0.0
    again: float = 0.4


class Link:
    """A TCP relay to a port; `cut` breaks what goes through it.

    What a lost packet does to a stream is to hold up all that follows until it was sent again.
    """

    def __init__(self, port: int, weather: Weather | None = None) -> None:
        self._to = port
        self._weather = weather
        self._open: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection."""
        for sock in self._open:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def close(self) -> None:
        """Cut, and take no more."""
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                return
            self._open += [near, far]
            for one, other in ((near, far), (far, near)):
                if self._weather is None:
                    threading.Thread(target=_relay, args=(one, other), daemon=True).start()
                else:
                    _slow_relay(one, other, self._weather)


def _relay(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


def _slow_relay(one: socket.socket, other: socket.socket, weather: Weather) -> None:
    """Relay one way in two threads, so that what is on its way waits for nothing but its time."""
    under_way: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
    luck = random.Random(7)

    def take() -> None:
        due = 0.0
        data = b"-"
        while data:
            try:
                data = one.recv(PACKET)
            except OSError:
                data = b""
            lost = weather.again if luck.random() < weather.loss else 0.0
            due = max(due, time.monotonic() + weather.delay + lost)
            under_way.put((due, data))

    def give() -> None:
        with contextlib.suppress(OSError):
            while True:
                due, data = under_way.get()
                time.sleep(max(due - time.monotonic(), 0))
                if not data:
                    break
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)

    for each in (take, give):
        threading.Thread(target=each, daemon=True).start()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def _until_open(port: int, limit_s: float = 5.0) -> None:
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise AssertionError(f"nothing listens on {port} (uid {os.getuid()})")
