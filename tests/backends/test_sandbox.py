"""What a sandboxed command can't do, tried for real at each level this machine has."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.backends.limits import Limits
from hermes_tui.backends.sandbox import Grants, Sandbox
from hermes_tui.errors import ToolError
from tests.fakes.children import lives, pid_in, until
from tests.fakes.sandbox_world import CANARY, KEYS, World, finish, need


@pytest.fixture(params=[3, 2])
def level(request: pytest.FixtureRequest) -> int:
    need(request.param)
    return request.param


@pytest.fixture
def three() -> int:
    need(3)
    return 3


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_nothing_outside_the_workspace_is_changed(world: World, level: int) -> None:
    before, etc = world.digest(), os.stat("/etc").st_mtime_ns
    (world.work / "to-home").symlink_to(world.home)
    (world.work / "to-bashrc").symlink_to(world.home / ".bashrc")
    home = shlex.quote(str(world.home))
    tries = [
        f"echo evil >> {home}/.bashrc",
        "echo evil >> to-bashrc",
        "echo evil > to-home/new",
        "echo evil > ../../new",
        f"echo evil > /proc/self/root{home}/.bashrc",
        "echo evil > /proc/self/cwd/../../.bashrc",
        f"ln {home}/.bashrc hard && echo evil >> hard",
        f"mv {home}/.bashrc taken",
        f"rm -rf {home}/.ssh",
        f"chmod 777 {home}/.bashrc",
        f"truncate -s 0 {home}/.bashrc",
        f"mkdir -p {home}/.config/autostart",
        "mv ../shop ../gone",
        "echo evil > /etc/cron.d/evil",
        "echo evil > /usr/local/bin/evil",
        "echo evil > /proc/sys/kernel/core_pattern",
        "mknod disk b 8 0",
    ]
    await world.run("; ".join(f"{{ {one}; }} 2>/dev/null" for one in tries), world.sandbox(level))
    assert world.digest() == before
    assert os.stat("/etc").st_mtime_ns == etc
    assert world.work.is_dir()
    assert not (world.work / "disk").exists()
    for name in ("hard", "taken"):
        file = world.work / name
        assert not file.exists() or "as it was" not in file.read_text()


async def test_no_key_can_be_read(
    world: World, level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", CANARY)
    (world.work / "link").symlink_to(world.home / KEYS[0])
    files = [shlex.quote(str(world.home / one)) for one in (*KEYS, ".hermes-tui/secrets.env")]
    command = (
        f"cat {' '.join(files)} link /proc/1/environ /proc/{os.getpid()}/environ; env;"
        f"cat /proc/$PPID/environ /proc/[0-9]*/environ; cat /proc/{os.getpid()}/cwd/*;"
        f"cat /proc/self/root{files[0]}; grep -rs {CANARY[:6]} {shlex.quote(str(world.home))}"
    )
    ran = await world.run(command, world.sandbox(level), {"AWS_SECRET_ACCESS_KEY": CANARY})
    assert CANARY not in ran.out


async def test_secrets_of_the_workspace_read_as_nothing(world: World, level: int) -> None:
    deep = world.work / "deploy" / "keys"
    deep.mkdir(parents=True)
    begin = "-----BEGIN PRIVATE" + " KEY-----"
    (world.work / ".env").write_text(f"TOKEN={CANARY}\n")
    (world.work / ".npmrc").write_text(f"//registry/:_authToken={CANARY}\n")
    (deep / "server.pem").write_text(f"{begin}\n{CANARY}\n")
    (deep / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\npublic\n")
    (world.work / ".env.example").write_text("TOKEN=put-yours-here\n")
    sandbox = world.sandbox(level)
    ran = await world.run("cat .env .npmrc deploy/keys/* .env.example", sandbox)
    assert CANARY not in ran.out
    assert "put-yours-here" in ran.out
    assert "public" in ran.out


async def test_a_secret_can_not_be_moved_to_where_it_is_shown(world: World, level: int) -> None:
    """One command moves it, or its folder; the next one reads it."""
    folder = world.work / "a" / "b"
    folder.mkdir(parents=True)
    (folder / ".env").write_text(CANARY)
    sandbox = world.sandbox(level)
    await world.run(
        "mkdir -p node_modules; mv a/b/.env plain; ln a/b/.env other; cp a/b/.env copy;"
        "mv a/b node_modules/b; mv a node_modules/a; mv a x",
        sandbox,
    )
    ran = await world.run(f"grep -rs {CANARY[:7]} . ; find .", sandbox)
    assert CANARY not in ran.out
    if level == 3:
        assert (folder / ".env").read_text() == CANARY


async def test_a_secret_behind_a_link_is_masked_too(world: World, level: int) -> None:
    (world.work / "settings").write_text(CANARY)
    (world.work / ".env").symlink_to("settings")
    ran = await world.run("cat .env settings", world.sandbox(level))
    assert CANARY not in ran.out


async def test_masks_fail_closed_when_their_stand_ins_are_gone(world: World, three: int) -> None:
    (world.work / ".env").write_text(CANARY)
    sandbox = world.sandbox(three)
    await world.run("true", sandbox)
    shutil.rmtree(world.scratch)
    assert CANARY not in (await world.run("cat .env", sandbox)).out


async def test_many_secrets_are_all_masked(world: World, level: int) -> None:
    for number in range(170):
        folder = world.work / f"part{number % 20}" / "keys"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.p12").write_text(CANARY)
    ran = await world.run(f"grep -rs {CANARY[:7]} . | head -1; echo end", world.sandbox(level))
    assert ran.out == "end\n"


async def test_a_command_gets_no_descriptor_but_its_own_three(world: World, level: int) -> None:
    ran = await world.run("ls /proc/self/fd", world.sandbox(level))
    assert ran.out.split() == ["0", "1", "2", "3"]  # 3 is the folder being listed


async def test_a_secret_that_was_granted_is_shown(world: World, level: int) -> None:
    (world.work / ".env").write_text("PORT=8000\n")
    sandbox = world.sandbox(level, grants=Grants(reveal=(str(world.work / ".env"),)))
    assert (await world.run("cat .env", sandbox)).out == "PORT=8000\n"


async def test_a_secret_made_since_the_last_command_is_masked_too(world: World, level: int) -> None:
    sandbox = world.sandbox(level)
    await world.run("true", sandbox)
    (world.work / ".env").write_text(CANARY)
    assert CANARY not in (await world.run("cat .env", sandbox)).out


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


async def test_nothing_reaches_the_network(
    world: World, level: int, listening: socket.socket
) -> None:
    port = listening.getsockname()[1]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        command = (
            f"exec 2>/dev/null; (echo evil > /dev/tcp/127.0.0.1/{port});"
            f"(echo evil > /dev/udp/127.0.0.1/{udp.getsockname()[1]});"
            "getent hosts example.com; echo end"
        )
        ran = await world.run(command, world.sandbox(level))
        assert ran.out == "end\n"
        for sink in (listening.accept, lambda: udp.recv(10)):
            with pytest.raises(BlockingIOError):
                sink()


async def test_no_socket_of_another_program_can_be_talked_to(world: World, level: int) -> None:
    """A container engine's socket would be a way to become anybody."""
    path = world.home / "engine.sock"
    abstract = f"\0{CANARY}"
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as nameless:
        folder = os.open(world.home, os.O_RDONLY)
        named.bind(f"/proc/self/fd/{folder}/engine.sock")
        os.close(folder)
        nameless.bind(abstract)
        for server in (named, nameless):
            server.listen()
            server.setblocking(False)
        script = (
            "import socket\n"
            f"for address in ({str(path)!r}, {abstract!r}):\n"
            "    try:\n        s = socket.socket(socket.AF_UNIX); s.connect(address)\n"
            "        s.send(b'evil')\n    except OSError as e: print('refused')\n"
        )
        ran = await world.run(f"/usr/bin/python3 -I -c {shlex.quote(script)}", world.sandbox(level))
        assert ran.out == "refused\nrefused\n"
        for server in (named, nameless):
            with pytest.raises(BlockingIOError):
                server.accept()


