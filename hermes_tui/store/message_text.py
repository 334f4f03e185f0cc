"""A message's text as the index takes it: what has no spaces is cut, what is no word gets one.

The index knows words between spaces and punctuation. Chinese, Japanese, Korean and Thai have no
such words: a run of n characters becomes its n-1 pairs and its last character alone, so that two
characters are one look-up and one character is the start of a pair. `getUserName` is also known
by its parts, an emoji and names like `C++` by words of our own.
"""

from __future__ import annotations

import re
import unicodedata

RUN = re.compile(
    "[\u0e00-\u0e7f\u1100-\u11ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""A run of characters that are written without spaces."""
EMOJI = re.compile("[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_CAMEL = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]*?[a-z0-9][A-Z][A-Za-z0-9]*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SIGNED = re.compile(r"(?<![^\W_])([A-Za-z])(\+\+|#)")
_SIGNS = {"++": "plusplus", "#": "sharp"}


def indexed(text: str) -> str:
    """The text with what the index needs; plain English comes back as it is."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = RUN.sub(_pairs, text)
        text = EMOJI.sub(lambda found: f" {emoji_word(found[0])} ", text)
    if "#" in text or "++" in text:
        text = _SIGNED.sub(lambda found: f" {signed_word(found[1], found[2])} ", text)
    more = [part for word in _CAMEL.findall(text) for part in humps(word)]
    return f"{text} {' '.join(more)}" if more else text


def pairs(run: str) -> list[str]:
    """The pairs of a run and its last character."""
    return [run[i : i + 2] for i in range(len(run))]


def humps(word: str) -> list[str]:
    """The parts of a name such as `getUserName`; nothing for a word that has no parts."""
    parts: list[str] = _HUMP.findall(word)
    return parts if len(parts) > 1 else []


def emoji_word(emoji: str) -> str:
    """The word that stands for an emoji in the index."""
    return f"emoji{ord(emoji):x}"


def signed_word(letter: str, sign: str) -> str:
    """The word that stands for `C++`, `C#` and the like; also in queries."""
    return f"{letter.lower()}{_SIGNS[sign]}"


def signed_words(text: str) -> list[str]:
    """The words for all names like `C++` in a text."""
    return [signed_word(letter, sign) for letter, sign in _SIGNED.findall(text)]


def _pairs(found: re.Match[str]) -> str:
    return f" {' '.join(pairs(found[0]))} "
