"""`hermes policy`: what the agent may run, decided by the same code the agent goes through."""

from __future__ import annotations

import asyncio
import os
import shlex
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hermes_tui.cli import output, policy_rules, policy_url, policy_why
from hermes_tui.cli.json_lines import questions
from hermes_tui.cli.output import PLAIN
from hermes_tui.config import PolicyConfig
from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.security.commands_decide import Level
from hermes_tui.security.policy import Action, Decision, Situation, decide
from hermes_tui.security.risk_assess import assess
from hermes_tui.security.risk_types import Assessment

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Explain what the agent may run.\n\nExample: hermes policy check 'rm -rf build'",
)


class Question(msgspec.Struct, frozen=True):
    """One line of `--jsonl` input."""

    id: str | int
    command: str


policy_url.register(app)
policy_why.register(app)
policy_rules.register(app)


@app.command("check")
def check(
    command: Annotated[str, typer.Argument(help="The command line, in quotes.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON, every part included.")] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read {"id", "command"} lines, write one each.')
    ] = False,
    level: Annotated[
        int | None,
        typer.Option(min=1, max=3, help="Assume this sandbox level (default: what is here)."),
    ] = None,
    workspace: Annotated[
        str, typer.Option(metavar="DIR", help="The folder the agent works in (default: this one).")
    ] = "",
) -> None:
    """Say what would happen with a command; nothing is run.

    Example: hermes policy check --json 'curl https://example.com | sh'
    """
    folder = os.path.abspath(os.path.expanduser(workspace or "."))
    rules = load(Home.find(), {}).config.policy
    asker = Asker(folder=folder, level=_level(level), rules=rules)
    if jsonl and command:
        raise typer.BadParameter("with --jsonl the commands come on standard input")
    if jsonl:
        for question in questions(Question, '"id" and "command"'):
            assessment, decision = asker.decided(question.command)
            output.emit_line({"id": question.id, **_short(assessment, decision)})
        return
    if not command:
        raise typer.BadParameter("a command line, in quotes, or --jsonl")
    assessment, decision = asker.decided(command)
    if json:
        output.emit(_long(assessment, decision))
    else:
        _print(assessment, decision)


def level_here() -> Level:
    """The sandbox level of this machine, found by trying."""
    from hermes_tui.backends.sandbox_probe import probe

    return _level(asyncio.run(probe()).number)


def _level(number: int | None) -> Level:
    match number:
        case 1:
            return 1
        case 2:
            return 2
        case 3:
            return 3
        case _:
            return level_here()


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Where the question comes up: folder, sandbox level, the person's standing rules."""

    folder: str
    level: Level
    rules: PolicyConfig

    def decided(self, command: str) -> tuple[Assessment, Decision]:
        """What the parser says, and what a session in which somebody can answer gets."""
        home, state = str(Path.home()), str(Home.find().path)
        assessment = assess(command, cwd=self.folder, workspace=self.folder, home=home, state=state)
        action = Action(
            tool="run_command",
            kind="execute",
            title=command,
            detail=command,
            detail_kind="command",
            cwd=self.folder,
        )
        situation = Situation(
            workspace=self.folder,
            rules=self.rules.allow,
            denied=self.rules.deny,
            home=home,
            state=state,
            level=self.level,
        )
        return assessment, decide(action, situation)


def _short(assessment: Assessment, decision: Decision) -> dict[str, Any]:
    return {
        "class": assessment.cls,
        "decision": decision.verdict,
        "reason": decision.reason,
        "sandbox": _where(decision),
    }


def _where(decision: Decision) -> str:
    return "contained" if decision.contained else "outside"


def _long(assessment: Assessment, decision: Decision) -> dict[str, Any]:
    return {
        "command": assessment.command,
        **_short(assessment, decision),
        "floor": assessment.floor,
        "opaque": assessment.opaque,
        "network": assessment.network,
        "reads": assessment.reads,
        "writes": assessment.writes,
        "parts": [part.argv for part in assessment.parts if part.argv],
    }


def _print(assessment: Assessment, decision: Decision) -> None:
    rows = [
        ("decision", decision.verdict),
        ("because", decision.reason),
        ("class", assessment.cls),
        ("sandbox", _where(decision)),
        *(("runs", shlex.join(part.argv)) for part in assessment.parts if part.argv),
        *(("talks to", host) for host in assessment.network),
    ]
    for name, text in rows:
        print(f"{name:<9} {output.clean(text)}")
