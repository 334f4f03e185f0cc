"""Images and files become chips whose copy is what the agent is told of."""

from __future__ import annotations

import os
import stat
import struct
import zlib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.worker import Worker

from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.ui.attach_clipboard import read_clipboard
from hermes_tui.ui.attach_files import attach_all, attach_file, named_files
from hermes_tui.ui.attach_images import ImageInfo, image_info
from hermes_tui.ui.attach_paths import readings
from hermes_tui.ui.prompt_document import PromptDocument
from tests.fakes.scripted_model import say
from tests.ui.conftest import Screen, Stage


def png(width: int, height: int) -> bytes:
    """A whole black PNG."""

    def chunk(name: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + crc

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * ((width + 1) * height))
    body = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


HEADS = [
    (png(1280, 720), ImageInfo("PNG", 1280, 720)),
    (b"GIF89a" + struct.pack("<HH", 3, 4) + b"\0\0\0", ImageInfo("GIF", 3, 4)),
    (
        b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08" + struct.pack(">HH", 600, 800) + b"\3\1\2",
        ImageInfo("JPEG", 800, 600),
    ),
    (
        b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + b"\x1f\3\0" + b"\x57\2\0",
        ImageInfo("WebP", 800, 600),
    ),
    (b"BM" + b"\0" * 16 + struct.pack("<ii", 20, -10) + b"\0" * 4, ImageInfo("BMP", 20, 10)),
    (b"%PDF-1.7", None),
    (b"", None),
]


@pytest.mark.parametrize(("head", "info"), HEADS, ids=lambda one: str(one)[:12])
def test_format_and_size_are_read_from_the_first_bytes(head: bytes, info: ImageInfo | None) -> None:
    assert image_info(head) == info


@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBP"]),
    st.binary(max_size=80),
)
def test_any_bytes_are_an_image_or_none(head: bytes, rest: bytes) -> None:
    info = image_info(head + rest)
    assert info is None or (info.width >= 0 and info.height >= 0)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("/tmp/a.png", ["/tmp/a.png"]),
        ("  /tmp/a.png \n", ["/tmp/a.png"]),
        ("'/tmp/my file.png'", ["/tmp/my file.png"]),
        ('"/tmp/my file.png"', ["/tmp/my file.png"]),
        ("/tmp/my\\ file.png", ["/tmp/my file.png"]),
        ("file:///tmp/my%20file.png", ["/tmp/my file.png"]),
        ("file://localhost/tmp/a", ["/tmp/a"]),
        ("'/a/b c' /d/e", ["/a/b c", "/d/e"]),
        ("/a/b\r\n/c/d\r\n", ["/a/b", "/c/d"]),
        ("~/x.png", ["~/x.png"]),
    ],
)
def test_dropped_files_are_recognised_however_the_terminal_quotes_them(
    text: str, paths: list[str]
) -> None:
    assert readings(text)[0] == paths


def test_a_path_with_bare_blanks_may_be_one_path() -> None:
    assert ["/tmp/my file.png"] in readings("/tmp/my file.png")


@pytest.mark.parametrize(
    "text",
    ["", "hello", "a/b", "see /tmp/a.png", "file://other.host/tmp/a", "https://x/y", "x\0/tmp/y"],
)
def test_other_text_is_no_path(text: str) -> None:
    assert readings(text) == []


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_paths(text: str) -> None:
    for paths in readings(text):
        assert all(path.startswith(("/", "~/")) for path in paths)


def test_only_files_outside_the_folder_and_images_are_copied(tmp_path: Path) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    for file, data in {
        work / "code.py": b"x",
        work / "shot.png": png(2, 2),
        other / "notes.txt": b"y",
    }.items():
        file.write_bytes(data)
    assert named_files(str(work / "code.py"), str(work)) == ()
    assert named_files(str(work / "shot.png"), str(work)) == (work / "shot.png",)
    assert named_files(str(other / "notes.txt"), str(work)) == (other / "notes.txt",)
    assert named_files(str(other), str(work)) == ()
    assert named_files(f"{other}/notes.txt {other}/gone.txt", str(work)) == ()


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert named_files(str(tmp_path / "pipe"), "") == ()


def test_copies_never_overwrite_each_other_and_are_the_owners(tmp_path: Path) -> None:
    file = tmp_path / "a b?.png"
    file.write_bytes(png(640, 480))
    folder = tmp_path / "kept"
    first, second = attach_file(file, folder), attach_file(file, folder)
    assert (first.kind, first.about) == ("image", second.about)
    assert first.about.startswith("640×480 · ")
    copies = sorted(folder.iterdir())
    assert [one.read_bytes() for one in copies] == [file.read_bytes()] * 2
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in copies)
    assert str(file) in first.text
    assert first.text.startswith("[attached image ")
    assert any(str(one) in first.text for one in copies)


def test_a_file_that_can_not_be_read_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(HermesError, match=r"gone\.txt can't be attached"):
        attach_file(tmp_path / "gone.txt", tmp_path)


