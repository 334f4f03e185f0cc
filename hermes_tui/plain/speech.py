"""Text as plain mode prints it: no escape bytes, no drawing, numbers as one says them."""

from __future__ import annotations

from hermes_tui.paste import clean

_ACROSS = "─━┄┅┈┉═╌╍╴╶╸╺╼╾"
_DOWN = "│┃┆┇┊┋║╎╏╵╷╹╻╽╿"
_DRAWING = {
    code: "-" if chr(code) in _ACROSS else "|" if chr(code) in _DOWN else "+"
    for code in range(0x2500, 0x2580)
} | dict.fromkeys(range(0x2800, 0x2900), ".")  # braille dots, of which spinners are made


def speakable(text: str) -> str:
    """`text` without anything that steers a terminal or draws boxes."""
    text = clean(text)
    return text if text.isascii() else text.translate(_DRAWING)


def one_line(text: str, limit: int = 300) -> str:
    """`text` on one line of at most `limit` characters."""
    line = " ".join(speakable(text).split())
    return line if len(line) <= limit else f"{line[:limit]} ... and {len(line) - limit} more"


def count(number: int, word: str) -> str:
    """`1 step`, `2 steps`, `18,234 tokens`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def duration(seconds: float) -> str:
    """`0.4 seconds`, `41 seconds`, `3 minutes 5 seconds`."""
    if seconds < 10:
        tenths = f"{seconds:.1f}".removesuffix(".0")
        return f"{tenths} second" if tenths == "1" else f"{tenths} seconds"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "hour"), (minutes, "minute"), (rest if not hours else 0, "second"))
    return " ".join(count(number, word) for number, word in parts if number)


def sentence(*parts: str) -> str:
    """Parts joined to sentences, each ending with one full stop."""
    done = [
        part if part.endswith((".", "!", "?", ":", "…")) else part + "." for part in parts if part
    ]
    return " ".join(done)
