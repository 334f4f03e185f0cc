"""Limits hold for root too, by a control group or by watching."""

from __future__ import annotations

import asyncio
import os
import shlex
from pathlib import Path

import pytest

from hermes_tui.backends import limits_group
from hermes_tui.backends.limits import Limits, members, of_exit_code, size
from tests.fakes.children import until
from tests.fakes.sandbox_world import World, need

BOMB = "f() { f | f & }; f; sleep 20"
PATIENT = (
    "import os, time\nfor _ in range(200):\n    if os.fork() == 0: break\n"
    "    time.sleep(0.002)\ntime.sleep(20)\n"
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    need(3)
    return World(tmp_path)


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("bomb", [BOMB, f"exec /usr/bin/python3 -I -c {shlex.quote(PATIENT)}"])
async def test_a_fork_bomb_is_held_and_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, grouped: bool, bomb: str
) -> None:
    """As an unprivileged user by the kernel's own count, as root by a control group."""
    if not grouped:
        if os.getuid() == 0:
            pytest.skip("as root the watchdog alone lets thousands live for a moment")
        monkeypatch.setattr(limits_group, "make", lambda _limits: None)
    sandbox = world.sandbox(3, limits=Limits(pids=30, memory=256 << 20))
    child = await world.start(bomb, sandbox)
    most = 0
    end = asyncio.get_running_loop().time() + 0.7
    while child.running and asyncio.get_running_loop().time() < end:
        most = max(most, len(members(child.pid)))
        await asyncio.sleep(0.01)
    await child.kill()
    await until(lambda: not members(child.pid))
    assert not child.alive
    assert most <= 100


@pytest.mark.root
async def test_a_control_group_holds_root_and_goes_away(world: World) -> None:
    group = limits_group.make(Limits(pids=5))
    if group is None:
        pytest.skip("no control group can be made here")
    folders = [Path(one) for one in group._folders.values()]
    group.close()
    assert not any(one.exists() for one in folders)
    script = shlex.quote(PATIENT.replace("time.sleep(20)", "time.sleep(0.1)"))
    command = f"/usr/bin/python3 -I -c {script} 2>&1 | tail -1"
    ran = await world.run(command, world.sandbox(3, limits=Limits(pids=12)))
    assert "temporarily unavailable" in ran.out
    assert ran.process.stopped_by == "it met its limit of 12 processes"

    def none_left() -> bool:
        limits_group._remove_emptied()
        return not limits_group._emptied

    await until(none_left, 5)


def test_a_group_of_the_second_version_is_made_where_controllers_are_handed_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "user.slice" / "core.service"
    own.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
    for folder, handed in ((own, ""), (own.parent, "memory pids"), (tmp_path, "memory pids")):
        (folder / "cgroup.subtree_control").write_text(handed)
        (folder / "cgroup.procs").write_text("")
    monkeypatch.setattr(limits_group, "_ROOT", str(tmp_path))
    monkeypatch.setattr(limits_group, "_own", lambda: [("", "/user.slice/core.service")])
    limits_group._parents.cache_clear()
    try:
        group = limits_group.make(Limits(pids=7, memory=1 << 30))
    finally:
        limits_group._parents.cache_clear()
    assert group is not None
    (made,) = set(group._folders.values())
    assert Path(made).parent == own.parent
    assert Path(made, "pids.max").read_text() == "7"
    assert f"echo $$ > {made}/cgroup.procs" in group.entering()
    Path(made, "memory.events").write_text("low 0\noom_kill 2\n")
    assert group.close() == "killed: over 1 GB of memory, its limit"


def test_without_a_place_for_groups_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits_group, "_ROOT", str(tmp_path))
    limits_group._parents.cache_clear()
    try:
        assert limits_group.make(Limits()) is None
    finally:
        limits_group._parents.cache_clear()


@pytest.mark.parametrize(("code", "said"), [(153, "file"), (-25, "file"), (152, "comp"), (1, "")])
def test_the_limit_behind_an_exit_code_is_told(code: int, said: str) -> None:
    reason = of_exit_code(code, Limits(cpu_s=5))
    assert (said in reason) if said else not reason


def test_sizes_are_said_in_words() -> None:
    assert (size(512 << 20), size(3 << 29)) == ("512 MB", "1.5 GB")
