"""Without a sandbox nothing hides a file from code that is put together as it runs: it asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.security.policy import Action, Mode, Situation, decide

CODE = [
    "open('secrets.env').read()",
    "open(chr(46) + 'env').read()",
    "exec(__import__('base64').b64decode('cHJpbnQoMSk='))",
    "[open(one).read() for one in __import__('os').listdir()]",
    "print(1)",
]
READERS = [
    "perl -ne print .e*",
    "ruby -e 'puts File.read(ARGV[0])' x",
    'node -e \'require("fs").readdirSync(".").map(f => console.log(f))\'',
    "python3 script.py",
    "make",
    "./build.sh",
    "cat *",
    "awk -f program data",
]


def verdict(command: str, mode: Mode, rules: tuple[str, ...] = (), kind: str = "command") -> str:
    action = Action(
        tool="run_command",
        kind="execute",
        title=command,
        detail=command,
        detail_kind="code" if kind == "code" else "command",
        cwd="/w",
    )
    situation = Situation(
        mode=mode, workspace="/w", home="/home/p", state="/home/p/.hermes-tui", rules=rules
    )
    return decide(action, situation).verdict


@pytest.mark.parametrize("mode", ["ask", "auto-edit"])
@pytest.mark.parametrize("command", [*READERS, *(f'python3 -c "{one}"' for one in CODE)])
def test_every_command_asks(command: str, mode: Mode) -> None:
    assert verdict(command, mode) == "ask"


@pytest.mark.parametrize("mode", ["ask", "auto-edit"])
@pytest.mark.parametrize("code", CODE)
def test_every_script_asks(code: str, mode: Mode) -> None:
    assert verdict(code, mode, kind="code") == "ask"


@pytest.mark.parametrize("code", CODE)
def test_a_rule_for_an_interpreter_opens_no_code(code: str) -> None:
    rules = ("run_command python3 *", "run_command python3 -c *", "run_code *")
    assert verdict(f'python3 -c "{code}"', "ask", rules) == "ask"


@given(st.text(min_size=1, max_size=60))
def test_nothing_runs_unasked_whatever_is_typed(text: str) -> None:
    assert verdict(text, "ask") != "allow"
    assert verdict(text, "auto-edit") != "allow"
