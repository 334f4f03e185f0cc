"""Every way to leave the screen: the agent goes on, the terminal is as it was."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hermes_tui.cli import quick
from tests.fakes.scripted_model import call, say
from tests.launch.hermes import ROOT, Place, alive, until
from tests.launch.window import MOUSE, Window

ARGV = [sys.executable, "-m", "tests.launch.small_screen"]
SHELL = ["/bin/bash", "--norc", "--noprofile", "-i"]


@pytest.fixture
def screened(place: Place, tmp_path: Path) -> Place:
    """A place whose `hermes` is on the shell's path and shows a small screen."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    script = bin_ / "hermes"
    script.write_text(f'#!/bin/sh\nexec {" ".join(ARGV)} "$@"\n')
    script.chmod(0o755)
    path = f"{bin_}:{os.environ['PATH']}"
    place.more = {"PYTHONPATH": str(ROOT), "PATH": path, "PS1": "ready> ", "HISTFILE": ""}
    return place


def leader(place: Place, *arguments: str) -> Window:
    """`hermes` as the leader of its session, as under `ssh -t host hermes`."""
    return Window([*ARGV, *arguments], place.env, place.folder)


def shell(place: Place) -> Window:
    """A shell, in which `hermes` was typed."""
    window = Window(SHELL, place.env, place.folder)
    window.until("ready>")
    window.type("hermes\n")
    return window


def slow_tool(place: Place) -> Path:
    """Have the model run a tool that takes a moment; the file it writes at its end."""
    made = place.folder / "made"
    started = place.folder / "started"
    command = f"touch {started}; sleep 0.4; touch {made}"
    place.model.script = [call("run_command", command=command), say("made it")]
    return made


def headless(pid: int) -> bool:
    """Whether a process has left its terminal: a session of its own, and no descriptor on one."""
    links: list[str] = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with suppress(FileNotFoundError):  # closed since it was listed
            links.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return os.getsid(pid) == pid and not any(link.startswith("/dev/pts/") for link in links)


@pytest.mark.parametrize("under", ["leader", "shell"])
def test_ctrl_q_gives_the_terminal_back_and_the_agent_goes_on(screened: Place, under: str) -> None:
    with (leader if under == "leader" else shell)(screened) as window:
        window.until("small screen")
        core = screened.core()
        window.type("\x11")
        window.until("The agent goes on in the background")
        if under == "leader":
            assert window.ended() == 0
        else:
            window.until("ready>")
        assert window.modes & {"1049", "1004", "2004", *MOUSE} <= (
            {"2004"} if under == "shell" else set()
        )
        assert "25" in window.modes
    assert screened.core() == core
    assert headless(core)


@pytest.mark.parametrize("under", ["leader", "shell"])
@pytest.mark.parametrize("how", ["ctrl+q", "close the window"])
def test_a_running_tool_finishes_after_the_screen_was_left(
    screened: Place, under: str, how: str
) -> None:
    made = slow_tool(screened)
    with (leader if under == "leader" else shell)(screened) as window:
        window.until("small screen")
        core = screened.core()
        asking = screened.start("-z", "make it", "--mode", "yolo")
        until(made.with_name("started").exists)
        if how == "ctrl+q":
            window.type("\x11")
            window.until("The agent goes on")
        else:
            window.close()
        assert not made.exists()
        assert asking.communicate(timeout=10)[0] == "made it\n"
    assert made.exists()
    assert screened.core() == core
    assert headless(core)


@pytest.mark.parametrize("after_s", [0.02, 0.08, 0.15, 0.25])
@pytest.mark.parametrize("under", ["leader", "shell"])
def test_a_window_closed_during_the_start_leaves_a_core_or_nothing(
    screened: Place, under: str, after_s: float
) -> None:
    window = leader(screened) if under == "leader" else shell(screened)
    time.sleep(after_s)  # the promise is about these very moments
    window.close()
    window.ended()
    screened.model.script = [say("all is well")]
    assert screened.run("-z", "hi").out == "all is well\n"
    core = screened.core()
    if core:
        until(lambda: headless(core))


def test_a_killed_launcher_is_a_detach(screened: Place) -> None:
    with shell(screened) as window:
        window.until("small screen")
        core = screened.core()
        os.kill(_parent(core), signal.SIGKILL)
        window.until(lambda: not window.modes & {"1049", *MOUSE})
        until(lambda: headless(core))
        window.type("echo still $((40 + 2))\n")
        window.until("still 42")


