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
from hermes_tui.intents import (
    Fact,
    FactChange,
    FactStory,
    FactUse,
    Hit,
    ProcessInfo,
    SessionInfo,
    SessionView,
    SettingInfo,
    SkillCheck,
    SkillFinding,
    SkillInfo,
    SkillProposal,
    SkillStory,
    SkillVersion,
    Source,
)

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

FACTS = (
    Fact(
        id="m7",
        text="VPS2 runs Caddy, not nginx",
        uses=9,
        used=NOW - 60,
        sources=(
            Source(
                who="tool",
                session="s7",
                message="s7:4",
                ts=NOW - 47 * 24 * HOUR,
                title="Set up vps2 with Caddy",
            ),
        ),
    ),
    Fact(
        id="m9",
        text="DNS is at Hetzner, TTL 3600",
        uses=2,
        used=NOW - HOUR,
        sources=(Source(who="user", session="s8", message="s8:2", ts=NOW - 28 * 24 * HOUR),),
    ),
)

CARD = (
    Fact(id="m1", text="Always ask before touching DNS", kind="instruction", pinned=True),
    Fact(id="m2", text="Prefers rsync to scp", kind="preference", uses=4, used=NOW - 2 * HOUR),
    Fact(id="m3", text="Lives in Lisbon", kind="about", state="disputed", other="m4"),
    Fact(
        id="m12",
        text="Mia usually deploys on Friday mornings",
        kind="pattern",
        state="candidate",
        reason="you said it in passing; nobody confirmed it yet",
    ),
)


def story_of(which: str) -> FactStory:
    """Everything about one of the facts."""
    fact = next(one for one in (*FACTS, *CARD) if one.id == which)
    why = "it fits «is caddy up on vps2?»"
    uses = (FactUse(session="s1", turn=7, ts=NOW - 60, why=why),) if fact.uses else ()
    change = FactChange(
        batch=3, op="edit", who="user", ts=NOW - 30 * 24 * HOUR,
        before="VPS2 runs nginx", after=fact.text,
    )  # fmt: skip
    changes = (change,) if fact.id == "m7" else ()
    return FactStory(fact=fact, uses=uses, changes=changes, alike=FACTS[1:2] if changes else ())


SKILLS = (
    SkillInfo(
        name="deploy-static-site",
        description="Copy a static site to a host and check it before DNS changes.",
        origin="learned",
        state="active",
        version=3,
        uses=24,
        worked=22,
        judged=23,
        last_used=NOW - 3_600,
        proposal=7,
    ),
    SkillInfo(
        name="caddy-reload",
        description="Reload the web server without downtime.",
        origin="learned",
        state="candidate",
        version=1,
        uses=6,
        worked=1,
        judged=1,
        last_used=NOW - 90_000,
    ),
    SkillInfo(
        name="invoice-to-csv",
        description="Read invoices into a table.",
        origin="user",
        version=2,
        uses=11,
        last_used=NOW - 200_000,
    ),
    SkillInfo(
        name="podcast-clip",
        description="Cut a clip.",
        origin="user",
        version=1,
        uses=2,
        judged=2,
        last_used=NOW - 9_000,
        problems=("the description is missing",),
    ),
    SkillInfo(name="review-diff", description="Review a change for mistakes that matter."),
    SkillInfo(name="tax-receipts", description="Sort receipts.", origin="hub", on=False),
)

SKILL = """---
name: deploy-static-site
description: Copy a static site to a host and check it before DNS changes.
---
# Deploy a static site

1. rsync the build folder to the target host.
2. Validate the web server's configuration **before** reloading it.
3. Compare checksums on both hosts.

## When it fails

- The copy stops half way: run it again, rsync goes on where it was.
- The configuration is refused: put the last one back, it lies beside the new one.
- The checksums differ: do not touch DNS, look for files that are written meanwhile.
"""

_PROPOSED = SKILL.replace(
    "3. Compare", "3. Wait until it answers on the new host.\n4. Compare"
).replace("look for files", "stop the editor and look for files")


def skill_story(name: str) -> SkillStory:
    """The history of a skill, with the edit that waits for the first one."""
    from hermes_tui.skills.merge import diff, hunks

    first = SKILL.replace(
        "2. Validate the web server's configuration **before** reloading it.\n", ""
    )
    versions = (
        SkillVersion(
            n=2,
            ts=NOW - 86_400,
            by="agent",
            reason="the reload failed once: the configuration had not been checked",
            source="s1:3",
            diff=diff(first, SKILL),
            text=SKILL,
        ),
        SkillVersion(n=1, ts=NOW - 900_000, by="person", reason="written", text=first),
    )
    if name != "deploy-static-site":
        return SkillStory(name=name, versions=versions)
    proposal = SkillProposal(
        id=7,
        name=name,
        kind="edit",
        ts=NOW - 600,
        reason="the checksums were compared before the copy had ended",
        source="Move blog to VPS, turn 7",
        replay="3 past uses: v3 2 ok, 1 retry; with the edit 3 ok",
        old=SKILL,
        text=_PROPOSED,
        diff=diff(SKILL, _PROPOSED, context=1),
        hunks=tuple(hunks(SKILL, _PROPOSED, 1)),
    )
    return SkillStory(name=name, state="active", versions=versions, proposals=(proposal,))


def check_of(text: str) -> SkillCheck:
    """What the format says against a text."""
    from hermes_tui.skills.skill import lint

    found = [
        SkillFinding(line=one.line, level=one.level, text=one.text, rule=one.rule)
        for one in lint(text, "invoice-to-csv")
    ]
    return SkillCheck(findings=tuple(found), tokens=len(text) // 4)
