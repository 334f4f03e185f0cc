"""What the guards cost: reading commands, masking, looking at addresses, the sandbox.

    python benchmarks/security_speed.py [--write]

On samples of this repository and nothing else; `--write` puts the table into
docs/performance.md. Times are of computing alone, but for the sandbox's.
"""

from __future__ import annotations

import asyncio
import platform
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[1]))

from measure import Figure
from run import PAGE, row
from security import mask_seconds, sandboxed

from hermes_tui.backends.sandbox_probe import probe
from hermes_tui.security.secrets import Redactor
from hermes_tui.security.urls import UrlRules, check_chain
from tests.security.command_mutations import disguised
from tests.security.command_rows import judged, rows

BEGIN, END = "<!-- guards: begin -->", "<!-- guards: end -->"
_LEAST_MB_S = 20


def took(work: Callable[[str], object], texts: Iterable[str]) -> list[float]:
    """Milliseconds of computing for each text, shortest first."""
    found: list[float] = []
    for text in texts:
        began = time.thread_time()
        work(text)
        found.append(1000 * (time.thread_time() - began))
    return sorted(found)


def reading() -> Iterator[Figure]:
    """Commands as they stand in the samples, and in disguise."""
    plain = [one.command for name in ("dangerous", "harmless") for one in rows(name)]
    chance = random.Random(7)
    odd = [disguised(chance.choice(plain), chance) for _ in range(2000)]
    judged("true")
    for name, texts in (("", plain), (" in disguise", odd)):
        times = took(judged, texts)
        note = f"{len(times)} commands"
        yield Figure(f"reading a command{name}, median", times[len(times) // 2], "ms", None, note)
        yield Figure(f"reading a command{name}, 99th percentile", times[len(times) * 99 // 100],
                     "ms", 5)  # fmt: skip


def masking() -> Iterator[Figure]:
    """Output of a build with twenty secrets held; and a short text, as most are."""
    seconds = mask_seconds(20_000_000)
    name = f"masking 20 MB with twenty secrets held, {20 / seconds:.0f} MB/s"
    yield Figure(name, seconds, "s", 20 / _LEAST_MB_S)
    redactor = Redactor({"KEY": "q7" + "Zk9w" * 6})
    times = took(lambda text: redactor.redact(text, "tool-output"), ["all is well, line 3\n"] * 500)
    yield Figure("masking a short text, median", 1000 * times[250], "µs", None)


def addresses() -> Iterator[Figure]:
    """An address with its look-up answered at once."""
    rules = UrlRules()
    texts = [f"https://host{number}.example.org/a/b?c={number}" for number in range(500)]
    times = took(lambda url: check_chain(url, (), lambda _: ["93.184.216.34"], rules), texts)
    yield Figure("looking at an address, median", 1000 * times[250], "µs", None)


def surrounding() -> Iterator[Figure]:
    """What each level of the sandbox adds to a command, the fastest of forty."""
    best = asyncio.run(probe()).number
    for level in range(best, 1, -1):
        bare, inside = asyncio.run(sandboxed(level))
        yield Figure(f"the sandbox's part of a command, level {level}", inside - bare, "ms", 20)


def main(arguments: list[str]) -> int:
    """Print a row a figure; exit 1 when a limit is missed."""
    found: list[Figure] = []
    for suite in (reading, masking, addresses, surrounding):
        for one in suite():
            found.append(one)
            print(row(one), flush=True)
    if "--write" in arguments:
        write(found)
    return int(any(one.met is False for one in found))


def write(found: list[Figure]) -> None:
    """Put the table into the page, in place of the one before."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    head = f"Taken on {time.strftime('%d %B %Y')}, Python {platform.python_version()}.\n\n"
    table = "| what | measured | at most | |\n|---|--:|--:|---|\n" + "\n".join(map(row, found))
    PAGE.write_text(f"{before}{BEGIN}\n\n{head}{table}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
