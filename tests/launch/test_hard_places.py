"""The screen where it is hard to be one: tiny, resized all the time, far away, half redirected."""

from __future__ import annotations

import fcntl
import os
import shlex
import struct
import sys
import termios
import textwrap

import pytest

from tests.fakes.scripted_model import say
from tests.launch.hermes import Place, command
from tests.launch.window import MOUSE, Window

PROMPT = "❯"
LIGHT = b"\x1b]11;rgb:fafa/f7f7/f0f0\x1b\\"
PAPER = b"48;2;250;247;240"
FAR = textwrap.dedent(
    """
    import os, pty, select, sys, time, tty
    delay, argv = float(sys.argv[1]), sys.argv[2:]
    pid, far = pty.fork()
    if pid == 0:
        os.execv(argv[0], argv)
    tty.setraw(0)
    import fcntl, termios
    fcntl.ioctl(far, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b"\\0" * 8))
    ways = {0: (far, []), far: (1, [])}
    while True:
        due = [at for _, queue in ways.values() for at, _ in queue[:1]]
        wait = max(0, min(due) - time.monotonic()) if due else None
        for fd in select.select(list(ways), [], [], wait)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b""
            if not data and fd == far:
                sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            ways[fd][1].append((time.monotonic() + delay, data))
        for out, queue in ways.values():
            while queue and queue[0][0] <= time.monotonic():
                os.write(out, queue.pop(0)[1])
    """
)


def resize(window: Window, columns: int, rows: int) -> None:
    fcntl.ioctl(window.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    window._screen.resize(rows, columns)


def leave(window: Window) -> None:
    window.type("\x11")
    assert window.ended() == 0
    assert window.settings_as_before


def test_errors_sent_to_a_file_leave_the_screen_on_the_terminal(place: Place) -> None:
    errors = place.folder / "errors"
    line = f"exec {shlex.join(command())} 2>{shlex.quote(str(errors))}"
    with Window(["/bin/sh", "-c", line], place.env, place.folder) as window:
        window.until(PROMPT)
        leave(window)
    assert errors.read_bytes() == b""


def test_twenty_columns_and_five_rows_are_enough_to_talk(place: Place) -> None:
    place.model.script.append(say("tiny"))
    with Window(command(), place.env, place.folder, size=(20, 5)) as window:
        window.until(PROMPT)
        window.type("hi\r")
        window.until("tiny")
        window.until(PROMPT)
        leave(window)


def test_a_storm_of_resizes_ends_with_the_right_screen(place: Place) -> None:
    with Window(command(), place.env, place.folder, size=(120, 35)) as window:
        window.until(PROMPT)
        for step in range(60):
            resize(window, 40 + step * 3, 8 + step % 40)
            window.read(0.002)
        resize(window, 100, 30)
        window.type("still here")
        window.until(lambda: "❯ still here" in window.text and "f1 help" in window.text)
        rules = [line for line in window.text.splitlines() if line.startswith("─" * 20)]
        assert rules
        assert all(len(line) <= 100 for line in window.text.splitlines())
        leave(window)
    assert place.core()


def test_without_the_mouse_the_terminal_keeps_its_own_selection(place: Place) -> None:
    place.home.ensure().config.write_text("ui:\n  mouse: false\n")
    with Window(command(), place.env, place.folder) as window:
        window.until(PROMPT)
        window.rest(0.2)
        assert not window.modes & set(MOUSE)
        leave(window)


def test_a_link_of_two_hundred_milliseconds_loses_and_types_nothing(place: Place) -> None:
    place.model.script.append(say("far away"))
    argv = [sys.executable, "-c", FAR, "0.2", *command()]
    with Window(argv, place.env, place.folder) as window:
        window.until(PROMPT)
        window.type("one two three")
        window.type("\x1bz")  # alt+z in the middle of typing
        window.type(" four")
        window.until("one two three four")
        window.type("\r")
        window.until("far away")
        window.type("\x11")
        assert window.ended() == 0


def test_a_light_terminal_gets_the_light_theme_and_no_answer_in_the_prompt(place: Place) -> None:
    place.more["COLORTERM"] = "truecolor"
    with Window(command(), place.env, place.folder) as window:
        window.until(PROMPT)
        window.until(lambda: b"\x1b]11;?" in window.raw)
        assert PAPER not in window.raw
        os.write(window.fd, LIGHT[:9])
        window.read(0.05)
        os.write(window.fd, LIGHT[9:])
        window.until(lambda: PAPER in window.raw)
        window.type("x")
        window.until("❯ x")
        assert "fafa" not in window.text
        leave(window)
        assert b"\x1b[?2031l" in window.raw


@pytest.mark.parametrize("term", ["screen-256color", "tmux-256color", "linux"])
def test_other_terminals_are_asked_only_what_they_understand(place: Place, term: str) -> None:
    place.more["TERM"] = term
    with Window(command(), place.env, place.folder) as window:
        window.until(PROMPT)
        window.rest(0.3)
        assert (b"\x1b]11;?" in window.raw) is (term != "linux")
        leave(window)


def test_a_file_of_keys_counts_on_a_real_terminal(place: Place) -> None:
    place.home.ensure().keys.write_text("pane.3: f9\n")
    with Window(command(), place.env, place.folder) as window:
        window.until(PROMPT)
        window.rest(0.5)
        window.type("\x1b[20~")
        window.until("memory, you, sessions")
        window.type("\x1b")
        leave(window)
