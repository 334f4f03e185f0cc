"""A session with a bit of everything, at a fixed time: for pictures that never change."""

from __future__ import annotations

from hermes_tui.events import (
    ApprovalAsked,
    Event,
    InputReceived,
    InputTaken,
    ModelAsked,
    ModelFailed,
    Record,
    ReplyReceived,
    SessionStarted,
    ToolCall,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.intents import Hit, ProcessInfo, SessionInfo, SessionView, SettingInfo, SkillInfo

NOW = 1_796_000_000.0
ID = "s1"
PARTS = (("identity", 900), ("rules", 2600), ("skills", 700), ("tools", 6100), ("chat", 41_000))

_FIRST: list[tuple[float, Event]] = [
    (0, SessionStarted(title="Move blog to VPS", cwd="/home/mia/blog", model="opus")),
    (1, InputReceived(input_id="i1", text="How big is the blog, and what serves it now?")),
    (1, TurnStarted(turn=1)),
    (1, InputTaken(input_id="i1", turn=1)),
    (1, ModelAsked(turn=1, step=1, model="opus", size=12_000, window=200_000)),
    (
        3,
        ReplyReceived(
            turn=1,
            step=1,
            model="opus",
            seconds=2.0,
            text="2,311 files, 184 MB, served by **nginx** on the old host.\n\n"
            "| part | files | size |\n|---|--:|--:|\n| posts | 1,904 | 61 MB |\n"
            "| 写真 photos | 407 | 123 MB |\n",
            usage=Usage(prompt=3200, cached=2900, completion=80, cost=0.011),
        ),
    ),
    (
        3,
        TurnEnded(
            turn=1,
            steps=1,
            seconds=2.0,
            usage=Usage(prompt=3200, cached=2900, completion=80, cost=0.011),
        ),
    ),
]

_WANTED = "Move the blog to the new VPS and keep the old one until DNS has settled. @notes/vps.md"
_PLAN = """I'll copy the site first, then check it on the new host before touching DNS.

```sh
rsync -a blog/ vps2:/srv/blog
```
"""
_NEXT = """Next I will:

1. compare checksums on both hosts
2. lower the DNS TTL to `300` s
3. switch the A record after you approve it
"""

_SECOND: list[tuple[float, Event]] = [
    (60, InputReceived(input_id="i2", text=_WANTED)),
    (60, TurnStarted(turn=2)),
    (60, InputTaken(input_id="i2", turn=2)),
    (
        60,
        ModelAsked(
            turn=2, step=1, model="opus", messages=4, size=51_300, window=200_000, parts=PARTS
        ),
    ),
    (
        66,
        ReplyReceived(
            turn=2,
            step=1,
            model="opus",
            seconds=6.1,
            first_token=0.9,
            text=_PLAN,
            calls=(
                ToolCall(id="c1", tool="read_file", arguments='{"path": "notes/vps.md"}'),
                ToolCall(
                    id="c2",
                    tool="run_command",
                    arguments='{"command": "rsync -a blog/ vps2:/srv/blog"}',
                ),
            ),
            usage=Usage(prompt=17_900, cached=15_900, completion=420, cost=0.021),
        ),
    ),
    (
        66,
        ToolStarted(
            turn=2,
            step=1,
            call_id="c1",
            tool="read_file",
            arguments='{"path": "notes/vps.md"}',
            summary="notes/vps.md",
        ),
    ),
    (
        66.1,
        ToolEnded(
            turn=2, step=1, call_id="c1", tool="read_file", for_model="vps2 runs Caddy", seconds=0.1
        ),
    ),
    (
        66,
        ToolStarted(
            turn=2,
            step=1,
            call_id="c2",
            tool="run_command",
            arguments='{"command": "rsync -a blog/ vps2:/srv/blog"}',
            summary="rsync -a blog/ vps2:/srv/blog",
        ),
    ),
    (
        94,
        ToolEnded(
            turn=2,
            step=1,
            call_id="c2",
            tool="run_command",
            for_model="sending incremental file list\n./\nindex.html\n"
            "posts/2026-11-02-garden.html\n…\nsent 412,338,112 bytes  received 44,120 bytes",
            details={"exit_code": 0},
            seconds=28.0,
            output_path="/outputs/c2",
            output_bytes=184_000,
        ),
    ),
    (94, ModelAsked(turn=2, step=2, model="opus", size=52_000, window=200_000, parts=PARTS)),
    (95, ModelFailed(turn=2, step=2, attempt=1, message="529 overloaded", retry_in=1.0)),
    (96, ModelAsked(turn=2, step=2, model="opus", size=52_000, window=200_000, parts=PARTS)),
    (
        98,
        ReplyReceived(
            turn=2,
            step=2,
            model="opus",
            seconds=2.4,
            text=_NEXT,
            calls=(ToolCall(id="c3", tool="run_command"),),
            usage=Usage(prompt=61_500, cached=58_000, completion=500, cost=0.031),
        ),
    ),
]

ASKED = ApprovalAsked(
    ask_id="a1",
    turn=2,
    step=2,
    call_id="c3",
    tool="run_command",
    title="switch the A record",
    detail="cli4 PUT dns.example.org A 203.0.113.7 ttl=300",
    detail_kind="command",
    where="local",
    reason="it runs a command",
    undo="no undo",
    rule="run_command cli4 PUT *",
    arguments='{"command": "cli4 PUT dns.example.org A 203.0.113.7 ttl=300"}',
)

STEER = InputReceived(input_id="i3", text="keep the old one for 7 days", how="steer")


def story(asking: bool = True) -> list[Record]:
    """The events, the last one being asked for approval or the end of the turn."""
    usage = Usage(prompt=79_400, cached=73_900, completion=920, cost=0.052)
    end: Event = TurnEnded(turn=2, steps=2, seconds=41.0, usage=usage)
    last = [(98.0, ASKED), (99.0, STEER)] if asking else [(101.0, end)]
    timed = [*_FIRST, *_SECOND, *last]
    begin = NOW - 102
    return [
        Record(session=ID, n=n, ts=begin + at, event=event)
        for n, (at, event) in enumerate(timed, 1)
    ]


def view(asking: bool = True) -> SessionView:
    """The session as it is opened."""
    records = tuple(story(asking))
    info = SessionInfo(
        id=ID,
        title="Move blog to VPS",
        cwd="/home/mia/blog",
        model="opus",
        updated=NOW - 5,
        last=records[-1].n,
        state="waiting" if asking else "idle",
    )
    if not asking:
        return SessionView(info=info, records=records)
    return SessionView(info=info, records=records, approvals=(ASKED,), waiting=(STEER,))


HOUR = 3600.0
SESSIONS = (
    SessionInfo(id="s2", title="Tax receipts", updated=NOW - 2 * HOUR, pinned=True),
    SessionInfo(id="s3", title="Inbox triage", updated=NOW - 3 * HOUR, state="waiting"),
    SessionInfo(id="s4", title="Wedding playlist", updated=NOW - 26 * HOUR, state="working"),
    SessionInfo(id="s5", title="修复 pytest 卡住的问题，顺便看看缓存", updated=NOW - 50 * HOUR),
    SessionInfo(id="s6", title="", updated=NOW - 900 * HOUR),
)

SETTINGS = (
    SettingInfo(
        name="ui.theme",
        kind="text",
        must="text",
        help="theme name; /theme lists them",
        value="auto",
        default="auto",
    ),
    SettingInfo(
        name="core.loaded_sessions",
        kind="whole",
        must="a whole number of at least 1",
        help="idle sessions kept in memory",
        value=20,
        default=20,
    ),
)

PROCESSES = (
    ProcessInfo(id="p1", session="s1", command="npm run dev", state="running", started=NOW - 754),
    ProcessInfo(
        id="p2",
        session="s3",
        command="make test",
        state="exited",
        exit_code=2,
        started=NOW - 2 * HOUR,
        ended=NOW - 2 * HOUR + 61,
    ),
)

HITS = (
    Hit(
        session="s7",
        message="s7:4",
        ts=NOW - 47 * 24 * HOUR,
        score=9.1,
        title="Set up vps2 with Caddy",
        role="assistant",
        text="Caddy runs on vps2 now and serves /srv; nginx is gone from that host.",
        n=4,
    ),
    Hit(
        session="s8",
        message="s8:2",
        ts=NOW - 28 * 24 * HOUR,
        score=5.0,
        title="Why TLS failed on vps2",
        role="user",
        text="why does caddy on vps2 say that the certificate is not ready? 证书还没有准备好吗？",
        n=2,
    ),
)

SKILLS = (
    SkillInfo(name="deploy-static-site", description="Copy a site to a host and check it."),
    SkillInfo(name="invoice-to-csv", description="Read invoices into a table.", origin="user"),
    SkillInfo(name="podcast-clip", problems=("the description is missing",), origin="user"),
)

SKILL = """---
name: deploy-static-site
description: Copy a static site to a host and check it before DNS changes.
---
# Deploy a static site

1. rsync the build folder to the target host.
2. Validate the web server's configuration **before** reloading it.
3. Compare checksums on both hosts.
"""
