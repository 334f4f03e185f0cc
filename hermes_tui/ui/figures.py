"""Numbers as people read them: tokens, seconds, money, how long ago, how full."""

from __future__ import annotations

import time

UNKNOWN = "–"
_BAR = 6


def tokens(count: int) -> str:
    """`812`, `18.2k`, `1.3M`."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.1f}k" if count < 99_950 else f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def size(count: int) -> str:
    """Bytes as `812 B`, `18 KB`, `1.3 MB`."""
    if count < 1000:
        return f"{count} B"
    if count < 999_500:
        return f"{count / 1000:.0f} KB"
    return f"{count / 1_000_000:.1f} MB"


def seconds(value: float) -> str:
    """`0.1s`, `41s`, `2m 05s`, `1h 04m`; tenths below ten seconds."""
    if value < 9.95:
        return f"{max(value, 0.0):.1f}s"
    whole = round(value)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


def money(cost: float | None) -> str:
    """`$0.42`; a dash where no price is known, never a zero that was not charged."""
    if cost is None:
        return UNKNOWN
    return f"${cost:.2f}" if cost >= 0.1 or cost == 0 else f"${cost:.4f}".rstrip("0")


def ago(then: float, now: float) -> str:
    """`now`, `5 min`, `2 h`, `3 d`, then the date."""
    passed = now - then
    if passed < 60:
        return "now"
    if passed < 3600:
        return f"{int(passed // 60)} min"
    if passed < 86_400:
        return f"{int(passed // 3600)} h"
    if passed < 14 * 86_400:
        return f"{int(passed // 86_400)} d"
    return day(then, now)


def day(then: float, now: float) -> str:
    """`14 Oct`, with the year when it is not this one; in the local time zone."""
    at, today = time.localtime(then), time.localtime(now)
    text = f"{at.tm_mday} {time.strftime('%b', at)}"
    return text if at.tm_year == today.tm_year else f"{text} {at.tm_year}"


def share(part: int, whole: int) -> int:
    """A share in whole percent; 0 where there is no whole."""
    return round(100 * part / whole) if whole > 0 else 0


def meter(part: int, whole: int, width: int = _BAR) -> tuple[str, str]:
    """How full something is, as the full and the empty part of a bar; any use shows a mark."""
    full = min(width, round(width * part / whole)) if whole > 0 else 0
    full = max(full, 1) if part > 0 else 0
    return "▇" * full, "░" * (width - full)
