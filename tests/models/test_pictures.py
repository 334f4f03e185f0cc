"""Pictures reach models that see, in an order every provider takes, and harm none that is blind."""

from __future__ import annotations

import base64
import struct
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.events import Picture, ToolCall
from hermes_tui.models import pictures, request_body, sight
from hermes_tui.models.base import Message, Request
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.windows import read_models
from tests.fakes.documents import png
from tests.fakes.scripted_model import ScriptedModel, fail, say


def kept(folder: Path, name: str = "a.png", size: tuple[int, int] = (3, 2)) -> Picture:
    (folder / name).write_bytes(png(*size))
    return Picture(path=str(folder / name), media="image/png")


def sent(messages: tuple[Message, ...], dropped: frozenset[str] = frozenset()) -> list[dict]:
    body = request_body.encode("m", Request(system="", messages=messages), dropped)
    return msgspec.json.decode(body)["messages"]


def test_a_picture_of_a_person_goes_beside_their_words(tmp_path: Path) -> None:
    picture = kept(tmp_path)
    (said,) = sent((Message(role="user", content="look", pictures=(picture,)),))
    assert said["content"][0] == {"type": "text", "text": "look"}
    url = said["content"][1]["image_url"]["url"]
    assert base64.b64decode(url.removeprefix("data:image/png;base64,")) == png()


def test_pictures_of_tools_come_after_the_last_result_of_the_reply(tmp_path: Path) -> None:
    one, two = kept(tmp_path, "1.png"), kept(tmp_path, "2.png", (5, 5))
    calls = (ToolCall(id="a", tool="t"), ToolCall(id="b", tool="t"))
    said = sent(
        (
            Message(role="assistant", calls=calls),
            Message(role="tool", content="first", call_id="a", pictures=(one,)),
            Message(role="tool", content="second", call_id="b", pictures=(two,)),
            Message(role="assistant", content="done"),
        )
    )
    assert [one["role"] for one in said] == ["assistant", "tool", "tool", "user", "assistant"]
    assert [one["content"] for one in said[1:3]] == ["first", "second"]
    assert [part["type"] for part in said[3]["content"]] == ["text", "image_url", "image_url"]


def test_a_blind_model_gets_the_same_text_without_pictures(tmp_path: Path) -> None:
    message = Message(role="user", content="look", pictures=(kept(tmp_path),))
    blind = frozenset((request_body.PICTURES,))
    assert sent((message,), blind) == [{"role": "user", "content": "look"}]


@pytest.mark.parametrize("content", [None, b"", b"<script>", b"\x89PNG", bytes(6_000_000)])
def test_what_is_gone_or_no_picture_is_left_out(tmp_path: Path, content: bytes | None) -> None:
    picture = Picture(path=str(tmp_path / "x.png"), media="image/png")
    if content is not None:
        (tmp_path / "x.png").write_bytes(content)
    message = Message(role="user", content="look", pictures=(picture,))
    assert sent((message,)) == [{"role": "user", "content": "look"}]


