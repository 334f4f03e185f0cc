"""What a query that is typed into a find line looks for, in chats, traces and the log alike."""

from __future__ import annotations

import re

_GREEDY = re.compile(r"\((?:[^()\\]|\\.)*(?:[*+]|\{\d*,\d*\})(?:[^()\\]|\\.)*\)\s*(?:[*+]|\{\d*,)")
"""A repeated group with a repeat in it, such as `(a+)+`: it can take for ever."""


def is_regex(query: str) -> bool:
    """Whether a query can be taken as a regular expression."""
    if _GREEDY.search(query):
        return False
    try:
        re.compile(query)
    except re.error:
        return False
    return True


def required_word(pattern: re.Pattern[str]) -> str:
    """A word that every match has in it, folded where capitals don't matter; empty for none."""
    text = pattern.pattern
    bare = re.sub(r"\\[^\w]", " ", text)
    if re.search(r"[\\.^$*+?{}\[\]|()]", bare):
        return ""
    word = max(re.findall(r"\w+", bare), key=len, default="")
    return word.casefold() if pattern.flags & re.IGNORECASE else word


def find_pattern(query: str, regex: bool = True) -> re.Pattern[str] | None:
    """What a query looks for: a regular expression, or the text itself where it is none.

    Small letters find capitals too; a capital finds only itself. None for an empty query.
    """
    if not query:
        return None
    flags = re.NOFLAG if query != query.lower() else re.IGNORECASE
    return re.compile(query if regex and is_regex(query) else re.escape(query), flags)
