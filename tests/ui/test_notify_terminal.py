"""On a real terminal: a turn that ends out of sight calls, and the title comes back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.home import Home
from tests.fakes.scripted_model import ScriptedModel, say
from tests.launch.hermes import Place, command
from tests.launch.window import Window

FOCUS_IN, FOCUS_OUT = "\x1b[I", "\x1b[O"
CALL = b"\x1b]9;hermes: done"
TITLE, TITLE_BACK = b"\x1b[22;2t\x1b]2;", b"\x1b[23;2t"


@pytest.fixture
def window(home: Home, threaded: ScriptedModel, tmp_path: Path) -> Iterator[Window]:
    """The screen in a terminal that can notify, ready to talk."""
    place = Place(home, threaded, tmp_path, {"TERM_PROGRAM": "iTerm.app"})
    threaded.script += [say("one", first_s=0.3), say("two", first_s=0.3)]
    with Window(command(), place.env, tmp_path) as made:
        made.until("Say what to do")
        made.until("· scripted")
        yield made
    place.end()


def test_a_turn_that_ends_out_of_sight_calls_and_a_look_gives_the_title_back(
    window: Window,
) -> None:
    window.type("first\r")
    window.until("1 step")
    assert CALL not in window.raw
    window.type("second\r")
    window.until("turn 2")
    window.type(FOCUS_OUT)
    window.until(lambda: CALL in window.raw)
    assert TITLE in window.raw
    assert TITLE_BACK not in window.raw
    window.type(FOCUS_IN)
    window.until(lambda: TITLE_BACK in window.raw)
    assert window.raw.count(CALL) == 1


def test_a_screen_that_ends_out_of_sight_gives_the_title_back(window: Window, home: Home) -> None:
    window.type("first\r")
    window.until("turn 1")
    window.type(FOCUS_OUT)
    window.until(lambda: CALL in window.raw)
    pid = int(home.lock.read_text().replace(",", " ").split()[1])
    os.kill(pid, signal.SIGTERM)
    window.ended()
    assert TITLE_BACK in window.raw
