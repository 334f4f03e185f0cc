"""How well skills are found, copies caught, lost text noticed; how much learning helps.

python benchmarks/learning.py [--library FOLDER --tasks FILE]

With a library of one's own: FOLDER holds `*/SKILL.md`, FILE has `{"task", "skills"}` lines, where
any of the skills named is a right answer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from learning_loop import loop_of
from measure import Bench, Figure
from skill_library import Made, library, tasks

from hermes_tui.skills.merge import is_gutted
from hermes_tui.skills.offering import standing_text
from hermes_tui.skills.routing import Index, Text
from hermes_tui.skills.similar import ALIKE, Copies, likeness
from hermes_tui.skills.skill import Skill, parse

_TASKS, _COPIES, _EDITS = 300, 200, 100
Dress = Callable[[Text, random.Random], Text]


def figures(bench: Bench | None = None) -> list[Figure]:
    """All figures of the made-up library; it needs no home and no model."""
    made = library()
    texts = [Text(one.name, one.description, one.body) for one in made]
    began = time.process_time()
    index = Index(texts)
    built = time.process_time() - began
    return [
        *_routing(index, [(task, {one.name}) for task, one in tasks(_TASKS, made)]),
        Figure(f"index of {len(index):,} skills built, CPU", built, "s", 4.0),
        *_standing(made),
        *_copies(made, texts, index),
        *_gutted(made),
    ]


def _routing(index: Index, asked: list[tuple[str, set[str]]]) -> list[Figure]:
    hits = {1: 0, 5: 0}
    times: list[float] = []
    for task, right in asked:
        began = time.thread_time()
        found = [one.name for one in index.find(task, 5)]
        times.append(1000 * (time.thread_time() - began))
        for most in hits:
            hits[most] += bool(right & set(found[:most]))
    times.sort()
    count, size = len(asked), f"{len(index):,} skills"
    missed = 100 * (1 - hits[5] / count)
    return [
        Figure(f"right skill first, of {size}", 100 * hits[1] / count, "%"),
        Figure(f"right skill among five, of {size}", 100 * hits[5] / count, "%"),
        Figure("right skill not among five", missed, "%", 35.0, f"{count} tasks"),
        Figure("search, median", times[count // 2], "ms", 20.0),
        Figure("search, 95 of 100", times[int(count * 0.95)], "ms", 20.0),
    ]


def _standing(made: list[Made]) -> list[Figure]:
    skills = [Skill(name=one.name, description=one.description) for one in made]
    return [
        Figure(f"prompt bytes with {n:,} skills", len(standing_text(skills[:n], 2400)), "B", 4000.0)
        for n in (20, 200, 2000)
    ]


# --- near copies ---------------------------------------------------------------------------------


def _named(one: Text, chance: random.Random) -> Text:
    return Text("copy", one.description, one.body)


def _reworded(one: Text, chance: random.Random) -> Text:
    return Text("copy", "What we do when it has to be done again, step by step.", one.body)


def _reordered(one: Text, chance: random.Random) -> Text:
    lines = one.body.splitlines()
    chance.shuffle(lines)
    return Text("copy", one.description, "\n".join(lines))


def _shortened(one: Text, chance: random.Random) -> Text:
    lines = one.body.splitlines()
    return Text("copy", one.description, "\n".join(lines[: max(4, len(lines) * 4 // 5)]))


def _respelled(one: Text, chance: random.Random) -> Text:
    body = one.body.replace("Use ", "Run ").replace("write its result down", "note the result")
    return Text("copy", one.description.replace("Procedure", "Way"), body)


DRESSES: tuple[Dress, ...] = (_named, _reworded, _reordered, _shortened, _respelled)


def _copies(made: list[Made], texts: list[Text], index: Index) -> list[Figure]:
    chance = random.Random(7)
    finder = Copies(texts, index)
    caught = false = 0
    for number, one in enumerate(chance.sample(texts, _COPIES)):
        found = finder.copies(DRESSES[number % len(DRESSES)](one, chance))
        caught += any(other.name == one.name for other in found)
        false += any(likeness(one, other, index.rarity) >= ALIKE for other in _others(one, made))
    return [
        Figure(
            "near copies missed",
            100 * (1 - caught / _COPIES),
            "%",
            10.0,
            f"{_COPIES} in five dresses",
        ),
        Figure("skills of their own taken for copies", 100 * false / _COPIES, "%", 5.0),
    ]


def _others(one: Text, made: list[Made]) -> list[Text]:
    """Skills on other subjects in the same setting, whose lines about the setting are the same."""
    this = next(other for other in made if other.name == one.name)
    return [
        Text(other.name, other.description, other.body)
        for other in made
        if other.setting == this.setting and other.subject != this.subject
    ]


# --- text that is lost ---------------------------------------------------------------------------


def _gutted(made: list[Made]) -> list[Figure]:
    chance = random.Random(5)
    noticed = alarms = 0
    chosen = chance.sample(made, _EDITS)
    for number, one in enumerate(chosen):
        lines = one.body.splitlines(keepends=True)
        gutted = ("TODO\n", "".join(lines[:4]), "".join(chance.sample(lines, len(lines) // 4)))
        noticed += is_gutted(one.body, gutted[number % 3])
        honest = one.body.replace("second person", "second person and sign it") + "\nThen rest.\n"
        alarms += is_gutted(one.body, honest)
    return [
        Figure("edits that gut a skill, not noticed", 100 * (1 - noticed / _EDITS), "%", 0.0),
        Figure("honest edits taken for gutting", 100 * alarms / _EDITS, "%", 5.0),
    ]


# --- a library of one's own ----------------------------------------------------------------------


def _own(folder: Path, file: Path) -> list[Figure]:
    found = {
        one.parent.name: parse(one.read_text("utf-8", "replace"), one.parent.name)
        for one in sorted(folder.rglob("SKILL.md"))
    }
    index = Index(Text(name, one.description, one.body) for name, one in found.items())
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return _routing(index, [(one["task"], set(one["skills"])) for one in lines])


def main() -> int:
    """Print the figures; exit 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--tasks", type=Path)
    given = parser.parse_args()
    own = given.library and given.tasks
    made = _own(given.library, given.tasks) if own else [*figures(), *loop_of()]
    for one in made:
        limit = "" if one.limit is None else f"  at most {one.limit:g} {one.unit}"
        state = {True: "met", False: "MISSED", None: ""}[one.met]
        print(f"{one.name:48s} {one.value:10.2f} {one.unit:3s}{limit:22s} {state} {one.note}")
    return any(one.met is False for one in made)


if __name__ == "__main__":
    raise SystemExit(main())
