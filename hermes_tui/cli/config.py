"""`hermes config`: get, set, unset, edit and list settings; comments in the file stay."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from hermes_tui.cli import config_edit, output
from hermes_tui.cli.connect import living, with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.configuration import edit as editing
from hermes_tui.configuration import schema
from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.intents import SetConfig

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Settings, kept in config.yaml.\n\nExample: hermes config set ui.theme hermes-paper",
)
Key = Annotated[str, typer.Argument(metavar="KEY", help="Section and name, such as model.name.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def get(key: Key, json: Json = False) -> None:
    """Print the value that counts for a key, or a whole section.

    Example: hermes config get model.name
    """
    value = editing.get(Home.find(), dict(os.environ), key)
    if json or isinstance(value, dict):
        output.emit(value)
    else:
        print(schema.show(value))


@app.command("set")
def set_(
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value; lists as JSON.")],
    add: Annotated[bool, typer.Option("--add", help="Add one entry to a list.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take one entry out.")] = False,
    json: Json = False,
) -> None:
    """Write a value; a running agent takes it over at once.

    Example: hermes config set --add policy.deny "run_command git push"
    """
    home = Home.find()
    if add or remove:
        change = (editing.add if add else editing.remove)(home, key, value)
    else:
        change = editing.put(home, key, value)
    _applied(home)
    _say(change, json)


@app.command()
def unset(key: Key, json: Json = False) -> None:
    """Take a key out of the file, so that its default counts.

    Example: hermes config unset ui.theme
    """
    home = Home.find()
    change = editing.unset(home, key)
    _applied(home)
    _say(change, json)


@app.command()
def edit() -> None:
    """Open the file in $VISUAL or $EDITOR; it is checked before it counts.

    Example: EDITOR=nano hermes config edit
    """
    home = Home.find()
    config_edit.edit(home)
    _applied(home)


@app.command()
def path(json: Json = False) -> None:
    """Print where the file is.

    Example: cat "$(hermes config path)"
    """
    where = str(Home.find().config)
    if json:
        output.emit({"path": where})
    else:
        print(where)


@app.command("list")
def list_(json: Json = False) -> None:
    """Print every setting, its value and where it comes from.

    Example: hermes config list --json
    """
    loaded = load(Home.find(), os.environ)
    values: dict[str, Any] = {}
    for key in schema.settings():
        section, _, name = key.partition(".")
        values[key] = getattr(getattr(loaded.config, section), name)
    if json:
        rows = {
            k: {"value": v, "from": loaded.sources.get(k, "default")} for k, v in values.items()
        }
        output.emit(rows)
        return
    rows = [(k, schema.show(v), loaded.sources.get(k, "default")) for k, v in values.items()]
    output.table(rows, ("key", "value", "from"))


def _applied(home: Home) -> None:
    """Have a living core read the file again."""
    if living(home):
        with_core(lambda client: client.ask(SetConfig(key="", value="")))


def _say(change: editing.Change, json: bool) -> None:
    if json:
        output.emit({"key": change.key, "old": change.old, "new": change.new})
    elif change.old == change.new:
        print(f"{change.key} is {schema.show(change.new) or 'empty'}, as before")
    else:
        print(f"{change.key}: {schema.show(change.old) or 'empty'} → {schema.show(change.new)}")
