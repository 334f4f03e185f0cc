"""Write the pages that are made: commands and configuration from the code, the gallery."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hermes_tui.cli import attach, daemon, main, start_options  # noqa: E402
from hermes_tui.commands import COMMANDS, Command  # noqa: E402
from hermes_tui.configuration import schema  # noqa: E402
from hermes_tui.configuration.load import ENVIRONMENT  # noqa: E402

SNAPSHOTS = ROOT / "tests" / "ui" / "snapshots"
_SIZE = re.compile(r"_(\d+x\d+)$")
NOTE = "<!-- made by scripts/make_docs.py from the code: do not edit -->"


def commands_page() -> str:
    """Every command a person can type or press, from the command table and the help texts."""
    lines = ["# Commands", "", NOTE, "", "## In the conversation", ""]
    lines += ["| command | keys | what it does | where |", "|---|---|---|---|"]
    lines += [_row(command) for command in COMMANDS]
    lines += ["", "## On the command line", "", *_block(start_options.HELP)]
    for name, text in (("attach", attach.HELP), ("daemon", daemon.HELP)):
        lines += ["", f"### hermes {name}", "", *_block(text)]
    for name in main.GROUPS:
        lines += ["", f"### hermes {name}", ""]
        for words in _ways(name):
            lines += [*_block(_help(words)), ""]
        lines.pop()
    return "\n".join(lines) + "\n"


def configuration_page() -> str:
    """Every setting with its type, default and meaning, from the schema."""
    lines = ["# Configuration", "", NOTE, "", *_INTRODUCTION]
    for section, cls in schema.sections().items():
        about = (cls.__doc__ or "").strip()
        lines += ["", f"## {section}", "", about, "", "| key | must be | default | meaning |"]
        lines.append("|---|---|---|---|")
        mine = [key for name, key in schema.settings().items() if name.startswith(section + ".")]
        lines += [
            f"| `{key.name}` | {key.type} | {_default(key)} | {_cell(key.help)} |" for key in mine
        ]
    lines += ["", "## Environment", "", "| variable | overrides |", "|---|---|"]
    lines += [f"| `{name}` | `model.{field}` |" for name, field in ENVIRONMENT.items()]
    lines += [
        "| `HERMES_TUI_API_KEY` | the key, for whatever endpoint is configured |",
        "| `HERMES_TUI_HOME` | where everything is kept, `~/.hermes-tui` by default |",
    ]
    return "\n".join(lines) + "\n"


def gallery_page() -> str:
    """Every stored picture of the screens, the widest of each first."""
    lines = ["# Gallery", "", NOTE, ""]
    lines += ["Drawn by the program itself in its tests; each picture is compared on every run."]
    shown: dict[str, list[Path]] = {}
    for path in sorted(SNAPSHOTS.glob("*.svg")):
        shown.setdefault(_SIZE.sub("", path.stem), []).append(path)
    for name, paths in shown.items():
        title = name.replace("_", " ")
        lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
        for path in sorted(paths, key=_width, reverse=True):
            size = _SIZE.search(path.stem)
            words = f"{title}, {size[1]}" if size else title
            lines.append(f"![{words}](../{path.relative_to(ROOT)})")
    return "\n".join(lines) + "\n"


def _width(path: Path) -> int:
    size = _SIZE.search(path.stem)
    return int(size[1].partition("x")[0]) if size else 0


PAGES = {
    "docs/commands.md": commands_page,
    "docs/configuration.md": configuration_page,
    "docs/gallery.md": gallery_page,
}

_INTRODUCTION = """\
Settings live in `config.yaml` in the home. `hermes config list` shows what counts and where it
comes from; `hermes config set KEY VALUE` changes one and keeps your comments; `hermes config edit`
opens the file and checks it before it counts.

The file is read strictly. Broken YAML, an unknown key, a wrong type or a value out of range is
refused with file, line and the nearest key, and nothing starts on half a configuration. A file
that was cut short and would thereby allow more than before is refused, too. Keys never go in
here: they are taken from the environment or from `secrets.env` in the home (`NAME=value` lines).

```yaml
model:
  base_url: http://127.0.0.1:11434/v1
  name: qwen3
agent:
  mode: ask        # ask, auto-edit, plan or yolo
policy:
  allow:
    - run_command git status
  deny:
    - run_command git push
```""".splitlines()


def _row(command: Command) -> str:
    typed = f"`/{command.slash}{' ' + command.args if command.args else ''}`"
    keys = " ".join(f"`{key}`" for key in command.keys)
    where = ", ".join(command.surfaces)
    slash = typed.replace("|", "\\|") if command.slash else ""
    return f"| {slash} | {keys} | {_cell(command.help)} | {where} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _default(key: schema.Key) -> str:
    shown = schema.show(key.default)
    return f"`{shown}`" if shown else "empty"


def _block(text: str) -> list[str]:
    return ["```", *text.rstrip().splitlines(), "```"]


def _ways(name: str) -> Iterator[list[str]]:
    """The command itself, or each command of a group."""
    below = getattr(main.load(name), "commands", None)
    if below is None:
        yield [name]
    for word in below or ():
        yield [name, word]


def _help(words: list[str]) -> str:
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        main.app([*words, "--help"])
    return told.getvalue()


def write() -> int:
    """Write every page that changed; 0."""
    os.environ["COLUMNS"] = "100"
    for name, make in PAGES.items():
        path, text = ROOT / name, make()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(write())
