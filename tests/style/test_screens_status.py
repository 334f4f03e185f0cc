"""The page on what of the screens is done says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from hermes_tui.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "screens-status.md").read_text("utf-8")


def part(title: str) -> list[str]:
    """The rows of one table."""
    body = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [line for line in body.splitlines() if line.startswith("| `")]


def test_keys_are_on_the_page_if_and_only_if_they_are_bound() -> None:
    written = {
        (key, row.split("|")[2].strip(" `"))
        for row in part("Keys")
        for key in re.findall(r"`([^`]+)`", row.split("|")[1])
    }
    bound = {(key, one.id) for one in COMMANDS if "ui" in one.surfaces for key in one.keys}
    assert written == bound


def test_slash_commands_are_on_the_page_if_and_only_if_they_exist() -> None:
    written = {
        (row.split("|")[1].strip(" `/"), row.split("|")[2].strip())
        for row in part("Slash commands")
    }
    assert written == {(one.slash, ", ".join(one.surfaces)) for one in COMMANDS if one.slash}


def test_every_test_named_on_the_page_exists() -> None:
    there: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        there.update(re.findall(r"def (test_\w+)", path.read_text("utf-8")))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert named
    assert named - there == set()


def test_every_row_is_done_with_a_test_or_belongs_to_a_later_feature() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "|---|" not in line]
    states = [row.split("|")[2].strip() for row in rows if row.count("|") == 3]
    states = [
        one
        for one in states
        if one not in ("state", "where") and not {"ui", "chat"} & set(one.split(", "))
    ]
    assert [one for one in states if not re.match(r"done: `test_|later: with ", one)] == []
