"""Long texts to parts that fit: measured as they will be sent, cut where a reader would cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate

from wcwidth import iter_graphemes

from hermes_tui.gateways.styled import Styled

_WHOLE = ("link", "code")


def split(
    styled: Styled, size: Callable[[Styled], int], units: Callable[[str], int], limit: int
) -> Iterator[Styled]:
    """Parts of at most `limit`, in order; nothing but blanks at their borders is left out.

    size: how long a part is as it is sent. units: how long bare text is; a rendered part is never
    shorter than its text.
    """
    clusters = list(_clusters(styled.text, units, limit))
    ends = list(accumulate(len(one) for one in clusters))
    sizes = list(accumulate(units(one) for one in clusters))
    at = 0
    rest: Styled = styled
    count: int
    heads: bool
    while at < len(clusters):
        start = ends[at - 1] if at else 0
        rest = rest.after(start)
        most = bisect_right(sizes, limit + (sizes[at - 1] if at else 0), lo=at + 1)
        for heads in (True, False):  # without them when they leave no room

            def fits(count: int, of: Styled = rest, at: int = start, heads: bool = heads) -> bool:
                return size(of.cut(at, ends[count - 1], heads)) <= limit

            count = _most(fits, at + 1, most)
            if count > at:
                break
        else:
            rest, count, heads = rest.bare(start, ends[at]), at + 1, False
        if count < len(clusters):
            count = bisect_right(ends, _border(rest, start, ends[count - 1]), lo=at + 1)
        part = rest.cut(start, ends[count - 1], heads)
        if part.text.strip():
            yield part
        at = count


def _most(fits: Callable[[int], bool], low: int, high: int) -> int:
    """The largest count that fits, low - 1 for none."""
    if fits(high):
        return high
    least = low - 1
    while least + 1 < high:
        middle = (least + high) // 2
        if fits(middle):
            least = middle
        else:
            high = middle
    return least


def _border(styled: Styled, start: int, end: int) -> int:
    """The best place to cut at or before `end`."""
    if not styled.text[end : end + 1].isspace():
        half = start + (end - start) // 2
        for sign in ("\n\n", "\n", " "):
            found = styled.text.rfind(sign, half, end)
            if found > start:
                end = found + len(sign)
                break
    whole = styled.within(end, _WHOLE)
    return whole.start if whole is not None and whole.start > start else end


def _clusters(text: str, units: Callable[[str], int], limit: int) -> Iterator[str]:
    """What a reader takes for one character; one that fits nowhere comes in pieces."""
    for cluster in iter_graphemes(text):
        if units(cluster) <= limit // 4:
            yield cluster
        else:
            yield from cluster
