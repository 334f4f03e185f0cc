"""Paths for tools: any text resolves or is a sentence, and private files stay where they belong."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.security import paths


@given(st.text(max_size=60))
def test_any_text_is_a_real_absolute_path_or_a_sentence(text: str) -> None:
    try:
        real = paths.resolve(text, "/some/where", "/home/me")
    except ToolError:
        return
    assert os.path.isabs(real)
    assert real == os.path.normpath(real)


@given(st.text(max_size=300).filter(lambda text: "\0" not in text))
def test_a_private_file_is_made_in_its_folder_whatever_it_is_called(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, path = paths.create_private(folder, name + ".txt")
        file.close()
        assert os.path.realpath(path) == os.path.join(os.path.realpath(folder), Path(path).name)
        assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_link_that_waits_under_the_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "x.txt").symlink_to(tmp_path / "elsewhere")
    file, path = paths.create_private(str(tmp_path), "x.txt")
    file.close()
    assert path == str(tmp_path / "x-2.txt")
    assert not (tmp_path / "elsewhere").exists()


def test_links_lead_to_what_is_judged(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert paths.resolve("link/new/../x", str(tmp_path)) == str(tmp_path / "real/x")


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/1/mem", "/proc/self/task/1/environ"])
def test_the_memory_of_processes_is_refused(path: str) -> None:
    with pytest.raises(ToolError, match="out of bounds"):
        paths.read_descriptor(paths.resolve(path, "/"))


def test_a_file_that_became_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ToolError, match="a pipe"):
        paths.read_descriptor(str(tmp_path / "pipe"))
    with pytest.raises(ToolError, match="a pipe"):
        paths.replace_file(str(tmp_path / "pipe"), b"x")
