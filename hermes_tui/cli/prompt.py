"""`hermes prompt`: what a session in this folder would begin with, and what each part costs."""

from __future__ import annotations

from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.intents import ShowPrompt
from hermes_tui.runtime.standing import here

app = typer.Typer(**PLAIN)


@app.command()
def prompt(
    text: Annotated[bool, typer.Option("--text", help="Print the text itself.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, text and parts.")] = False,
) -> None:
    """Show what the prompt of a new session in this folder is made of. Nothing is sent.

    Example: hermes prompt --json
    """
    standing = here()
    view = with_core(lambda client: client.ask(ShowPrompt(standing=standing)))
    if json:
        output.emit(view)
        return
    if text:
        print(output.clean(view.system))
        return
    rows = [(one.name, f"{one.bytes:,}", f"~{one.tokens:,}") for one in view.parts]
    rows.append(("all", f"{view.bytes:,}", f"~{view.tokens:,}"))
    output.table(rows, ("part", "bytes", "tokens"))
    print(f"\n{len(view.tools)} tools: {', '.join(view.tools)}")
