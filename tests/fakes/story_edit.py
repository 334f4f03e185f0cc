"""A session in which code is read, fails, is edited and works, at a fixed time: for pictures."""

from __future__ import annotations

from hermes_tui.events import (
    Event,
    InputReceived,
    InputTaken,
    ModelAsked,
    Record,
    ReplyReceived,
    SessionStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.intents import SessionInfo, SessionView
from hermes_tui.tools.diff import unified
from tests.fakes.story import NOW

OLD = """def ttl(zone):
    return zone.ttl


def move(host):
    copy(host)
    check(host)
"""
NEW = """def ttl(zone, default=3600):
    return zone.ttl or default


def move(host):
    copy(host)
    check(host)  # 校验
"""
ANSWER = r"""Fixed: propagation takes at most \(2 \cdot \text{TTL}\), so
$\sum_{i=1}^{n} t_i \le 90\%$.

| zone | TTL | 备注 |
|---|--:|---|
| blog | 300 | 已降低 |
| mail | 3600 | 未改 |

See [the docs](https://docs.example/ttl), not [bank.example](https://evil.example/).

```
zone blog ttl 300
```
"""
USED = Usage(prompt=9000, completion=100, cost=0.02)


def _call(step: int, call_id: str, tool: str, summary: str, **ended: object) -> list[Event]:
    name = {"turn": 1, "step": step, "call_id": call_id, "tool": tool}
    arguments = '{"command": "' + summary + '"}' if tool == "run_command" else "{}"
    return [
        ToolStarted(summary=summary, arguments=arguments, **name),
        ToolEnded(**{"seconds": 0.1, "for_model": "text", **name, **ended}),
    ]


def view() -> SessionView:
    """The session as it is opened."""
    made: list[Event] = [
        SessionStarted(title="Fix TTL", cwd="/home/mia/blog"),
        InputReceived(input_id="a", text="Look around, then fix `ttl`."),
        TurnStarted(turn=1),
        InputTaken(input_id="a", turn=1),
        ModelAsked(turn=1, step=1, model="opus", window=200_000, size=9000),
        ReplyReceived(turn=1, step=1, model="opus", text="I'll read the zones first.", usage=USED),
    ]
    for n in range(6):
        made += _call(1, f"r{n}", "read_file", f"src/zone_{n}.py")
    failed = {"status": "error", "for_model": "E   KeyError: 'ttl'\n1 failed"}
    made += _call(2, "b1", "run_command", "pytest -q", **failed, details={"exit_code": 1})
    diff = unified(OLD, NEW, "src/zone.py")
    details = {"diff": diff, "added": 3, "removed": 3}
    made += _call(3, "e1", "edit_file", "src/zone.py", for_model="edited", details=details)
    made += _call(4, "b2", "run_command", "pytest -q", for_model="12 passed", seconds=2.9)
    made.append(ReplyReceived(turn=1, step=5, model="opus", text=ANSWER, usage=USED))
    made.append(TurnEnded(turn=1, steps=5, seconds=14.0, usage=USED))
    begin = NOW - 60
    records = [
        Record(session="s1", n=n, ts=begin + n, event=event) for n, event in enumerate(made, 1)
    ]
    info = SessionInfo(id="s1", title="Fix TTL", cwd="/home/mia/blog", model="opus", updated=NOW)
    return SessionView(info=info, records=tuple(records))
