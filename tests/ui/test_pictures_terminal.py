"""On a real terminal: it is asked, it answers, and the bytes that draw a picture come."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from hermes_tui.home import Home
from tests.fakes.scripted_model import ScriptedModel, say
from tests.launch.hermes import Place, command
from tests.launch.window import Window

ASKED = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c"
KITTY_SAYS, XTERM_SAYS = "\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62c", "\x1b[6;20;10t\x1b[?64;4c"
CELLS = "\U0010eeee".encode()
Open = Callable[[dict[str, str]], Window]


@pytest.fixture
def opened(home: Home, threaded: ScriptedModel, tmp_path: Path) -> Iterator[Open]:
    """Opens the screen in a terminal of an environment, with an image to talk of."""
    Image.new("RGB", (200, 100), (200, 40, 40)).save(tmp_path / "plot.png")
    threaded.answer = lambda asked: say("Here it is: ![plot](plot.png)")
    ended: list[Callable[[], object]] = []

    def start(env: dict[str, str]) -> Window:
        place = Place(home, threaded, tmp_path, {"COLORTERM": "truecolor", **env})
        window = Window(command(), place.env, tmp_path)
        ended.extend((place.end, window.close))
        window.until("· scripted")
        return window

    yield start
    for one in reversed(ended):
        one()


def plot(window: Window, answer: str) -> None:
    """Answer as a terminal does, and have the image talked of."""
    window.until(lambda: ASKED in window.raw)
    window.type(answer)
    window.type("plot it\r")
    window.until("plot.png · 200×100")


def test_kitty_is_handed_the_picture_and_places_it_by_its_cells(opened: Open) -> None:
    window = opened({"TERM": "xterm-kitty"})
    plot(window, KITTY_SAYS)
    window.until(lambda: CELLS in window.raw)
    (number,) = re.findall(rb"a=T,U=1,q=2,f=100,t=d,i=(\d+),c=20,r=5", window.raw)
    value = int(number)
    ink = f"38;2;{value >> 16};{value >> 8 & 255};{value & 255}"
    assert ink.encode() in window.raw
    window.type("/new\r")
    window.until(lambda: f"a=d,d=I,i={value}".encode() in window.raw)


def test_a_sixel_terminal_gets_a_strip_for_every_line_and_none_twice(opened: Open) -> None:
    window = opened({"TERM": "xterm-256color"})
    plot(window, XTERM_SAYS)
    window.until(lambda: window.raw.count(b"\x1bP0;1q") == 5)
    assert CELLS not in window.raw
    window.type("more\x1b[D\x1b[D")
    window.until("more")
    assert window.raw.count(b"\x1bP0;1q") == 5


def test_a_terminal_that_says_nothing_gets_the_name(opened: Open) -> None:
    window = opened({"TERM": "xterm-256color"})
    plot(window, "")
    assert b"\x1bP0;1q" not in window.raw
    assert CELLS not in window.raw
