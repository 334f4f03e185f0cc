"""Pictures: asked for, drawn cell by cell where the terminal can, named and linked elsewhere."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from hermes_tui.events import ToolEnded
from hermes_tui.ui.attach_files import attach_file
from hermes_tui.ui.blocks import ReplyBlock, UserBlock, is_local
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.frame_diff import Memory
from hermes_tui.ui.frame_pictures import Drawn, placeholders
from hermes_tui.ui.paste_input import InputParser
from hermes_tui.ui.pictures import located
from hermes_tui.ui.pictures_encode import ROWS, Frame, fitted, kitty, load, sixel
from hermes_tui.ui.pictures_terminal import (
    MARKS,
    PLACEHOLDER,
    PicturesTold,
    Told,
    questions,
    way_of,
)
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage
from tests.ui.test_trace import ran

KITTY = {"TERM": "xterm-kitty"}
XTERM = {"TERM": "xterm-256color"}


def test_terminals_that_would_print_a_question_are_not_asked() -> None:
    assert questions(XTERM) == "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c"
    assert questions({"TERM": "linux"}) == ""
    assert questions({**XTERM, "TERM_PROGRAM": "Apple_Terminal"}) == ""
    assert questions({"TERM": "screen", "STY": "1.x"}) == ""
    inside = questions({"TERM": "tmux-256color", "TMUX": "/x"})
    assert inside.startswith("\x1bPtmux;\x1b\x1b_Gi=31")
    assert inside.endswith("\x1b[16t\x1b[c")


@pytest.mark.parametrize(
    ("told", "env", "way"),
    [
        (Told(kitty=True), KITTY, "kitty"),
        (Told(kitty=True), {"TERM": "tmux-256color", "TMUX": "x", "KITTY_WINDOW_ID": "1"}, "kitty"),
        (Told(kitty=False), KITTY, ""),
        (Told(kitty=True), XTERM, ""),
        (Told(kitty=True, sixel=True, cell=(9, 18)), XTERM, "sixel"),
        (Told(sixel=True), XTERM, ""),
        (Told(), {**XTERM, "TERM_PROGRAM": "iTerm.app"}, "iterm"),
        (Told(), {**XTERM, "LC_TERMINAL": "iTerm2"}, "iterm"),
        (Told(), {**XTERM, "LC_TERMINAL": "iTerm2", "TMUX": "x"}, ""),
    ],
)
def test_only_what_is_sure_is_used(told: Told, env: dict[str, str], way: str) -> None:
    assert way_of(told, env, truecolor=True) == way
    assert way_of(told, env, truecolor=False) == ""


ANSWERS = "\x1b_Gi=31;OK\x1b\\\x1b[6;18;9t\x1b[?62;4;22c"


def fed(*parts: str) -> tuple[Told, list[str]]:
    """What a terminal's answers tell, and the keys that were read besides."""
    parser, told, keys = InputParser(), Told(), list[str]()
    for part in filter(None, parts):
        for one in parser.feed(part):
            if isinstance(one, PicturesTold):
                told = one.into(told)
            elif isinstance(one, events.Key):
                keys.append(one.key)
    return told, keys


@given(st.integers(0, len(ANSWERS)), st.integers(0, len(ANSWERS)))
def test_answers_are_understood_however_they_are_cut_and_press_no_key(a: int, b: int) -> None:
    low, high = sorted((a, b))
    cuts = ("x" + ANSWERS[:low], ANSWERS[low:high], ANSWERS[high:] + "y")
    if any(part.endswith("\x1b") for part in cuts[:2]):
        return  # a lone escape waits for what follows by time, not here
    assert fed(*cuts) == (Told(kitty=True, sixel=True, cell=(9, 18)), ["x", "y"])


def test_a_terminal_that_can_draw_nothing_says_so_and_presses_no_key() -> None:
    told = fed("\x1b_Gi=31;ENOTSUP:no\x1b\\\x1b[?62;22c")
    assert told == (Told(), [])


