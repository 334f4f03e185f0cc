"""`hermes update` with a real pip: a newer version comes in beside a running agent, or not."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from hermes_tui.runtime import installed
from tests.fakes.package_index import PackageIndex, wheel
from tests.fakes.scripted_model import say
from tests.launch.hermes import Place, Ran, until

PATIENCE_S = 60.0
pytestmark = pytest.mark.slow


class Environment:
    """A fresh virtual environment with version 0.0.1 in it, and an index that may have others."""

    def __init__(self, place: Place, folder: Path) -> None:
        venv.create(folder / "env", symlinks=True, with_pip=find_spec("pip") is None)
        self.place = place
        self.python = folder / "env" / "bin" / "python"
        self.site = next((folder / "env" / "lib").glob("python*")) / "site-packages"
        (self.site / "rest.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        self.index = PackageIndex(self.wheels)
        place.more = {
            "PIP_INDEX_URL": self.index.url,
            "PIP_NO_COMPILE": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "PATH": "/usr/bin:/bin",
        }
        with zipfile.ZipFile(wheel(self.wheels, "0.0.1")) as packed:
            packed.extractall(self.site)

    @property
    def version(self) -> str:
        """The version on disk, empty while pip is at it."""
        return installed.version(str(self.site / "hermes_tui"))

    def python_run(self, *words: str, stdin: str = "") -> Ran:
        done = subprocess.run(
            [str(self.python), *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=self.place.env,
            cwd=self.place.folder,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def hermes(self, *words: str, stdin: str = "") -> Ran:
        return self.python_run("-m", "hermes_tui.launcher", *words, stdin=stdin)


@pytest.fixture
def environment(place: Place, tmp_path: Path) -> Iterator[Environment]:
    made = Environment(place, tmp_path)
    yield made
    made.index.close()


def test_a_running_agent_becomes_the_newer_version_and_goes_on(environment: Environment) -> None:
    place = environment.place
    place.model.script = [say("the whole answer", gate="go"), say("from the new one")]
    assert environment.hermes("daemon", "start").code == 0
    before = place.status()
    assert before["version"] == "0.0.1"
    assert not environment.index.asked, "nothing looks for updates unasked"
    wheel(environment.wheels, "9.9.9")

    looked = json.loads(environment.hermes("update", "--check", "--json").out)
    assert (looked["installed"], looked["available"], looked["how"]) == ("0.0.1", "9.9.9", "pip")
    unasked = environment.hermes("update")
    assert "pip install --upgrade" in unasked.err
    assert "nothing was changed" in unasked.err
    assert place.status() == before

    asking = place.start("-z", "hi")
    until(lambda: place.model.requests)
    line = [str(environment.python), "-m", "hermes_tui.launcher", "update", "--yes", "--json"]
    updating = subprocess.Popen(
        line, stdout=subprocess.PIPE, text=True, env=place.env, cwd=place.folder
    )
    until(lambda: environment.version == "9.9.9", PATIENCE_S)
    place.model.open("go")
    assert asking.communicate(timeout=PATIENCE_S)[0] == "the whole answer\n"
    told = json.loads(updating.communicate(timeout=PATIENCE_S)[0])
    assert (told["was"], told["installed"], told["restarted"]) == ("0.0.1", "9.9.9", True)
    assert place.status()["version"] == "9.9.9"
    assert environment.hermes("-z", "again", "--continue").out == "from the new one\n"
    assert "is the newest" in environment.hermes("update", "--check").out


def test_a_version_that_does_not_start_leaves_the_old_one_running(
    environment: Environment, tmp_path: Path
) -> None:
    place = environment.place
    environment.hermes("daemon", "start")
    before = place.status()
    (tmp_path / "broken").mkdir()
    broken = {"hermes_tui/runtime/core.py": "raise RuntimeError('half a release')\n"}
    bad = wheel(tmp_path / "broken", "9.9.9", broken)
    ran = environment.hermes("update", "--yes", "--from", str(bad))
    assert ran.code != 0
    assert "does not start" in ran.err
    assert "hermes-tui==0.0.1" in ran.err
    assert place.status()["started"] == before["started"]
    place.model.script = [say("as ever")]
    assert place.run("-z", "hi").out == "as ever\n"
    assert place.status()["version"] == "0.0.1"


def test_an_update_that_fails_changes_nothing(environment: Environment, tmp_path: Path) -> None:
    place = environment.place
    environment.hermes("daemon", "start")
    before = place.status()
    torn = tmp_path / "hermes_tui-9.9.9-py3-none-any.whl"
    torn.write_bytes(b"PK\x03\x04 half a file")
    ran = environment.hermes("update", "--yes", "--from", str(torn))
    assert ran.code != 0
    assert "the update failed" in ran.err
    assert place.status() == before
    assert "0.0.1" in environment.hermes("--version").out
