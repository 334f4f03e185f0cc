"""Every search engine is asked as its API wants it, and gives the same kind of hits.

The servers answer as the public descriptions of the APIs say: Brave `web/search`, Tavily and Exa
`search`, SearXNG `search?format=json`, DuckDuckGo's page for browsers without scripts.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.config import WebConfig
from hermes_tui.errors import ToolError
from hermes_tui.security.urls import Fetched, UrlRefusedError
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.engines.choose import choose
from hermes_tui.tools.engines.duckduckgo import DuckDuckGo
from hermes_tui.tools.web_search import web_search
from tests.fakes.context import FakeContext
from tests.fakes.small_web import Asked, Page, SmallWeb

HITS = [
    (
        "Nasturtiums & co <b>",
        "https://a.example/x?y=1&z=2",
        "How to grow <them> indoors",
        "2026-03-04",
    ),
    ("Zweite Überschrift", "https://b.example/pfad", "Blätter und Blüten", ""),
    ("第三", "http://c.example/", "", ""),
]
KEY = "k-" + "12345678"


def rows(title: str, url: str, text: str, date: str) -> list[dict[str, object]]:
    names = (title, url, text, date)
    return [dict(zip(names, hit, strict=True)) for hit in HITS]


@dataclass(frozen=True)
class Kind:
    """An engine: its settings, where it is asked, what it answers, what it must have been sent."""

    engine: str
    path: str
    answer: Callable[[], bytes]
    check: Callable[[Asked], None]
    keys: tuple[str, ...] = ()
    content: str = "application/json"


def brave() -> bytes:
    marked = [
        {**r, "description": html.escape(str(r["description"]))}
        for r in rows("title", "url", "description", "page_age")
    ]
    marked[0]["description"] = "How to <strong>grow</strong> &lt;them&gt; indoors"
    marked[0]["title"] = "Nasturtiums &amp; co &lt;b&gt;"
    return json.dumps({"type": "search", "web": {"type": "search", "results": marked}}).encode()


def brave_asked(asked: Asked) -> None:
    assert asked.method == "GET"
    assert asked.query == {"q": "grow nasturtiums", "count": "3"}
    assert asked.headers["x-subscription-token"] == KEY


def tavily() -> bytes:
    found = rows("title", "url", "content", "published_date")
    return json.dumps({"query": "q", "results": found, "response_time": 1.2}).encode()


def tavily_asked(asked: Asked) -> None:
    assert asked.method == "POST"
    assert json.loads(asked.body) == {"query": "grow nasturtiums", "max_results": 3}
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def exa() -> bytes:
    found = [
        {**r, "highlights": [r.pop("text")], "score": 0.3}
        for r in rows("title", "url", "text", "publishedDate")
    ]
    return json.dumps({"requestId": "1", "results": found}).encode()


def exa_asked(asked: Asked) -> None:
    body = json.loads(asked.body)
    assert (body["query"], body["numResults"]) == ("grow nasturtiums", 3)
    assert asked.headers["x-api-key"] == KEY


def searxng() -> bytes:
    found = rows("title", "url", "content", "publishedDate")
    return json.dumps({"query": "q", "number_of_results": 0, "results": found}).encode()


def searxng_asked(asked: Asked) -> None:
    assert asked.query == {"q": "grow nasturtiums", "format": "json"}


def duckduckgo() -> bytes:
    def row(hit: tuple[str, str, str, str], kind: str = "") -> str:
        title, _, text, _ = (html.escape(part) for part in hit)
        link = f"//duckduckgo.com/l/?uddg={quote(hit[1], safe='')}&amp;rut=1"
        marked = text.replace("grow", "<b>grow</b>")
        snippet = f'<a class="result__snippet" href="{link}">{marked}</a>' if text else ""
        return (
            f'<div class="result results_links web-result {kind}"><div class="result__body">'
            f'<h2 class="result__title"><a class="result__a" href="{link}">{title}</a>'
            f'</h2><a class="result__url" href="{link}">shown</a>{snippet}</div></div>'
        )

    advert = ("Buy", "https://duckduckgo.com/y.js?ad_domain=shop.example", "an advertisement", "")
    return "".join(["<html>", row(advert, "result--ad"), *map(row, HITS), "</html>"]).encode()


def duckduckgo_asked(asked: Asked) -> None:
    assert asked.method == "POST"
    assert parse_qs(asked.body.decode())["q"] == ["grow nasturtiums"]


KINDS = [
    Kind("brave", "/web/search", brave, brave_asked, ("BRAVE_API_KEY",)),
    Kind("tavily", "/search", tavily, tavily_asked, ("TAVILY_API_KEY",)),
    Kind("exa", "/search", exa, exa_asked, ("EXA_API_KEY",)),
    Kind("searxng", "/search", searxng, searxng_asked),
    Kind("duckduckgo", "/html/", duckduckgo, duckduckgo_asked, content="text/html"),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.engine)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


async def search(
    kind: Kind, page: Page, folder: Path, query: str = "grow  nasturtiums", **more: object
) -> tuple[ToolResult, SmallWeb]:
    async with SmallWeb({kind.path: page}) as site:
        ctx = FakeContext(folder)
        keys = dict.fromkeys(kind.keys, KEY)
        # Settings name the engine's own server, which may be on this machine.
        config = {"engine": kind.engine, "base_url": f"http://127.0.0.1:{site.port}"}
        ctx.kit.web = site.web(keys, secrets={"KEY": KEY}, **{**config, **more})
        result = await web_search.run({"query": query, "count": 3}, ctx)
    return result, site


async def test_it_is_asked_as_its_api_wants(kind: Kind, tmp_path: Path) -> None:
    _, site = await search(kind, Page(kind.answer(), kind.content), tmp_path)
    (asked,) = site.asked
    assert asked.path == kind.path
    kind.check(asked)


async def test_hits_come_with_title_address_and_text(kind: Kind, tmp_path: Path) -> None:
    result, _ = await search(kind, Page(kind.answer(), kind.content), tmp_path)
    shown = [{"title": title, "url": url} for title, url, *_ in HITS]
    assert result.details["hits"] == shown
    assert "How to grow <them> indoors" in result.for_model
    assert "Blätter und Blüten" in result.for_model
    assert "advertisement" not in result.for_model
    assert result.found == tuple(url for _, url, *_ in HITS)
    assert result.untrusted


async def test_nothing_found_is_no_fault(kind: Kind, tmp_path: Path) -> None:
    empty = b"<html></html>" if kind.engine == "duckduckgo" else b'{"results": [], "web": null}'
    result, _ = await search(kind, Page(empty, kind.content), tmp_path)
    assert "found nothing" in result.for_model
    assert result.found == ()


@pytest.mark.parametrize("status", [401, 403, 429, 500])
async def test_a_refusal_is_said_in_a_sentence(kind: Kind, status: int, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=f"answered {status}: slow down"):
        await search(kind, Page(b"slow down", "text/plain", status), tmp_path)


@pytest.mark.parametrize(
    "body", [b"<html>no</html>", b'"text"', b"[1]", b'{"results": 7}', b"\xff"]
)
async def test_an_answer_of_another_form_is_no_crash(
    kind: Kind, body: bytes, tmp_path: Path
) -> None:
    try:
        result, _ = await search(kind, Page(body, kind.content), tmp_path)
    except ToolError:
        return
    assert result.found == ()


async def test_a_secret_is_never_searched_for(kind: Kind, tmp_path: Path) -> None:
    page = Page(kind.answer(), kind.content)
    with pytest.raises(UrlRefusedError, match="KEY"):
        await search(kind, page, tmp_path, query=f"what is {KEY}")


async def test_a_page_that_wants_proof_of_a_person_is_said(tmp_path: Path) -> None:
    kind = KINDS[-1]
    with pytest.raises(ToolError, match="proof that a person"):
        await search(kind, Page(b"<html>...</html>", "text/html", 202), tmp_path)
    form = b'<form id="challenge-form"><div class="anomaly-modal__title">Bots</div></form>'
    with pytest.raises(ToolError, match="proof that a person"):
        await search(kind, Page(form, "text/html"), tmp_path)


async def test_the_engine_of_the_settings_may_be_local_but_no_hit_is_opened_there(
    tmp_path: Path,
) -> None:
    async with SmallWeb({"/": Page(b"inner")}) as site:
        web = site.web(engine="searxng", base_url=f"http://127.0.0.1:{site.port}")
        from hermes_tui.security.urls import Request

        ctx = FakeContext(tmp_path)
        with pytest.raises(UrlRefusedError, match="this machine"):
            await web.fetch(Request(url=f"http://127.0.0.1:{site.port}/"), ctx)
    assert site.asked == []


def test_the_engine_is_chosen_by_setting_address_and_key() -> None:
    keys = {"TAVILY_API_KEY": KEY}
    assert choose(WebConfig(), {}).name == "DuckDuckGo"
    assert choose(WebConfig(), keys).name == "Tavily"
    assert choose(WebConfig(base_url="http://127.0.0.1:8888"), keys).name == "SearXNG"
    assert choose(WebConfig(engine="duckduckgo"), keys).name == "DuckDuckGo"
    named = WebConfig(engine="exa", api_key_env="MY_KEY")
    assert choose(named, {"MY_KEY": KEY}).name == "Exa"
    with pytest.raises(ToolError, match="no key"):
        choose(WebConfig(engine="brave"), keys)
    with pytest.raises(ToolError, match="no address"):
        choose(WebConfig(engine="searxng"), keys)


async def test_an_empty_or_endless_query_is_refused(tmp_path: Path) -> None:
    for query in (" ", "x" * 500):
        with pytest.raises(ToolError):
            await web_search.run({"query": query, "count": 3}, FakeContext(tmp_path))


@settings(max_examples=100, deadline=None)
@given(
    parts=st.lists(
        st.sampled_from(
            ["<a class='result__a' href='//x'>", "<a class=result__a href='http://[::1'>", "</a>",
             "<div class='result'>", "<td class='result__snippet'>", "text", "<![x",
             "&#x110000;", "<", ">"]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_any_page_is_read_without_a_fault(parts: list[str]) -> None:
    body = "".join(parts).encode()
    answer = Fetched(
        url="https://x", address="", status=200, headers={}, body=body, truncated=False, redirects=0
    )
    for hit in DuckDuckGo().read(answer):
        assert hit.url.startswith("http")