def image(path: Path, size: tuple[int, int] = (400, 200), mode: str = "RGB") -> Path:
    made = Image.new(mode, size, 0)
    for x in range(size[0]):
        made.putpixel((x, x % size[1]), (x % 256,) * len(made.getbands()) if mode != "P" else 1)
    made.save(path)
    return path


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 200))
def test_a_picture_fits_and_keeps_its_shape(width: int, height: int, columns: int) -> None:
    got = fitted((width, height), Frame("kitty", columns))
    assert 1 <= got[0] <= min(columns, len(MARKS))
    assert 1 <= got[1] <= ROWS
    assert got[0] * 10 <= width + 10
    assert got[1] * 20 <= height + 20


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.webp", "a.bmp"])
def test_kitty_is_handed_a_png_of_whole_cells(tmp_path: Path, name: str) -> None:
    picture = load(image(tmp_path / name), Frame("kitty", 30))
    assert picture is not None
    assert (picture.columns, picture.rows) == (30, 8)
    sent = kitty(77, picture)
    assert sent[0].startswith("\x1b_Ga=T,U=1,q=2,f=100,t=d,i=77,c=30,r=8,m=")
    assert sent[-1].split(";")[0].endswith("m=0")
    assert all(len(one) < 4200 for one in sent)
    data = "".join(one.split(";", 1)[1].removesuffix("\x1b\\") for one in sent)
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (300, 160)


def test_iterm_is_handed_a_strip_for_every_line(tmp_path: Path) -> None:
    picture = load(image(tmp_path / "a.png"), Frame("iterm", 20))
    assert picture is not None
    assert len(picture.data) == picture.rows == 5
    for strip in picture.data:
        head, _, data = strip.partition(":")
        assert "inline=1" in head
        assert "width=20;height=1" in head
        assert Image.open(io.BytesIO(base64.b64decode(data.removesuffix("\a")))).size == (200, 20)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\nnonsense", b"text", b"GIF89a"])
def test_what_is_no_image_is_not_drawn(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(content)
    assert load(path, Frame("sixel", 20)) is None
    assert load(tmp_path / "missing.png", Frame("sixel", 20)) is None
    assert load(tmp_path, Frame("sixel", 20)) is None


def painted(text: str) -> list[list[tuple[int, int, int]]]:
    """What a sixel terminal shows: an own, slow reader of the format."""
    head = re.match(r'\x1bP0;1q"1;1;(\d+);(\d+)', text)
    assert head
    width, height = int(head[1]), int(head[2])
    shown = [[(0, 0, 0)] * width for _ in range(height)]
    palette: dict[int, tuple[int, int, int]] = {}
    x = y = colour = 0
    body = text[head.end() : -2]
    for part in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|(\$)|(-)|([?-~])", body):
        if part[1]:
            palette[int(part[1])] = (int(part[2]), int(part[3]), int(part[4]))
        elif part[5]:
            colour = int(part[5])
        elif part[8]:
            x = 0
        elif part[9]:
            x, y = 0, y + 6
        else:
            bits, count = ord(part[7] or part[10]) - 63, int(part[6] or 1)
            for bit in (bit for bit in range(6) if bits >> bit & 1):
                shown[y + bit][x : x + count] = [palette[colour]] * count
            x += count
    return shown


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_sixels_show_every_pixel(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 20))
    pixels = data.draw(st.binary(min_size=width * height, max_size=width * height))
    made = Image.frombytes("P", (width, height), bytes(one % 7 for one in pixels))
    colours = [value for one in range(256) for value in (one * 30 % 256, one * 70 % 256, one)]
    made.putpalette(colours)
    wanted = [
        [tuple(round(v * 100 / 255) for v in colours[3 * p : 3 * p + 3]) for p in row]
        for row in (made.tobytes()[y * width : (y + 1) * width] for y in range(height))
    ]
    assert painted(sixel(made)) == wanted


# --- in frames -------------------------------------------------------------------------------

INK = Style(color=Color.parse("#010203"))
CONSOLE = Console(color_system="truecolor", force_terminal=True)


