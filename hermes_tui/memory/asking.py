"""Answering questions about the person from what is noted: with sources, or not known."""

from __future__ import annotations

import re
from collections.abc import Sequence

import apsw

from hermes_tui.intents.memory import CARD, Fact, Kind
from hermes_tui.memory import finding, rows
from hermes_tui.memory.choosing import origin
from hermes_tui.memory.place import Place, visible
from hermes_tui.memory.provider import Answer
from hermes_tui.memory.words import asked, terms

NOT_KNOWN = "Not known: nothing noted answers that."
_ENOUGH = 0.5
"""Share of a question's telling words that a statement must hold to answer it."""
_MOST = 12
_OF_KIND: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    (r"\bprefer|\blikes?\b|\btastes?\b|喜欢|偏好|好み", ("preference",)),
    (r"\binstruction|\brules?\b|\bexpect|规则", ("instruction",)),
    (r"\bhabit|\broutine|\bworking pattern|习惯", ("pattern",)),
    (r"\bexpert|\bskills?\b|\bgood at\b|擅长", ("expertise",)),
    (r"\bfamily\b|\bfriends?\b|\bcolleagues?\b|\brelations?\b|家人|朋友", ("relation",)),
    (r"\bprojects?\b|\bworking on\b|项目", ("project",)),
)
_EVERYTHING = re.compile(
    r"\bwho am i\b|\babout (?:me|myself|the user|this user)\b|\bknow (?:of|about) (?:me|the user)\b"
    r"|\buser card\b|关于我|我是谁|私について",
    re.IGNORECASE,
)


def answer(c: apsw.Connection, question: str, place: Place) -> Answer:
    """What the noted statements say to a question, best first; no text when they don't."""
    facts = _answering(c, question, place)
    if not facts:
        return Answer(by="builtin")
    facts = finding.titled(c, _with_opponents(c, facts, place)[:_MOST])
    text = "\n".join(told(fact) for fact in facts)
    return Answer(text=text, facts=tuple(facts), by="builtin")


def told(fact: Fact) -> str:
    """A statement with who said it and where, as a line of Markdown."""
    text = " ".join(fact.text.split())
    notes = [origin(source) for source in fact.sources[-2:]] or ["no source is known"]
    if fact.state == "disputed":
        notes.insert(0, f"disputed, see {fact.other}")
    if fact.state == "candidate":
        notes.insert(0, "not confirmed")
    if fact.taint:
        text, notes = f"«{text}»", [*notes, "not confirmed"]
    return f"- {text} ({fact.id}: {'; '.join(dict.fromkeys(notes))})"


def _answering(c: apsw.Connection, question: str, place: Place) -> list[Fact]:
    words = asked(question)
    kinds = [kind for pattern, names in _OF_KIND for kind in names if _says(pattern, question)]
    everything = not words or _EVERYTHING.search(question)
    found = [fact for fact, fit in finding.fitting(c, question, place) if fit >= _ENOUGH]
    if not found and (everything or (kinds and _only_kind(words, question))):
        wanted = kinds or list(CARD)
        states = ("current", "disputed")
        found = [f for f in rows.listed(c, states, 200) if f.kind in wanted and visible(f, place)]
    return found


def _says(pattern: str, question: str) -> bool:
    return re.search(pattern, question, re.IGNORECASE) is not None


def _only_kind(words: Sequence[str], question: str) -> bool:
    """Whether a question asks for a kind as such, and for nothing in particular beside it."""
    bare = question
    for pattern, _ in _OF_KIND:
        bare = re.sub(pattern + r"\w*", " ", bare, flags=re.IGNORECASE)
    return not [word for word in asked(bare) if word in words]


def _with_opponents(c: apsw.Connection, facts: Sequence[Fact], place: Place) -> list[Fact]:
    """Each statement, followed by what contradicts it: both sides are shown."""
    made: dict[str, Fact] = {}
    for fact in facts:
        made.setdefault(fact.id, fact)
        others = rows.listed(c, ("disputed",), 5, f"f.other = {rows.key_of(fact.id)}")
        if fact.state == "disputed" and (other := rows.get(c, rows.key_of(fact.other))):
            others.append(other)
        for other in others:
            if visible(other, place):
                made.setdefault(other.id, other)
    return list(made.values())


def holds_all(question: str, text: str) -> bool:
    """Whether a text has every telling word of a question."""
    words = asked(question)
    return bool(words) and set(words) <= set(terms(text))
