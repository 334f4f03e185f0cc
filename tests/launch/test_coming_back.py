"""The real screen: left in every way, found again where it was, and shared."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.scripted_model import Asked, Reply, call, say
from tests.launch.hermes import Place, command, until
from tests.launch.test_leaving import headless
from tests.launch.window import MOUSE, Window

READY = "Say what to do"


def hermes(place: Place, *arguments: str, cwd: Path | None = None) -> Window:
    """`hermes` in a window of its own."""
    return Window(command(*arguments), place.env, cwd or place.folder)


def ready(window: Window) -> None:
    """Wait for the prompt, and for the session it speaks to: its rule names the model then."""
    window.until(READY)
    window.until("· scripted")


def test_detach_and_come_back_to_the_same_conversation(place: Place) -> None:
    place.model.script = [say("A fine answer.")]
    with hermes(place) as window:
        ready(window)
        window.type("a question\r")
        window.until("A fine answer.")
        core = place.core()
        window.type("/detach\r")
        window.until("brings the screen back")
        assert window.ended() == 0
        assert not window.modes & {"1049", "1004", "2004", *MOUSE}
        assert window.settings_as_before
    assert headless(core)
    with hermes(place) as window:
        window.until("A fine answer.")
        window.until("a question")
        assert place.core() == core
        window.type("\x11")
        assert window.ended() == 0


def test_a_turn_that_runs_when_the_window_closes_is_answered_for_the_next_one(place: Place) -> None:
    place.model.script = [say("The late answer.", gate="go")]
    with hermes(place) as window:
        ready(window)
        window.type("think about it\r")
        window.until(lambda: place.model.requests)
        core = place.core()
    until(lambda: headless(core))
    place.model.open("go")
    with hermes(place, "attach") as window:
        window.until("The late answer.")


def test_an_approval_asked_while_nobody_looks_waits_for_the_next_screen(place: Place) -> None:
    asks = replace(call("run_command", command="echo approved > approved"), gate="go")
    place.model.script = [asks, say("It is done.")]
    with hermes(place) as window:
        ready(window)
        window.type("do it\r")
        window.until(lambda: place.model.requests)
        window.type("\x11")
        assert window.ended() == 0
    place.model.open("go")
    until(lambda: place.status().get("waiting"))
    with hermes(place, "attach") as window:
        window.until("y once")
        window.rest(0.5)  # a card takes no key before it can have been read
        window.type("y")
        window.until("It is done.")
    assert (place.folder / "approved").read_text() == "approved\n"


def test_a_session_that_is_gone_is_said_before_the_screen_is_taken(place: Place) -> None:
    assert place.run("daemon", "start").code == 0
    with hermes(place, "attach", "--session", "gone-id") as window:
        assert window.ended() == 1
        assert "gone-id" in window.text
        assert "1049" not in window.modes
        assert b"\x1b[?1049h" not in window.raw


def test_two_screens_and_a_script_from_three_folders_share_one_core(place: Place) -> None:
    def answer(asked: Asked) -> Reply | str:
        last = asked.messages[-1]
        if last["role"] == "tool":
            return say(f"it said {last['content']}")
        return call("run_command", command="pwd && echo $WHERE-$LC_WHERE")

    place.model.answer = answer
    folders = [place.folder / name for name in ("one", "two", "three")]
    for folder in folders:
        folder.mkdir()
    place.more = {"LC_WHERE": "first", "WHERE": "leaks"}
    with hermes(place, "--mode", "yolo", cwd=folders[0]) as first:
        ready(first)
        core = place.core()
        place.more = {"LC_WHERE": "second"}
        with hermes(place, "--mode", "yolo", cwd=folders[1]) as second:
            ready(second)
            place.more = {"LC_WHERE": "third"}
            ran = place.run("-z", "where?", "--mode", "yolo", cwd=folders[2])
            first.type("where?\r")
            second.type("where?\r")
            assert f"{folders[2]}\n-third" in ran.out
            first.until("-first")
            second.until("-second")
            assert "leaks" not in first.text
            assert place.core() == core


@pytest.fixture
def tmux() -> Iterator[list[str]]:
    """A tmux server of our own, ended afterwards."""
    folder = tempfile.mkdtemp(prefix="ht")
    argv = ["tmux", "-S", f"{folder}/s", "-f", "/dev/null"]
    yield argv
    subprocess.run([*argv, "kill-server"], capture_output=True, check=False)
    shutil.rmtree(folder)


@pytest.mark.tmux
@pytest.mark.parametrize("how", ["kill-server", "kill-pane", "detach-client"])
def test_the_agent_outlives_tmux(place: Place, tmux: list[str], how: str) -> None:
    place.model.script = [
        call("run_command", command="touch started; sleep 0.5; touch made"),
        say("made it"),
    ]
    size = ["-x", "100", "-y", "30"]
    subprocess.run(
        [*tmux, "new-session", "-d", *size, "-c", str(place.folder), *command("--mode", "yolo")],
        env=place.env,
        check=True,
    )

    def seen() -> str:
        shown = subprocess.run(
            [*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False
        )
        return shown.stdout

    until(lambda: READY in seen() and "· scripted" in seen(), what=seen)
    subprocess.run([*tmux, "send-keys", "make it", "Enter"], check=True)
    until((place.folder / "started").exists, what=seen)
    core = place.core()
    subprocess.run([*tmux, how], capture_output=True, check=False)
    until((place.folder / "made").exists)
    if how != "detach-client":
        until(lambda: headless(core))
    assert place.core() == core
    place.run("-z", "x")  # it still answers, whatever that is
    until(lambda: place.model.requests[-1:] and not place.status().get("working"))


def test_a_hangup_of_the_core_alone_frees_the_terminal(place: Place) -> None:
    with hermes(place) as window:
        ready(window)
        core = place.core()
        os.kill(core, signal.SIGHUP)
        assert window.ended() == 0
        assert not window.modes & {"1049", *MOUSE}
        assert window.settings_as_before
    assert headless(core)
