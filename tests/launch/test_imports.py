"""What each way in may load: the price of a start is what it imports."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from hermes_tui.cli.daemon import CODE
from tests.fakes.scripted_model import say
from tests.launch.hermes import ROOT, Place, command, until
from tests.launch.window import Window

SCREENS = {"textual", "rich", "prompt_toolkit", "typer", "click"}
HEAVY = {*SCREENS, "pydantic", "openai", "litellm", "unittest", "http.server", "multiprocessing"}


def loaded(place: Place, *arguments: str, code: int = 0) -> set[str]:
    """Every module that `hermes` with these arguments imports, children included."""
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-c", CODE, str(ROOT), *arguments],
        capture_output=True,
        text=True,
        timeout=20,
        env=place.env,
        cwd=place.folder,
        check=False,
    )
    assert done.returncode == code, done.stderr[-2000:]
    return set(re.findall(r"^import time:.*\|\s+(\S+)$", done.stderr, re.MULTILINE))


def tops(modules: set[str]) -> set[str]:
    """Names of the packages, and the whole dotted names."""
    return modules | {name.partition(".")[0] for name in modules}


def test_the_version_loads_nothing(place: Place) -> None:
    bare = loaded(place, "--no-such-option", code=2)
    fresh = loaded(place, "--version") - bare
    assert fresh == set()
    ours = {name for name in loaded(place, "--version") if name.startswith("hermes_tui")}
    assert ours == {"hermes_tui", "hermes_tui.launcher"}


def test_help_loads_no_screen(place: Place) -> None:
    assert not tops(loaded(place, "--help")) & {*HEAVY, "asyncio", "msgspec", "json"}


def test_one_answer_through_a_living_core_loads_sockets_and_json_alone(place: Place) -> None:
    place.model.script = [say("ok")]
    assert place.run("daemon", "start").code == 0
    modules = tops(loaded(place, "-z", "hi"))
    assert not modules & {*HEAVY, "asyncio", "msgspec", "logging", "subprocess", "ssl", "httpx2"}
    assert "json" in modules


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_one_answer_without_a_core_loads_no_screen(place: Place, more: tuple[str, ...]) -> None:
    place.model.script = [say("ok")]
    modules = tops(loaded(place, "-z", "hi", *more))
    assert not modules & HEAVY
    assert "hermes_tui.runtime.core" in modules


def test_a_core_without_a_screen_loads_none(place: Place) -> None:
    place.more["PYTHONPROFILEIMPORTTIME"] = "1"
    place.model.script = [say("ok")]
    assert place.run("daemon", "start").code == 0
    assert place.run("-z", "hi").code == 0
    log = place.home.log.read_text()
    modules = set(re.findall(r"^import time:.*\|\s+(\S+)$", log, re.MULTILINE))
    assert "hermes_tui.runtime.core" in modules
    assert not tops(modules) & HEAVY


def test_the_first_frame_loads_only_what_it_shows(place: Place) -> None:
    place.more["PYTHONPROFILEIMPORTTIME"] = "1"
    with Window(command(), place.env, place.folder) as window:
        window.until(lambda: b"\x1b[?1049h" in window.raw)
        window.until(lambda: b"Say what to do" in window.raw)
        until(lambda: place.status().get("sessions"))
        modules = set(re.findall(r"import time:\s+\d+ \|\s+\d+ \|\s+([\w.]+)", window.raw.decode()))
    assert "textual.app" in modules
    late = {"pygments", "markdown_it", "watchfiles", "prompt_toolkit", "typer", "click", "ruamel"}
    network = {"httpx2", "openai", "litellm", "pydantic", "urllib.request", "http.server"}
    assert tops(modules) & (late | network) == set()
