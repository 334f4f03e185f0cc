"""What stands below the sessions in the rail of the canned story."""

from __future__ import annotations

from hermes_tui.intents import (
    AgentInfo,
    ChatInfo,
    Fact,
    GatewayInfo,
    JobInfo,
    JobRun,
    JobSpec,
    LearnedSkill,
)

NOW = 1_796_000_000.0
HOUR = 3600.0

AGENTS = (
    AgentInfo(
        id="a1",
        session="s30",
        parent="s1",
        goal="compare checksums on both hosts",
        state="running",
        started=NOW - 21,
        steps=4,
        tokens=5200,
    ),
)
JOBS = (
    JobInfo(
        id="j1",
        spec=JobSpec(name="daily digest", prompt="what is new?", schedule="every day at 18:00"),
        text="0 18 * * *",
        next=(NOW + 17 * HOUR + 400,),
    ),
    JobInfo(
        id="j2",
        spec=JobSpec(name="backup check", script="backup --check", schedule="mon 9:00"),
        text="0 9 * * 1",
        next=(NOW + 4 * 24 * HOUR,),
        last=JobRun(id=3, job="j2", slot=NOW - 72 * HOUR, state="failed"),
    ),
)
_CHATS = tuple(
    ChatInfo(key=f"telegram:{n}", target=f"telegram:{n}", session=f"s{n}") for n in (1, 2)
)
GATEWAYS = (
    GatewayInfo(name="telegram", enabled=True, state="on", last_in=NOW - 600, chats=_CHATS),
    GatewayInfo(name="discord", enabled=True, state="waiting", problem="the line was cut"),
    GatewayInfo(name="signal", enabled=True, state="off"),
)
LEARNED = (
    LearnedSkill(name="deploy-static-site", state="proposed", since=NOW - HOUR, version=3),
    LearnedSkill(name="caddy-reload", since=NOW - 300, version=1),
)
NEW_FACTS = (
    Fact(id="m31", text="Prefers rsync to scp", kind="preference", made=NOW - 900),
    Fact(id="m32", text="The old host goes in January", state="candidate", made=NOW - 700),
)
