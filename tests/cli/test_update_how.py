"""How a copy of hermes came onto a machine, told from what its installer left."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from hermes_tui.cli import update_how
from hermes_tui.errors import HermesError

METADATA = """\
Metadata-Version: 2.1
Name: hermes-tui
Version: 0.1.0
Requires-Dist: msgspec
Requires-Dist: msgspec>=0.1; extra == 'here'
Requires-Dist: no-such-package-of-ours; extra == 'missing'
Requires-Dist: msgspec; extra == 'dev'
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package in a folder that is searched first."""
    site = tmp_path / "site-packages"
    info = site / "hermes_tui-0.1.0.dist-info"
    info.mkdir(parents=True)
    (site / "hermes_tui").mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "INSTALLER").write_text("pip\n")
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(update_how, "find_spec", str)
    return site / "hermes_tui"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is all there is."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def offer(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_pip_brings_the_extras_along_that_are_here(package: Path, programs: Path) -> None:
    way = update_how.how(package)
    pip = (sys.executable, "-m", "pip", "install", "--upgrade", "hermes-tui[here]")
    assert (way.name, way.update) == ("pip", (pip,))
    assert way.back.endswith("hermes-tui==0.1.0")


def test_another_source_is_installed_in_the_same_way(package: Path, programs: Path) -> None:
    assert update_how.how(package, "/a b.whl").update[0][-1] == "/a b.whl[here]"


def test_uv_updates_what_uv_installed(package: Path, programs: Path) -> None:
    (package.parent / "hermes_tui-0.1.0.dist-info" / "INSTALLER").write_text("uv")
    uv = offer(programs, "uv")
    assert update_how.how(package).update[0][:3] == (uv, "pip", "install")


def test_pipx_and_uv_tools_are_known_by_their_notes(package: Path, programs: Path) -> None:
    uv, pipx = offer(programs, "uv"), offer(programs, "pipx")
    note = Path(sys.prefix, "uv-receipt.toml")
    note.write_text("")
    assert update_how.how(package).update == ((uv, "tool", "upgrade", "hermes-tui"),)
    note.unlink()
    Path(sys.prefix, "pipx_metadata.json").write_text("{}")
    assert update_how.how(package).update == ((pipx, "upgrade", "hermes-tui"),)
    assert update_how.how(package, "/x").update == ((pipx, "install", "--force", "/x"),)


def test_a_git_checkout_is_pulled(tmp_path: Path, programs: Path) -> None:
    (tmp_path / ".git").mkdir()
    git = offer(programs, "git")
    way = update_how.how(tmp_path / "hermes_tui")
    assert way.name == "git"
    assert way.update[0] == (git, "-C", str(tmp_path), "pull", "--ff-only")


def test_an_editable_checkout_gets_its_new_dependencies_too(package: Path, programs: Path) -> None:
    info = package.parent / "hermes_tui-0.1.0.dist-info"
    (info / "direct_url.json").write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    (package.parent / ".git").mkdir()
    offer(programs, "git")
    pull, install = update_how.how(package).update
    assert pull[-2:] == ("pull", "--ff-only")
    assert install[-2:] == ("--editable", str(package.parent))


def test_a_bare_folder_is_told_what_to_do(tmp_path: Path, programs: Path) -> None:
    with pytest.raises(HermesError, match="neither installed nor a git checkout"):
        update_how.how(tmp_path / "hermes_tui")
    assert os.listdir(programs) == []
