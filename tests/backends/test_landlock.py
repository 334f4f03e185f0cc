"""What Landlock has no say in: permissions and times go through the core, owners stay."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from hermes_tui.backends.sandbox import Sandbox
from tests.fakes.sandbox_world import World, need


@pytest.fixture
def world(tmp_path: Path) -> World:
    need(2)
    return World(tmp_path)


@pytest.fixture
def two(world: World) -> Sandbox:
    return world.sandbox(2)


def python(script: str) -> str:
    return f"/usr/bin/python3 -I -c {shlex.quote(script)}"


async def test_permissions_inside_the_workspace_are_changed(world: World, two: Sandbox) -> None:
    (world.work / "tool").write_text("#!/bin/sh\necho ran\n")
    ran = await world.run("chmod 755 tool && ./tool; mkdir d; cd d; chmod 700 ../tool .", two)
    assert (ran.code, ran.out) == (0, "ran\n")
    assert (world.work / "tool").stat().st_mode & 0o777 == 0o700
    assert (world.work / "d").stat().st_mode & 0o777 == 0o700


async def test_times_inside_the_workspace_are_changed(world: World, two: Sandbox) -> None:
    for name in ("a", "b", "c", "d"):
        (world.work / name).write_text("")
        os.utime(world.work / name, (1000, 1000))
    script = (
        "import os\nos.utime('b', ns=(5_000_000_001, 6_000_000_002))\n"
        "with open('c') as f: os.utime(f.fileno(), (7, 8))\n"
    )
    await world.run(f"touch a; {python(script)}; touch -m -d @9 d", two)
    stats = {name: (world.work / name).stat() for name in "abcd"}
    assert stats["a"].st_mtime > 1_000_000_000
    assert (stats["b"].st_atime_ns, stats["b"].st_mtime_ns) == (5_000_000_001, 6_000_000_002)
    assert (stats["c"].st_atime, stats["c"].st_mtime) == (7, 8)
    assert (stats["d"].st_atime, stats["d"].st_mtime) == (1000, 9)


async def test_neither_is_changed_outside_by_any_way(world: World, two: Sandbox) -> None:
    outside = world.home / ".bashrc"
    outside.chmod(0o600)
    os.utime(outside, (1000, 1000))
    (world.work / "link").symlink_to(outside)
    (world.work / "up").symlink_to("../..")
    name = str(outside)
    script = (
        "import os\n"
        f"for path in ({name!r}, 'link', 'up/.bashrc', '../../.bashrc',\n"
        f"        '/proc/self/root{name}', '/proc/thread-self/cwd/../../.bashrc'):\n"
        "    for call in (lambda: os.chmod(path, 0o777), lambda: os.utime(path, (1, 1)),\n"
        "            lambda: os.utime(path, (1, 1), follow_symlinks=False)):\n"
        "        try: call()\n        except OSError: continue\n"
    )
    await world.run(f"{python(script)}; chmod 777 link up/.bashrc; touch -h {name}", two)
    assert outside.stat().st_mode & 0o777 == 0o600
    assert outside.stat().st_mtime == 1000


async def test_a_path_that_is_swapped_while_it_is_looked_at_changes_nothing_outside(
    world: World, two: Sandbox
) -> None:
    outside = world.home / "target"
    outside.write_text("")
    outside.chmod(0o600)
    (world.work / "inside").write_text("")
    script = (
        "import os, threading, time\n"
        "end = time.monotonic() + 0.8\n"
        "def swap():\n"
        "    while time.monotonic() < end:\n"
        f"        os.symlink({str(outside)!r}, 'n'); os.replace('n', 'p')\n"
        "        os.symlink('inside', 'n'); os.replace('n', 'p')\n"
        "t = threading.Thread(target=swap); t.start()\n"
        "done = refused = 0\n"
        "while time.monotonic() < end:\n"
        "    try: os.chmod('p', 0o777); done += 1\n"
        "    except OSError: refused += 1\n"
        "t.join(); print(done > 0, refused > 0)\n"
    )
    ran = await world.run(python(script), two)
    assert ran.out == "True True\n", ran
    assert outside.stat().st_mode & 0o777 == 0o600


async def test_what_tools_do_with_both_works(world: World, two: Sandbox) -> None:
    """Packing, unpacking and copying keep permissions and times."""
    (world.work / "one").write_text("x")
    (world.work / "one").chmod(0o640)
    os.utime(world.work / "one", (1000, 1000))
    ran = await world.run(
        "tar cf a.tar one && mkdir out && tar xpf a.tar -C out && cp -p one copy", two
    )
    assert ran.code == 0, ran.out
    for name in ("out/one", "copy"):
        status = (world.work / name).stat()
        assert (status.st_mode & 0o777, status.st_mtime) == (0o640, 1000)


async def test_a_masked_file_keeps_its_permissions(world: World, two: Sandbox) -> None:
    secret = world.work / ".env"
    secret.write_text("x")
    secret.chmod(0o600)
    await world.run("chmod 644 .env", two)
    assert secret.stat().st_mode & 0o777 == 0o600


async def test_owners_and_attributes_stay(world: World, two: Sandbox) -> None:
    """Giving a file to whom it belongs is no change, and tools do that all the time."""
    script = (
        "import os\nopen('f', 'w').close()\nos.symlink('f', 'l')\nme = os.getuid(), os.getgid()\n"
        "with open('f') as f:\n"
        "    for call in (lambda: os.chown('f', *me), lambda: os.lchown('l', -1, me[1]),\n"
        "            lambda: os.chown(f.fileno(), *me), lambda: os.chown('f', 4711, -1),\n"
        "            lambda: os.chown('/usr', -1, -1), lambda: os.chown(f.fileno(), -1, 4711),\n"
        "            lambda: os.setxattr('f', 'user.x', b'1')):\n"
        "        try: call(); print('done')\n        except OSError: print('refused')\n"
    )
    ran = await world.run(python(script), two)
    assert ran.out.split() == ["done"] * 3 + ["refused"] * 4, ran
