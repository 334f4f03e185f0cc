"""Any text as a query: what it looks for, where, and from when. Nothing in it is bad grammar."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.search.dates import Span, find_dates, parse_day
from hermes_tui.search.words import SMALL, asked, forms, stop_words
from hermes_tui.store.message_text import EMOJI, RUN, emoji_word, humps, pairs, signed_words

MOST_TERMS = 24


class Term(Struct, frozen=True, kw_only=True):
    """One thing to look for. match: an expression of the index, made by us, never as typed.

    weight: how much a hit counts. name: a name of somebody or something. must: asked for by
    hand, in quotes. words: plain words of it, to mark them in a text. parts: what to look for
    instead where the whole is nowhere, such as the words of a path.
    """

    match: str
    weight: float = 1.0
    name: bool = False
    must: bool = False
    words: tuple[str, ...] = ()
    parts: tuple[Term, ...] = ()


class Filters(Struct, frozen=True, kw_only=True):
    """What `in:`, `from:`, `role:`, `before:` and `after:` leave over. Times in Unix seconds."""

    places: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    after: float | None = None
    before: float | None = None

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self != Filters()


class Query(Struct, frozen=True, kw_only=True):
    """A query, understood. spans: the times it speaks of; dropped: its words that say nothing.

    question: it is one, or a sentence, not just words to look up: what stands beside a hit may be
    the answer.
    """

    text: str
    terms: tuple[Term, ...] = ()
    without: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    filters: Filters = Filters()
    dropped: tuple[str, ...] = ()
    characters: frozenset[str] = frozenset()
    question: bool = False

    def literal(self) -> Query:
        """All words of the text as they stand, the times they may mean left aside."""
        return replace(self, terms=tuple(_distinct(_plain(self.text, 1.0))), spans=())

    def relaxed(self) -> Query:
        """The same with quoted words wanted, not required: for when nothing holds them."""
        terms: list[Term] = []
        for term in self.terms:
            if not term.must:
                terms.append(term)
                continue
            terms.append(replace(term, must=False))
            terms += _terms(" ".join(term.words))[0]
        return replace(self, terms=tuple(_distinct(terms)))

    @property
    def required(self) -> bool:
        """Whether something in it must be there."""
        return any(term.must for term in self.terms)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for at all."""
        return not (self.terms or self.spans or self.filters.any)


_QUOTED = re.compile(r'(?<!\w)(-?)(?:"([^"]*)"|“([^”]*)”|「([^」]*)」|『([^』]*)』)')
_FILTER = re.compile(r"(?<!\S)(in|from|role|before|after|since|until):(\"[^\"]+\"|\S+)", re.I)
_WITHOUT = re.compile(r"(?<!\S)-([^\W\d_][^\s]*)")
_WORD = re.compile(r"[^\W_]+")
_NO_CHARACTER = SMALL | {" "}
_GRAMMAR = ("AND", "OR", "NOT", "NEAR")
_ENDS = ".,;:!?…()[]{}<>«»\"'`*，。；：！？、（）【】《》“”‘’「」"
_ROLES = {
    "user": "user",
    "me": "user",
    "you": "user",
    "assistant": "assistant",
    "agent": "assistant",
    "hermes": "assistant",
    "tool": "tool",
    "system": "other",
    "other": "other",
}


def understand(text: str, now: float | None = None) -> Query:
    """What a text asks for, seen from `now` (Unix seconds)."""
    now = time.time() if now is None else now
    rest, filters = _filters(unicodedata.normalize("NFKC", text), now)
    quoted, rest = _phrases(rest)
    must = [_phrase(one, 2.0, must=True) for minus, one in quoted if not minus]
    without = [match for minus, one in quoted if minus and (match := _quote(one))]
    without += [match for one in _WITHOUT.findall(rest) if (match := _quote(one))]
    rest = _WITHOUT.sub(" ", rest)
    dated = find_dates(rest, now)
    found, dropped = _terms(dated.rest)
    if found or must:  # who speaks of "four years ago" may have said it in these words
        found += [replace(one, weight=0.4, name=False) for one in _terms(dated.said)[0]]
    terms = [one for one in must if one is not None] + found
    if not terms and not dated.spans and not filters.any:
        terms, dropped = _plain(rest, 1.0), []
    return Query(
        text=text,
        terms=tuple(_distinct(terms)),
        without=tuple(without),
        spans=dated.spans,
        filters=filters,
        dropped=tuple(dropped),
        question=bool(dropped) or any(map(_is_sentence, RUN.findall(rest))),
        characters=frozenset(
            c for run in RUN.findall(dated.rest) for c in _cut_asked(run) if c not in _NO_CHARACTER
        ),
    )


# --- operators ----------------------------------------------------------------------------------


def _filters(text: str, now: float) -> tuple[str, Filters]:
    places: list[str] = []
    origins: list[str] = []
    roles: list[str] = []
    times: dict[str, float] = {}

    def take(found: re.Match[str]) -> str:
        key, value = found[1].lower(), found[2].strip('"')
        match key:
            case "in":
                places.append(value)
            case "from":
                origins.append(value)
            case "role" if value.lower() in _ROLES:
                roles.append(_ROLES[value.lower()])
            case "role":
                return found[0]
            case _:
                span = parse_day(value, now)
                if span is None:
                    return found[0]
                side = "before" if key in ("before", "until") else "after"
                times[side] = span.end if key == "until" else span.start
        return " "

    rest = _FILTER.sub(take, text)
    return rest, Filters(
        places=tuple(places),
        origins=tuple(origins),
        roles=tuple(roles),
        after=times.get("after"),
        before=times.get("before"),
    )


