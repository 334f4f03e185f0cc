"""The level is found by trying, and what is missing is said in words."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hermes_tui.backends import landlock, sandbox_bwrap, sandbox_probe, sandbox_seatbelt, seccomp
from hermes_tui.backends.sandbox import start
from hermes_tui.backends.sandbox_view import look
from tests.fakes.sandbox_world import CANARY, World, finish, need


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    yield
    sandbox_probe._known = None


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_the_best_level_is_taken_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    need(3)
    level = await sandbox_probe.probe(again=True)
    assert (level.number, str(level)) == (3, "sandbox 3 (bubblewrap)")
    monkeypatch.setattr(sandbox_bwrap, "PATHS", ())
    assert await sandbox_probe.probe() is level


async def test_without_bubblewrap_the_next_level_is_taken_and_the_reason_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need(2)
    monkeypatch.setattr(sandbox_bwrap, "PATHS", ())
    level = await sandbox_probe.probe(again=True)
    assert level.number == 2
    assert level.reasons[0] == "bubblewrap is not installed (package: bubblewrap)"


async def test_a_bubblewrap_that_is_refused_its_namespaces_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(2)
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sandbox_bwrap, "PATHS", (str(fake),))
    level = await sandbox_probe.probe(again=True)
    assert level.number == 2
    assert "setting up uid map: Permission denied" in level.reasons[0]


async def test_a_wrapper_that_wraps_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(2)
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nshift 3\nexec "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(sandbox_bwrap, "PATHS", (str(fake),))
    assert (await sandbox_probe.probe(again=True)).number == 2


async def test_with_neither_nothing_is_pretended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_bwrap, "PATHS", ())
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    level = await sandbox_probe.probe(again=True)
    assert level.number == 1
    assert len(level.reasons) == 2
    child = await start(
        ["/bin/echo", "plain"], world.sandbox(1), cwd=str(world.work), env=world.env
    )
    assert (await finish(child)).out == "plain\n"


def test_a_profile_for_macos_denies_first_and_masks_last(world: World) -> None:
    odd = world.work / 'a"b\\c'
    odd.mkdir()
    (odd / ".env").write_text(CANARY)
    sandbox = world.sandbox(3)
    text = sandbox_seatbelt.profile(sandbox, look(sandbox, world.env), "/private/tmp/x", 0)
    lines = text.splitlines()
    assert lines[:2] == ["(version 1)", "(deny default)"]
    quoted = str(odd / ".env").replace("\\", "\\\\").replace('"', '\\"')
    masks = [at for at, line in enumerate(lines) if f'"{quoted}"' in line]
    opens = [at for at, line in enumerate(lines) if line.startswith("(allow file-write*")]
    assert lines[masks[-1]].startswith("(deny file-read* file-write*")
    assert min(opens) < masks[-1]
    assert "network-outbound" not in text
    assert text.count("(") - odd.name.count("(") == text.count(")")


def run_filter(code: bytes, arch: int, call: int, arguments: tuple[int, ...]) -> int:
    """What the kernel would make of a call: an interpreter of the filter's few instructions."""
    data = struct.pack("=iIQ6Q", call, arch, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    steps = list(struct.iter_unpack("=HBBI", code))
    at = held = 0
    while True:
        kind, yes, no, value = steps[at]
        at += 1
        if kind == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        elif kind == 0x54:
            held &= value
        elif kind == 0x06:
            return value
        else:
            test = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[kind]
            at += yes if test else no


ALLOW, NOTIFY, PERM, NOSYS = 0x7FFF0000, 0x7FC00000, 0x50001, 0x50026


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_says_what_it_should_on_each_machine(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=machine))
    column, arch = seccomp._MACHINES[machine]
    families = (socket.AF_UNIX, socket.AF_NETLINK, socket.AF_INET, socket.AF_INET6)
    code = seccomp.program.__wrapped__(tuple(map(int, families)), (1, 2), True)

    def ask(call: int | None, *arguments: int) -> int:
        return run_filter(code, arch, call or 0, arguments)

    assert all(ask(pair[column]) == PERM for pair in seccomp._DENIED.values() if pair[column])
    assert all(ask(pair[column]) == NOSYS for pair in seccomp._MISSING.values())
    assert all(ask(pair[column]) == NOTIFY for pair in seccomp.BROKERED.values() if pair[column])
    clone, unshare, ioctl, opened = (
        pair[column] for pair in (seccomp._CLONE, seccomp._UNSHARE, seccomp._IOCTL, seccomp._SOCKET)
    )
    assert ask(clone, 0x11) == ask(unshare, 0x20000) == ask(ioctl, 0, 0x5401) == ALLOW
    assert ask(clone, 0x10000011) == ask(unshare, 0x10000000) == PERM
    assert ask(ioctl, 0, 0x5412) == ask(ioctl, 0, (1 << 32) | 0x5412) == PERM
    for family in range(46):
        allowed = family in families
        assert (ask(opened, family, 1) == ALLOW) is allowed
        internet = family in (2, 10)
        assert (ask(opened, family, 0x80003) == ALLOW) is (allowed and not internet)
    assert ask(opened, 2, 2 | 0x80800) == ALLOW
    none = seccomp.program.__wrapped__((), (1,))
    assert all(run_filter(none, arch, opened, (one, 1)) == PERM for one in range(46))
    assert run_filter(code, 0x1234, 1, ()) == 0x80000000
    read = {"x86_64": 0, "aarch64": 63}[machine]
    assert ask(read) == ALLOW


async def test_a_trial_leaves_what_the_first_command_can_use_and_nothing_else(
    tmp_path: Path,
) -> None:
    need(3)
    scratch = tmp_path / "scratch"
    await sandbox_probe.probe(again=True, scratch=str(scratch))
    left = {one.name.partition("-")[0] for one in scratch.iterdir()}
    assert "etc" in left
    assert left <= {"etc", "nothing", "empty"}
