"""A made-up library of 2,000 skills, and tasks for them in other words than their descriptions.

A skill is a subject times a setting. Its description uses formal words, its body the names of
tools and steps, and a task what people say. Nothing of a task is copied from a description.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

_OPENINGS = ("Can you help:", "", "Listen,", "Quick one.", "I need this today:", "")
_ENDINGS = ("Thanks!", "", "Tell me what you did.", "Ask before you change anything.", "")


@dataclass(frozen=True)
class Made:
    """One skill of the library."""

    name: str
    description: str
    body: str
    subject: int
    setting: int


def _rows(name: str) -> list[tuple[str, str, str]]:
    lines = (Path(__file__).parent / name).read_text("utf-8").splitlines()
    parts = ([part.strip() for part in line.split("|")] for line in lines if line[:1] != "#")
    return [(formal, inside, said) for formal, inside, said in parts]


SUBJECT_ROWS, SETTING_ROWS = _rows("skill_subjects.txt"), _rows("skill_settings.txt")


def library() -> list[Made]:
    """All skills, the same ones each time."""
    return [
        _skill(subject, setting)
        for subject in range(len(SUBJECT_ROWS))
        for setting in range(len(SETTING_ROWS))
    ]


def _skill(subject: int, setting: int) -> Made:
    formal, steps, asked = SUBJECT_ROWS[subject]
    where, details, said = SETTING_ROWS[setting]
    chance = random.Random(subject * 1000 + setting)
    name = f"{formal} {where.split(' ', 1)[1]}".replace("'", "").replace(" ", "-")
    tools = [one.strip() for one in steps.split(",")]
    local = [one.strip() for one in details.split(",")]
    chance.shuffle(tools)
    lines = [f"# {formal.capitalize()}", "", "## Before", ""]
    lines += [f"- Ask who is responsible for the {one} and until when." for one in local]
    lines += ["", "## Steps", ""]
    lines += [f"{n}. Use {one} and write its result down." for n, one in enumerate(tools, 1)]
    lines += [
        f"{len(tools) + 1}. Check it with the {chance.choice(local)}, then with a second person."
    ]
    lines += ["", "## Often asked as", "", f"Somebody says that {_part(asked, chance)}, {said}."]
    return Made(
        name=name[:64].strip("-"),
        description=f"Procedure for {formal} in {where}, with checks and a way back.",
        body="\n".join(lines) + "\n",
        subject=subject,
        setting=setting,
    )


def _part(asked: str, chance: random.Random) -> str:
    """Half of the words people use, so that a task is never a copy of the text."""
    said = asked.split()
    kept = [word for word in said if chance.random() < 0.5]
    return " ".join(kept or said[:2])


def tasks(count: int, skills: list[Made]) -> list[tuple[str, Made]]:
    """Requests in people's words, each with the skill it is for."""
    chance = random.Random(11)
    chosen = chance.sample(skills, count)
    found: list[tuple[str, Made]] = []
    for one in chosen:
        asked = SUBJECT_ROWS[one.subject][2]
        said = SETTING_ROWS[one.setting][2]
        detail = chance.choice([d.strip() for d in SETTING_ROWS[one.setting][1].split(",")])
        where = f"{said}, it is about the {detail}."
        words = [chance.choice(_OPENINGS), asked + ",", where, chance.choice(_ENDINGS)]
        found.append((" ".join(word for word in words if word), one))
    return found
