"""Ten thousand messages that came while nobody listened, and ten thousand that wait to go out.

python benchmarks/drain.py

In: a real core works on 50 texts of each of 200 guests and on the owner's one, which came last;
the model answers at once, from a process of its own. Out: the sender empties the outbox into 200
chats of a platform that takes everything. Order in each chat and that each went once is checked.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from measure import Bench, Figure

sys.path.insert(0, str(Path(__file__).parents[1]))

from hermes_tui.gateways.base import Address, Message
from hermes_tui.gateways.format import messages
from hermes_tui.gateways.sending import Sender
from hermes_tui.home import Home
from hermes_tui.store.db import Database
from hermes_tui.store.outbox import Outbox

CHATS, EACH = 200, 50
LIMIT_S = 600.0


def figures(bench: Bench) -> list[Figure]:
    """Rows of the performance page."""
    return [*asyncio.run(_in(bench)), *asyncio.run(_out())]


# --- in ------------------------------------------------------------------------------------


async def _in(bench: Bench) -> list[Figure]:
    from hermes_tui.configuration.load import load
    from hermes_tui.runtime.core import Core
    from tests.chats.test_drain import flood, settled

    path = bench.new_home(f"gateways:\n  folder: {bench.folder / 'chats'}\n")
    home = Home(path).ensure()
    await flood(home, owner_at=CHATS * EACH - 1, guests=CHATS, each=EACH)
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    began = time.time()
    await core.outside.chats.start()
    await settled(core, LIMIT_S)
    took = time.time() - began
    parallel = core.config.gateways.parallel
    await core.end("done")
    first, count = _checked(bench, began)
    assert first <= parallel, f"the owner came after {first} others"
    name = f"{CHATS * EACH:,} messages that waited, {CHATS} chats in order: until all are answered"
    return [
        Figure(name, took, "s", note=f"{count} turns"),
        Figure("of these, turns begun before the owner's", first, "", parallel),
    ]


def _checked(bench: Bench, since: float) -> tuple[int, int]:
    """(how many turns began before the owner's, how many there were); the order is right."""
    first, seen = -1, defaultdict[str, list[int]](list)
    bodies = bench.bodies(since)
    for number, body in enumerate(bodies):
        asked = json.loads(body)["messages"]
        answers = [at for at, one in enumerate(asked) if one["role"] == "assistant"]
        fresh = asked[answers[-1] + 1 :] if answers else asked
        text = " ".join(str(one["content"]) for one in fresh if one["role"] == "user")
        if "the owner's word" in text and first < 0:
            first = number
        for word in text.split():
            guest, _, mark = word.partition("-mark")
            if mark.isdecimal():
                seen[guest].append(int(mark))
    assert len(seen) == CHATS
    wrong = {who: marks for who, marks in seen.items() if marks != list(range(EACH))}
    assert not wrong, f"order or count is wrong: {wrong}"
    return first, len(bodies)


# --- out -----------------------------------------------------------------------------------


class _Taking:
    """A platform that takes everything at once."""

    platform = "telegram"

    def __init__(self) -> None:
        self.got: dict[str, list[str]] = defaultdict(list)

    def messages(self, text: str) -> tuple[Message, ...]:
        return messages(self.platform, text)

    async def send(self, to: Address, message: Message, key: str) -> str:
        self.got[to.chat].append(message.text)
        return str(len(self.got[to.chat]))


async def _out() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="hermes-drain-") as folder:
        db = Database(Path(folder) / "state.db").open()
        outbox, taking = Outbox(db), _Taking()
        for number in range(EACH):
            puts = (outbox.put(f"telegram:{chat}", f"word{number}") for chat in range(CHATS))
            await asyncio.gather(*puts)
        sender = Sender(outbox, taking)
        began = time.perf_counter()
        while await sender.once():
            continue
        took = time.perf_counter() - began
        await db.close()
    for texts in taking.got.values():
        assert " ".join(texts).split() == [f"word{n}" for n in range(EACH)]
    sent = sum(map(len, taking.got.values()))
    name = f"{CHATS * EACH:,} texts that wait to go out to {CHATS} chats: until all are recorded"
    return [Figure(name, took, "s", note=f"{sent} messages")]


if __name__ == "__main__":
    bench = Bench.open()
    try:
        for one in figures(bench):
            print(f"{one.name}: {one.value:.1f} {one.unit} {one.note}")
    finally:
        bench.close()
