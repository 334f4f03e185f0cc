"""Pages made from the code are what the code says now; links in the pages lead somewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import make_docs  # noqa: E402

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", make_docs.PAGES)
def test_generated_pages_are_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert (ROOT / name).read_text() == make_docs.PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_and_named_files_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    named = re.findall(
        r"`((?:hermes_tui|tests|scripts|benchmarks|docs|skills|themes)/[\w./-]+)`", text
    )
    missing = [one for one in links if "://" not in one and not (page.parent / one).exists()]
    missing += [one for one in named if not (ROOT / one).exists()]
    assert missing == []
