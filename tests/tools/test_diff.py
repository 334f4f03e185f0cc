"""Diffs are right, and quick whatever the size."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.tools.diff import count, shorten, unified

lines = st.lists(st.sampled_from("abcde"), max_size=14).map("\n".join)


@pytest.mark.skipif(not shutil.which("patch"), reason="needs the program patch")
@settings(max_examples=40, deadline=None)
@given(lines, lines, st.booleans(), st.booleans(), st.integers(0, 20))
def test_a_diff_applied_gives_the_new_text(
    old: str, new: str, old_closed: bool, new_closed: bool, before: int
) -> None:
    common = "".join(f"same {n}\n" for n in range(before))
    check(common + old + "\n" * old_closed, common + new + "\n" * new_closed)


def check(old: str, new: str) -> None:
    import tempfile

    if old == new or not old or not new:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "f"
        file.write_text(old)
        subprocess.run(
            ["patch", "-s", "-u", str(file)], input=unified(old, new, "f"), text=True, check=True
        )
        assert file.read_text() == new


def test_a_rewritten_long_file_is_compared_in_no_time() -> None:
    old = "\n".join(f"old {n % 7} {n}" for n in range(50_000))
    new = "\n".join(f"new {n % 7} {n}" for n in range(50_000))
    begun = time.process_time()
    diff = unified(old, new, "f")
    assert time.process_time() - begun < 1
    assert count(diff) == (50_000, 50_000)
    assert len(shorten(diff, 1000)) < 1100
    assert "more characters of this diff" in shorten(diff, 1000)


def test_no_change_is_no_diff() -> None:
    assert unified("a\n", "a\n", "f") == ""
    assert count(unified("a\nb\n", "a\nc\nd\n", "f")) == (2, 1)
