"""`hermes insights`: where tokens and money went in the last days."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec.structs import replace

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.cli.usage import bars, honest, since, story, table
from hermes_tui.intents import ListSessions, ShowSpend, SpendReport, SpendTotal
from hermes_tui.runtime.client import CoreClient

app = typer.Typer(**PLAIN)
_SESSIONS = 10


@app.command()
def insights(
    days: Annotated[
        int, typer.Option("--days", metavar="N", min=1, max=3650, help="Of the last N days.")
    ] = 30,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show where tokens and money went: by day, model, task and session.

    Example: hermes insights --days 7
    """
    report, titles = with_core(lambda client: _asked(client, days))
    if json:
        output.emit(honest(report))
        return
    for line in story(report, days):
        print(line)
    if not report.total.calls:
        return
    print()
    for line in bars(report.groups["day"]):
        print(line)
    for by in ("model", "task", "session", "job"):
        groups = [one for one in report.groups[by] if one.name]
        if groups:
            print()
            named = [_named(one, titles) for one in groups[:_SESSIONS]]
            table(by, named, report.total)


def _named(total: SpendTotal, titles: dict[str, str]) -> SpendTotal:
    """A sum under its session's title where it is one of a session."""
    title = titles.get(total.name, "")
    return replace(total, name=f"{title[:40]} ({total.name})") if title else total


async def _asked(client: CoreClient, days: int) -> tuple[SpendReport, dict[str, str]]:
    by = ("day", "model", "task", "session", "job")
    report = await client.ask(ShowSpend(by=by, since=since(days)))
    sessions = (await client.ask(ListSessions(limit=5000))).sessions
    return report, {one.id: one.title for one in sessions}
