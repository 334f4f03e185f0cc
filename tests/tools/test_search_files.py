"""A search finds the same with and without ripgrep, and leaves out what it should."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from hermes_tui.errors import ToolError
from hermes_tui.tools import search_files as module
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.search_files import search_files
from tests.fakes.context import FakeContext


@pytest.fixture(params=["ripgrep", "walk"])
def ctx(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FakeContext:
    if request.param == "walk":
        monkeypatch.setattr(module, "find_ripgrep", lambda _path: "")
    files = {
        "a.py": "import os\nneedle = 1\n",
        "docs/b.md": "no\nNeedle needle\n",
        ".github/c.yml": "needle: ci\n",
        ".git/config": "needle\n",
        ".gitignore": "build/\n*.log\n!keep.log\n/top.txt\n",
        "build/out.py": "needle\n",
        "x.log": "needle\n",
        "keep.log": "needle kept\n",
        "top.txt": "needle\n",
        "docs/top.txt": "needle below\n",
        "secret/key": "needle secret\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin").write_bytes(b"\0needle")
    (tmp_path / "loop").symlink_to(tmp_path)
    made = FakeContext(tmp_path)
    made.protected = (str(tmp_path / "secret"),)
    return made


def search(ctx: FakeContext, **arguments: str | int | bool) -> ToolResult:
    return asyncio.run(search_files.run(search_files.parse(json.dumps(arguments)), ctx))


def test_it_finds_lines_with_path_and_number(ctx: FakeContext) -> None:
    assert search(ctx, pattern="needle").for_model.splitlines() == [
        ".github/c.yml:1:needle: ci",
        "a.py:2:needle = 1",
        "docs/b.md:2:Needle needle",
        "docs/top.txt:1:needle below",
        "keep.log:1:needle kept",
    ]


def test_it_finds_files_by_name_with_expression_or_shell_pattern(ctx: FakeContext) -> None:
    for pattern in (r"\.py$", "*.py"):
        assert search(ctx, pattern=pattern, names=True).for_model == "a.py"
    assert search(ctx, pattern="top", names=True).for_model == "docs/top.txt"


def test_a_glob_and_a_folder_narrow_it(ctx: FakeContext) -> None:
    assert search(ctx, pattern="needle", glob="*.md").for_model == "docs/b.md:2:Needle needle"
    assert search(ctx, pattern="below", path="docs").for_model == "docs/top.txt:1:needle below"
    assert search(ctx, pattern="n", path="a.py", limit=9).details["results"] == 1


def test_paths_can_be_read_from_where_the_session_is(ctx: FakeContext, tmp_path: Path) -> None:
    ctx.cwd = str(tmp_path / "docs")
    found = search(ctx, pattern="import", path="..").for_model
    assert found == f"{tmp_path}/a.py:1:import os"


def test_the_limit_is_kept_and_told(ctx: FakeContext) -> None:
    result = search(ctx, pattern="needle", limit=2)
    assert result.details == {"results": 2, "more": True}
    assert "more than 2 results" in result.for_model


def test_a_pattern_that_is_no_expression_is_looked_for_as_it_is(
    ctx: FakeContext, tmp_path: Path
) -> None:
    (tmp_path / "f.c").write_text("call(needle\n")
    found = search(ctx, pattern="call(").for_model
    assert found.startswith("f.c:1:call(needle\n")
    assert "exact text" in found


def test_a_pattern_that_looks_like_an_option_is_a_pattern(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "o").write_text("use --files here\n")
    assert search(ctx, pattern="--files").for_model == "o:1:use --files here"


def test_nothing_found_is_no_failure(ctx: FakeContext) -> None:
    assert search(ctx, pattern="absent").for_model == "nothing found"


def test_a_missing_folder_is_a_sentence(ctx: FakeContext) -> None:
    with pytest.raises(ToolError, match="there is no folder"):
        search(ctx, pattern="x", path="gone")


def test_long_lines_and_control_characters_are_tamed(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "wide").write_text("needleX \x1b[31m" + "x" * 100_000 + "\n")
    found = search(ctx, pattern="needleX").for_model
    assert found.startswith("wide:1:needleX x")
    assert len(found) < 500
    assert "\x1b" not in found


def test_a_stop_ends_the_search(ctx: FakeContext, tmp_path: Path) -> None:
    for n in range(300):
        (tmp_path / f"many{n}").write_text("needle\n" * 50)

    async def stopped() -> None:
        arguments = search_files.parse('{"pattern": "absent"}')
        task = asyncio.create_task(search_files.run(arguments, ctx))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stopped())
