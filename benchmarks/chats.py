"""What chats cost at rest and how fast they drain; `--write` puts it into docs/performance.md.

python benchmarks/chats.py [--write] [idle_gateways] [drain]
"""

from __future__ import annotations

import importlib
import os
import sys
import time

from measure import Bench, Figure
from run import PAGE, row

SUITES = ("idle_gateways", "drain")
BEGIN, END = "<!-- chats: begin -->", "<!-- chats: end -->"


def main(arguments: list[str]) -> int:
    """Measure the named parts, all by default; 1 when a limit is missed."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    found: list[Figure] = []
    for name in [one for one in arguments if one in SUITES] or SUITES:
        bench = Bench.open()
        try:
            found += importlib.import_module(name).figures(bench)
        finally:
            bench.close()
    table = ["| what | measured | at most | |", "|---|--:|--:|---|", *map(row, found)]
    print("\n".join(table))
    if "--write" in arguments:
        text = PAGE.read_text()
        before, rest = text.split(BEGIN)
        machine = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
        day = f"Taken on {time.strftime('%d %B %Y')}, {machine}."
        shown = "\n".join([day, "", *table])
        PAGE.write_text(f"{before}{BEGIN}\n\n{shown}\n\n{END}{rest.split(END)[1]}")
    return int(any(one.met is False for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
