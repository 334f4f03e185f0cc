"""`hermes attach --stdio`: the far end of an attach over ssh, between its pipes and the core."""

from __future__ import annotations

import json
import os
import selectors
import socket

from hermes_tui.cli import quick
from hermes_tui.errors import CoreError
from hermes_tui.home import Home

MARK = "@@hermes-tui-bridge@@ "
"""Begins the line after which the protocol follows; what shells say before it is passed over."""

_CHUNK = 1 << 16


def bridge(home: Home) -> int:
    """Join standard input and output to the core's socket until either ends; the exit code."""
    try:
        sock = quick.dial(home)
        if sock is None:
            raise CoreError("no agent is running there", "run `hermes daemon start` there")
    except CoreError as error:
        _say({"error": error.message, "hint": error.hint})
        return error.exit_code
    _say({"folder": os.path.expanduser("~")})
    sock.settimeout(None)
    _join(sock)
    return 0


def _say(line: dict[str, str]) -> None:
    os.write(1, f"\n{MARK}{json.dumps(line)}\n".encode())


def _join(sock: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ)
        selector.register(sock, selectors.EVENT_READ)
        while all(_passed_on(key.fd, sock) for key, _ in selector.select()):
            continue


def _passed_on(fd: int, sock: socket.socket) -> bool:
    """Pass on what one end said; False when it has ended."""
    data = os.read(fd, _CHUNK)
    if fd == 0:
        sock.sendall(data)
    else:
        _write(data)
    return bool(data)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
