"""`hermes doctor`: looks for problems and says what to do about each; changes nothing."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.doctor_checks import everything
from hermes_tui.cli.output import PLAIN
from hermes_tui.home import Home

app = typer.Typer(**PLAIN)


@app.command()
def doctor(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Look for problems and say what to do; nothing is changed. Exit code 1 when there are any.

    Example: hermes doctor --json
    """
    findings = list(everything(Home.find(), os.environ))
    problems = sum(one.level == "problem" for one in findings)
    if json:
        output.emit({"problems": problems, "findings": findings})
    else:
        for one in findings:
            print(f"{one.level:8}{one.area:10}{one.text}")
            if one.hint and one.level != "ok":
                print(f"{'':18}{one.hint}")
        print(f"\n{problems} problems" if problems else "\nno problems")
    if problems:
        raise typer.Exit(1)
