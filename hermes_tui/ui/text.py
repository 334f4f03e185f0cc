"""The one text path of the screens: clusters, cell widths, wrapping, and making text safe to show.

Widths are rich's, because Textual draws with them; clusters are those of UAX #29, from wcwidth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rich.cells import cell_len

# Characters that are a cluster each, whatever stands beside them (as long as that is one too).
_SIMPLE = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b"
    "\u2190-\u21ff\u2500-\u25fc\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uff01-\uff60\uff61-\uff9d]*"
)

# Han, kana and full-width forms: a line may end after any of them.
_WIDE = (
    "\u2e80-\u3007\u3012-\u3029\u3031-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
)
_OPENERS = "（「『【〔〈《［｛‘“"
_CLOSERS = (
    "、。，．・：；？！ー）」』】〕〉》］｝’”…‥々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
    "\u0300-\u036f\u200d\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
_CHUNK = re.compile(
    f"([{_OPENERS}]*(?:[{_WIDE}]|[^ {_WIDE}{_OPENERS}]+)?[{_CLOSERS}]*)( *)", re.DOTALL
)

# What would move the cursor, change its direction, or crash the encoder.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
_STRAY_JOINER = re.compile("\u200d(?=(.?))", re.DOTALL)
_JOINED = frozenset("♀♂⚕⚖✈❤➡↔↕⬛⬜☠⚧\u2b1b")

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"
)

Span = tuple[int, int]


def graphemes(text: str) -> list[str]:
    """The clusters a reader sees as one character each; joined they are `text` again."""
    if _SIMPLE.fullmatch(text):
        return list(text)
    from wcwidth import iter_graphemes  # 25 ms that most sessions never pay

    return list(iter_graphemes(text))


def cells(text: str) -> int:
    """How many terminal cells `text` takes."""
    return cell_len(text)


def clip(text: str, width: int, end: str = "…") -> str:
    """The head of `text` that fits into `width` cells, marked with `end` if anything is cut."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(end)
    if room < 0:
        return ""
    stop = next(chop(text[: room * 8 + 64], room), (0, 0))[1] if room else 0
    return text[:stop] + end


def clip_left(text: str, width: int, end: str = "…") -> str:
    """The tail of `text` that fits into `width` cells: the telling end of a path."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(end)
    kept: list[str] = []
    for cluster in reversed(graphemes(text)):
        room -= cell_len(cluster)
        if room < 0:
            break
        kept.append(cluster)
    return (end + "".join(reversed(kept))) if width > 0 else ""


def fit(text: str, width: int) -> str:
    """`text` clipped or padded with spaces to exactly `width` cells."""
    cut = clip(text, width)
    return cut + " " * (width - cell_len(cut))


def chop(text: str, width: int) -> Iterator[Span]:
    """Spans of at most `width` cells, cut between clusters; a wider cluster stands alone."""
    if text.isascii() or width <= 0:
        step = max(1, width)
        yield from ((at, min(at + step, len(text))) for at in range(0, len(text), step))
        return
    start = at = used = 0
    for cluster in graphemes(text):
        size = cell_len(cluster)
        if used + size > width and at > start:
            yield start, at
            start, used = at, 0
        at += len(cluster)
        used += size
    if at > start:
        yield start, at


def break_lines(text: str, width: int) -> Iterator[Span]:
    """As `chop`, but behind a space where there is one in the second half of a line.

    Nothing vanishes: the spans cover all of the text, as a text that is compared needs.
    """
    width = max(1, width)
    start = 0
    if text.isascii():
        while len(text) - start > width:
            space = text.rfind(" ", start + width // 2, start + width)
            stop = space + 1 if space >= 0 else start + width
            yield start, stop
            start = stop
        if start < len(text):
            yield start, len(text)
        return
    at = used = space = 0
    for cluster in graphemes(text):
        size = cell_len(cluster)
        while used + size > width and at > start:
            stop = space if space - start > (at - start) // 2 else at
            yield start, stop
            used = cell_len(text[stop:at])
            start = stop
        at += len(cluster)
        used += size
        space = at if cluster == " " else space
    if at > start:
        yield start, at


def wrap(text: str, width: int) -> list[Span]:
    """Where the lines of one paragraph begin and end, none wider than `width` cells.

    Breaks at spaces, which vanish there, and between Han, kana and the like; a longer word is
    cut between clusters. Always at least one span.
    """
    measure: Callable[[str], int] = len if text.isascii() else cell_len
    if measure(text) <= width:
        return [(0, len(text))]
    lines: list[Span] = []
    start = end = used = 0
    for match in _CHUNK.finditer(text):
        at, stop = match.span(1)
        size = measure(match[1])
        if used + size > width and used:
            if end > start:
                lines.append((start, end))
            start = end = at
            used = 0
        if size > width:
            *full, (last, _) = ((at + a, at + b) for a, b in chop(match[1], width))
            lines.extend(full)
            start, size = last, measure(text[last:stop])
        end = stop if stop > at else end
        used += size + match.end(2) - stop
    if end > start or not lines:
        lines.append((start, end))
    return lines


def safe(text: str) -> str:
    """`text` of the same length in which nothing can steer the terminal; newline and tab stay.

    Control characters become their pictures, marks of direction and stray joiners vanish from
    view, a carriage return becomes the newline it stood for.
    """
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if not text.isascii() and "\u200d" in text:
        text = _STRAY_JOINER.sub(_joiner, text)
    return _UNSAFE.sub(_picture, text)


def output(text: str) -> str:
    """Program output as it would have stood on a terminal, without colours: plain lines.

    Escape sequences go, an overwritten progress line keeps its last state, backspaces act.
    """
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    while "\b" in text:
        shorter = re.sub("[^\b\n]\b", "", text)
        text = shorter if shorter != text else text.replace("\b", "")
    return safe(text).expandtabs(8)


def one_line(text: str) -> str:
    """`text` on one line, runs of white space as one space, safe to show."""
    return safe(" ".join(text.split()))


def _last_state(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part), "")


def _joiner(match: re.Match[str]) -> str:
    following = match[1]
    joins = following and (following in _JOINED or cell_len(following) == 2)
    return "\u200d" if joins else "\u200c"


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code in (0x2028, 0x2029):
        return " "
    return "\ufffd" if code < 0xA0 or 0xD800 <= code <= 0xDFFF else "\u200b"
