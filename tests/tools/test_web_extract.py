"""Pages of the web come as text: the article, whole, in pages that together lose nothing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.security.urls import Fetched, UrlRefusedError
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.page_reader import read_page
from hermes_tui.tools.web_extract import page_of, pages_of, web_extract
from tests.fakes.context import FakeContext
from tests.fakes.documents import pdf, png
from tests.fakes.small_web import Page, SmallWeb

SENTENCES = [
    f"Sentence number {n} tells of the garden and what grew in it that year." for n in range(40)
]
ARTICLE = (
    "<!doctype html><html><head><title>The garden – My site</title>"
    '<meta property="og:title" content="The garden"><meta name="author" content="Ada Lovelace">'
    '<meta property="article:published_time" content="2026-02-03T10:00:00Z"></head><body>'
    "<nav><a href='/a'>Home</a> <a href='/b'>Shop</a></nav><article><h1>The garden</h1>"
    "<h2>Spring</h2>" + "".join(f"<p>{one}</p>" for one in SENTENCES[:20])
    + "<p>See <a href='/seeds'>the seeds</a>.</p><h2>Summer</h2>"
    + "".join(f"<p>{one}</p>" for one in SENTENCES[20:])
    + "</article><footer>Cookies and imprint</footer></body></html>"
).encode()  # fmt: skip


async def extract(site: SmallWeb, ctx: FakeContext, path: str, page: int = 1) -> ToolResult:
    ctx.kit.web = ctx.kit.web or site.web()
    return await web_extract.run({"url": site.site + path, "page": page}, ctx)


async def read(page: Page, folder: Path, window: int = 12_000) -> ToolResult:
    async with SmallWeb({"/": page}) as site:
        return await extract(site, FakeContext(folder, window), "/")


async def test_an_article_comes_as_markdown_with_title_date_and_author(tmp_path: Path) -> None:
    result = await read(Page(ARTICLE), tmp_path)
    text = result.for_model
    assert "title: The garden" in text
    assert "date: 2026-02-03" in text
    assert "author: Ada Lovelace" in text
    assert "## Spring" in text
    assert [one for one in SENTENCES if one not in text] == []
    assert "[the seeds](http" in text
    assert "Cookies and imprint" not in text
    assert result.untrusted == "site.example"


async def test_without_the_reader_of_articles_the_whole_page_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = await read(Page(ARTICLE), tmp_path)
    assert "title: The garden – My site" in result.for_model
    assert "## Spring" in result.for_model
    assert [one for one in SENTENCES if one not in result.for_model] == []


def test_a_page_too_long_for_the_reader_of_articles_is_read_quickly() -> None:
    words = "".join(f"<p>Paragraph {n} {'word ' * 60}</p>" for n in range(5_000))
    body = f"<html><body>{words}</body></html>".encode()
    answer = Fetched(
        url="https://x", address="", status=200, headers={}, body=body, truncated=False, redirects=0
    )
    began = time.thread_time()
    page = page_of(answer)
    assert time.thread_time() - began < 1.9
    assert len(page.text) > 1_000_000


async def test_an_article_that_misses_nearly_all_of_a_page_is_not_taken(tmp_path: Path) -> None:
    rows = "".join(f"<li><a href='/{n}'>entry {n}</a></li>" for n in range(1_000))
    page = f"<html><body><nav><ul>{rows}</ul></nav><p>Short words here.</p></body></html>"
    result = await read(Page(page.encode()), tmp_path, 100_000)
    assert "entry 999" in result.for_model


async def test_a_long_page_is_visited_once_and_its_pages_are_the_whole(tmp_path: Path) -> None:
    words = "".join(f"<p>Paragraph {n} {'word ' * 40}</p>" for n in range(60))
    page = Page(f"<html><body><article><h1>Long</h1>{words}</article></body></html>".encode())
    async with SmallWeb({"/": page}) as site:
        ctx = FakeContext(tmp_path, 3_000)
        first = await extract(site, ctx, "/")
        texts = [first.for_model]
        texts += [
            (await extract(site, ctx, "/", n)).for_model
            for n in range(2, first.details["pages"] + 1)
        ]
        with pytest.raises(ToolError, match="there is no page"):
            await extract(site, ctx, "/", 99)
    assert len(site.asked) == 1
    assert all(len(text) <= 3_000 for text in texts)
    assert "go on with page=2" in texts[0]
    assert "go on" not in texts[-1]
    together = "\n".join(texts)
    assert [n for n in range(60) if f"Paragraph {n} " not in together] == []


async def test_the_first_page_is_always_fresh(tmp_path: Path) -> None:
    async with SmallWeb({"/": Page(b"one", "text/plain")}) as site:
        ctx = FakeContext(tmp_path)
        assert "one" in (await extract(site, ctx, "/")).for_model
        site.pages["/"] = Page(b"two", "text/plain")
        assert "two" in (await extract(site, ctx, "/")).for_model


async def test_a_pdf_of_the_web_is_read(tmp_path: Path) -> None:
    paper = pdf("Abstract of it", "The method", title="A paper")
    result = await read(Page(paper, "application/pdf"), tmp_path)
    assert "title: A paper" in result.for_model
    assert "date: 2026-01-02" in result.for_model
    assert "Abstract of it" in result.for_model
    assert "page 2 of 2" in result.for_model
    again = await read(Page(paper, "application/octet-stream"), tmp_path)
    assert "The method" in again.for_model


async def test_plain_text_json_and_other_charsets_are_read(tmp_path: Path) -> None:
    assert "a < b" in (await read(Page(b"a < b", "text/plain"), tmp_path)).for_model
    assert '{"a": 1}' in (await read(Page(b'{"a": 1}', "application/json"), tmp_path)).for_model
    umlaut = "<html><body><p>Grüße aus Köln und viele andere Wörter</p></body></html>"
    latin = Page(umlaut.encode("latin-1"), "text/html; charset=iso-8859-1")
    assert "Grüße aus Köln" in (await read(latin, tmp_path)).for_model
    unsaid = Page(umlaut.encode("latin-1"), "text/html")
    assert "Grüße aus Köln" in (await read(unsaid, tmp_path)).for_model
    wrong = Page(umlaut.encode(), "text/html; charset=no-such-thing")
    assert "Grüße aus Köln" in (await read(wrong, tmp_path)).for_model


async def test_what_has_no_text_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="image/png") as refused:
        await read(Page(png(), "image/png"), tmp_path)
    assert "vision" in refused.value.hint
    with pytest.raises(ToolError, match="answered 404"):
        await read(Page(b"", "text/html", 404), tmp_path)


async def test_escape_sequences_of_a_page_do_not_reach_a_terminal(tmp_path: Path) -> None:
    result = await read(Page(b"one \x1b[31mred\x1b]0;title\x07 two", "text/plain"), tmp_path)
    assert "\x1b" not in result.for_model
    assert "one red two" in result.for_model


async def test_this_machine_is_not_read_and_odd_addresses_ask_first(tmp_path: Path) -> None:
    async with SmallWeb({"/": Page(b"inner")}) as site:
        ctx = FakeContext(tmp_path)
        ctx.kit.web = site.web()
        url = f"http://127.0.0.1:{site.port}/"
        with pytest.raises(UrlRefusedError, match="this machine"):
            await web_extract.run({"url": url, "page": 1}, ctx)
        odd = f"{site.site}/?password=hunter2"
        with pytest.raises(ToolError, match="nobody"):
            await web_extract.run({"url": odd, "page": 1}, ctx)
        ctx.answers = ["leave it"]
        with pytest.raises(UrlRefusedError):
            await web_extract.run({"url": odd, "page": 1}, ctx)
        assert site.asked == []
        ctx.answers = ["open it"]
        await web_extract.run({"url": odd, "page": 1}, ctx)
    assert len(site.asked) == 1


def test_the_policy_is_told_which_host_is_read() -> None:
    action = web_extract.action({"url": "https://Docs.example/a?b", "page": 1}, "/")
    assert (action.kind, action.sends) == ("fetch", ("https://Docs.example/a?b",))
    assert action.rule == "web_extract docs.example"


def test_it_costs_nothing_before_it_is_used() -> None:
    import subprocess

    script = (
        "import sys, hermes_tui.tools.web_extract, hermes_tui.tools.web_search,"
        "hermes_tui.tools.http_request, hermes_tui.tools.vision;"
        "heavy = {'trafilatura', 'pypdf', 'lxml', 'httpx2', 'html.parser'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, timeout=20
    )
    assert done.stdout.decode().strip() == "[]"


# --- the reader of whole pages --------------------------------------------------------------


def test_headings_lists_tables_code_and_links_are_kept() -> None:
    title, text = read_page(
        "<html><head><title>T &amp; t</title><style>p{}</style></head><body><h2>Head</h2>"
        "<p>One <b>two</b>\n three<script>no()</script></p><ul><li>a</li><li>b<ol><li>c</li>"
        "</ol></li></ul><pre>x = 1\n  y</pre><table><tr><td>1</td><td>2</td></tr></table>"
        "<a href='/z'>link</a> <a href='#top'>up</a> <img alt='cat'></body></html>",
        "https://s.example/p/",
    )
    assert title == "T & t"
    assert "## Head" in text
    assert "One two three" in text
    assert "- a\n- b\n  1. c" in text
    assert "```\nx = 1\n  y\n```" in text
    assert "| 1 | 2" in text
    assert "link <https://s.example/z>" in text
    assert "[picture: cat]" in text
    assert "no()" not in text
    assert "#top" not in text


_TAGS = st.sampled_from(
    ["<p>", "</p>", "<ul>", "<li>", "</ul>", "</li>", "<pre>", "</pre>", "</a>",
     "<a href='http://[x'>", "<script>", "</script>", "<table>", "<td>", "</table>",
     "<title>", "</title>", "<!--", "-->", "<![", "<svg>", "</svg>", "<h1>", "</h1>", "<br>",
     "&#0;", "<img alt=x>", "&bogus;", "word ", "<", "]]>"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(_TAGS | st.text(max_size=6), max_size=30))
def test_any_html_is_read_without_a_fault(parts: list[str]) -> None:
    title, text = read_page("".join(parts), "https://s.example/")
    assert isinstance(title + text, str)


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(_TAGS | st.sampled_from(["<time>", "<html>", "<article>"]), max_size=30))
def test_any_page_of_the_web_has_some_text(parts: list[str]) -> None:
    body = "".join(["<html>", *parts]).encode()
    answer = Fetched(
        url="https://x", address="", status=200, headers={}, body=body, truncated=False, redirects=0
    )
    assert isinstance(page_of(answer).text, str)


def test_nesting_without_end_costs_little() -> None:
    _, text = read_page("<div>" * 20_000 + "deep" + "</div>" * 20_000)
    assert text == "deep"


@settings(max_examples=200, deadline=None)
@given(text=st.text("ab \n", max_size=400), room=st.integers(1, 60))
def test_pages_fit_and_together_are_the_text(text: str, room: int) -> None:
    pages = pages_of(text, room)
    assert "".join(pages) == text
    assert all(len(page) <= room for page in pages)
    assert all(pages[:-1])
