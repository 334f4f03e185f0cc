"""Parts of the core: made once, at first use, by what their line in the table names."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

from hermes_tui.runtime.core import Core
from hermes_tui.runtime.part import Part

PARTS: dict[str, Part[Any]] = {
    name: part for name, part in vars(Core).items() if isinstance(part, Part)
}


class Whole:
    """Something with a part."""

    one: Part[Whole] = Part(f"{__name__}:made_of")


def made_of(whole: Whole) -> list[Whole]:
    return [whole]


def test_a_part_is_made_once_and_not_before_it_is_used() -> None:
    whole, other = Whole(), Whole()
    assert Whole.one.made(whole) is None
    first = whole.one
    assert first == [whole]
    assert whole.one is first
    assert Whole.one.made(whole) is first
    assert Whole.one.made(other) is None
    assert other.one is not first


def test_there_are_parts() -> None:
    assert {"memory", "cron", "subagents", "processes"} <= PARTS.keys()


@pytest.mark.parametrize("name", PARTS)
def test_each_part_is_made_by_what_its_type_says(name: str) -> None:
    promised = inspect.get_annotations(Core)[name].removeprefix("Part[").removesuffix("]")
    maker = PARTS[name].maker()
    made = maker.__name__ if inspect.isclass(maker) else inspect.get_annotations(maker)["return"]
    assert made == promised


def test_a_core_is_imported_without_the_code_of_its_parts() -> None:
    modules = [part.where.partition(":")[0] for part in PARTS.values()]
    code = (
        "import sys; import hermes_tui.runtime.core;"
        f" print([name for name in {modules} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
