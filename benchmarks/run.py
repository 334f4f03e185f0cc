"""Run the benchmarks and print a table; `--write` puts it into docs/performance.md.

python benchmarks/run.py [--write] [SUITE…], the suites being those of `SUITES`
"""

from __future__ import annotations

import compileall
import importlib
import os
import platform
import sys
import time
from pathlib import Path

from measure import Bench, Figure

SUITES = ("commands", "rounds", "screen", "transcript", "recall", "http_api", "attach", "idle")
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def main(arguments: list[str]) -> int:
    """Run the named suites (all by default); exit 1 when a limit is missed."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.path.insert(1, str(Path(__file__).parents[1]))
    compileall.compile_dir(str(Path(__file__).parents[1] / "hermes_tui"), quiet=1)
    chosen = [one for one in arguments if one in SUITES] or list(SUITES)
    found: list[Figure] = []
    for name in chosen:
        bench = Bench.open()
        try:
            made = importlib.import_module(name).figures(bench)
        finally:
            bench.close()
        print("\n".join(map(row, made)), flush=True)
        found += made
    if "--write" in arguments:
        _write(found)
    missed = [one.name for one in found if one.met is False]
    print(
        f"{len(found)} figures, {len(missed)} over their limit"
        + "".join(f"\n  {m}" for m in missed)
    )
    return bool(missed)


def row(one: Figure) -> str:
    """One figure as a row of a table."""
    digits = 3 if one.unit == "s" else 1
    limit = "–" if one.limit is None else f"{one.limit:g} {one.unit}"
    state = {True: "met", False: "**missed**", None: ""}[one.met]
    note = f" ({one.note})" if one.note else ""
    return f"| {one.name}{note} | {one.value:.{digits}f} {one.unit} | {limit} | {state} |"


def _write(found: list[Figure]) -> None:
    day = time.strftime("%d %B %Y")
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}"
    load = f"load average {os.getloadavg()[1]:.1f}"
    head = f"Taken on {day}: {machine}, {load}, Python {platform.python_version()}.\n\n"
    table = "| what | measured | at most | |\n|---|--:|--:|---|\n" + "\n".join(map(row, found))
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{head}{table}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
