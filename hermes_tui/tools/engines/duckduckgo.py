"""DuckDuckGo without a key: its page for browsers without scripts, read as it is.

The pages come through the same gate as every other; a package of its own (such as ddgs) would
open connections past it. Form: `html.duckduckgo.com/html/`, field `q`; a hit is a link of class
`result__a`, its text has class `result__snippet`, and its address may be wrapped in `/l/?uddg=`.
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

from hermes_tui.errors import ToolError
from hermes_tui.security.urls import Fetched, Request
from hermes_tui.tools.engines.engine import Hit, hits, plain, refuse
from hermes_tui.tools.html_reader import HtmlReader

BASE = "https://html.duckduckgo.com"
_ANSWERED = 200


class DuckDuckGo:
    """DuckDuckGo's plain page."""

    name = "DuckDuckGo"

    def __init__(self, base_url: str = "") -> None:
        self._base = (base_url or BASE).rstrip("/")

    def request(self, query: str, count: int) -> Request:
        """How to ask it; a page has about ten hits, however many are wanted."""
        return Request(
            url=f"{self._base}/html/",
            method="POST",
            headers={
                "content-type": "application/x-www-form-urlencoded",
                "accept": "text/html",
                "user-agent": "Mozilla/5.0 (compatible; hermes-tui)",
            },
            body=urlencode({"q": query, "b": "", "kl": "wt-wt"}).encode(),
        )

    def read(self, answer: Fetched) -> list[Hit]:
        """The hits of the page. Raises ToolError when it asks for proof that a person searches."""
        refuse(answer, self.name)
        page = _Page()
        page.feed(answer.body.decode("utf-8", "replace"))
        page.close()
        found = hits(page.rows, ("title", "url", "text", "date"), plain)
        if not found and (answer.status != _ANSWERED or page.challenge):
            raise ToolError(
                "DuckDuckGo wants proof that a person is searching",
                "wait a few minutes, or set web.engine to one with a key",
            )
        return found


class _Page(HtmlReader):
    """The rows of a page of results; advertisements are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []
        self.challenge = False
        self._field = ""
        self._until = ""
        self._advert = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        classes = known.get("class", "").split()
        if tag == "div" and "result" in classes:
            self._advert = "result--ad" in classes
        if "anomaly-modal" in " ".join(classes) or known.get("id") == "challenge-form":
            self.challenge = True
        if tag == "a" and "result__a" in classes:
            self._begin(_real(known.get("href", "")))
            self._read_into("title", tag)
        elif "result__snippet" in classes and self.rows:
            self._read_into("text", tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._until:
            self._field = self._until = ""

    def handle_data(self, data: str) -> None:
        if self._field and self.rows:
            self.rows[-1][self._field] += data

    def _begin(self, url: str) -> None:
        own = url.partition("://")[2].partition("/")[0].endswith("duckduckgo.com")
        wanted = not self._advert and not own
        # An advertisement keeps its row, so that its text is nobody else's; without an address
        # it is no hit.
        self.rows.append({"title": "", "url": url if wanted else "", "text": "", "date": ""})

    def _read_into(self, field: str, tag: str) -> None:
        self._field, self._until = field, tag


def _real(link: str) -> str:
    """Where a link of the page leads."""
    try:
        parts = urlsplit("https:" + link if link.startswith("//") else link)
        inner = parse_qs(parts.query, max_num_fields=20).get("uddg")
    except ValueError:
        return ""
    return inner[0] if inner and parts.path == "/l/" else link
