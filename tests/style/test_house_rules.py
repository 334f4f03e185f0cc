"""The house rules that no linter knows: sizes, layers, who may catch everything, what is pinned."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_size  # noqa: E402

PACKAGE = ROOT / "hermes_tui"
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_every_file_and_function_is_small_and_says_its_job(path: Path) -> None:
    assert check_size.problems(path) == []


def test_the_size_check_sees_what_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    deep = (
        "def f(a):\n    for x in a:\n        if x:\n            while x:\n                if a:\n"
    )
    file.write_text(deep + "                    return\n" + "x = 1\n" * 500)
    told = "\n".join(check_size.problems(file))
    for word in ("lines (limit 500)", "no first line", "nested 4 deep"):
        assert word in told
    file.write_text('"""Job."""\n\ndef f():\n' + "    x = 1\n" * 60)
    assert "61 lines (limit 60)" in "\n".join(check_size.problems(file))


MAY_CATCH_ALL = {
    "agent/steps.py": "a tool call: the model reads what went wrong",
    "runtime/chats/router.py": "a message of a chat: one that breaks must not end the core",
    "runtime/session.py": "a turn: one that breaks must not end the core",
    "runtime/face.py": "event fan-out: one face must not stop the others",
    "gateways/keeper.py": "a platform's library: its failure ends no other gateway",
    "gateways/sending.py": "a platform's library: its failure holds up no other chat",
    "http/listener.py": "somebody's call: one that breaks is answered, and ends no other",
    "cron/runner.py": "a run of a job: one that breaks must not end the clock",
    "store/db.py": "hands the error to the caller, who awaits it",
    "launcher.py": "the child's last line: it says why and ends",
    "mcp/link.py": "a link's receive loop: it outlives what one connection died of",
    "tools/plugins.py": "a strange package's import: it is told of, the others work",
}


def test_only_named_places_catch_everything() -> None:
    found = {
        _name(path)
        for path in FILES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ExceptHandler) and _catches_all(node)
    }
    assert found - set(MAY_CATCH_ALL) == set()


def _catches_all(handler: ast.ExceptHandler) -> bool:
    """Cleaning up and raising again is no catching."""
    names = [_dotted(handler.type)] if handler.type else ["BaseException"]
    if not {"Exception", "BaseException"} & set(names):
        return False
    last = handler.body[-1]
    return not (isinstance(last, ast.Raise) and last.exc is None)


def test_no_task_is_started_without_a_keeper() -> None:
    """`create_task` belongs to a task group, or its result is kept."""
    bare = [
        f"{_name(path)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and _dotted(node.value.func) in ("asyncio.create_task", "asyncio.ensure_future")
    ]
    assert bare == []


def test_imports_point_down_only() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    done = subprocess.run(
        [*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


TEXTS = [
    *FILES,
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "skills").rglob("*.md"),
    *(ROOT / "scripts").glob("*"),
    *ROOT.glob("*.md"),
    *ROOT.glob("*.toml"),
    ROOT / "Makefile",
]
STRAY = re.compile(rf"\bTODO\b|\bFIXME\b|\bXXX\b|{re.escape(str(ROOT))}")


def test_nothing_unfinished_and_no_path_of_this_machine_is_left() -> None:
    found = [
        f"{path}:{number} {line.strip()}"
        for path in TEXTS
        if path.is_file()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if STRAY.search(line)
    ]
    assert found == []


def test_pins_are_names_and_versions_and_cover_all_dependencies() -> None:
    import tomllib

    pins = (ROOT / "constraints.txt").read_text().split()
    assert all(re.fullmatch(r"[a-z0-9._-]+==[A-Za-z0-9.+!-]+", pin) for pin in pins)
    assert pins == sorted(set(pins))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(one for extra in extras for one in extra)]
    names = {re.split(r"[^A-Za-z0-9_.-]", one)[0].lower().replace(".", "-") for one in wanted}
    assert names <= {pin.partition("==")[0].replace(".", "-") for pin in pins}
