"""Files are read in pages, written whole or not at all, and edited without collateral changes."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.errors import ToolError
from hermes_tui.tools.base import Tool, ToolResult
from hermes_tui.tools.files import edit_file, read_file, write_file
from tests.fakes.context import FakeContext


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


def call(tool: Tool, ctx: FakeContext, **arguments: str | int | bool) -> ToolResult:
    return asyncio.run(tool.run(tool.parse(json.dumps(arguments)), ctx))


def test_a_small_file_is_read_as_it_is(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("héllo\n\tworld")
    assert call(read_file, ctx, path="a.txt").for_model == "héllo\n\tworld"


def test_all_pages_together_are_the_whole_file(ctx: FakeContext, tmp_path: Path) -> None:
    ctx.window_chars = 1000
    text = "".join(f"line {n} é€😀\n" for n in range(1, 400)) + "no newline at the end"
    (tmp_path / "long").write_text(text)
    assert read_all(ctx, "long") == text


def test_a_line_longer_than_the_window_can_be_read_to_its_end(
    ctx: FakeContext, tmp_path: Path
) -> None:
    ctx.window_chars = 20_000
    text = "short\n" + "é😀x" * 20_000 + "\nlast\n"
    (tmp_path / "wide").write_text(text)
    assert read_all(ctx, "wide") == text


def read_all(ctx: FakeContext, path: str) -> str:
    """A file put together from its pages, as a model would, by what each page says."""
    got, where = "", {"offset": 1}
    while where:
        text = call(read_file, ctx, path=path, **where).for_model
        body, _, note = text.rpartition("\n[")
        got += body
        _, _, go_on = note.partition("go on with ")
        where = (
            {k: int(v) for k, _, v in (p.partition("=") for p in go_on[:-1].split(", "))}
            if go_on
            else {}
        )
    return got


def test_a_page_starts_where_it_was_asked_to(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "n").write_text("".join(f"{n}\n" for n in range(1, 101)))
    page = call(read_file, ctx, path="n", offset=42, limit=2).for_model
    assert page.startswith("42\n43\n")
    assert "lines 42-43 of 100" in page
    assert "offset=44" in page
    assert call(read_file, ctx, path="n", offset=-1).for_model.startswith("100\n")
    with pytest.raises(ToolError, match="has 100 lines"):
        call(read_file, ctx, path="n", offset=101)


def test_a_file_far_too_long_for_memory_is_paged(ctx: FakeContext, tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        for _ in range(40):
            file.write(b"x" * 999_999 + b"\n")
        file.write(b"last\n")
    tracemalloc.start()
    assert call(read_file, ctx, path="huge", offset=-1).for_model.startswith("last\n")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (bytes(range(256)) * 10, "2,560 bytes"),
        (b"", "empty"),
        (b"caf\xe9 au lait, s'il vous pla\xeet", "caf\ufffd au lait"),
        (b"\xef\xbb\xbfwith a mark\r\nline\r\n", "with a mark\nline\n"),
        ("sixteen bits".encode("utf-16"), "sixteen bits"),
    ],
)
def test_whatever_is_in_a_file_the_answer_is_plain_text(
    ctx: FakeContext, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "f").write_bytes(content)
    answer = call(read_file, ctx, path="f").for_model
    assert said in answer
    assert "\0" not in answer
    answer.encode()


def test_a_folder_is_listed(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").touch()
    assert call(read_file, ctx, path=".").for_model.endswith("a\nsub/")


def test_what_is_no_file_is_refused_without_hanging(ctx: FakeContext, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(tmp_path)
        listener.bind("socket")
        for path, name in (("pipe", "a pipe"), ("socket", "a socket"), ("/dev/zero", "a device")):
            with pytest.raises(ToolError, match=name):
                call(read_file, ctx, path=path)
            with pytest.raises(ToolError, match=name):
                call(write_file, ctx, path=path, content="x")


def test_the_memory_of_processes_and_protected_files_are_out_of_bounds(
    ctx: FakeContext, tmp_path: Path
) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/secrets.env").write_text("KEY=1")
    (tmp_path / "link").symlink_to("keys/secrets.env")
    ctx.protected = (str(tmp_path / "keys"),)
    for path in ("/proc/self/environ", f"/proc/{os.getpid()}/mem", "keys/secrets.env", "link"):
        with pytest.raises(ToolError, match="out of bounds"):
            call(read_file, ctx, path=path)
    for path in ("keys/secrets.env", "keys/new", "link"):
        with pytest.raises(ToolError, match="out of bounds"):
            call(write_file, ctx, path=path, content="x")
    assert (tmp_path / "keys/secrets.env").read_text() == "KEY=1"


def test_a_missing_file_is_answered_with_what_there_is(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "readme.md").touch()
    with pytest.raises(ToolError) as caught:
        call(read_file, ctx, path="READ.md")
    assert "readme.md" in caught.value.hint


def test_tilde_is_the_home_of_the_session(ctx: FakeContext, tmp_path: Path) -> None:
    ctx.env["HOME"] = str(tmp_path)
    (tmp_path / "mine").write_text("x")
    assert call(read_file, ctx, path="~/mine").for_model == "x"


def test_a_change_never_goes_to_another_home_than_the_one_approved(
    ctx: FakeContext, tmp_path: Path
) -> None:
    ctx.env["HOME"] = str(tmp_path)
    with pytest.raises(ToolError, match="full path") as caught:
        call(write_file, ctx, path="~/mine", content="x")
    assert caught.value.hint or caught.value.message
    assert not (tmp_path / "mine").exists()


def test_a_new_file_gets_its_folders_and_the_usual_mode(ctx: FakeContext, tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        result = call(write_file, ctx, path="a/b/c.txt", content="one\ntwo\n")
    finally:
        os.umask(mask)
    assert (tmp_path / "a/b/c.txt").read_text() == "one\ntwo\n"
    assert (tmp_path / "a/b/c.txt").stat().st_mode & 0o777 == 0o644
    assert result.for_model.startswith("created ")
    assert result.details["added"] == 2


def test_an_overwritten_file_keeps_mode_link_mark_and_line_ends(
    ctx: FakeContext, tmp_path: Path
) -> None:
    real = tmp_path / "real.sh"
    real.write_bytes(b"\xef\xbb\xbfold\r\nlines\r\n")
    real.chmod(0o750)
    (tmp_path / "link").symlink_to("real.sh")
    call(write_file, ctx, path="link", content="new\nlines\n")
    assert real.read_bytes() == b"\xef\xbb\xbfnew\r\nlines\r\n"
    assert real.stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("broken", ["fsync", "replace", "fchmod"])
def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    ctx: FakeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    (tmp_path / "f").write_text("old\n")

    def fail(*_arguments: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(ToolError, match="No space left"):
        call(edit_file, ctx, path="f", old="old", new="new")
    with pytest.raises(ToolError, match="No space left"):
        call(write_file, ctx, path="f", content="new")
    assert (tmp_path / "f").read_text() == "old\n"
    assert os.listdir(tmp_path) == ["f"]


def test_an_edit_returns_its_diff_and_changes_nothing_else(
    ctx: FakeContext, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(b"caf\xe9\nkeep\nold\nkeep\n")
    result = call(edit_file, ctx, path="f", old="old", new="new")
    assert (tmp_path / "f").read_bytes() == b"caf\xe9\nkeep\nnew\nkeep\n"
    assert "-old\n+new\n" in result.for_model
    assert (result.details["added"], result.details["removed"]) == (1, 1)


def test_the_diff_of_a_big_edit_is_cut_for_model_and_screens(
    ctx: FakeContext, tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("begin\nend\n")
    result = call(edit_file, ctx, path="f", old="begin\n", new="a line that is new\n" * 5_000)
    assert len(result.for_model) <= ctx.window_chars
    assert "more characters of this diff" in result.for_model
    assert len(result.details["diff"]) < 11_000
    assert (result.details["added"], result.details["removed"]) == (5_000, 1)


def test_sixteen_bit_text_stays_sixteen_bit(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("é old\r\nx\r\n".encode("utf-16"))
    call(edit_file, ctx, path="f", old="old\nx", new="new\ny")
    assert (tmp_path / "f").read_bytes() == "é new\r\ny\r\n".encode("utf-16")


def test_a_binary_file_is_not_edited(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\x7fELF\0old")
    with pytest.raises(ToolError, match="binary"):
        call(edit_file, ctx, path="f", old="old", new="new")


def test_a_character_that_no_file_can_hold_is_a_sentence(ctx: FakeContext) -> None:
    with pytest.raises(ToolError, match="U\\+D800"):
        asyncio.run(write_file.run({"path": "f", "content": "a\ud800"}, ctx))


DESCRIBED: list[tuple[Tool, dict[str, str | bool]]] = [
    (write_file, {"path": "sub/../f", "content": "new\n"}),
    (edit_file, {"path": "./f", "old": "old", "new": "new", "replace_all": False}),
]


@pytest.mark.parametrize(("tool", "arguments"), DESCRIBED)
def test_what_is_approved_is_the_diff_of_the_real_file(
    tmp_path: Path, tool: Tool, arguments: dict[str, str | bool]
) -> None:
    (tmp_path / "f").write_text("old\n")
    action = tool.action(arguments, str(tmp_path))
    real = str(tmp_path / "f")
    assert (action.kind, action.paths, action.detail_kind) == ("write", (real,), "diff")
    assert "-old\n+new\n" in action.detail
    assert action.rule == f"{tool.name} {real}"
    assert tool.resource(arguments, str(tmp_path)) == real
    before = action.digest
    (tmp_path / "f").write_text("old\nand more\n")
    assert tool.action(arguments, str(tmp_path)).digest != before, "a changed file asks again"


def test_two_long_contents_are_two_approvals_although_the_card_shows_the_same(
    tmp_path: Path,
) -> None:
    long = "line\n" * 20_000
    digests = {
        write_file.action({"path": "f", "content": long + end}, str(tmp_path)).digest
        for end in ("a", "b")
    }
    assert len(digests) == 2


def test_two_names_of_one_file_are_one_resource(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    (tmp_path / "link").symlink_to("f")
    named: Callable[[str], str | None] = lambda path: write_file.resource(  # noqa: E731
        {"path": path, "content": ""}, str(tmp_path)
    )
    assert named("f") == named("link") == named("./f") == str(tmp_path / "f")
    assert named("a\0b") is None
