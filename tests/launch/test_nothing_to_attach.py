"""Attaching to nothing: one line, exit code 3, within two seconds, the terminal left alone."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes_tui.cli import quick
from hermes_tui.errors import CoreError
from hermes_tui.home import Home
from tests.launch.hermes import Place, Ran

LIMIT_S = 3.0  # two seconds, and what a busy machine needs to start a process


@contextmanager
def listening(home: Home, answer: bytes | None) -> Iterator[None]:
    """Something listens on the home's socket; it answers each greeting with these bytes."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(home.socket))
    server.listen()
    held = os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    taken: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                taken.append(server.accept()[0])
            except OSError:
                return
            if answer is not None:
                taken[-1].recv(4096)
                taken[-1].sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()
        os.close(held)
        for one in taken:
            one.close()


def attach(place: Place) -> Ran:
    """Run `hermes attach`, hold it to its time, and look for traces on the terminal."""
    began = time.monotonic()
    ran = place.run("attach")
    assert time.monotonic() - began < LIMIT_S
    assert ran.code == 3
    assert ran.out == ""
    assert "\x1b" not in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.startswith("hermes: ")
    return ran


def test_no_core_is_said_in_one_line(place: Place) -> None:
    assert "no core is running" in attach(place).err


def test_a_socket_file_left_by_a_dead_core_is_no_core(place: Place) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(place.home.socket))
    left.close()
    assert "no core is running" in attach(place).err


def test_a_file_in_the_sockets_place_is_no_core(place: Place) -> None:
    Path(place.home.socket).write_text("not a socket")
    assert "no core is running" in attach(place).err


def test_another_protocol_is_named_with_the_way_out(place: Place) -> None:
    hello = {"hello": {"protocol": 99, "version": "9.9.9", "pid": 1}}
    with listening(place.home, json.dumps(hello).encode() + b"\n"):
        ran = attach(place)
    assert "protocol" in ran.err
    assert "hermes daemon restart" in ran.err


def test_something_that_is_no_core_is_not_believed(place: Place) -> None:
    with listening(place.home, b"220 mail ready\r\n"):
        assert "no core" in attach(place).err


def test_a_core_that_never_answers_is_given_up(place: Place) -> None:
    with listening(place.home, None):
        assert "does not answer" in attach(place).err


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b'{"hello":{"protocol":99,"version":"9.9.9","pid":1}}\n', "version 9.9.9"),
        (b"220 mail ready\r\n", "no core"),
        (b'"hello"\n', "no core"),
        (b'{"error":{"message":"you are too old","hint":"upgrade"}}\n', "too old"),
    ],
)
def test_quick_commands_say_the_same(home: Home, answer: bytes, says: str) -> None:
    with listening(home, answer), pytest.raises(CoreError, match=says):
        quick.connect(home)


def test_quick_commands_find_no_core_where_none_is(home: Home) -> None:
    assert quick.connect(home) is None
    home.lock.write_text("pid 1, version 0.1.0\n")  # a pid that lives, and holds nothing
    assert quick.connect(home) is None