def test_only_the_newest_pictures_are_sent_when_all_are_too_many() -> None:
    half = "x" * (pictures.MOST_BYTES // 2)
    assert pictures.newest([half, "", half, half]) == {2, 3}
    assert pictures.newest(["x" * (pictures.MOST_BYTES + 1)]) == frozenset()


def test_attached_pictures_are_found_by_the_mark_in_the_prompt() -> None:
    text = (
        "see [attached image /h/outputs/s/attached/a b.png (PNG, 3×2, 1 KB)] and "
        "[attached file /h/outputs/s/attached/x.txt (1 KB)] "
        "[attached image /etc/passwd.png (no)] [attached image /h/attached/x.txt (no)]"
    )
    assert pictures.attached(text) == (
        Picture(path="/h/outputs/s/attached/a b.png", media="image/png"),
    )


@settings(max_examples=150, deadline=None)
@given(start=st.sampled_from([b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff", b"RIFF1234WEBP"]),
       rest=st.binary(max_size=60))  # fmt: skip
def test_any_bytes_are_looked_at_without_a_fault(start: bytes, rest: bytes) -> None:
    look = pictures.look_of(start + rest)
    assert look is None or look.media.startswith("image/")


def test_format_and_size_are_read_from_the_first_bytes() -> None:
    assert str(pictures.look_of(png(640, 480))) == "PNG image, 640×480 pixels"
    gif = b"GIF89a" + struct.pack("<HH", 7, 9)
    assert str(pictures.look_of(gif)) == "GIF image, 7×9 pixels"
    assert pictures.look_of(b"plain text") is None


def test_known_families_see_and_unknown_names_do_not() -> None:
    seeing = (
        "gpt-5-mini openai/gpt-4o claude-sonnet-4-5 anthropic/claude-3.5-haiku gemini-2.5-flash"
    )
    seeing += " qwen2.5-vl-7b google/gemma-3-27b-it llava:13b pixtral-12b llama-4-scout grok-4"
    blind = "deepseek-chat Hermes-4-405B gpt-3.5-turbo llama-3.3-70b qwen2.5-0.5b o3-mini glm-4.6"
    assert [name for name in seeing.split() if not sight.sees(name)] == []
    assert [name for name in blind.split() if sight.sees(name)] == []


async def test_a_model_that_refuses_a_picture_answers_without_it(
    scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [
        fail(400, "image input is not supported - you may need to provide the mmproj"),
        say("I can't see it"),
    ]
    model = ChatCompletions("gpt-4o", scripted.url, key="k")
    message = Message(role="user", content="look", pictures=(kept(tmp_path),))
    request = Request(system="", messages=(message,))
    assert model.sees
    text = "".join([delta.text async for delta in model.stream(request)])
    await model.close()
    assert text == "I can't see it"
    assert not model.sees
    first, second = (one.messages[-1]["content"] for one in scripted.requests)
    assert isinstance(first, list)
    assert second == "look"


async def test_a_refusal_that_has_nothing_to_do_with_pictures_blinds_nobody(
    scripted: ScriptedModel,
) -> None:
    scripted.script = [fail(400, "the word image in some other complaint")]
    model = ChatCompletions("gpt-4o", scripted.url, key="k")
    request = Request(system="", messages=(Message(role="user", content="draw an image"),))
    with pytest.raises(Exception, match="image"):
        [delta async for delta in model.stream(request)]
    await model.close()
    assert model.sees


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/props", {"modalities": {"vision": True, "audio": False}}),
        ("/api/v0/models", {"data": [{"id": "mine", "type": "vlm"}]}),
        ("/api/show", {"capabilities": ["completion", "vision"]}),
    ],
)
async def test_a_local_server_tells_that_its_model_sees(path: str, body: dict) -> None:
    async with ScriptedModel(name="mine", also={path: body}) as server:
        model = ChatCompletions("mine", server.url)
        assert not model.sees
        await model.learn_window()
        await model.close()
        assert model.sees


@pytest.mark.parametrize(
    ("row", "sees"),
    [
        ({"architecture": {"input_modalities": ["text", "image"]}}, True),
        ({"architecture": {"input_modalities": ["text"]}}, False),
        ({"capabilities": {"vision": True, "completion_chat": True}}, True),
        ({"capabilities": ["completion", "multimodal"]}, True),
        ({"capabilities": 7}, None),
        ({}, None),
    ],
)
def test_a_list_of_models_may_tell_which_of_them_see(row: dict, sees: bool | None) -> None:
    body = msgspec.json.encode({"data": [{"id": "m", **row}]})
    assert [one.sees for one in read_models(body)] == [sees]


def test_the_settings_have_the_last_word() -> None:
    model = ChatCompletions("gpt-4o", "http://127.0.0.1:9")
    model.told_sees = False
    assert not model.sees
