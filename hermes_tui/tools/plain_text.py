"""Bytes of a program as harmless text: no escape sequences, no control or half characters."""

from __future__ import annotations

import codecs
import re

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"  # the short ones
)
_UNFINISHED = re.compile(
    r"(?:\r|\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x9c]*\x1b?|[ -/]*)|\x9b[0-?]*[ -/]*)\Z"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_OVERSTRUCK = re.compile(r"[^\n]\x08")
_HOLD_BACK = 4096
_SAMPLE = 8192


def clean(text: str) -> str:
    """Text as it reads once a terminal has drawn it; what a carriage return overwrites is gone."""
    if text.isprintable():
        return text
    text = _OVERSTRUCK.sub("", _ESCAPE.sub("", text))
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROLS.sub("", text)


def is_binary(start: bytes) -> bool:
    """Whether the first bytes of something are not meant to be read."""
    sample = start[:_SAMPLE]
    if not sample or sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    if b"\0" in sample:
        return True
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(sample)
    odd = text.count("\ufffd") + len(_CONTROLS.findall(text)) - text.count("\r")
    return odd - 2 * text.count("\x1b") > len(text) * 0.3


def clean_start(part: bytes | bytearray) -> str:
    """The start of something longer; what the cut has left half is left out."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(part)
    return clean(_finished(text))


def clean_end(part: bytes | bytearray) -> str:
    """The end of something longer; a character that the cut has left half is left out."""
    start = 0
    while start < min(3, len(part)) and 0x80 <= part[start] < 0xC0:
        start += 1
    return clean(part[start:].decode("utf-8", "replace"))


def _finished(text: str) -> str:
    """Without a sequence at its end of which more may come."""
    unfinished = _UNFINISHED.search(text[-_HOLD_BACK:])
    return text[: len(text) - len(unfinished[0])] if unfinished else text


class LiveText:
    """Output as it comes, made harmless; sequences split between two reads are put together."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, chunk: bytes) -> str:
        """The text that can be shown now."""
        text = self._held + self._decoder.decode(chunk)
        now = _finished(text)
        self._held = text[len(now) :]
        return clean(now.replace("\r\n", "\n").replace("\r", "\n"))
