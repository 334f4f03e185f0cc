"""No page and no other user can talk to the agent, and it can't give itself more rights."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hermes_tui.security.vault import Vault
from tests.fakes.scripted_model import Call
from tests.promises.conftest import World, ended, keeps_inside, shell


def listening() -> set[str]:
    """The inodes of all TCP sockets of this machine that listen."""
    found: set[str] = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        if not Path(table).exists():
            continue
        rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
        found |= {row[9] for row in rows if row[3] == "0A"}
    return found


def mine() -> set[str]:
    """The inodes of this process's own sockets."""
    found: set[str] = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # the folder's own handle
            continue
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


@pytest.mark.sandbox
@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs /proc")
async def test_nothing_listens_where_a_page_or_another_user_could_knock(world: World) -> None:
    models = mine() & listening()  # the scripted model lives in this process, too
    await world.turn(shell("echo hello"), Call("read_file", {"path": "notes.txt"}))
    assert mine() & listening() == models
    socket = world.home.socket
    assert stat.S_ISSOCK(socket.stat().st_mode)
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(socket.parent.stat().st_mode) & 0o077 == 0


def own_files(world: World) -> list[Path]:
    home = world.home
    names = ("config.yaml", "secrets.env", "state.db", "core.lock", "keys.yaml", "plugins/x.py")
    audit = next(home.audit.glob("*.jsonl"), home.audit / "0000000001.jsonl")
    return [*(home.path / one for one in names), audit, home.audit / "head", home.socket]


SHELL = """
hermes config set agent.mode yolo
hermes config set --add policy.allow 'run_command *'
HERMES_TUI_HOME=/tmp/x hermes daemon restart
echo 'agent: {{mode: yolo}}' > {state}/config.yaml
echo 'agent: {{mode: yolo}}' | tee {state}/config.yaml
rm -rf {state}/audit
sqlite3 {state}/state.db 'delete from event'
python3 -c "open('{state}/config.yaml', 'w').write('agent: {{mode: yolo}}')"
cat {state}/secrets.env | rev
kill $(cat {state}/core.lock)
pkill -f hermes
sudo rm -rf {state}
export HERMES_TUI_HOME=/tmp/x; hermes
"""


@pytest.mark.sandbox
async def test_it_cannot_raise_its_own_rights_and_each_try_is_on_record(world: World) -> None:
    Vault(world.home, lambda: None).put("SERVICE_KEY", "Zq7" + "n4Hs8" * 5)
    kept = {one: one.read_bytes() for one in (world.home.config, world.home.secrets)}
    commands = SHELL.format(state=world.home.path).strip().splitlines()
    files = own_files(world)
    tries = [
        *map(shell, commands),
        *(
            Call("write_file", {"path": str(one), "content": "agent: {mode: yolo}"})
            for one in files
        ),
        *(Call("edit_file", {"path": str(one), "old": "model", "new": "x"}) for one in files),
        *(Call("read_file", {"path": str(one)}) for one in files),
        Call("search_files", {"pattern": "SERVICE", "path": str(world.home.path)}),
    ]
    before = len(world.audit)
    seen = await world.turn(*tries, owner=keeps_inside)
    done = ended(seen)
    assert len(done) == len(tries)
    worked = [one.for_model for one in done if one.status == "ok"]
    assert all("nothing found" in one for one in worked), worked
    assert {one: one.read_bytes() for one in kept} == kept
    assert world.core.config.agent.mode == "ask"
    assert world.core.config.policy.allow == ()
    recorded = {one.call_id for one in world.audit[before:] if one.kind == "decided"}
    ran_or_decided = {one.call_id for one in done if one.tool == "run_command"}
    assert ran_or_decided <= recorded
    assert "Zq7" not in world.sent().decode()
