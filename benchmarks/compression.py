"""How much of a long conversation survives five compressions: facts by place, bytes, cached share.

Coined facts stand in the user's words, replies, call arguments and tool results. A scripted
summariser loses a share of the facts it is shown. A fact is in view when its text is in the next
request; it is in reach when it is in view, or when one `read_earlier` of a turn or call that the
view names shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.agent.compress import compress
from hermes_tui.agent.context import make_room, mask_old
from hermes_tui.agent.conversation import Conversation
from hermes_tui.agent.earlier import show_earlier
from hermes_tui.events import (
    Compacted,
    Event,
    InputReceived,
    InputTaken,
    ReplyReceived,
    ToolCall,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.models.base import Delta, Message

PLACES = ("user", "reply", "arguments", "result")
WORDS = [
    "harbour",
    "lantern",
    "quartz",
    "meadow",
    "violet",
    "copper",
    "saddle",
    "winter",
    "orchid",
    "basalt",
]
_FACT = re.compile(r"\b(?:user|reply|arguments|result)-[a-z]+-\d+[a-z]\d+\b")
PREFIX = 12_000


class Session:
    """A record in memory."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.made: list[Compacted] = []

    async def add(self, events: Any, **_: Any) -> None:
        for event in [events] if isinstance(events, Event) else events:
            self.conversation.apply(event)
            if isinstance(event, Compacted):
                self.made.append(event)


class Summariser:
    """Repeats the facts it is shown, but for a share of them."""

    repairs_calls = False

    def __init__(self, window: int, lose: float, seed: int) -> None:
        self.name, self.window, self.lose = "scripted", window, lose
        self.random = random.Random(seed)
        self.calls = self.read = 0

    async def stream(self, request: Any) -> Any:
        text = request.messages[0].content
        self.calls, self.read = self.calls + 1, self.read + len(text)
        facts = dict.fromkeys(_FACT.findall(text))
        kept = [one for one in facts if self.random.random() >= self.lose]
        yield Delta(text="Known: " + " ".join(kept), finish="stop")

    async def close(self) -> None:
        return


class Talk:
    """Makes turns; remembers which fact it put where."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.facts: dict[str, list[str]] = {place: [] for place in PLACES}
        self.turn = 0

    def fact(self, place: str) -> str:
        number = len(self.facts[place])
        made = f"{place}-{self.random.choice(WORDS)}-{number}{'abcdef'[number % 6]}{self.turn}"
        self.facts[place].append(made)
        return made

    def filler(self, size: int) -> str:
        return " ".join(self.random.choice(WORDS) for _ in range(size // 7))

    def next(self) -> list[Event]:
        self.turn += 1
        n = self.turn
        calls = tuple(
            ToolCall(
                id=f"call_{n}_{k}",
                tool="run_command",
                arguments=json.dumps(
                    {"command": f"check {self.fact('arguments') if k < 1 else k} now"}
                ),
            )
            for k in range(3)
        )
        results = [
            "\n".join(
                (
                    self.filler(2000),
                    f"value {self.fact('result') if k < 2 else ''}",
                    self.filler(1500),
                )
            )
            for k in range(3)
        ]
        name = f"i{n}"
        return [
            InputReceived(
                input_id=name, text=f"Please look after {self.fact('user')} {self.filler(120)}"
            ),
            TurnStarted(turn=n),
            InputTaken(input_id=name, turn=n),
            ReplyReceived(turn=n, step=1, model="m", text=self.filler(200), calls=calls),
            *(
                ToolEnded(turn=n, step=1, call_id=one.id, tool="run_command", for_model=text)
                for one, text in zip(calls, results, strict=True)
            ),
            ReplyReceived(
                turn=n, step=2, model="m", text=f"It is {self.fact('reply')}. {self.filler(400)}"
            ),
            TurnEnded(turn=n, outcome="done"),
        ]


def wire(messages: list[Message]) -> str:
    return json.dumps([[m.role, m.content, [c.arguments for c in m.calls]] for m in messages])


def in_reach(talk: Conversation, seen: str) -> str:
    """All that one reading shows, of what the view names."""
    texts = [seen]
    for turn in talk.marks:
        if re.search(rf"turn {turn}\b", seen) or any(a <= turn <= b for a, b in _spans(seen)):
            texts.append(show_earlier(talk, turn, "", ""))
    for call in re.findall(r'read_earlier\(call=\\+"(\w+)', seen):
        texts.append(show_earlier(talk, -1, call, ""))
    return "\n".join(texts)


def _spans(seen: str) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in re.findall(r"## turns (\d+) to (\d+)", seen)]


def common(one: str, other: str) -> int:
    size = min(len(one), len(other))
    low, high = 0, size
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


async def run(lose: float, rounds: int, seed: int, size: int, target: int) -> dict[str, Any]:
    session, talk = Session(), Talk(seed)
    model = Summariser(200_000, lose, seed)
    window = int((target + PREFIX) / (0.85 * 3.0))
    model.window = window
    agent = Agent(
        model=model,  # type: ignore[arg-type]
        tools={},
        prefix=Prefix(system="s" * PREFIX, tools=(), parts=(("identity", PREFIX),)),
        summariser=Summariser(200_000, lose, seed),  # type: ignore[arg-type]
    )
    after: list[dict[str, float]] = []
    sent = cached = 0
    last = ""
    for _ in range(rounds):
        while session.conversation.view.size < size:
            for event in talk.next():
                await session.add(event)
                if isinstance(event, (InputTaken, ToolEnded)):
                    text = "s" * PREFIX + wire(session.conversation.view.messages)
                    sent, cached = sent + len(text), cached + common(text, last)
                    last = text
        await mask_old(session, target)  # type: ignore[arg-type]
        await compress(session, agent, room=target)  # type: ignore[arg-type]
        await make_room(session, agent)  # type: ignore[arg-type]
        after.append(measure(session, talk))
    return {
        "lose": lose,
        "rounds": after,
        "bytes": session.conversation.view.size,
        "cached_share": round(cached / max(sent, 1), 3),
        "summaries": len(session.made),
    }


def measure(session: Session, talk: Talk) -> dict[str, float]:
    seen = wire(session.conversation.view.messages)
    reach = in_reach(session.conversation, seen)
    made: dict[str, float] = {}
    for place in PLACES:
        facts = talk.facts[place]
        made[place] = round(sum(one in seen for one in facts) / len(facts), 3)
    every = [one for facts in talk.facts.values() for one in facts]
    made["all"] = round(sum(one in seen for one in every) / len(every), 3)
    made["reach"] = round(sum(one in reach for one in every) / len(every), 3)
    made["bytes"] = len(seen)
    return made


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=400_000, help="bytes before each compression")
    parser.add_argument("--target", type=int, default=100_000, help="bytes to come down to")
    options = parser.parse_args()
    for lose in (0.0, 0.4):
        got = await run(lose, options.rounds, options.seed, options.size, options.target)
        print(json.dumps({**got, "rounds": [got["rounds"][0], got["rounds"][-1]]}, indent=1))


if __name__ == "__main__":
    asyncio.run(main())
