"""What a new statement does to what is known: joins it, replaces it, or contradicts it."""

from __future__ import annotations

from collections.abc import Sequence

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.intents.memory import Fact, State, Who
from hermes_tui.memory import alike, rows
from hermes_tui.memory.reading import directs, gives_orders, grants, holds_address
from hermes_tui.memory.words import fold, terms

_LOOKED_AT = 40
_RANK: dict[Who, int] = {"tool": 0, "provider": 1, "agent": 2, "import": 3, "user": 4}
"""Whose word counts more when two contradict each other; of equals, the newest."""
_BINDING = ("instruction", "preference", "pattern")


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of a statement: `fact` as it is now, how it got there, what looks like it."""

    fact: Fact
    how: str
    replaced: tuple[Fact, ...] = ()
    near: tuple[Fact, ...] = ()


class _Kin(Struct, frozen=True, kw_only=True):
    """A known statement, and how the new one stands to it."""

    fact: Fact
    relation: alike.Relation


def add(write: rows.Write, fact: Fact, replaces: str = "") -> Outcome:
    """Take a statement in. fact: without id, with one source; replaces: id of one it corrects."""
    fact = _sifted(fact)
    known = _known(write.c, fact)
    if replaces:
        return _correct(write, fact, rows.need(write.c, rows.key_of(replaces)), known)
    if (twin := _twin(known)) is not None:
        return _join(write, twin.fact, fact, wider=twin.relation == "wider")
    if _forgotten(write.c, fact):
        why = "it was forgotten before; a person has to confirm it"
        made = write.put(msgspec.structs.replace(fact, state="candidate", reason=why))
        return Outcome(fact=made, how="forgotten")
    against = [one.fact for one in known if _against(fact, one)]
    weaker = [one for one in against if _rank(one) <= _rank(fact) and not one.pinned]
    if fact.state == "candidate" or not against:
        return Outcome(fact=write.put(fact), how="added", near=_near(known))
    if len(weaker) == len(against):
        return _replace(write, fact, against, known)
    return _dispute(write, fact, next(one for one in against if one not in weaker))


def _correct(write: rows.Write, fact: Fact, old: Fact, known: Sequence[_Kin]) -> Outcome:
    """Put one in place of another; what comes from outside only stands beside what was said."""
    if fact.state == "candidate":
        made = write.put(msgspec.structs.replace(fact, other=old.id))
        return Outcome(fact=made, how="added", near=(old,))
    weak = bool(fact.taint) or all(source.who == "tool" for source in fact.sources)
    said = _rank(old) >= _RANK["import"]
    if (weak and said) or (old.pinned and _rank(fact) < _RANK["user"]):
        return _dispute(write, fact, old)
    return _replace(write, fact, [old], known)


def _against(fact: Fact, one: _Kin) -> bool:
    """Whether two statements of the same place can't both be true."""
    other = one.fact
    same_place = (fact.scope, fact.place) == (other.scope, other.place)
    if not same_place or other.state == "candidate":
        return False
    if fact.topic and fact.topic == other.topic:
        return one.relation != "same"
    return one.relation == "opposite"


def join(write: rows.Write, keep: Fact, other: Fact, text: str = "") -> Fact:
    """Make one statement of two on a person's word."""
    whole = text or keep.text
    made = write.put(
        msgspec.structs.replace(
            keep,
            text=whole,
            topic=alike.topic_of(whole),
            pinned=keep.pinned or other.pinned,
            sources=(*keep.sources, *other.sources),
        )
    )
    write.put(_gone(other, "replaced", f"merged into {keep.id}", keep.id))
    return made


def settle(write: rows.Write, fact: Fact, who: Who) -> Outcome:
    """Let a statement count: confirm a candidate, or decide a dispute for it."""
    against = [one.fact for one in _known(write.c, fact) if _against(fact, one)]
    made = write.put(msgspec.structs.replace(fact, state="current", reason="", other=""))
    for one in against:
        write.put(_gone(one, "replaced", f"{who} settled it for {fact.id}", fact.id))
    return Outcome(fact=made, how="settled", replaced=tuple(against))