def test_a_chip_is_one_character_and_is_sent_as_its_mention(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(png(1280, 720))
    draft = attach_all([file], tmp_path / "kept")
    document = PromptDocument()
    document.type("look: ")
    document.put(6, 6, draft)
    assert document.label(document.raw[6]).startswith("⟦image 1 · 1280×720 · ")
    assert document.text == f"look: {draft.text}"
    assert "⟦" not in document.text
    assert not document.unfold(6)
    document.delete(document.left(document.caret), document.caret)
    document.delete(document.left(document.caret), document.caret)
    assert document.text == "look: "
    document.undo()
    kept = document.draft()
    document.load(kept)
    assert document.draft() == kept


# --- the clipboard ---


def desktop(folder: Path, offered: dict[str, bytes]) -> dict[str, str]:
    """An environment with a clipboard tool that offers these."""
    folder.mkdir()
    cases = ""
    for number, (name, data) in enumerate(offered.items()):
        (folder / str(number)).write_bytes(data)
        cases += f'"{name}") cat {folder}/{number};;\n'
    types = "\\n".join(offered)
    tool = folder / "wl-paste"
    tool.write_text(
        f'#!/bin/sh\n[ "$1" = --list-types ] && printf "{types}\\n" && exit 0\n'
        f'case "$3" in\n{cases}*) exit 1;;\nesac\n'
    )
    tool.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-0"}


async def test_the_richest_form_on_the_clipboard_is_taken(tmp_path: Path) -> None:
    image, text = png(2, 2), "ünï".encode()
    env = desktop(tmp_path / "a", {"text/plain": text, "image/png": image})
    assert await read_clipboard(env) == ("image", image)
    env = desktop(tmp_path / "b", {"text/plain": text, "text/uri-list": b"file:///x\r\n"})
    assert await read_clipboard(env) == ("paths", b"file:///x\r\n")
    env = desktop(tmp_path / "c", {"text/plain": text})
    assert await read_clipboard(env) == ("text", text)
    assert (await read_clipboard({"PATH": "/usr/bin"})).kind == "nothing"


async def test_a_clipboard_tool_that_fails_is_an_empty_clipboard(tmp_path: Path) -> None:
    env = desktop(tmp_path / "a", {})
    assert (await read_clipboard(env)).kind == "nothing"


# --- on a screen ---


def finished(workers: list[Worker[object]]) -> bool:
    return all(one.is_finished for one in workers)


async def paste(screen: Screen, text: str) -> None:
    screen.app.talk.prompt.post_message(events.Paste(text))
    await screen.pilot.pause()


async def test_a_pasted_image_path_becomes_a_chip_and_the_copy_is_sent(
    stage: Stage, home: Home, tmp_path: Path
) -> None:
    stage.model.script.append(say("nice"))
    file = tmp_path / "my shot.png"
    file.write_bytes(png(1280, 720))
    async with stage.screen() as screen:
        await screen.type("what is ")
        await paste(screen, f"'{file}'")
        await screen.until(lambda: screen.shows("⟦image 1 · 1280×720 · "))
        await screen.type("?")
        await screen.press("enter")
        asked = await stage.model.until(1)
        told = asked.json["messages"][-1]["content"]
        copy = home.outputs / screen.app.session / "attached" / "my shot.png"
        assert told.startswith(f"what is [attached image {copy} (PNG, 1280×720, ")
        assert copy.read_bytes() == file.read_bytes()


async def test_undo_brings_the_path_back_as_it_was_pasted(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(png(2, 2))
    async with stage.screen() as screen:
        await paste(screen, str(file))
        await screen.until(lambda: screen.shows("⟦image 1"))
        await screen.press("ctrl+z")
        assert screen.app.talk.prompt.text == str(file)


async def test_a_path_that_is_no_file_and_one_in_the_folder_stay_text(stage: Stage) -> None:
    (stage.folder / "code.py").write_text("x")
    async with stage.screen() as screen:
        for text in ("/no/such/file.png", str(stage.folder / "code.py")):
            screen.app.talk.prompt.clear()
            await paste(screen, text)
            mine = [one for one in screen.app.workers if one.group == "work"]
            await screen.until(partial(finished, mine))
            assert screen.app.talk.prompt.text == text


async def test_a_text_edited_meanwhile_is_left_alone(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(png(2, 2))
    async with stage.screen() as screen:
        prompt = screen.app.talk.prompt
        prompt.insert(str(file))
        prompt.document.delete(0, 1)
        assert not prompt.put_instead(0, str(file), attach_all([file], tmp_path / "kept"))
        assert prompt.text == str(file)[1:]


async def test_ctrl_v_attaches_an_image_and_inserts_text(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in desktop(tmp_path / "a", {"image/png": png(30, 20)}).items():
        monkeypatch.setenv(name, value)
    async with stage.screen() as screen:
        await screen.press("ctrl+v")
        await screen.until(lambda: screen.shows("⟦image 1 · 30×20 · "))
        screen.app.talk.prompt.clear()
        for name, value in desktop(tmp_path / "b", {"text/plain": b"words\nmore"}).items():
            monkeypatch.setenv(name, value)
        await screen.press("ctrl+v")
        await screen.until(lambda: screen.app.talk.prompt.text == "words\nmore")


async def test_ctrl_v_without_a_desktop_inserts_what_was_copied_here(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    async with stage.screen() as screen:
        await screen.press("ctrl+v")
        await screen.until(lambda: screen.shows("the clipboard is empty"))
        await screen.type("abc")
        await screen.press("f7", "ctrl+x", "ctrl+v", "ctrl+v")
        assert screen.app.talk.prompt.text == "abcabc"