async def test_no_other_process_can_be_seen_into_or_ended(world: World, level: int) -> None:
    child = await asyncio.to_thread(_sleeper)
    try:
        await world.run(f"kill -9 {child.pid}; cat /proc/{child.pid}/maps", world.sandbox(level))
        assert lives(child.pid)
    finally:
        child.kill()
        await asyncio.to_thread(child.wait)


def _sleeper():
    import subprocess

    return subprocess.Popen(["/bin/sleep", "30"], stdout=subprocess.DEVNULL)


async def test_what_it_could_use_to_break_out_is_refused(world: World, level: int) -> None:
    script = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "for name, call in (('ptrace', lambda: libc.ptrace(0, 0, 0, 0)),\n"
        "    ('unshare', lambda: libc.unshare(0x10000000)),\n"
        "    ('mount', lambda: libc.mount(b'x', b'/tmp', b'tmpfs', 0, None)),\n"
        "    ('keyctl', lambda: libc.syscall(250, 0, -3, 0)),\n"
        "    ('chroot', lambda: libc.chroot(b'/'))):\n"
        "    print(name, call())\n"
    )
    if os.uname().machine != "x86_64":
        script = script.replace("250", "219")
    ran = await world.run(f"/usr/bin/python3 -I -c {shlex.quote(script)}", world.sandbox(level))
    assert {line.split()[1] for line in ran.out.splitlines()} == {"-1"}
    assert len(ran.out.splitlines()) == 5


