"""What a line typed into the memory box asks for: which sections, and with which words."""

from __future__ import annotations

from typing import Literal, NamedTuple

Section = Literal["facts", "card", "sessions", "skills"]
SECTIONS: tuple[Section, ...] = ("facts", "card", "sessions", "skills")
_NAMES: dict[str, Section] = {
    "facts": "facts",
    "memory": "facts",
    "notes": "facts",
    "me": "card",
    "card": "card",
    "you": "card",
    "sessions": "sessions",
    "chats": "sessions",
    "messages": "sessions",
    "skills": "skills",
}
_OF_MESSAGES = ("from:", "before:", "after:", "since:", "role:", "in:")


class Wanted(NamedTuple):
    """sections: where to look; words: for facts and skills; search: for messages, operators too."""

    sections: tuple[Section, ...] = SECTIONS
    words: str = ""
    search: str = ""

    @property
    def one(self) -> bool:
        """Whether one section has the pane for itself."""
        return len(self.sections) == 1


def read(text: str) -> Wanted:
    """Take a line apart. `in:facts`, `in:me`, `in:sessions` and `in:skills` choose a section.

    What narrows messages (`from:`, `after:`, …) leaves the other sections out.
    """
    chosen: list[Section] = []
    words: list[str] = []
    search: list[str] = []
    for word in text.split():
        section = _NAMES.get(word.removeprefix("in:").lower()) if word.startswith("in:") else None
        if section is not None:
            chosen.append(section)
            continue
        search.append(word)
        if word.lower().startswith(_OF_MESSAGES) and not word.endswith(":"):
            continue
        words.append(word)
    sections: tuple[Section, ...] = tuple(one for one in SECTIONS if one in chosen) or SECTIONS
    if not chosen and len(search) > len(words):
        sections = ("sessions",)
    return Wanted(sections=sections, words=" ".join(words), search=" ".join(search))


def only(section: Section, text: str) -> str:
    """The same line, for one section alone."""
    rest = [w for w in text.split() if not (w.startswith("in:") and w[3:].lower() in _NAMES)]
    return " ".join([f"in:{'me' if section == 'card' else section}", *rest])
