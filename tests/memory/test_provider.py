"""An outside provider comes in by its entry point, is never waited for, and never breaks a turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_tui.memory.beside import Beside
from hermes_tui.memory.place import Place
from hermes_tui.memory.provider import GROUP, Answer, Heard, ProviderError, ProviderSettings, made

HERE = Place()


def example() -> Any:
    """The provider that `docs/memory.md` shows, as it stands there."""
    page = (Path(__file__).parents[2] / "docs" / "memory.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(compile(code, "docs/memory.md", "exec"), names)
    return names["NoteFile"](ProviderSettings())


def heard(text: str) -> tuple[Heard, ...]:
    return (Heard(session="s", message="s:1", by="user", text=text),)


async def settle(true: Callable[[], object]) -> None:
    until = time.monotonic() + 5
    while not true():
        assert time.monotonic() < until, "it did not come to be so"
        await asyncio.sleep(0.005)


@pytest.fixture
async def beside() -> Beside:
    return Beside(example(), asyncio.get_running_loop().create_task, 0.2)


def test_a_package_brings_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = SimpleNamespace(name="notefile", load=lambda: lambda settings: example())
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry] * (group == GROUP))
    assert made("notefile", ProviderSettings()).name == "notefile"


def test_a_broken_package_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Any:
        raise ImportError("no module named notes")

    entry = SimpleNamespace(name="notefile", load=load)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry])
    with pytest.raises(ProviderError, match="'notefile' can't be loaded: no module named notes"):
        made("notefile", ProviderSettings())


async def test_what_is_handed_over_comes_back_as_card_and_context(beside: Beside) -> None:
    beside.observe(heard("herons live here"), HERE)
    await settle(lambda: beside.card(HERE))
    assert beside.card(HERE) == ("herons live here",)
    assert await beside.context("where are herons", "s", HERE, 1.0) == "herons live here"
    assert beside.card(Place(group=True)) == ()


async def test_a_failure_is_told_once_and_the_provider_is_left_alone(beside: Beside) -> None:
    async def fails(*args: Any) -> None:
        raise ProviderError("the file is on holiday")

    provider: Any = beside.provider
    provider.observe = fails
    beside.observe(heard("one"), HERE)
    await settle(lambda: beside.trouble)
    assert "on holiday" in beside.problem()
    assert beside.problem() == ""
    assert await beside.ask("anything?", "s", HERE) is None
    await beside.close()


async def test_a_late_answer_comes_with_the_next_question(beside: Beside) -> None:
    provider: Any = beside.provider
    beside.observe(heard("herons live here"), HERE)
    await settle(lambda: beside.card(HERE))
    gate = asyncio.Event()
    answer = provider.context

    async def slow(*args: Any) -> str:
        await gate.wait()
        return await answer(*args)

    provider.context = slow
    assert await beside.context("herons", "s", HERE, 0.01) == ""
    gate.set()
    await asyncio.sleep(0)
    assert await beside.context("nothing else", "s", HERE, 0.05) == "herons live here"


async def test_what_never_answers_is_cut_off(beside: Beside) -> None:
    provider: Any = beside.provider

    async def never(*args: Any) -> Answer:
        await asyncio.Event().wait()
        return Answer()

    provider.ask = never
    assert await beside.ask("anything?", "s", HERE) is None
    assert "did not answer within 0.2 s" in beside.problem()
