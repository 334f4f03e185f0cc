"""What of a pasted text is text: escape sequences and control bytes go, every line stays."""

from __future__ import annotations

import re

LONG_LINES = 8
LONG_CHARACTERS = 800

# No sequence may swallow a line: bodies end at a newline, and what has no end loses its ESC alone.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves, mouse reports
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\r\n]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/][0-~]"  # character sets
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_DIRTY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` without terminal sequences and control bytes; CR, CRLF and NEL become LF.

    What cannot be encoded (a lone surrogate) becomes U+FFFD. Everything else is kept as it is.
    """
    if not _DIRTY.search(text):
        return text
    text = _CONTROL.sub("", _SEQUENCE.sub("", text))
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    return _SURROGATE.sub("\ufffd", text)


def line_count(text: str) -> int:
    """How many lines a reader would count; a final newline begins no new one."""
    return text.count("\n") + (not text.endswith("\n"))


def is_long(text: str) -> bool:
    """Whether a paste is folded into one atom of the prompt."""
    return len(text) > LONG_CHARACTERS or line_count(text) > LONG_LINES
