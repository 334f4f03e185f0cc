"""A stored secret never appears in a prompt, a log, a conversation, an export or a crash report."""

from __future__ import annotations

import base64
import codecs
import html
import json
import random
import string
from urllib.parse import quote

from hermes_tui.cli.sessions_files import event_lines, message_lines
from hermes_tui.security.vault import Vault
from tests.fakes.scripted_model import Call
from tests.promises.conftest import World, shell

_random = random.Random(7)


def value(number: int) -> str:
    """A made-up secret, of a form that no list of forms knows."""
    letters = string.ascii_letters + string.digits
    return f"Z{number}" + "".join(_random.choice(letters) for _ in range(30))


def encodings(text: str) -> dict[str, str]:
    """What a secret may look like after a program had it."""
    raw = text.encode()
    spelt = base64.b64encode
    return {
        "plain": text,
        "base64": spelt(raw).decode(),
        "base64 at 1": spelt(b"x" + raw).decode(),
        "base64 at 2": spelt(b"xy" + raw).decode(),
        "base64url": base64.urlsafe_b64encode(raw).decode().rstrip("="),
        "hex": raw.hex(),
        "HEX": raw.hex().upper(),
        "reversed": text[::-1],
        "percent": "".join(f"%{byte:02x}" for byte in raw),
        "quoted": quote(text, safe=""),
        "json": json.dumps(text),
        "json escapes": "".join(f"\\u{ord(c):04x}" for c in text),
        "html": html.escape(text),
        "entities": "".join(f"&#{ord(c)};" for c in text),
        "swapped case": text.swapcase(),
        "in a url": f"https://user:{text}@host.example/path?key={text}",
        "in quotes": f"password = '{text}'",
        "zero width": "\u200b".join(text),
    }


def bare(text: str) -> list[bytes]:
    """The forms by which a secret would be known again."""
    raw = text.encode()
    inner = base64.b64encode(b"xy" + raw)[4:-4]
    return [
        raw,
        raw[::-1],
        text.swapcase().encode(),
        raw.hex().encode(),
        raw.hex().upper().encode(),
        base64.b64encode(raw)[:-4],
        base64.b64encode(b"x" + raw)[4:-4],
        inner,
        codecs.encode(text, "rot13").encode(),
        "".join(f"%{byte:02x}" for byte in raw).encode(),
    ]


def found_in(values: list[str], data: bytes) -> list[str]:
    """The secrets that can be read out of some bytes."""
    return [one for one in values if any(form in data for form in bare(one) if form)]


async def test_a_stored_secret_never_gets_into_a_prompt_a_log_or_an_export(world: World) -> None:
    vault = Vault(world.home, lambda: None)
    values = [value(number) for number in range(20)]
    for number, one in enumerate(values):
        vault.put(f"NAME_{number}", one)
    lines = [f"{name}: {text}" for one in values for name, text in encodings(one).items()]
    (world.work / "dump.txt").write_text("\n".join(lines) + "\n")
    await world.turn(
        Call("read_file", {"path": "dump.txt"}),
        Call("search_files", {"pattern": "."}),
        shell("cat dump.txt"),
        shell("cat dump.txt >&2; exit 3"),
        shell(f"echo {values[0]}"),
        Call("write_file", {"path": "copy.txt", "content": values[1]}),
        Call("read_file", {"path": values[2]}),
        Call("no_such_tool", {"text": values[3]}),
        owner=lambda _: "once",
        said=f"please use {values[4]}",
    )
    assert found_in(values, world.sent()) == []
    info = (await world.core.session(world.session)).info
    exported = [
        *await message_lines(world.client, info),
        *await event_lines(world.client, info),
    ]
    assert found_in(values, "\n".join(exported).encode()) == []
    await world.core.end("to see everything that is on disk")
    kept = [one for one in world.home.path.rglob("*") if one.is_file()]
    leaks = {
        str(one.relative_to(world.home.path)): found_in(values, one.read_bytes())
        for one in kept
        if one != world.home.secrets
    }
    assert {name: found for name, found in leaks.items() if found} == {}


async def test_what_was_read_through_the_mask_is_never_written_back(world: World) -> None:
    Vault(world.home, lambda: None).put("SERVICE_KEY", value(99))
    settings = world.work / "settings.ini"
    settings.write_text(f"name = shop\nsecond = {Vault(world.home).get('SERVICE_KEY')}\n")
    before = settings.read_bytes()
    await world.turn(Call("read_file", {"path": "settings.ini"}))
    shown = world.model.requests[-1].messages[-1]["content"]
    assert "secret:SERVICE_KEY" in shown
    text = shown.split("second = ")[1].split("\n")[0]
    await world.turn(
        Call("write_file", {"path": "settings.ini", "content": f"second = {text}\n"}),
        shell(f"echo '{text}' > settings.ini"),
        owner=lambda _: "once",
    )
    assert settings.read_bytes() == before
    assert "mask of a secret" in world.model.requests[-1].messages[-1]["content"]
