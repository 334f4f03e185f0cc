"""`web_extract`: a page of the web, or a PDF document there, as text in Markdown."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.security.taint import host_of
from hermes_tui.security.urls import Fetched, Limits, Request
from hermes_tui.tools.base import Context, ToolResult, tool
from hermes_tui.tools.plain_text import clean, is_binary
from hermes_tui.tools.web import Page, Web, web_of

_LARGEST = 20_000_000
_MOST_HTML = 5_000_000
_MOST_FOR_ARTICLE = 700_000
"""Characters of HTML; the reader of articles takes minutes for the longest pages."""
_SHORT, _FAR_MORE = 1_000, 20
"""A short article on a page that says far more is no article but a miss."""
_STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What trafilatura and the packages under it raise on odd pages."""
_NOTE_CHARS = 900
_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5"


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    url = arguments["url"].strip()
    return Action(
        tool="web_extract",
        kind="fetch",
        title=f"read {url[:120]}",
        detail=url,
        sends=(url,),
        rule=f"web_extract {host_of(url)}",
    )


@tool(
    describe=_describe,
    repeatable=True,
    words="open visit browse fetch download website article link url http https html pdf online "
    "paper documentation summarise blog news 网页 打开 链接 文章",
)
async def web_extract(url: str, *, page: int = 1, ctx: Context) -> ToolResult:
    """Read a page of the web, or a PDF there, as text in Markdown. Long ones come in pages.

    url: the full address.
    page: which page of a long text.
    """
    web = web_of(ctx)
    url = url.strip()
    # What was read a moment ago is only for its later parts: page 1 is always fresh.
    kept = web.page(url) if page > 1 else None
    if kept is None:
        answer = await web.fetch(Request(url=url, headers={"accept": _ACCEPT}), ctx, _limits(web))
        if answer.status >= 400:
            raise ToolError(f"{host_of(url)} answered {answer.status} for {answer.url[:200]}")
        kept = await asyncio.to_thread(page_of, answer)
        web.keep(url, kept)
    return _shown(kept, page, ctx.window_chars)


def _limits(web: Web) -> Limits:
    return Limits(size=_LARGEST, seconds=web.config.timeout_s)


def page_of(answer: Fetched) -> Page:
    """The text of an answer, whatever it is. Raises ToolError for what has no text."""
    from hermes_tui.tools.office_text import office_kind, office_text

    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = answer.body
    if body.startswith(b"%PDF") or kind == "application/pdf":
        text, about = _pdf(answer)
    elif kind in ("text/html", "application/xhtml+xml") or _looks_html(body, kind):
        text, about = _html(answer)
    elif body.startswith(b"PK\x03\x04") and (office := office_kind(body)):
        text, about = office_text(body, office, answer.url[:200]), {}
    elif is_binary(body):
        what = kind or "data"
        raise ToolError(
            f"{answer.url[:200]} is {what}, {len(body):,} bytes, and no text",
            "for a picture use vision; to keep a file use run_command with curl",
        )
    else:
        text, about = _decoded(answer), {}
    if answer.truncated:
        text += f"\n\n[cut: only the first {len(body):,} bytes of it were fetched]"
    return Page(answer.url, clean(text).strip(), about)


def _looks_html(body: bytes, kind: str) -> bool:
    start = body[:500].lstrip().lower()
    return kind in ("", "text/plain") and start.startswith((b"<!doctype html", b"<html"))


def _pdf(answer: Fetched) -> tuple[str, dict[str, str]]:
    from hermes_tui.tools.pdf_text import read_pdf

    if answer.truncated:
        raise ToolError(f"{answer.url[:200]} is a PDF document of over {_LARGEST:,} bytes")
    document = read_pdf(answer.body, answer.url[:200])
    about = {"title": document.title, "date": document.date, "pages": str(document.count)}
    return document.text(), about


def _html(answer: Fetched) -> tuple[str, dict[str, str]]:
    html = _decoded(answer)[:_MOST_HTML]
    text, about = _main_text(html, answer.url) if len(html) <= _MOST_FOR_ARTICLE else ("", {})
    if len(text) > _SHORT:
        return text, about
    from hermes_tui.tools.page_reader import read_page

    title, whole = read_page(html, answer.url)
    if text and len(whole) < _FAR_MORE * len(text):
        return text, about
    return whole, {"title": title, **about}


def _main_text(html: str, url: str) -> tuple[str, dict[str, str]]:
    """The article of a page without what surrounds it; empty when none is found."""
    if importlib.util.find_spec("trafilatura") is None:
        return "", {}
    import logging

    import trafilatura

    etree: Any = importlib.import_module("lxml.etree")
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found: Any = trafilatura.extract_with_metadata(
            html,
            url=url,
            output_format="markdown",
            include_links=True,
            include_formatting=True,
            include_comments=False,
            fast=len(html) > _MOST_FOR_ARTICLE // 2,
        )
    except (etree.LxmlError, *_STUMBLES):
        return "", {}  # a page it stumbles over is read whole
    text = _without_head(found.text or "") if found is not None else ""
    if found is None or not text:
        return "", {}
    about = {"title": found.title, "date": found.date, "author": found.author}
    return text, {name: str(value) for name, value in about.items() if value}


def _without_head(text: str) -> str:
    """The text without the block of metadata in front of it."""
    return text.partition("\n---\n")[2] if text.startswith("---\n") else text


def _decoded(answer: Fetched) -> str:
    """The body as text, by the answer's own word, the page's, or what fits."""
    import re

    kind = answer.headers.get("content-type", "")
    said = re.search(r"charset=\"?([\w-]+)", kind)
    inside = re.search(rb"<meta[^>]{0,200}charset=[\"']?([\w-]+)", answer.body[:4096], re.I)
    names = [said[1]] if said else []
    names += [inside[1].decode()] if inside else []
    for name in (*names, "utf-8"):
        try:
            return answer.body.decode(name)
        except (LookupError, UnicodeDecodeError):
            continue
    return answer.body.decode("utf-8" if answer.truncated else "cp1252", "replace")


def _shown(kept: Page, page: int, window: int) -> ToolResult:
    parts = pages_of(kept.text, max(1_000, window - _NOTE_CHARS))
    if not 1 <= page <= len(parts):
        raise ToolError(f"the text has {len(parts)} pages; there is no page {page}")
    head = [f"{name}: {clean(value)[:300]}" for name, value in kept.about.items() if value]
    text = parts[page - 1] or "[there is no text on this page]"
    more = f"; go on with page={page + 1}" if page < len(parts) else ""
    note = f"\n\n[page {page} of {len(parts)}{more}]" if len(parts) > 1 else ""
    top = "\n".join([f"url: {kept.url[:300]}", *(head if page == 1 else [])])
    details = {"url": kept.url, "title": kept.about.get("title", ""), "page": page}
    return ToolResult(
        for_model=f"{top}\n\n{text}{note}",
        details={**details, "pages": len(parts), "chars": len(kept.text)},
        untrusted=host_of(kept.url),
    )


def pages_of(text: str, room: int) -> list[str]:
    """A text in parts of at most `room` characters, cut between paragraphs or lines if it can be.

    All parts together are the whole text.
    """
    parts: list[str] = []
    while len(text) > room:
        at = max(text.rfind("\n\n", room // 2, room), -1)
        at = at + 2 if at >= 0 else text.rfind("\n", room // 2, room) + 1
        at = at or text.rfind(" ", room // 2, room) + 1 or room
        parts.append(text[:at])
        text = text[at:]
    return [*parts, text]
