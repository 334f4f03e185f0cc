"""The memory pane: one box over what is remembered, what is known of you, all sessions, skills."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.message import Message

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    Fact,
    FactList,
    Hit,
    Hits,
    ListFacts,
    ListSkills,
    Search,
    ShowFact,
    SkillInfo,
)
from hermes_tui.ui import memory_rows
from hermes_tui.ui.face import face_of
from hermes_tui.ui.fuzzy import Entry
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.memory_acts import FactActs
from hermes_tui.ui.memory_query import Section, Wanted, only, read
from hermes_tui.ui.memory_rows import Findings
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.viewer import TextView

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

_PAUSE = 0.15
"""Seconds of silence after a key before the core is asked."""
_LIMIT = 50
_MOST_FACTS = 1000


class MemoryPane(FactActs):
    """Search box, what was found, the chosen one in full, and what can be done with it."""

    class Opened(Message):
        """Go to this message in its session."""

        def __init__(self, hit: Hit) -> None:
            super().__init__()
            self.hit = hit

    class Put(Message):
        """Put this text into the prompt."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(id="memory")
        self.found = Findings()
        self._query = ""
        self._timer: Timer | None = None
        self._skills: tuple[SkillInfo, ...] | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The messages found."""
        return self.found.hits

    def compose(self) -> ComposeResult:
        """Box, count, findings, preview, the field for edits, keys."""
        yield SearchBox("memory, you, sessions, skills", id="memory-box")
        yield Bar(id="memory-count")
        yield RowList(id="memory-rows")
        yield TextView(id="memory-text")
        yield SearchBox("the statement", id="memory-field")
        yield Bar(id="memory-keys")
        yield Bar(id="memory-more")

    def on_mount(self) -> None:
        """Say what the box is for."""
        self.query_one("#memory-text").display = False
        self.hide_field()
        self._draw()

    def search(self, query: str) -> None:
        """Search for a text, as if it had been typed."""
        self.query_one("#memory-box", SearchBox).text = query

    def focus_box(self) -> None:
        """Give the keys to the search box, over what is remembered now."""
        self.query_one("#memory-box").focus()
        self._skills = None
        self.ask_again()

    def heard(self) -> None:
        """What is remembered changed: look again if anybody sees it."""
        if self.display and self.region:
            self.ask_again()

    def action_search(self) -> None:
        """Back to the box."""
        self.query_one("#memory-box").focus()

    # --- searching ---------------------------------------------------------------------------

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        query = self.query_one("#memory-box", SearchBox).text.strip()
        if query == self._query:
            return
        self._query, self.said = query, ""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self.ask_again)

    @on(SearchBox.Done, "#memory-box")
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        if self.found.count:
            self.query_one(RowList).focus()

    def ask_again(self) -> None:
        """Ask the core anew for what the box says."""
        self.run_worker(partial(self._search, self._query), group="search", exclusive=True)

    async def _search(self, query: str) -> None:
        wanted = read(query)
        try:
            found = await self._find(wanted, bool(query))
        except HermesError as error:
            face_of(self).say(error.message, "warning")
            return
        if query == self._query:
            self.found = found
            self._draw()

    async def _find(self, wanted: Wanted, typed: bool) -> Findings:
        """Ask for what a line wants; an empty line wants all that is remembered."""
        face, chosen = face_of(self), wanted.sections
        facts = FactList()
        if "facts" in chosen or "card" in chosen:
            limit = _MOST_FACTS if wanted.one or not typed else _LIMIT
            facts = await face.ask(ListFacts(query=wanted.words, session=face.session, limit=limit))
        hits = Hits()
        if "sessions" in chosen and wanted.search:
            hits = await face.ask(Search(query=wanted.search, limit=_LIMIT))
        skills: tuple[SkillInfo, ...] = ()
        if "skills" in chosen and (wanted.words or wanted.one):
            if self._skills is None:
                self._skills = tuple((await face.ask(ListSkills())).skills)
            every = self._skills
            skills = memory_rows.fitting(every, wanted.words) if wanted.words else every
        return Findings(
            wanted=wanted,
            facts=tuple(one for one in facts.facts if _section(one) in chosen),
            hits=hits.hits,
            skills=skills,
            kept=facts.kept,
            told=facts.told,
        )

    # --- drawing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        rows: list[Row] = memory_rows.rows(self.found, face_of(self).now())
        if not rows:
            rows = [TextRow(left=(Span(" " + self._empty(), "muted"),))]
        self.query_one(RowList).show(rows)
        self.draw_count()
        self.preview()

    def draw_count(self) -> None:
        """Say what was found, or what is being done."""
        found = self.found
        count = (
            f" {found.count} hit{'s'[: found.count != 1]}" if self._query and found.count else ""
        )
        if self.merging:
            count = f" merge {self.merging} with: choose the other, then m"
        elif self.said:
            count = f" {self.said}"
        kept = f"{found.kept} kept · {found.told} told " if found.kept else ""
        self.query_one("#memory-count", Bar).show((Span(count, "muted"),), (Span(kept, "muted"),))

    def _empty(self) -> str:
        if self._query:
            return "nothing found"
        return "type to search everything that was said"

    def preview(self) -> None:
        """Show the one under the cursor, and what can be done with it."""
        key = self.query_one(RowList).key
        view = self.query_one(TextView)
        view.display = bool(key) and not key.startswith("more:")
        first, second = memory_rows.keys(key, self.fact())
        for name, acts in (("#memory-keys", first), ("#memory-more", second)):
            bar = self.query_one(name, Bar)
            told = [(self.key_of(act), word) for act, word in acts]
            bar.show_keys([(key, word) for key, word in told if key])
            bar.display = bool(acts)
        now = face_of(self).now()
        if (fact := self.fact()) is not None:
            self.run_worker(partial(self._tell, fact), group="story", exclusive=True)
        elif (hit := self._hit()) is not None:
            view.show(memory_rows.hit_in_full(hit, now), hit.text)
        elif (skill := self._skill()) is not None:
            view.show(memory_rows.skill_in_full(skill), skill.description)

    async def _tell(self, fact: Fact) -> None:
        """Show everything about a statement, if it still is the one under the cursor."""
        try:
            story = await face_of(self).ask(ShowFact(which=fact.id))
        except HermesError as error:
            face_of(self).say(error.message, "warning")
            return
        if self.query_one(RowList).key == f"fact:{fact.id}":
            paint = memory_rows.fact_in_full(story, face_of(self).now())
            self.query_one(TextView).show(paint, fact.text)

    # --- the row under the cursor ------------------------------------------------------------

    def fact(self) -> Fact | None:
        """The statement under the cursor; None for anything else."""
        kind, _, name = self.query_one(RowList).key.partition(":")
        facts = self.found.facts if kind == "fact" else ()
        return next((one for one in facts if one.id == name), None)

    def _hit(self) -> Hit | None:
        kind, _, name = self.query_one(RowList).key.partition(":")
        hits = self.found.hits if kind == "hit" else ()
        return next((one for one in hits if one.message == name), None)

    def _skill(self) -> SkillInfo | None:
        kind, _, name = self.query_one(RowList).key.partition(":")
        skills = self.found.skills if kind == "skill" else ()
        return next((one for one in skills if one.name == name), None)

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self.preview()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        kind, _, name = message.key.partition(":")
        if kind == "more":
            sections: dict[str, Section] = {one: one for one in self.found.wanted.sections}
            self.search(only(sections[name], self._query))
        elif (hit := self._hit()) is not None:
            self.post_message(self.Opened(hit))
        elif (skill := self._skill()) is not None:
            app = cast("Any", self.app)
            app.do_picked(Entry(kind="skill", key=skill.name, title=skill.name))
        elif (fact := self.fact()) is not None:
            self._open_source(fact)

    def _open_source(self, fact: Fact) -> None:
        source = next((one for one in reversed(fact.sources) if one.message), None)
        if source is None:
            face_of(self).say(f"{fact.id} was not said in a session")
            return
        session, _, number = source.message.rpartition(":")
        hit = Hit(
            session=session,
            message=source.message,
            ts=source.ts,
            score=0.0,
            text=fact.text,
            title=source.title,
            n=int(number) if number.isdigit() else 0,
        )
        self.post_message(self.Opened(hit))

    def action_put(self) -> None:
        """Put the chosen text into the prompt."""
        if (fact := self.fact()) is not None:
            self.post_message(self.Put(fact.text))
        elif (hit := self._hit()) is not None:
            self.post_message(self.Put(hit.text))


def _section(fact: Fact) -> Section:
    return "facts" if fact.kind == "fact" else "card"