def _phrases(text: str) -> tuple[list[tuple[str, str]], str]:
    found = [
        (m[1], next(g for g in m.groups()[1:] if g is not None)) for m in _QUOTED.finditer(text)
    ]
    return found, _QUOTED.sub(" ", text)


# --- terms --------------------------------------------------------------------------------------


def _terms(text: str) -> tuple[list[Term], list[str]]:
    """What to look for in a text without operators, and the words that were left out."""
    found: list[Term] = []
    dropped: list[str] = []
    for at, token in enumerate(_tokens(text)):
        lower = token.lower()
        if token in _GRAMMAR or (lower in stop_words() and not (token.isupper() and token[1:])):
            dropped.append(token)
            continue
        found += _of_token(token, named=at > 0 and token[:1].isupper())
    for emoji in EMOJI.findall(text):
        word = emoji_word(emoji)
        found.append(Term(match=f'"{word}"', words=(emoji,)))
    for run in RUN.findall(text):
        found += _of_run(run)
    found += [Term(match=f'"{word}"', weight=2.0) for word in signed_words(text)]
    return found, dropped


def _plain(text: str, weight: float) -> list[Term]:
    """All words of a text, whatever they are: for a query that has no others."""
    words = _WORD.findall(RUN.sub(" ", text))
    found = [_word(word, weight) for word in words]
    for run in RUN.findall(text):
        found += [_pair(pair, run) for pair in pairs(run)] if len(run) > 1 else [_single(run)]
    return found


def _tokens(text: str) -> Iterator[str]:
    for token in RUN.sub(" ", text).split():
        token = token.strip(_ENDS + "…") if not token.endswith("*") else token.lstrip(_ENDS)
        token = re.sub(r"['’]s$", "", token)
        if token.lower() in stop_words() or re.sub(r"['’]", "", token).lower() in stop_words():
            yield re.sub(r"['’]", "", token)
        elif _WORD.search(token):
            yield token


def _of_token(token: str, named: bool) -> list[Term]:
    if token.endswith("*") and (stem := token.rstrip("*")) and _WORD.search(stem):
        return [_prefix(stem)]
    words = _WORD.findall(token)
    if len(words) == 1 and signed_words(token):
        return []
    if len(words) == 1:
        parts = tuple(_word(part, 0.6) for part in humps(words[0]) if len(part) > 1)
        return [replace(_word(words[0], 1.0, named), parts=parts)]
    phrase = _phrase(token, 1.5 if len(words) > 2 else 1.2)
    kept = [word for word in words if len(word) > 1 and word.lower() not in stop_words()]
    parts = tuple(_word(word, 0.6) for word in kept)
    return [replace(phrase, parts=parts)] if phrase else list(parts)


def _of_run(run: str) -> list[Term]:
    found: list[Term] = []
    cut = _cut_asked(run)
    if len(run) > 2 and not _is_sentence(run) and (phrase := _phrase(run, 1.5)):
        found = [_pair(pair, run) for pair in pairs(run) if len(pair) == 2]
        return [replace(phrase, parts=tuple(found))]
    for part in cut.split():
        if len(part) == 1 and part not in SMALL:
            found.append(_single(part))
        found += [
            _pair(pair, part)
            for pair in pairs(part)
            if len(pair) == 2 and not SMALL.issuperset(pair)
        ]
    return found


def _is_sentence(run: str) -> bool:
    return len(run) > 7 or _cut_asked(run) != run or not SMALL.isdisjoint(run)


def _cut_asked(run: str) -> str:
    for word in asked():
        if word in run:
            run = run.replace(word, " ")
    return run


def _word(word: str, weight: float, named: bool = False) -> Term:
    lower = word.lower()
    every = [lower, *forms(lower)]
    match = " OR ".join(f'"{one}"' for one in every)
    return Term(match=match, weight=weight, name=named, words=tuple(every))


def _pair(pair: str, run: str) -> Term:
    small = sum(c in SMALL or "\u3040" <= c <= "\u309f" for c in pair)
    weight = (1.0 if len(run) == 2 else 0.75, 0.4, 0.2)[small]
    return Term(match=f'"{pair}"', weight=weight, words=(pair,))


def _single(character: str) -> Term:
    return Term(match=f'"{character}" *', weight=0.4, words=(character,))


def _prefix(stem: str) -> Term:
    """Words that begin like this; the index keeps stems, so the stem of a longer start counts."""
    words = _WORD.findall(stem)
    match = f'"{" ".join(words)}" *'
    if len(words) == 1 and len(words[0]) > 5:
        match += f' OR "{words[0]}"'
    return Term(match=match, weight=1.0, words=(words[-1],))


def _phrase(text: str, weight: float, must: bool = False) -> Term | None:
    match = _quote(text)
    return Term(match=match, weight=weight, must=must, words=(text.strip(),)) if match else None


def _quote(text: str) -> str:
    """A phrase of the index: the words of a text one after the other. Empty for no words."""
    if signed := signed_words(text):
        return " AND ".join(f'"{word}"' for word in signed)
    spaced = EMOJI.sub(lambda found: f" {emoji_word(found[0])} ", text)
    parts = RUN.sub(lambda found: f" {_run_words(found[0])} ", spaced)
    words = _WORD.findall(parts)
    if not words:
        return ""
    star = (
        " *" if len(words) == 1 and len(text.strip()) == 1 and RUN.fullmatch(text.strip()) else ""
    )
    return f'"{" ".join(words)}"{star}'


def _run_words(run: str) -> str:
    return run if len(run) == 1 else " ".join(pair for pair in pairs(run) if len(pair) == 2)


def _distinct(terms: list[Term]) -> list[Term]:
    seen: dict[str, Term] = {}
    for term in terms:
        old = seen.get(term.match)
        if old is None or old.weight < term.weight:
            seen[term.match] = term
    return list(seen.values())[:MOST_TERMS]
