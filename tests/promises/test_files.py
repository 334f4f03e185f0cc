"""File tools stay in their folder, whatever the path is called and wherever it leads."""

from __future__ import annotations

import os

import pytest

from hermes_tui.intents import ChangeSession
from tests.fakes.sandbox_world import CANARY, KEYS
from tests.fakes.scripted_model import Call
from tests.promises.conftest import World, ended

OUTSIDE = """
{person}/.bashrc
~/.profile
../../outside.txt
./../../../../../../etc/hermes-was-here
a/../../../x.txt
{person}/.config/systemd/user/x.service
/etc/cron.d/hermes-was-here
/proc/self/mem
/dev/shm/hermes-was-here
/sys/power/state
way-out/x.txt
to-bashrc
to-nothing
loop
..%2f..%2foutside.txt
....//....//outside.txt
\u2024\u2024/outside.txt
\uff0e\uff0e/outside.txt
a\nb/../../../outside.txt
file://{person}/.bashrc
~root/outside.txt
"""


@pytest.fixture
def links(world: World) -> World:
    (world.work / "way-out").symlink_to(world.person)
    (world.work / "to-bashrc").symlink_to(world.person / ".bashrc")
    (world.work / "to-nothing").symlink_to(world.person / ".ssh" / "rc")
    (world.work / "loop").symlink_to(world.work / "loop")
    os.link(world.person / ".bashrc", world.work / "hard.txt")
    return world


async def test_no_file_outside_is_written_without_a_yes(links: World) -> None:
    world = links
    before = world.outside()
    names = [one.format(person=world.person) for one in OUTSIDE.strip("\n").splitlines()]
    tries = [Call("write_file", {"path": one, "content": "evil"}) for one in names]
    tries += [Call("edit_file", {"path": one, "old": "#", "new": "evil"}) for one in names]
    tries.append(Call("write_file", {"path": "hard.txt", "content": "evil"}))
    seen = await world.turn(*tries, attended=False)
    assert world.outside() == before
    made = ("/etc/hermes-was-here", "/etc/cron.d/hermes-was-here", "/dev/shm/hermes-was-here")
    assert not any(map(os.path.exists, made))
    assert {one.status for one in ended(seen)} <= {"denied", "error"}


async def test_a_free_hand_inside_the_workspace_does_not_reach_out_of_it(links: World) -> None:
    world = links
    await world.client.ask(ChangeSession(session=world.session, mode="auto-edit"))
    before = world.outside()
    names = [one.format(person=world.person) for one in OUTSIDE.strip("\n").splitlines()]
    tries = [Call("write_file", {"path": one, "content": "evil"}) for one in names]
    tries.append(Call("write_file", {"path": "hard.txt", "content": "evil"}))
    tries.append(Call("write_file", {"path": "sub/new.txt", "content": "mine"}))
    await world.turn(*tries)
    assert world.outside() == before
    assert (world.work / "sub" / "new.txt").read_text() == "mine"


async def test_no_file_tool_reads_your_keys(links: World) -> None:
    world = links
    (world.work / "k").symlink_to(world.person / KEYS[0])
    (world.work / ".env").write_text(f"PASSWORD={CANARY}\n")
    names = [
        *(str(world.person / one) for one in KEYS),
        *(f"~/{one}" for one in KEYS),
        "k",
        ".env",
        f"way-out/{KEYS[0]}",
        f"../../{KEYS[1]}",
        "/proc/self/environ",
        "/proc/1/environ",
        f"/proc/self/root{world.person}/{KEYS[0]}",
        "/etc/shadow",
    ]
    tries = [Call("read_file", {"path": one}) for one in names]
    tries += [
        Call("search_files", {"pattern": CANARY[:6], "path": one})
        for one in (".", str(world.person), "way-out", str(world.person / ".ssh"), "k")
    ]
    seen = await world.turn(*tries, owner=lambda _: "once")
    assert CANARY not in world.sent().decode()
    reads = [one.status for one in ended(seen) if one.tool == "read_file"]
    assert set(reads) == {"error"}