async def test_the_environment_is_a_whitelist(world: World, level: int) -> None:
    given = {"LANG": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "MY_FLAG": "1"}
    sandbox = world.sandbox(level)
    out = (await world.run("env", sandbox, given)).out
    assert "LANG=C.UTF-8" in out
    assert "DBUS" not in out
    assert "MY_FLAG" not in out
    granted = world.sandbox(level, grants=Grants(env=("MY_FLAG",)))
    assert "MY_FLAG=1" in (await world.run("env", granted, given)).out


async def test_the_read_only_profile_lets_nothing_be_written_but_scratch(
    world: World, level: int
) -> None:
    (world.work / "file").write_text("as it was")
    sandbox = world.sandbox(level, profile="read-only")
    ran = await world.run(
        "cat file; echo evil > file; rm file; echo evil > new;echo fine > $TMPDIR/x; cat $TMPDIR/x",
        sandbox,
    )
    assert "as it was" in ran.out
    assert ran.out.endswith("fine\n")
    assert [one.name for one in world.work.iterdir()] == ["file"]
    assert (world.work / "file").read_text() == "as it was"


@pytest.mark.parametrize("where", ["/", "/etc", "/usr", "home", "above", "state"])
async def test_a_workspace_that_would_show_too_much_is_refused(
    world: World, level: int, where: str
) -> None:
    named = {"home": world.home, "above": world.home.parent, "state": world.state}
    folder = str(named.get(where, where))
    sandbox = world.sandbox(level, workspace=folder)
    with pytest.raises(ToolError, match="no sandbox here"):
        await world.run("true", sandbox, cwd=folder)


async def test_the_state_of_the_agent_is_hidden_even_in_a_workspace(
    world: World, three: int
) -> None:
    inside = world.work / "state"
    inside.mkdir()
    (inside / "state.db").write_text(CANARY)
    sandbox = world.sandbox(three, hidden=(str(inside),))
    ran = await world.run("cat state/state.db; echo evil > state/state.db; mv state x", sandbox)
    assert CANARY not in ran.out
    assert (inside / "state.db").read_text() == CANARY


async def test_a_folder_out_of_sight_is_no_place_to_start(world: World, level: int) -> None:
    with pytest.raises(ToolError, match="can't be seen"):
        await world.run("true", world.sandbox(level), cwd=str(world.home / ".ssh"))


async def test_a_granted_folder_can_be_read_and_another_written(world: World, level: int) -> None:
    library, target = world.home / "library", world.home / "target"
    for folder in (library, target):
        folder.mkdir()
    (library / "book").write_text("text\n")
    grants = Grants(read=(str(library),), write=(str(target),))
    ran = await world.run(
        f"cat {library}/book; echo evil > {library}/book; echo new > {target}/new",
        world.sandbox(level, grants=grants),
    )
    assert "text\n" in ran.out
    assert (library / "book").read_text() == "text\n"
    assert (target / "new").read_text() == "new\n"


# --- ends and limits ------------------------------------------------------------------------


async def test_whatever_a_command_leaves_behind_is_ended_with_it(world: World, level: int) -> None:
    file = world.work / "pid"
    command = (
        '(setsid sh -c \'trap "" TERM HUP; sh -c "echo \\$PPID > host-less; exec sleep 77" &'
        " echo $$ > pid; sleep 77' > /dev/null 2>&1 &) ; sleep 0.2; echo started"
    )
    before = _sleepers()
    begun = time.monotonic()
    ran = await world.run(command, world.sandbox(level))
    assert "started" in ran.out
    await until(file.exists)
    await until(lambda: _sleepers() == before)
    assert time.monotonic() - begun < 3


def _sleepers() -> int:
    count = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        count += line == b"sleep\x0077\x00"
    return count


async def test_a_command_that_minds_term_may_still_clean_up(world: World, level: int) -> None:
    ready = world.work / "ready"
    command = "trap 'echo bye; exit 0' TERM; echo 1 > ready; while :; do sleep 0.02; done"
    child = await world.start(command, world.sandbox(level))
    await pid_in(ready)
    begun = time.monotonic()
    await child.kill()
    assert time.monotonic() - begun < 1
    assert "bye" in (await finish(child)).out


async def test_a_command_that_ignores_term_is_gone_within_two_seconds(
    world: World, level: int
) -> None:
    ready = world.work / "ready"
    child = await world.start(
        "trap '' TERM; echo 1 > ready; while :; do sleep 5; done", world.sandbox(level)
    )
    await pid_in(ready)
    begun = time.monotonic()
    await child.kill()
    assert time.monotonic() - begun < 2
    assert not child.alive


