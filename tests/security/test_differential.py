"""What bash really runs is held against what the parser lists."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_tui.security.shell_command import Command, Reading
from hermes_tui.security.shell_start import follow
from hermes_tui.security.shell_state import UNKNOWN
from tests.security.snippets import Snippets, run_all, sandbox_works

COUNT = int(os.environ.get("HERMES_TEST_SNIPPETS", "120"))
SEED = int(os.environ.get("HERMES_TEST_SEED", "1"))

needs_sandbox = pytest.mark.skipif(not sandbox_works(), reason="bwrap is missing or not allowed")


def matches(listed: Command, ran: list[str]) -> bool:
    """Whether a listed command may be the one that ran, as far as its words are known."""
    if listed.name != ran[0]:
        return False
    if any(UNKNOWN in word or any(char in word for char in "*?[~") for word in listed.argv):
        return True
    # Words that stand for files of a process substitution or the home folder differ.
    return len(listed.argv) == len(ran) and all(
        a == b or b.startswith(("/dev/fd/", "/home/", "/stand-ins/"))
        for a, b in zip(listed.argv[1:], ran[1:], strict=True)
    )


def unlisted(reading: Reading, calls: list[list[str]]) -> list[list[str]]:
    """Calls that happened although the parser neither listed them nor had a doubt."""
    if reading.opaque or any(one.opaque for one in reading.commands):
        return []
    return [call for call in calls if not any(matches(one, call) for one in reading.commands)]


def snippets(count: int, seed: int) -> list[str]:
    found: list[str] = []
    for number in range(count):
        made = Snippets(seed * 1_000_000 + number)
        found.append(made.strange(1) if number % 4 == 0 else made.command(3))
    return found


@needs_sandbox
def test_nothing_runs_that_the_parser_did_not_list(tmp_path: Path) -> None:
    texts = snippets(COUNT, SEED)
    ran = run_all(texts, tmp_path)
    wrong = [
        (text, missing)
        for text, calls in zip(texts, ran, strict=True)
        if (missing := unlisted(follow(text, "/place", "/home/user"), calls))
    ]
    assert not wrong, wrong[:5]
    assert sum(map(len, ran)) > COUNT / 2


@needs_sandbox
def test_the_comparison_notices_a_command_that_is_not_listed(tmp_path: Path) -> None:
    [calls] = run_all(["c1 a; c2"], tmp_path)
    assert calls == [["c1", "a"], ["c2"]]
    assert unlisted(follow("c1 a", "/place", "/home/user"), calls) == [["c2"]]
    assert unlisted(follow("c1; c2", "/place", "/home/user"), calls) == [["c1", "a"]]