class Lines:
    """A terminal of 10 by 4 cells and the bytes it gets."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.memory.pictures["38;2;1;2;3"] = Drawn(4, ("<one>", "<two>"))

    def show(self, *rows: list[Segment]) -> str:
        strips: list[Iterable[Strip]] = [[Strip(row).adjust_cell_length(10)] for row in rows]
        update = LayoutUpdate(strips, Region(0, 0, 10, len(rows)))
        return self.memory.lessen(update, CONSOLE, (10, 4))


def line(row: int, before: str = "", after: str = "") -> list[Segment]:
    return [Segment(before), Segment(placeholders(row, 4), INK), Segment(after)]


def test_a_picture_is_drawn_line_by_line_and_once() -> None:
    lines = Lines()
    told = lines.show(line(0, "ab"), line(1, "ab"))
    assert told.count("<one>") == told.count("<two>") == 1
    assert re.search(r"\x1b\[4X\x1b7<one>\x1b8\x1b\[4C", told)
    assert PLACEHOLDER not in told
    assert lines.show(line(0, "ab"), line(1, "ab")) == ""


def test_text_beside_a_picture_does_not_draw_it_again() -> None:
    lines = Lines()
    lines.show(line(0, "ab", "xy"))
    assert "<one>" not in lines.show(line(0, "ab", "xz"))


def test_what_lay_over_a_picture_gives_it_back_whole() -> None:
    lines = Lines()
    lines.show(line(0, "ab"))
    covered = Strip(line(0, "ab")).crop(0, 4), Strip([Segment("MENU")])
    told = lines.show([*covered[0], *covered[1]])
    assert "<one>" not in told
    assert "MENU" in told
    assert lines.show(line(0, "ab")).count("<one>") == 1


def test_a_picture_that_moves_is_drawn_where_it_is_and_erased_where_it_was() -> None:
    lines = Lines()
    lines.show([Segment("text")], line(0), line(1))
    told = lines.show(line(0), line(1), [Segment("more")])
    assert told.count("<one>") == told.count("<two>") == 1
    assert "more" in told
    told = lines.show([], [], [])
    assert "<" not in told
    assert "\x1b[" in told


def test_kitty_places_the_cells_by_itself() -> None:
    lines = Lines()
    lines.memory.pictures.clear()
    told = lines.show(line(1))
    assert f"{PLACEHOLDER}{MARKS[1]}{MARKS[0]}" in told
    assert "38;2;1;2;3" in told
    assert lines.show(line(1)) == ""


# --- in blocks -------------------------------------------------------------------------------


def test_blocks_name_the_images_they_are_about(tmp_path: Path) -> None:
    sent = attach_file(image(tmp_path / "a b.png"), tmp_path / "kept")
    user = UserBlock(f"look {sent.text} and tell")
    assert user.images() == [str(tmp_path / "kept" / "a b.png")]
    reply = ReplyBlock()
    reply.text = "![a](plot.png) ![b](https://example.org/b.png) ![c](/tmp/c.png)"
    assert list(reply.images()) == ["plot.png", "/tmp/c.png"]
    assert not is_local("data:image/png;base64,AAAA")


def test_paths_are_found_as_people_mean_them() -> None:
    assert located("a.png", "/work") == Path("/work/a.png")
    assert located("/x/a.png", "/work") == Path("/x/a.png")
    assert located("file:///x/a%20b.png", "/work") == Path("/x/a b.png")


# --- on the screen ---------------------------------------------------------------------------


async def test_an_image_is_named_and_opens_where_nothing_can_be_drawn(stage: Stage) -> None:
    async with stage.screen() as screen:
        image(stage.folder / "plot.png")
        await ran(stage, screen, say("Here: ![the plot](plot.png)"))
        await screen.until(lambda: screen.shows("plot.png · 400×200"))
        assert PLACEHOLDER not in screen.text


async def test_a_picture_comes_when_the_terminal_says_it_can(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    async with stage.screen() as screen:
        image(stage.folder / "plot.png")
        await ran(stage, screen, say("Here: ![the plot](plot.png)"))
        await screen.until(lambda: screen.shows("plot.png · 400×200"))
        screen.app.console._color_system = ColorSystem.TRUECOLOR
        screen.app.post_message(PicturesTold(cell=(10, 20)))
        screen.app.post_message(PicturesTold(sixel=True))
        await screen.until(lambda: PLACEHOLDER in screen.text)
        assert [line.count(PLACEHOLDER) for line in screen.text.split("\n")].count(40) == 10
        (drawn,) = screen.app.drawn_pictures.values()
        assert (drawn.columns, len(drawn.lines)) == (40, 10)
        assert drawn.lines[0].startswith("\x1bP0;1q")
        await screen.app.commands.typed("/new")
        assert screen.app.drawn_pictures == {}


async def test_what_a_tool_made_is_shown_with_its_call() -> None:
    block = ToolBlock("c", "browser")
    block.end(ToolEnded(turn=1, step=1, call_id="c", tool="browser", details={"image": "/x.png"}))
    assert block.images() == ("/x.png",)
