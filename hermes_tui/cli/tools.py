"""`hermes tool`: what the agent can do, and one of it done from the command line."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Literal

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.intents import CallTool, Standing, ToolCalled

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="The tools the model can call.\n\nExample: hermes tool list",
)
EXIT_CODES = {"ok": 0, "error": 1, "denied": 1, "misused": 2, "needs-approval": 3}


@app.command("list")
def list_(
    profile: Annotated[
        str,
        typer.Option(
            "--profile", metavar="NAME", help="full, or lean: what a small local model gets."
        ),
    ] = "full",
    json: Annotated[bool, typer.Option("--json", help="Print JSON, schemas included.")] = False,
) -> None:
    """List the tools.

    Example: hermes tool list --profile lean
    """
    from hermes_tui.tools.registry import build

    if profile not in ("full", "lean"):
        raise typer.BadParameter("full or lean")
    which: Literal["full", "lean"] = "lean" if profile == "lean" else "full"
    tools = build(load(Home.find(), os.environ).config.tools, which)
    if json:
        output.emit([tool.schema for tool in tools.values()])
        return
    rows = [(tool.name, tool.description.split(". ")[0].rstrip(".")) for tool in tools.values()]
    output.table(rows, ("tool", "what it does"))


@app.command()
def call(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tool; `list` shows them.")],
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help="Its arguments as a JSON object.")
    ] = "{}",
    workspace: Annotated[
        str, typer.Option(metavar="DIR", help="The folder to work in (default: this one).")
    ] = "",
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON: output, details and the decision.")
    ] = False,
) -> None:
    """Call one tool under the agent's own policy, with nobody there to approve it.

    Exit code 0: done, 1: it failed or was refused, 2: no such tool or bad arguments, 3: a person
    would have to approve it, so it was not run.

    Example: hermes tool call run_command '{"command": "make test"}' --workspace ~/project
    """
    folder = os.path.realpath(os.path.expanduser(workspace or "."))
    if not os.path.isdir(folder):
        raise typer.BadParameter(f"{folder} is no folder")
    from hermes_tui.runtime.standing import here

    standing = msgspec.structs.replace(here(), cwd=folder)
    ended = with_core(lambda client: client.ask(_intent(name, arguments, standing)))
    code = EXIT_CODES[ended.status]
    if json:
        output.emit(_shown(ended))
    else:
        _print(ended)
    if code:
        raise typer.Exit(code)


def _intent(name: str, arguments: str, standing: Standing) -> CallTool:
    return CallTool(tool=name, arguments=arguments, standing=standing)


def _shown(ended: ToolCalled) -> dict[str, object]:
    return {
        "tool": ended.tool,
        "status": ended.status,
        "decision": {"verdict": ended.decision, "reason": ended.reason, "audit": ended.audit},
        "output": ended.output,
        "details": ended.details,
        "seconds": ended.seconds,
        "output_path": ended.output_path,
        "output_bytes": ended.output_bytes,
    }


def _print(ended: ToolCalled) -> None:
    if ended.status == "misused":
        print(output.plain(ended.output), file=sys.stderr)
        print("`hermes tool list --json` has the schemas", file=sys.stderr)
        return
    if ended.status in ("needs-approval", "denied"):
        said = "needs approval" if ended.status == "needs-approval" else "refused"
        print(f"not run, {said}: {output.clean(ended.reason)}", file=sys.stderr)
        return
    print(output.plain(ended.output))
