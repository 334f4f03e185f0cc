"""Edits are tried on past uses and on checks before they count."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.skills.checks import Check, broken_by, failing, parse_checks, read_checks
from hermes_tui.skills.replay import SYSTEM, Case, replay, score

CASE = Case(task="ship it", steps=("run_command: make release", "run_command: git push --tags"))
OLD = "run_command: make release\nrun_command: git push --tags"


async def _echo(system: str, text: str) -> str:
    """A model that follows the text: its lines are its plan."""
    assert system == SYSTEM
    return text.partition("\n\n# Task")[0]


async def test_an_edit_that_loses_a_step_is_worse() -> None:
    tried = await replay(OLD, "run_command: make release", (CASE,), (), _echo)
    assert (tried.old, tried.new, tried.worse) == (1.0, 0.5, True)
    assert tried.told == "worse: 1 past use: 100% of what worked before, 50% now"


async def test_an_edit_that_keeps_the_steps_in_other_words_is_not() -> None:
    new = "run_command: make release --quiet\nrun_command: git push origin --tags"
    tried = await replay(OLD, new, (CASE, CASE), (), _echo)
    assert (tried.worse, tried.cases) == (False, 2)


async def test_another_program_on_the_same_file_is_another_call() -> None:
    case = Case(task="t", steps=("run_command: touch invoice.csv",))
    assert score("run_command: touch invoice.csv", case) == 1.0
    assert score("run_command: rm invoice.csv", case) == 0.0
    assert score("run_command: touch other.txt", case) == 0.0


async def test_without_past_uses_it_says_so() -> None:
    tried = await replay("a", "b", (), (), _echo)
    assert (tried.worse, tried.told) == (False, "no past use to try it on")


async def test_a_broken_check_is_worse_and_needs_no_model(tmp_path: Path) -> None:
    async def never(system: str, text: str) -> str:
        raise AssertionError("asked")

    checks = parse_checks("# keep\nsays: git push\nnever: --force\nother line\nrun: true\nsays:\n")
    assert checks == (Check("says", "git push"), Check("never", "--force"), Check("run", "true"))
    (tmp_path / "checks").write_text("says: git push\nnever: --force\n")
    broken = await broken_by(tmp_path, OLD, "make")
    assert broken == ("says: git push",)
    tried = await replay(OLD, "make", (CASE,), broken, never)
    assert (tried.broken, tried.worse) == (broken, True)
    assert await broken_by(tmp_path, "make", "make all") == ()


def test_checks_lie_beside_the_skill_and_links_are_not_followed(tmp_path: Path) -> None:
    assert read_checks(tmp_path) == ()
    (tmp_path / "checks").write_text("never: rm -rf\n")
    assert [str(one) for one in read_checks(tmp_path)] == ["never: rm -rf"]
    assert failing("then rm  -rf all", read_checks(tmp_path)) == ["never: rm -rf"]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "checks").symlink_to(tmp_path / "checks")
    assert read_checks(tmp_path / "sub") == ()


@given(st.text(max_size=300), st.lists(st.text(max_size=40), max_size=5))
def test_a_score_is_a_share(plan: str, steps: list[str]) -> None:
    assert 0.0 <= score(plan, Case(task="t", steps=tuple(steps))) <= 1.0
