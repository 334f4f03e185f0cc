"""The first run in plain lines: who answers, does it, what first. Numbered, and 0 skips."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.events import FetchProgress
from hermes_tui.intents import (
    ChosenModel,
    FetchModel,
    FindModels,
    KeepModel,
    ModelChoice,
    StopFetch,
    TryModel,
)
from hermes_tui.plain.speech import duration, one_line, sentence
from hermes_tui.setup_text import TASKS, Pace, megabytes, name_of

if TYPE_CHECKING:
    from hermes_tui.plain.face import PlainFace

_SAY_EVERY = 10
"""Percent of a fetch between two lines about it."""


async def offer(face: PlainFace) -> None:
    """Begin the first run if nothing is set up that could answer."""
    try:
        needed = (await face.client.ask(FindModels(look=False))).needed
    except HermesError:
        return  # a core of an older version: it says so itself when it is asked something
    if needed:
        face.say("No model is set up yet.")
        await begin(face)


async def begin(face: PlainFace) -> None:
    """Ask the three questions."""
    face.setup = FirstRun(face)
    await face.setup.who()


class FirstRun:
    """The questions, one after the other; each waits for its answer in `face.expects`."""

    def __init__(self, face: PlainFace) -> None:
        self._face = face
        self._choices: tuple[ModelChoice, ...] = ()
        self._address = self._name = ""
        self._fetching = ""
        self._pace = Pace()
        self._said = 0

    # --- 1: who --------------------------------------------------------------------------------

    async def who(self) -> None:
        """Say who could answer."""
        self._face.say("Looking for keys and local servers.")
        self._choices = (await self._face.client.ask(FindModels())).choices
        self._face.say("Question 1 of 3. Who shall answer?")
        for number, choice in enumerate(self._choices, 1):
            self._face.say(f"{number}. {_spoken(choice)}")
        self._face.say(
            f"{len(self._choices) + 1}. Another endpoint: an address, a model, a key.",
            "Type a number, or press Enter for 1, or type 0 to skip.",
        )
        self._face.expects = self._who

    async def _who(self, text: str) -> None:
        last = len(self._choices) + 1
        number = _number(text, last)
        if number is None:
            self._face.say(f"Type a number from 0 to {last}.")
            self._face.expects = self._who
        elif number == 0:
            self._face.say("Skipped. /setup asks again.")
        elif number == last:
            self._face.say("The address, such as http://127.0.0.1:11434/v1, or a GGUF file.")
            self._face.expects = self._addressed
        else:
            self._try(self._choices[number - 1])

    async def _addressed(self, text: str) -> None:
        self._address = text.strip()
        self._face.say("The model's name. Press Enter for the first it offers.")
        self._face.expects = self._named

    async def _named(self, text: str) -> None:
        self._name = text.strip()
        self._face.say("The key, which is not shown. Press Enter for none.")
        self._face.expects, self._face.hidden = self._keyed, True

    async def _keyed(self, text: str) -> None:
        chosen = ChosenModel(base_url=self._address, name=self._name, key=text.strip())
        title = self._address or "the provider of that key"
        self._try(ModelChoice(kind="server", title=title, chosen=chosen))

    # --- 2: does it answer ---------------------------------------------------------------------

    def _try(self, choice: ModelChoice) -> None:
        self._face.spawn(self._tried(choice))

    async def _tried(self, choice: ModelChoice) -> None:
        """Fetch it if need be, ask it for a word, and ask what to do then."""
        name = one_line(name_of(choice))
        try:
            if choice.kind == "fetch" and not choice.problem:
                await self._fetch(choice)
            self._face.say(f"Question 2 of 3. Does it answer? Asking {name}.")
            proof = await self._face.client.ask(TryModel(chosen=choice.chosen))
        except HermesError as error:
            self._face.say(sentence(f"No. {error.message}", error.hint))
            self._face.say("1 try again, or press Enter; 2 choose another; 0 skip.")
            self._face.expects = self._then(choice, again=True)
            return
        self._face.say(
            f"Yes. {one_line(proof.name)} said after {duration(proof.seconds)}: "
            f"{one_line(proof.text, 80)}",
            "1 keep it, or press Enter; 2 choose another; 0 skip.",
        )
        self._face.expects = self._then(choice, again=False)

    def _then(self, choice: ModelChoice, *, again: bool) -> Callable[[str], Awaitable[None]]:
        async def given(text: str) -> None:
            match _number(text, 2):
                case 0:
                    self._face.say("Skipped. /setup asks again.")
                case 1 if again:
                    self._try(choice)
                case 1:
                    await self._keep(choice)
                case 2:
                    await self.who()
                case _:
                    self._face.say("Type 0, 1 or 2.")
                    self._face.expects = given

        return given

    async def _keep(self, choice: ModelChoice) -> None:
        await self._face.client.ask(KeepModel(chosen=choice.chosen))
        self._face.say("It is kept. Question 3 of 3. What first?")
        self._face.say(*(f"{number}. {task}" for number, task in enumerate(TASKS, 1)))
        self._face.say("Type a number, or anything of your own, or press Enter to begin.")
        self._face.expects = self._begin

    # --- the fetch -----------------------------------------------------------------------------

    async def _fetch(self, choice: ModelChoice) -> None:
        self._fetching, self._pace, self._said = choice.fetch, Pace(), 0
        self._face.say(f"Fetching it, {megabytes(choice.size)}, once. Type 0 to stop.")
        self._face.expects = self._stop
        try:
            await self._face.client.ask(FetchModel(name=choice.fetch))
        finally:
            self._fetching = ""
            self._face.expects = None

    async def _stop(self, text: str) -> None:
        if not self._fetching:
            return
        self._face.expects = self._stop
        if text.strip() == "0":
            await self._face.client.ask(StopFetch())
        else:
            self._face.say("It is being fetched. Type 0 to stop.")

    def heard(self, progress: FetchProgress) -> tuple[str, ...]:
        """The line about a fetch, one for every ten percent."""
        if progress.ended or progress.name != self._fetching:
            return ()
        self._pace.add(progress, time.monotonic())
        share = 100 * progress.done // max(1, progress.total) // _SAY_EVERY * _SAY_EVERY
        if share <= self._said:
            return ()
        self._said = share
        return (sentence(f"{share} percent: {self._pace.words().replace(' · ', ', ')}"),)

    # --- 3: what first -------------------------------------------------------------------------

    async def _begin(self, text: str) -> None:
        number = _number(text, len(TASKS))
        if number and text.strip():
            await self._face.send(TASKS[number - 1], "auto")
        elif number is None:
            await self._face.send(text, "auto")
        else:
            self._face.say("Type and press Enter. /help lists the commands.")


def _spoken(choice: ModelChoice) -> str:
    if choice.kind in ("embedded", "fetch"):
        state = "is here" if choice.kind == "embedded" else "is fetched first"
        return sentence(one_line(choice.title), choice.problem or f"It needs no key and {state}")
    return sentence(f"{one_line(name_of(choice))}, {one_line(choice.note)}")


def _number(text: str, last: int) -> int | None:
    """The number that was typed, 1 for nothing, None for something else."""
    text = text.strip()
    if not text:
        return 1
    return int(text) if text.isascii() and text.isdigit() and int(text) <= last else None
