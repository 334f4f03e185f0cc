"""The text of an HTML page as Markdown, everything that is written on it, menus and all.

For pages of which `trafilatura` makes nothing, and for installs without it.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from hermes_tui.security.secret_text import words
from hermes_tui.tools.html_reader import HtmlReader

_SILENT = words("script style noscript template svg iframe select head")
_BLOCKS = words(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure "
    "footer form header hr main nav ol p section summary table tbody tfoot thead tr ul"
)
_HEADS = {f"h{n}": "#" * n + " " for n in range(1, 7)}
_EMPTY = words("area base br col embed hr img input link meta source track wbr")
_DEEPEST = 400
_GAPS = re.compile(r"\n{3,}")


def read_page(html: str, url: str = "") -> tuple[str, str]:
    """(title, text) of a page. url: where relative links start."""
    reader = _Reader(url)
    reader.feed(html)
    reader.close()
    return " ".join(reader.title.split()), reader.text()


class _Reader(HtmlReader):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.title = ""
        self._url = url
        self._parts: list[str] = []
        self._open: list[str] = []
        self._links: list[str] = []
        self._lists: list[int] = []
        self._silent = 0
        self._exact = 0

    def text(self) -> str:
        """All of it, blank lines between blocks."""
        lines = "".join(self._parts).split("\n")
        return _GAPS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY and len(self._open) < _DEEPEST:
            self._open.append(tag)
            self._silent += tag in _SILENT
        if self._silent:
            return
        known = dict(attrs)
        if tag in _HEADS:
            self._block("\n\n" + _HEADS[tag])
        elif tag == "pre":
            self._exact += 1
            self._block("\n\n```\n")
        elif tag == "a":
            self._links.append(known.get("href") or "")
        elif tag == "img" and known.get("alt"):
            self._parts.append(f"[picture: {known['alt']}]")
        else:
            self._structure(tag)

    def _structure(self, tag: str) -> None:
        if tag == "br":
            self._parts.append("\n")
        elif tag in ("ul", "ol"):
            self._lists.append(1 if tag == "ol" else 0)
            self._block("" if len(self._lists) > 1 else "\n\n")
        elif tag == "li":
            self._block("\n" + "  " * (len(self._lists) - 1) + self._bullet())
        elif tag in ("td", "th"):
            self._parts.append(" | ")
        elif tag == "tr":
            self._block("\n")
        elif tag in _BLOCKS:
            self._block("\n\n")

    def _bullet(self) -> str:
        if not self._lists or not self._lists[-1]:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open:
            last = self._open.pop()
            self._silent -= last in _SILENT
            self._closed(last)
            if last == tag:
                return

    def _closed(self, tag: str) -> None:
        if self._silent or tag in _SILENT:
            return
        if tag == "pre":
            self._exact -= 1
            self._block("\n```\n\n")
        elif tag == "a" and self._links:
            self._link_ends(self._links.pop())
        elif tag in ("ul", "ol"):
            if self._lists:
                self._lists.pop()
            self._block("" if self._lists else "\n\n")
        elif (tag in _BLOCKS or tag in _HEADS) and tag != "tr":
            self._block("\n\n")

    def _link_ends(self, href: str) -> None:
        """Links of the page itself are not worth their bytes."""
        if href.startswith(("#", "javascript:", "data:", "mailto:")) or not href:
            return
        try:
            full = urljoin(self._url, href)
        except ValueError:
            return
        if full.startswith(("http://", "https://")):
            self._parts.append(f" <{full[:500]}>")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "title":
            self.title += data
        if self._silent:
            return
        if self._exact:
            self._parts.append(data)
            return
        text = re.sub(r"\s+", " ", data)
        if text != " " or (self._parts and not self._parts[-1].endswith(("\n", " "))):
            after_break = not self._parts or self._parts[-1].endswith(("\n", " "))
            self._parts.append(text.lstrip() if after_break else text)

    def _block(self, begin: str) -> None:
        if begin:
            self._parts.append(begin)