def test_a_launcher_told_to_end_takes_its_leave(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        core = screened.core()
        os.kill(window.pid, signal.SIGTERM)
        assert window.ended() == 128 + signal.SIGTERM
        assert not window.modes & {"1049", "2004", *MOUSE}
        assert window.settings_as_before
        assert headless(core)


def test_a_killed_core_leaves_a_usable_terminal_and_no_mouse_bytes(screened: Place) -> None:
    with shell(screened) as window:
        window.until("small screen")
        core = screened.core()
        window.type("\x1b[<35;101;48M" * 20)
        os.kill(core, signal.SIGKILL)
        window.type("\x1b[<35;101;48M" * 20)
        window.until("ended by SIGKILL")
        window.until("ready>")
        assert not window.modes & {"1049", "1004", *MOUSE}
        window.type("stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e icanon -e isig\n")
        window.until(lambda: all(f"\n{one}\n" in window.text for one in ("echo", "icanon", "isig")))
        assert "101;48M" not in window.text
        assert "$?" not in window.text
        window.type("hermes\n")
        window.until("small screen")


def test_a_broken_screen_is_a_detach_with_the_reason_in_one_line(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        core = screened.core()
        window.type("x")
        assert window.ended() == 1
        assert "the screen failed: RuntimeError: the screen is broken." in _flat(window.text)
        assert "Traceback" not in window.text
        assert not window.modes & {"1049", *MOUSE}
        assert window.settings_as_before
    assert screened.core() == core
    assert headless(core)
    assert "RuntimeError: the screen is broken" in screened.home.log.read_text()


def test_quit_ends_the_core(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        core = screened.core()
        window.type("q")
        assert window.ended() == 0
        assert "goes on" not in window.text
    assert not alive(core)
    assert not quick.held(screened.home)


def test_a_core_ended_by_others_takes_its_screen_along(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        assert screened.run("daemon", "stop").code == 0
        assert window.ended() == 0
        assert window.settings_as_before
        assert not window.modes & {"1049", *MOUSE}


def test_a_restart_under_a_screen_leaves_the_new_core_running(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        before = screened.status()
        assert screened.run("daemon", "restart").code == 0
        assert window.ended() == 0
        assert "has restarted" in window.text
    assert screened.restarted(before)
    assert headless(screened.core())


def test_stop_signals_do_not_stop_the_core(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        core = screened.core()
        for one in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            os.kill(core, one)
            os.kill(window.pid, signal.SIGTSTP)
        window.type("\x1a" + "abc")
        window.until("small screen: abc")


def test_a_terminal_that_stops_reading_does_not_hold_up_the_agent(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        window.type("f")
        window.until("AAAA")
        time.sleep(1.5)  # nobody reads the screen, while it is drawn again and again
        screened.model.script = [say("still answering")]
        assert screened.run("-z", "hi").out == "still answering\n"
        window.type("\x11")
        window.until("The agent goes on")
        assert window.ended() == 0


def test_a_screen_on_a_running_core_comes_and_goes(screened: Place) -> None:
    assert screened.run("daemon", "start").code == 0
    core = screened.core()
    with leader(screened) as first, leader(screened, "attach") as second:
        first.until("small screen")
        second.until("small screen")
        until(lambda: screened.status().get("faces") == 2)
        first.type("\x11")
        assert first.ended() == 0
        second.close()
        until(lambda: not screened.status().get("faces"))
    assert screened.core() == core


def test_a_killed_screen_of_a_running_core_gives_the_terminal_back(screened: Place) -> None:
    assert screened.run("daemon", "start").code == 0
    with leader(screened, "attach") as window:
        window.until("small screen")
        os.kill(_child(window.pid), signal.SIGKILL)
        assert window.ended() == 128 + signal.SIGKILL
        assert not window.modes & {"1049", *MOUSE}
        assert window.settings_as_before


def test_quitting_from_another_process_ends_the_core(screened: Place) -> None:
    assert screened.run("daemon", "start").code == 0
    with leader(screened, "attach") as window:
        window.until("small screen")
        window.type("q")
        assert window.ended() == 0
    until(lambda: not quick.held(screened.home))


def test_sigterm_to_the_core_ends_it_and_gives_the_terminal_back(screened: Place) -> None:
    with leader(screened) as window:
        window.until("small screen")
        os.kill(screened.core(), signal.SIGTERM)
        assert window.ended() == 128 + signal.SIGTERM
        assert window.settings_as_before
        assert not window.modes & {"1049", *MOUSE}
    assert not quick.held(screened.home)


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])


def _child(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_a_screen_opened_on_the_core_of_a_script_keeps_it(screened: Place) -> None:
    screened.model.script = [say("answered", gate="go")]
    asking = screened.start("-z", "hi")
    until(lambda: screened.model.requests)
    core = screened.core()
    with leader(screened) as window:
        window.until("small screen")
        screened.model.open("go")
        assert asking.communicate(timeout=10)[0] == "answered\n"
        assert screened.core() == core
        window.type("\x11")
        assert window.ended() == 0
    assert screened.core() == core
    assert headless(core)
    os.kill(core, signal.SIGTERM)
    until(lambda: not alive(core), seconds=3)


def test_two_screens_started_at_once_share_one_core(screened: Place) -> None:
    windows = [leader(screened) for _ in range(3)]
    for window in windows:
        window.until("small screen")
    assert screened.status().get("faces") == 3
    for window in windows:
        window.type("\x11")
        assert window.ended() == 0
        window.close()
    assert headless(screened.core())


def test_a_split_start_has_core_and_screen_in_two_processes(screened: Place) -> None:
    screened.more["HERMES_TUI_SPLIT"] = "1"
    with leader(screened) as window:
        window.until("small screen")
        core = screened.core()
        assert headless(core)
        assert core not in (window.pid, _child(window.pid))
        os.kill(_child(window.pid), signal.SIGKILL)
        assert window.ended() == 128 + signal.SIGKILL
    assert screened.core() == core
