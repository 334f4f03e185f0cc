"""The audit log: on disk before the effect, chained, and nothing of it changes quietly."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import StoreError
from hermes_tui.home import Home
from hermes_tui.security import audit_chain
from hermes_tui.security.audit import Audit, AuditEntry
from hermes_tui.security.audit_check import Proof, entries, verify
from hermes_tui.security.vault import Vault


def entry(number: int) -> AuditEntry:
    return AuditEntry(kind="decided", tool="run_command", title=f"ls {number}", verdict="allow")


def written(home: Home, count: int, file_bytes: int = 10**9) -> Path:
    log = Audit(home, clean=str, file_bytes=file_bytes)
    for number in range(count):
        log.record_now(entry(number))
    log.close()
    return home.audit


def raw_lines(folder: Path) -> list[bytes]:
    return [raw for path in audit_chain.files(folder) for raw, _ in audit_chain.lines(path)]


def rewrite(folder: Path, lines: list[bytes]) -> None:
    (path,) = audit_chain.files(folder)
    path.write_bytes(b"".join(one + b"\n" for one in lines))


def told(proof: Proof) -> str:
    return "\n".join(f"{one.file}:{one.line} {one.n} {one.what}" for one in proof.problems)


async def test_entries_of_one_moment_are_written_together_and_in_order(home: Home) -> None:
    log = Audit(home, clean=str)
    await asyncio.gather(*(log.record(entry(number)) for number in range(40)))
    assert [one.title for one in entries(home.audit)] == [f"ls {n}" for n in range(40)]
    assert verify(home.audit).ok
    log.close()


async def test_an_entry_is_on_disk_when_record_returns(home: Home) -> None:
    log = Audit(home, clean=str)
    await log.record(entry(1))
    assert b"ls 1" in raw_lines(home.audit)[0]
    head = audit_chain.read_head(home.audit)
    assert head is not None
    assert head.n == 1
    log.close()


async def test_who_is_cancelled_while_it_is_written_does_not_lose_it(home: Home) -> None:
    log = Audit(home, clean=str)
    writing = asyncio.create_task(log.record(entry(1)))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await log.record(entry(2))
    assert [one.title for one in entries(home.audit)] == ["ls 1", "ls 2"]
    log.close()


def test_nothing_is_made_before_the_first_entry(home: Home) -> None:
    log = Audit(home)
    log.close()
    assert not home.audit.exists()
    assert verify(home.audit).ok


def test_only_the_owner_can_read_it(home: Home) -> None:
    folder = written(home, 3, file_bytes=100)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}
    assert modes == {0o600}


def test_the_chain_goes_on_in_the_next_file_and_after_a_restart(home: Home) -> None:
    written(home, 10, file_bytes=1000)
    written(home, 10, file_bytes=1000)
    proof = verify(home.audit)
    assert proof.ok, told(proof)
    assert proof.lines == 20
    assert proof.files > 3
    assert [one.n for one in entries(home.audit)] == list(range(1, 21))
    newest = [one.n for one in entries(home.audit, newest_first=True)]
    assert newest == list(range(20, 0, -1))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_byte_that_is_changed_is_found_and_its_line_named(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = written(Home(place), 6)
        (path,) = audit_chain.files(folder)
        text = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] ^= 1 << data.draw(st.integers(0, 7))
        line = path.read_bytes()[:at].count(b"\n") + 1
        path.write_bytes(bytes(text))
        proof = verify(folder)
        assert not proof.ok
        assert line in {one.line for one in proof.problems}, told(proof)


@pytest.mark.parametrize("gone", range(6))
def test_a_line_that_is_taken_out_is_found(home: Home, gone: int) -> None:
    folder = written(home, 6)
    lines = raw_lines(folder)
    rewrite(folder, lines[:gone] + lines[gone + 1 :])
    proof = verify(folder)
    assert not proof.ok
    assert str(gone + 1) in told(proof)


def test_lines_that_change_places_or_come_twice_are_found(home: Home) -> None:
    folder = written(home, 4)
    one, two, three, four = raw_lines(folder)
    for lines in ([two, one, three, four], [one, two, two, three, four]):
        rewrite(folder, lines)
        assert not verify(folder).ok


def test_a_line_that_was_written_anew_with_a_digest_of_its_own_is_found(home: Home) -> None:
    folder = written(home, 4)
    lines = raw_lines(folder)
    before = audit_chain.link(lines[1])
    assert before is not None
    for number in (3, 4):
        forged, _ = audit_chain.line(number, 1.0, before.sum, b'{"kind":"decided","title":"tea"}')
        rewrite(folder, [*lines[: number - 1], forged, *lines[number:]])
        assert not verify(folder).ok


def test_a_file_that_is_taken_away_is_found(home: Home) -> None:
    folder = written(home, 30, file_bytes=1000)
    files = audit_chain.files(folder)
    for path in (files[0], files[2], files[-1]):
        kept = path.read_bytes()
        path.unlink()
        assert not verify(folder).ok, path
        path.write_bytes(kept)
    assert verify(folder).ok
    (folder / audit_chain.HEAD).unlink()
    assert not verify(folder).ok


@given(st.integers(1, 3000), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_log_cut_short_is_found_also_after_the_core_went_on(cut: int, restarted: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        home = Home(place)
        folder = written(home, 5)
        (path,) = audit_chain.files(folder)
        text = path.read_bytes()
        path.write_bytes(text[: -min(cut, len(text))])
        if restarted:
            written(home, 3)
        proof = verify(folder)
        assert not proof.ok
        assert "5" in told(proof)


def test_a_log_without_its_head_is_not_taken_for_whole_by_a_restart(home: Home) -> None:
    folder = written(home, 5)
    rewrite(folder, raw_lines(folder)[:3])
    (folder / audit_chain.HEAD).unlink()
    written(home, 2)
    assert "missing" in told(verify(folder))


def test_the_last_line_replaced_is_not_forgotten_by_a_restart(home: Home) -> None:
    folder = written(home, 3)
    lines = raw_lines(folder)
    before = audit_chain.link(lines[1])
    assert before is not None
    forged, _ = audit_chain.line(3, 1.0, before.sum, b'{"kind":"decided","title":"tea"}')
    rewrite(folder, [*lines[:2], forged])
    written(home, 2)
    assert not verify(folder).ok


@given(st.integers(1, 200), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_a_line_a_crash_cut_off_is_closed_said_and_no_problem(size: int, more: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        home = Home(place)
        folder = written(home, 3)
        end = verify(folder).end
        raw, _ = audit_chain.line(4, 1.0, end.sum, b'{"kind":"decided","title":"%s"}' % (b"x" * 90))
        (path,) = audit_chain.files(folder)
        path.write_bytes(path.read_bytes() + raw[: min(size, len(raw) - 1)])
        torn = verify(folder)
        assert torn.ok, told(torn)
        assert "cut off" in torn.notes[0].what
        written(home, more + 1)
        sealed = verify(folder)
        assert sealed.ok, told(sealed)
        assert "crash cut" in sealed.notes[0].what
        assert [one.kind for one in entries(folder)][3] == "sealed"


def test_a_torn_line_hides_no_line_that_was_taken_out(home: Home) -> None:
    folder = written(home, 5)
    (path,) = audit_chain.files(folder)
    lines = raw_lines(folder)
    path.write_bytes(b"\n".join(lines[:4]) + b"\n" + lines[4][:40])
    assert "5" in told(verify(folder))
    written(home, 2)
    assert "5 had been written" in told(verify(folder))


def test_a_crash_while_a_torn_line_is_closed_is_closed_too(home: Home) -> None:
    folder = written(home, 2)
    (path,) = audit_chain.files(folder)
    path.write_bytes(path.read_bytes() + b'{"n":3,"ts"\n{"n":3,"ts":1')
    written(home, 1)
    proof = verify(folder)
    assert proof.ok, told(proof)
    assert len(proof.notes) == 1


KILLED = """
import sys
from hermes_tui.home import Home
from hermes_tui.security.audit import Audit, AuditEntry
log = Audit(Home(sys.argv[1]), clean=str, file_bytes=20_000)
for number in range(10**9):
    log.record_now(AuditEntry(kind="decided", title="x" * (number % 500)))
    print(number + 1, flush=True)
