"""A command reaches the shell as it was written, whatever is in it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.backends import local
from hermes_tui.backends.local import start_command
from hermes_tui.errors import ToolError

PATH = {"PATH": os.environ["PATH"]}
TRICKY = 'it\'s "q" $HOME `x` \\ !1'


@pytest.fixture(params=["bash", "sh"])
def shell(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "sh":
        monkeypatch.setattr(local, "find_shell", lambda _path: "/bin/sh")
    return request.param


async def run(command: str, folder: Path) -> tuple[int, str]:
    child = await start_command(command, cwd=str(folder), env=PATH)
    parts = b""
    while chunk := await child.read():
        parts += chunk
    return await child.wait(), parts.decode()


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("end", ["", "\n"])
async def test_a_heredoc_as_the_last_command_keeps_its_text(tmp_path: Path, end: str) -> None:
    code, _ = await run(f"cat > f <<'EOF'\n{TRICKY}\nEOF{end}", tmp_path)
    assert code == 0
    assert (tmp_path / "f").read_text() == TRICKY + "\n"


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize(
    "command",
    [
        "cat > f <<'EOF'\nnever ended",
        "cat > f <<EOF",
        "cat > f <<-E\n\tx\n  E\n",
        "cat > f <<A <<B\nA\n",
    ],
)
async def test_a_heredoc_without_its_end_is_an_error_and_changes_nothing(
    tmp_path: Path, command: str
) -> None:
    async with asyncio.timeout(5):
        with pytest.raises(ToolError, match="here-document"):
            await run(command, tmp_path)
    assert not (tmp_path / "f").exists()


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo $((1<<3))", "8"),
        ("echo '<<EOF'", "<<EOF"),
        ("cat <<'A B'\nit's\nA B", "it's"),
        ("cat <<A; cat <<B\na\nA\nb\nB", "a\nb"),
        ("echo a # <<EOF", "a"),
        ("x=$(cat <<E\nin\nE\n); echo $x", "in"),
    ],
)
async def test_shifts_quotes_and_ended_heredocs_are_no_error(
    tmp_path: Path, command: str, printed: str
) -> None:
    assert await run(command, tmp_path) == (0, printed + "\n")


@pytest.mark.usefixtures("shell")
async def test_a_script_longer_than_any_argument_may_be_runs(tmp_path: Path) -> None:
    text = "x" * 300_000
    code, out = await run(f"cat <<'E' | wc -c\n{text}\nE", tmp_path)
    assert (code, out.strip()) == (0, "300001")


async def test_commands_do_not_eat_the_rest_of_the_script(tmp_path: Path) -> None:
    assert await run("cat\nread x\necho still here", tmp_path) == (0, "still here\n")


async def test_a_command_that_kills_by_name_does_not_hit_its_own_shell(tmp_path: Path) -> None:
    marker = "no-such-program-of-mine-4711"
    code, out = await run(f"pkill -f {marker}; echo survived", tmp_path)
    assert (code, out) == (0, "survived\n")


async def test_errors_name_the_line_and_no_path_of_ours(tmp_path: Path) -> None:
    code, out = await run("true\nno-such-program-4711", tmp_path)
    assert code == 127
    assert "line 2: no-such-program-4711" in out
    assert "/dev/fd" not in out


async def test_a_syntax_error_is_an_error_of_the_shell(tmp_path: Path) -> None:
    code, out = await run("echo 'open", tmp_path)
    assert code != 0
    assert "unexpected EOF" in out


async def test_a_nul_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="NUL"):
        await run("echo a\0b", tmp_path)


@settings(max_examples=12, deadline=None)
@given(
    st.text(
        st.characters(blacklist_characters="\0\r", blacklist_categories=["Cs"]), min_size=1
    ).filter(lambda text: "EOT" not in text)
)
def test_any_text_in_a_quoted_heredoc_arrives_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    code, _ = asyncio.run(run(f"cat > f <<'EOT'\n{text}\nEOT", folder))
    assert code == 0
    assert (folder / "f").read_bytes() == (text + "\n").encode()
