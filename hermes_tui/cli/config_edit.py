"""Edits a copy of the configuration in the person's editor, and keeps it only when it is right."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

from hermes_tui.backends.process import run_in_terminal
from hermes_tui.cli import output
from hermes_tui.configuration import edit as editing
from hermes_tui.configuration import files, yaml_file
from hermes_tui.errors import ConfigError, HermesError
from hermes_tui.home import Home


def edit(home: Home) -> None:
    """Let a person edit the file. Raises ConfigError when what they saved is wrong."""
    home.ensure()
    copy = home.path / "config.edit.yaml"
    old = home.config.read_text(errors="replace") if home.config.exists() else ""
    files.write(copy, old)
    while True:
        _open(str(copy))
        try:
            text = yaml_file.read(copy) or ""
            editing.replace(home, text)
        except ConfigError as error:
            said = error.message.replace(str(copy), str(home.config))
            print(f"hermes: {said}\n  {error.hint}", file=sys.stderr)
            if output.confirmed("Edit it again?"):
                continue
            raise ConfigError(
                "nothing was changed; the configuration is what it was",
                f"your text is kept in {copy}",
            ) from error
        break
    copy.unlink()
    print("nothing changed" if text == old else f"{home.config} is saved")


def _open(path: str) -> None:
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if not editor or shutil.which(editor[0]) is None:
        name = editor[0] if editor else ""
        raise HermesError(f"the editor {name!r} is not installed", "set EDITOR to one that is")
    code = run_in_terminal([*editor, path], env=os.environ)
    if code:
        raise HermesError(f"{editor[0]} ended with code {code}", "nothing was changed")
