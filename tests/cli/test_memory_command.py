"""`hermes memory`: scripts add, find, correct, take back, move; nothing goes wrong in silence."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.runtime.core import Core
from tests.cli.conftest import Hermes


def texts(hermes: Hermes, *more: str) -> list[str]:
    found = hermes("memory", "list", "--json", *more).json
    return sorted(one["text"] for one in found)


def test_what_is_added_is_listed_edited_forgotten_and_brought_back(hermes: Hermes) -> None:
    assert "Remembered m1" in hermes("memory", "add", "I prefer short answers").out
    assert "Already known: m1" in hermes("memory", "add", "I PREFER short answers.").out
    assert hermes("memory", "edit", "m1", "I prefer long answers").code == 0
    assert texts(hermes) == ["I prefer long answers"]
    assert "Forgot m1" in hermes("memory", "forget", "i prefer long answers").out
    assert texts(hermes) == []
    assert "current again" in hermes("memory", "undo").out
    assert texts(hermes) == ["I prefer long answers"]
    shown = hermes("memory", "show", "m1").out
    assert "I prefer short answers" in shown
    assert "from user" in shown


def test_the_same_commands_work_on_a_living_core(hermes: Hermes, living_core: Core) -> None:
    assert "Remembered m1" in hermes("memory", "add", "--kind", "fact", "The VPS runs Caddy").out
    assert "Caddy" in hermes("memory", "ask", "what does the VPS run?").out
    assert "Not known" in hermes("memory", "ask", "what is my shoe size?").out
    assert "pinned" in hermes("memory", "pin", "m1").out
    assert "pinned" in hermes("memory", "list").out


def test_files_of_entries_go_out_and_come_in(hermes: Hermes, tmp_path: Path) -> None:
    hermes("memory", "add", "--kind", "fact", "The VPS runs Caddy")
    hermes("memory", "add", "I prefer short answers")
    folder = tmp_path / "notes"
    hermes("memory", "export", str(folder))
    assert (folder / "MEMORY.md").read_text() == "The VPS runs Caddy\n"
    assert (folder / "USER.md").read_text() == "I prefer short answers\n"
    (folder / "USER.md").write_text("I prefer short answers\n§\nI am a nurse\n")
    assert "1 added, 1 known already" in hermes("memory", "import", str(folder)).out
    assert texts(hermes, "--card") == ["I am a nurse", "I prefer short answers"]
    whole = hermes("memory", "export", "--json").out
    assert hermes("memory", "import", "-", stdin=whole).out.startswith("0 added, 3 known")


def test_a_file_that_lost_most_of_its_entries_is_refused(hermes: Hermes, tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("\n§\n".join(f"Shelf {n} holds {n * 7} jars" for n in range(20)))
    hermes("memory", "import", str(file))
    file.write_text("Shelf 1 holds 7 jars")
    refused = hermes("memory", "import", str(file), "--replace")
    assert refused.code == 1
    assert "would forget 19 of 20 statements; nothing was changed" in refused.err
    assert len(texts(hermes)) == 20
    assert hermes("memory", "import", str(file), "--replace", "--force").code == 0
    assert len(texts(hermes)) == 1


def test_scope_kind_and_confirming(hermes: Hermes, tmp_path: Path) -> None:
    hermes("memory", "add", "--folder", str(tmp_path), "Deploys go through make ship")
    (fact,) = hermes("memory", "list", "--json").json
    assert (fact["scope"], fact["place"]) == ("folder", str(tmp_path))
    assert hermes("memory", "set", "m1", "--scope", "everyone").code == 0
    assert hermes("memory", "confirm", "m1").code == 1
    unknown = hermes("memory", "set", "m1", "--kind", "mood")
    assert "there is no kind 'mood'" in unknown.err
    assert hermes("memory", "forget", "m99").code == 1
    assert "secret" in hermes("memory", "add", "token " + "ghp_" + "a1B2" * 9).err
