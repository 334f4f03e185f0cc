"""A request goes out as it was approved, nothing secret with it, and its answer comes back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.errors import ToolError
from hermes_tui.security.urls import UrlRefusedError
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.http_request import http_request
from tests.fakes.context import FakeContext
from tests.fakes.small_web import Page, SmallWeb

SECRET = "s3cret-" + "value-99"


def arguments(**given: Any) -> dict[str, Any]:
    return http_request.parse(json.dumps(given))


async def send(site: SmallWeb, folder: Path, path: str = "/", **given: Any) -> ToolResult:
    ctx = FakeContext(folder)
    ctx.kit.web = site.web(secrets={"SERVICE_TOKEN": SECRET})
    return await http_request.run(arguments(url=site.site + path, **given), ctx)


async def test_method_headers_and_body_arrive_as_they_were_given(tmp_path: Path) -> None:
    async with SmallWeb({"/": Page(b'{"ok":true,"n":[1]}', "application/json", 201)}) as site:
        result = await send(
            site, tmp_path, method="PUT", headers={"X-Trace": "abc", "Accept": "application/json"},
            json={"a": [1, "ü"]},
        )  # fmt: skip
    (asked,) = site.asked
    assert asked.method == "PUT"
    assert json.loads(asked.body) == {"a": [1, "ü"]}
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["x-trace"] == "abc"
    assert "status: 201" in result.for_model
    assert '"ok": true' in result.for_model
    assert result.untrusted == "site.example"
    assert not result.failed


async def test_text_goes_as_text_and_a_failure_of_the_service_is_one(tmp_path: Path) -> None:
    async with SmallWeb({"/": Page(b"no such thing", "text/plain", 404)}) as site:
        result = await send(site, tmp_path, method="POST", body="grüße")
    assert site.asked[0].body.decode() == "grüße"
    assert site.asked[0].headers["content-type"] == "text/plain; charset=utf-8"
    assert result.failed
    assert "no such thing" in result.for_model


async def test_a_long_answer_is_kept_whole(tmp_path: Path) -> None:
    body = ("line\n" * 20_000).encode()
    async with SmallWeb({"/": Page(body, "text/plain")}) as site:
        result = await send(site, tmp_path)
    assert len(result.for_model) <= 12_000
    kept = await asyncio.to_thread(Path(result.output_path).read_bytes)
    assert kept.endswith(body)


async def test_binary_answers_are_described(tmp_path: Path) -> None:
    async with SmallWeb({"/": Page(bytes(300), "application/octet-stream")}) as site:
        assert "binary body, 300 bytes" in (await send(site, tmp_path)).for_model


async def test_no_secret_goes_out_in_body_header_or_address(tmp_path: Path) -> None:
    async with SmallWeb({"/": Page(b"ok")}) as site:
        for given in (
            {"method": "POST", "body": f"token={SECRET}"},
            {"method": "POST", "json": {"deep": [{"token": SECRET[::-1]}]}},
            {"headers": {"Authorization": f"Bearer {SECRET}"}},
            {"path": f"/?q={SECRET}"},
        ):
            with pytest.raises(UrlRefusedError, match="SERVICE_TOKEN"):
                await send(site, tmp_path, **given)
    assert site.asked == []


@pytest.mark.parametrize(
    "headers", [{"Host": "x"}, {"Content-Length": "3"}, {"a b": "c"}, {"x": "a\r\ny: z"}, {"": "x"}]
)
def test_headers_that_would_change_the_request_itself_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ToolError):
        http_request.action(arguments(url="https://a.example", headers=headers), "/")


def test_reading_is_a_fetch_and_everything_else_a_send() -> None:
    def kind(**given: Any) -> str:
        return http_request.action(arguments(url="https://a.example/x", **given), "/").kind

    assert kind() == "fetch"
    assert kind(method="HEAD") == "fetch"
    assert kind(method="GET", body="x") == "send"
    assert {kind(method=m) for m in ("POST", "PUT", "PATCH", "DELETE")} == {"send"}


def test_the_approval_shows_and_stands_for_the_whole_request() -> None:
    def action(body: str) -> Any:
        given = arguments(url="https://a.example/x", method="POST", body=body, headers={"X-A": "b"})
        return http_request.action(given, "/")

    shown = action("hello").detail
    assert (
        shown
        == "POST https://a.example/x\nx-a: b\ncontent-type: text/plain; charset=utf-8\n\nhello"
    )
    one, other = action("a" * 9_000 + "1"), action("a" * 9_000 + "2")
    assert one.digest != other.digest
    assert one.sends == ("https://a.example/x",)


def test_body_and_json_together_are_refused() -> None:
    with pytest.raises(ToolError, match="not both"):
        http_request.action(arguments(url="https://a.example", body="x", json={"a": 1}), "/")