FORKS = (
    "import os, time\n"
    "made = 0\n"
    "for _ in range(400):\n"
    "    try:\n        pid = os.fork()\n"
    "    except OSError: break\n"
    "    if pid == 0:\n        time.sleep(30); os._exit(0)\n"
    "    made += 1\n"
    "print('made', made, flush=True)\ntime.sleep(1.2)\n"
)


async def test_the_number_of_processes_is_limited(world: World, level: int) -> None:
    limits = Limits(pids=40, memory=512 << 20)
    command = f"exec /usr/bin/python3 -I -c {shlex.quote(FORKS)}"
    ran = await world.run(command, world.sandbox(level, limits=limits))
    made = ran.out.split()
    held = "made" in made and int(made[-1]) <= 2 * 40
    assert held or "processes, its limit" in ran.process.stopped_by, ran


async def test_memory_over_the_limit_ends_the_command_and_says_so(world: World, level: int) -> None:
    script = (
        "import os, time\n"
        "for _ in range(6):\n    if os.fork() == 0: break\n"
        "x = bytearray(80 << 20)\ntime.sleep(20)\n"
    )
    limits = Limits(pids=64, memory=160 << 20)
    command = f"exec /usr/bin/python3 -I -c {shlex.quote(script)}"
    sandbox = world.sandbox(level, limits=limits)
    child = await world.start(command, sandbox)
    await until(lambda: not child.running or child.stopped_by != "", 5)
    ran = await finish(child)
    assert ran.process.stopped_by == "killed: over 160 MB of memory, its limit", ran


async def test_one_process_can_not_take_more_memory_than_all_may(world: World, level: int) -> None:
    command = "exec /usr/bin/python3 -I -c 'x = bytearray(700 << 20); print(len(x))'"
    ran = await world.run(command, world.sandbox(level))
    assert ran.code != 0
    assert "MemoryError" in ran.out or "of memory, its limit" in ran.process.stopped_by


async def test_a_file_can_not_grow_without_end(world: World, level: int) -> None:
    ran = await world.run("exec head -c 20000000 /dev/zero > big", world.sandbox(level))
    assert ran.process.stopped_by == "killed: a file grew over 8 MB, its limit"
    assert (world.work / "big").stat().st_size <= 8 << 20


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm", "$HOME", "/", "/dev"])
async def test_filling_a_temporary_folder_ends_in_an_error(
    world: World, three: int, place: str
) -> None:
    limits = Limits(pids=64, memory=512 << 20, file=64 << 20, scratch=4 << 20)
    command = f"head -c 16000000 /dev/zero > {place}/x; echo code $?; du -k {place}/x"
    ran = await world.run(command, world.sandbox(three, limits=limits))
    assert "code 0" not in ran.out
    assert "No space left" in ran.out or "Read-only" in ran.out


async def test_input_can_be_written_to_a_sandboxed_process(world: World, level: int) -> None:
    child = await world.start(
        'read a; echo "got $a"', world.sandbox(level), keep_input=True, linger=None
    )
    await child.write(b"hello\n")
    assert (await finish(child)).out == "got hello\n"


async def test_exit_codes_and_scripts_come_through_as_they_are(world: World, level: int) -> None:
    ran = await world.run("cat <<'E'\nit's $HOME `x`\nE\nexit 7", world.sandbox(level))
    assert (ran.code, ran.out) == (7, "it's $HOME `x`\n")
    ended = await world.run("kill -SEGV $$", world.sandbox(level))
    assert ended.code in (-11, 128 + 11)
    assert ended.out == ""


async def test_nothing_of_a_command_is_left_in_the_scratch_folder(world: World, level: int) -> None:
    sandbox = world.sandbox(level)
    await world.run("echo x > $TMPDIR/x", sandbox)
    await until(lambda: not list(world.scratch.glob("*/tmp-*")))


async def test_caches_stay_from_one_command_to_the_next_of_one_workspace(
    world: World, level: int
) -> None:
    sandbox = world.sandbox(level)
    await world.run("mkdir -p $XDG_CACHE_HOME/pip; echo kept > $XDG_CACHE_HOME/pip/x", sandbox)
    assert (await world.run("cat $XDG_CACHE_HOME/pip/x", sandbox)).out == "kept\n"
    other = world.home / "other"
    other.mkdir()
    elsewhere: Sandbox = world.sandbox(level, workspace=str(other))
    assert (
        "kept" not in (await world.run("cat $XDG_CACHE_HOME/pip/x", elsewhere, cwd=str(other))).out
    )