"""


def test_what_was_recorded_before_kill_9_is_there_and_proved(home: Home) -> None:
    writing = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(home.path)], stdout=subprocess.PIPE, text=True
    )
    assert writing.stdout is not None
    said = [int(writing.stdout.readline()) for _ in range(60)][-1]
    os.kill(writing.pid, signal.SIGKILL)
    said = max([said, *(int(one) for one in writing.stdout.read().split())])
    writing.wait()
    written(home, 1)
    proof = verify(home.audit)
    assert proof.ok, told(proof)
    assert proof.end.n > said


def test_secrets_never_get_into_it(home: Home) -> None:
    value = "hv-" + "9f3kQ7" * 4
    log = Audit(home)
    Vault(home, lambda: None).put("SERVICE_KEY", value)
    log.record_now(
        AuditEntry(
            kind="decided",
            title=f"curl {value}",
            detail=f"curl -H 'x: {value[::-1]}'",
            reason=f"because {value}",
            paths=(f"/x/{value}",),
            rules=(f"run_command echo {value}",),
        )
    )
    log.close()
    text = b"\n".join(raw_lines(home.audit)).decode()
    assert value not in text
    assert value[::-1] not in text
    assert "SERVICE_KEY" in text


async def test_what_cannot_be_written_raises_and_is_written_once_there_is_room(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Audit(home, clean=str)
    await log.record(entry(1))
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) > 30:
            return real(descriptor, data[:30])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="nothing was done"):
        await log.record(entry(2))
    monkeypatch.setattr(os, "write", real)
    await log.record(entry(3))
    log.close()
    proof = verify(home.audit)
    assert proof.ok, told(proof)
    assert [one.title for one in entries(home.audit) if one.title] == ["ls 1", "ls 2", "ls 3"]


def test_a_noted_entry_is_written_with_the_next_or_when_the_log_is_closed(home: Home) -> None:
    log = Audit(home, clean=str)
    log.note(entry(1))
    assert not home.audit.exists()
    log.record_now(entry(2))
    log.note(entry(3))
    log.close()
    assert [one.n for one in entries(home.audit)] == [1, 2, 3]


def test_a_very_long_text_is_cut_in_the_middle_and_says_so(home: Home) -> None:
    log = Audit(home, clean=str)
    log.record_now(AuditEntry(kind="decided", detail="a" * 100_000))
    log.close()
    (found,) = entries(home.audit)
    assert "characters" in found.detail
    assert len(found.detail) < 5_000
