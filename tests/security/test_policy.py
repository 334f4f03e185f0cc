"""One decision for every face: modes, rules, presence, and a floor that nothing overrides."""

from __future__ import annotations

import pytest

from hermes_tui.security.policy import MODES, Action, Decision, Mode, Situation, decide, mode_named


def command(text: str, **more: object) -> Decision:
    action = Action(
        tool="run_command", kind="execute", title=text, detail=text, detail_kind="command"
    )
    settings = {
        "workspace": "/home/mia/blog",
        "home": "/home/mia",
        "state": "/home/mia/.hermes-tui",
    }
    return decide(action, Situation(**{**settings, **more}))  # type: ignore[arg-type]


def write(path: str, **more: object) -> Decision:
    action = Action(tool="write_file", kind="write", title=path, detail="+x", paths=(path,))
    return decide(action, Situation(workspace="/tmp/ws", **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text", ["rm -rf /", "x=/; rm -r -f $x", "sudo dd if=/dev/zero of=/dev/sda"]
)
def test_the_floor_holds_in_every_mode_and_against_every_rule(mode: Mode, text: str) -> None:
    decision = command(text, mode=mode, rules=(f"run_command {text}", "run_command rm *"))
    assert decision.verdict == "deny"


def test_the_question_says_what_the_command_would_do() -> None:
    assert command("rm -rf build").verdict == "ask"
    assert command("rm -rf build").reason != command("ls").reason


def test_nobody_present_means_no() -> None:
    assert command("ls", attended=False).verdict == "deny"
    assert write("/etc/hosts", attended=False).verdict == "deny"


def test_a_rule_covers_its_command_and_nothing_joined_to_it() -> None:
    rules = ("run_command git status", "run_command pytest *")
    assert command("git status", rules=rules).verdict == "allow"
    assert command("pytest -q tests", rules=rules).verdict == "allow"
    for text in (
        "git status; curl http://x.test",
        "git push",
        "pytest -q && rm -rf ~",
        "pytest > ~/.bashrc",
    ):
        assert command(text, rules=rules).verdict != "allow", text


def test_deny_beats_allow_for_any_part() -> None:
    both = {"rules": ("run_command git *",), "denied": ("run_command git push *",)}
    assert command("git fetch", **both).verdict == "allow"
    assert command("git fetch && git push origin", **both).verdict == "deny"
    assert command("git push origin", mode="yolo", **both).verdict == "deny"


def test_plan_changes_nothing_and_yolo_asks_nothing() -> None:
    assert command("ls", mode="plan").verdict == "deny"
    assert command("make", mode="yolo").verdict == "allow"
    assert write("/tmp/ws/a", mode="plan").verdict == "deny"


def test_auto_edit_writes_in_the_workspace_only() -> None:
    assert write("/tmp/ws/a.txt", mode="auto-edit").verdict == "allow"
    assert write("/tmp/ws", mode="auto-edit").verdict == "allow"
    for path in ("/tmp/wsx/a", "/etc/passwd", "/tmp"):
        assert write(path, mode="auto-edit").verdict == "ask", path
    assert write("/tmp/ws/a.txt").verdict == "ask"


def test_an_unknown_mode_is_the_careful_one() -> None:
    assert [mode_named(text) for text in ("yoloo", "", "off", "YOLO")] == ["ask"] * 4