def _sifted(fact: Fact) -> Fact:
    """What comes from outside never becomes a rule by itself."""
    outside = fact.taint or all(source.who == "tool" for source in fact.sources)
    if all(source.who != "user" for source in fact.sources) and grants(fact.text):
        why = "it is about what needs your word, and you did not say it"
        return msgspec.structs.replace(fact, state="candidate", reason=why)
    if all(source.who in ("tool", "agent") for source in fact.sources) and directs(fact.text):
        why = "it says where things go, and you did not say it"
        return msgspec.structs.replace(fact, state="candidate", reason=why)
    if not outside:
        return fact
    if gives_orders(fact.text):
        why = "it gives orders and comes from outside"
    elif holds_address(fact.text) or "\n" in fact.text.strip():
        why = "it stands only in a file or an output, and is no plain statement"
    elif fact.kind in _BINDING:
        why = f"a {fact.kind} that stands only in what came from outside"
    elif fact.taint:
        why = "it stands only in what came from outside, or was concluded after that was read"
    else:
        return fact
    return msgspec.structs.replace(fact, state="candidate", reason=why)


def _known(c: apsw.Connection, fact: Fact) -> list[_Kin]:
    """Live statements of the same person that share words, and how this one stands to each."""
    found = rows.matching(c, terms(f"{fact.text} {fact.topic}"), _LOOKED_AT)
    return [
        _Kin(fact=one, relation=alike.relation(fact.text, one.text))
        for one, _ in found
        if one.id != fact.id
        and one.person == fact.person
        and (
            one.scope == "everyone"
            or (one.scope == "person" and fact.scope != "chat")
            or (one.scope, one.place) == (fact.scope, fact.place)
        )
    ]


def _twin(known: Sequence[_Kin]) -> _Kin | None:
    """A known statement that says the same, or all of this one, or that this one completes."""
    for wanted in ("same", "narrower", "wider"):
        for one in known:
            if one.relation == wanted:
                return one
    return None


def _join(write: rows.Write, twin: Fact, fact: Fact, *, wider: bool) -> Outcome:
    wider = wider and not fact.taint
    state: State = twin.state
    if twin.state == "candidate" and fact.state == "current" and not fact.taint:
        state = "current"
    text = fact.text if wider else twin.text
    made = write.put(
        msgspec.structs.replace(
            twin,
            text=text,
            topic=alike.topic_of(text),
            state=state,
            reason="" if state == "current" else twin.reason,
            taint=twin.taint if fact.taint else "",
            sources=(*twin.sources, *fact.sources),
        )
    )
    return Outcome(fact=made, how="completed" if wider else "known")


def _replace(write: rows.Write, fact: Fact, old: Sequence[Fact], known: Sequence[_Kin]) -> Outcome:
    first = old[0]
    made = write.put(
        msgspec.structs.replace(fact, pinned=fact.pinned or first.pinned, other=first.id)
    )
    gone = [write.put(_gone(one, "replaced", f"replaced by {made.id}", made.id)) for one in old]
    names = {one.id for one in old}
    near = _near([one for one in known if one.fact.id not in names])
    return Outcome(fact=made, how="replaced", replaced=tuple(gone), near=near)


def _dispute(write: rows.Write, fact: Fact, stronger: Fact) -> Outcome:
    """What was said weighs more than what was concluded; both stay to be seen."""
    why = f"it contradicts {stronger.id}, which {_said(stronger)}"
    made = write.put(msgspec.structs.replace(fact, state="disputed", other=stronger.id, reason=why))
    return Outcome(fact=made, how="disputed", near=(stronger,))


def _gone(fact: Fact, state: State, reason: str, other: str = "") -> Fact:
    return msgspec.structs.replace(fact, state=state, reason=reason, other=other, pinned=False)


def _said(fact: Fact) -> str:
    return "is pinned" if fact.pinned else "the person said"


def _rank(fact: Fact) -> int:
    return max((_RANK[source.who] for source in fact.sources), default=0)


def _near(known: Sequence[_Kin]) -> tuple[Fact, ...]:
    near = [one.fact for one in known if one.relation == "near"]
    return tuple(near[:3])


def _forgotten(c: apsw.Connection, fact: Fact) -> bool:
    """Whether a person had this forgotten, and it now comes back by somebody else's word."""
    if _rank(fact) >= _RANK["import"]:
        return False
    retired = rows.listed(c, ("retired",), 500, "f.reason = 'forgotten'")
    return any(
        fold(one.text) == fold(fact.text) or alike.relation(fact.text, one.text) == "same"
        for one in retired
        if one.person == fact.person
    )
