"""What a command of the agent can't do: change, read or send what it was not given."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import threading
from collections.abc import Iterator

import pytest

from hermes_tui.backends import sandbox_probe
from tests.cli.conftest import comes_true
from tests.fakes.sandbox_world import CANARY, KEYS, need
from tests.promises.conftest import World, asked, ended, keeps_inside, shell

pytestmark = pytest.mark.sandbox

ESCAPES = """
echo evil >> ~/.bashrc
echo evil >> {home}/.bashrc
ln -s {home}/.bashrc way && echo evil >> way
ln {home}/.bashrc hard && echo evil >> hard
echo evil > ../../new
echo evil > /proc/self/root{home}/.bashrc
mv {home}/.bashrc taken
python3 -c "open('{home}/.bashrc', 'a').write('evil')"
bash -c 'cd {home} && echo evil > .profile'
find {home} -name .bashrc -exec sh -c 'echo evil >> {{}}' \\;
tar -cf x.tar notes.txt && tar -C {home} -xf x.tar
git init -q . && git config --global alias.x '!sh'
mkdir -p {home}/.config/autostart && echo evil > {home}/.config/autostart/x.desktop
crontab -l
(sleep 0.1; echo evil >> {home}/.bashrc) & wait
"""


@pytest.fixture(params=[3, 2], autouse=True)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Each level this machine has, as if it were the best one here."""
    need(request.param)
    found = sandbox_probe.Level(number=request.param, name="of the test")
    monkeypatch.setattr(sandbox_probe, "_known", found)
    return request.param


async def test_a_command_changes_nothing_outside_the_workspace_unless_you_granted_it(
    world: World,
) -> None:
    before, etc = world.outside(), os.stat("/etc").st_mtime_ns
    tries = [one.format(home=world.person) for one in ESCAPES.strip().splitlines()]
    seen = await world.turn(*map(shell, tries), owner=keeps_inside)
    assert world.outside() == before
    assert os.stat("/etc").st_mtime_ns == etc
    assert sum(one.status != "denied" for one in ended(seen)) >= len(tries) // 3
    assert "evil" not in (world.person / ".bashrc").read_text()


async def test_what_needs_nothing_more_than_the_sandbox_runs_without_a_question(
    world: World,
) -> None:
    seen = await world.turn(shell("echo made > made.txt && cat made.txt"), shell("ls -la"))
    assert [one.status for one in ended(seen)] == ["ok", "ok"]
    assert asked(seen) == []
    assert (world.work / "made.txt").read_text() == "made\n"


async def test_a_command_cannot_read_your_keys(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", CANARY)
    (world.home.path / "secrets.env").write_text(f"SERVICE_KEY={CANARY}\n")
    (world.work / ".env").write_text(f"PASSWORD={CANARY}\n")
    files = [*(f"{world.person}/{one}" for one in KEYS), f"{world.home.path}/secrets.env", ".env"]
    tries = [
        *(f"base64 {one} | rev" for one in files),
        f"cp {files[0]} k && rev k",
        f"ln -s {files[0]} l && rev l",
        "tr '\\0' '\\n' < /proc/1/environ | rev; env | rev",
        f"grep -rh {CANARY[:6]} {world.person} | rev",
        "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done 2>/dev/null | rev",
        'python3 -c "import os; print(dict(os.environ))" | rev',
    ]
    seen = await world.turn(*map(shell, tries), owner=keeps_inside)
    told = world.sent().decode() + "".join(one.for_model for one in ended(seen))
    assert CANARY not in told
    assert CANARY[::-1] not in told
    encoded = "Y2FuYXJ5LT"  # how the canary begins in base64
    assert encoded not in told
    assert encoded[::-1] not in told


class Listener:
    """A service of this machine that counts who comes."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.came = 0
        self.over = threading.Event()
        self.threads = [threading.Thread(target=one) for one in (self._tcp, self._udp)]
        for one in self.threads:
            one.start()

    def _tcp(self) -> None:
        self.tcp.settimeout(0.1)
        while not self.over.is_set():
            try:
                self.tcp.accept()[0].close()
                self.came += 1
            except TimeoutError:
                continue

    def _udp(self) -> None:
        self.udp.settimeout(0.1)
        while not self.over.is_set():
            try:
                self.udp.recv(100)
                self.came += 1
            except TimeoutError:
                continue

    def close(self) -> None:
        self.over.set()
        for one in self.threads:
            one.join()
        self.tcp.close()
        self.udp.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


@pytest.mark.parametrize("attended", [True, False])
async def test_nothing_leaves_the_machine_to_a_host_you_did_not_allow(
    world: World, listener: Listener, attended: bool
) -> None:
    port = listener.tcp.getsockname()[1]
    datagrams = listener.udp.getsockname()[1]
    python = (
        "import socket; s = socket.socket(); s.settimeout(1); "
        f"s.connect(('127.0.0.1', {port})); s.send(b'x')"
    )
    tries = [
        f"exec 3<>/dev/tcp/127.0.0.1/{port}; echo x >&3",
        f"echo x > /dev/udp/127.0.0.1/{datagrams}",
        f'python3 -c "{python}"',
        "python3 -c 'import socket; socket.getaddrinfo(\"x.invalid\", 80)'",
    ]
    if shutil.which("curl"):
        tries += [
            f"curl -sm 2 http://127.0.0.1:{port}/",
            f"curl -sm 2 http://localhost:{port}/ -d @notes.txt",
            f"curl -sm 2 --noproxy '*' http://127.0.0.1:{port}/",
            f"curl -sm 2 http://127.0.0.1.nip.invalid:{port}/",
        ]
    seen = await world.turn(*map(shell, tries), attended=attended)
    assert len(ended(seen)) == len(tries)
    assert listener.came == 0
    with socket.create_connection(("127.0.0.1", port)):
        assert await asyncio.to_thread(comes_true, lambda: listener.came > 0)  # it does count
