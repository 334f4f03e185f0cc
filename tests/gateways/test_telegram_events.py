"""What people write in Telegram is understood: who, where, to whom, and every word of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import MessageEntity, Update

from hermes_tui.gateways.base import Inbound
from hermes_tui.gateways.telegram_events import Me, attachments, inbound, marked, read, repeated

ME = Me(id=12345, username="Hermes_Bot", commands={"status": "status", "new_chat": "new-chat"})
ADA = {"id": 7, "is_bot": False, "first_name": "Ada", "last_name": "L."}
BOB = {"id": 9, "is_bot": False, "first_name": "Bob"}
BOT = {"id": 12345, "is_bot": True, "first_name": "Hermes", "username": "Hermes_Bot"}
PRIVATE = {"id": 7, "type": "private"}
GROUP = {"id": -1007, "type": "supergroup"}


def said(text: str = "", chat: dict[str, Any] = PRIVATE, **more: Any) -> Inbound | None:
    message: dict[str, Any] = {"message_id": 5, "date": 1_700_000_000, "from": ADA, "chat": chat}
    message |= {"text": text} if text else {}
    update = read({"update_id": 1, "message": message | more}, None)
    return inbound(update, ME) if update is not None else None


def heard(text: str = "", chat: dict[str, Any] = PRIVATE, **more: Any) -> Inbound:
    got = said(text, chat, **more)
    assert got is not None
    return got


def other(text: str, who: dict[str, Any] = BOB, **more: Any) -> dict[str, Any]:
    return {"message_id": 4, "date": 1, "from": who, "chat": GROUP, "text": text, **more}


def entity(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **more}


def command(length: int) -> list[dict[str, Any]]:
    return [entity("bot_command", 0, length)]


def test_time_name_and_numbers_are_those_of_the_message() -> None:
    got = heard("hello")
    assert (got.ts, got.name, got.sender, got.chat, got.message) == (
        1_700_000_000.0,
        "Ada L.",
        "7",
        "7",
        "5",
    )


@pytest.mark.parametrize(
    ("text", "length", "meant", "spoken"),
    [
        ("/status", 7, "/status", True),
        ("/status@hermes_bot now", 18, "/status now", True),
        ("/new_chat", 9, "/new-chat", True),
        ("/unknown thing", 8, "/unknown thing", False),
        ("/status@other_bot", 17, "/status@other_bot", False),
    ],
)
def test_commands_are_for_the_bot_they_name(
    text: str, length: int, meant: str, spoken: bool
) -> None:
    got = heard(text, GROUP, entities=command(length))
    assert (got.text, got.spoken_to) == (meant, spoken)


def test_the_name_of_the_bot_counts_in_captions_and_in_the_middle_and_for_nobody_else() -> None:
    photo = [{"file_id": "a", "file_unique_id": "b", "width": 1, "height": 1}]
    mark = [entity("mention", 0, 11)]
    got = heard("", GROUP, caption="@hermes_bot what is this", caption_entities=mark, photo=photo)
    assert (got.text, got.spoken_to) == ("what is this", True)
    got = heard("ask @Hermes_Bot then", GROUP, entities=[entity("mention", 4, 11)])
    assert (got.text, got.spoken_to) == ("ask @Hermes_Bot then", True)
    got = heard("ask @hermes_bot2 then", GROUP, entities=[entity("mention", 4, 12)])
    assert not got.spoken_to
    got = heard("ask @hermes_bot", GROUP)  # no mark: it stands in code or in an address
    assert not got.spoken_to
    mine, theirs = entity("text_mention", 0, 6, user=BOT), entity("text_mention", 0, 6, user=BOB)
    assert heard("Hermes, hi", GROUP, entities=[mine]).spoken_to
    assert not heard("Hermes, hi", GROUP, entities=[theirs]).spoken_to


def test_forwarded_words_are_not_the_senders_own() -> None:
    origin = {"type": "user", "date": 1, "sender_user": BOB}
    got = heard("/status", entities=command(7), forward_origin=origin)
    assert got.text == "[forwarded from Bob]\n/status"
    hidden = {"type": "hidden_user", "date": 1, "sender_user_name": "Eve"}
    assert heard("pay me", forward_origin=hidden).text == "[forwarded from Eve]\npay me"
    helper = {**BOT, "id": 3, "username": "gif"}
    assert heard("/status", via_bot=helper).text == "[written by the bot @gif]\n/status"


def test_what_is_answered_is_quoted_unless_it_was_the_agents_own() -> None:
    got = heard("I agree", GROUP, reply_to_message=other("Let us\nmeet at 9"))
    assert (got.text, got.reply_to, got.spoken_to) == ("> Let us meet at 9\n\nI agree", "4", False)
    got = heard("yes", GROUP, reply_to_message=other("Shall I?", BOT))
    assert (got.text, got.reply_to, got.spoken_to) == ("yes", "4", True)
    part = {"text": "meet at 9", "position": 7, "is_manual": True}
    got = heard("why?", reply_to_message=other("Let us meet at 9", BOT), quote=part)
    assert got.text == "> meet at 9\n\nwhy?"
    got = heard("/status", entities=command(7), reply_to_message=other("whatever"))
    assert got.text == "/status"
    long = heard("no", reply_to_message=other("x" * 500)).text
    assert long == "> " + "x" * 200 + "…\n\nno"


def test_in_a_topic_nobody_answers_its_beginning() -> None:
    start = other("", BOT, forum_topic_created={"name": "Plans", "icon_color": 1})
    del start["text"]
    topic = {"message_thread_id": 4, "is_topic_message": True, "reply_to_message": start}
    got = heard("hello", GROUP, **topic)
    assert (got.thread, got.reply_to, got.spoken_to, got.text) == ("4", "", False, "hello")
    assert heard("an answer, no topic", GROUP, message_thread_id=4).thread == ""


def test_addresses_and_code_are_in_the_text() -> None:
    marks = [entity("text_link", 3, 4, url="https://e.test/x"), entity("pre", 8, 5, language="py")]
    got = heard("🚀 here\n1 + 1 end", entities=marks)
    assert got.text == "🚀 [here](https://e.test/x)\n```py\n1 + 1\n``` end"


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.sampled_from(["pre", "text_link", "bold"]), st.integers(0, 40))),
    st.integers(0, 5),
)
def test_no_word_is_lost_whatever_is_marked(
    text: str, marks: list[tuple[str, int]], length: int
) -> None:
    entities = [
        MessageEntity(kind, at, length, url="u", language="l") for kind, at in sorted(marks)
    ]
    out = marked(text, entities)
    for sign in ("```l\n", "\n```", "](u)", "["):
        out = out.replace(sign, "")
        text = text.replace(sign, "")
    if "\ufffd" not in out:  # a mark that cuts a character in two comes from no Telegram
        assert out == text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"location": {"latitude": 52.5, "longitude": 13.4}}, "[place 52.5, 13.4]"),
        ({"contact": {"first_name": "Bob", "phone_number": "+491"}}, "[contact Bob, +491]"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "[🎲 4]"),
        ({"story": {"id": 1, "chat": {"id": 9, "type": "private"}}}, "[story]"),
        (
            {
                "sticker": {
                    "file_id": "a",
                    "file_unique_id": "b",
                    "width": 1,
                    "height": 1,
                    "is_animated": False,
                    "is_video": False,
                    "type": "regular",
                    "emoji": "😀",
                }
            },
            "[sticker 😀]",
        ),
        (
            {
                "venue": {
                    "location": {"latitude": 1.0, "longitude": 2.0},
                    "title": "Café",
                    "address": "Street 1",
                },
                "location": {"latitude": 1.0, "longitude": 2.0},
            },
            "[place Café, Street 1, 1.0, 2.0]",
        ),
    ],
)
def test_what_has_no_words_is_told_in_words(content: dict[str, Any], words: str) -> None:
    assert heard(**content).text == words


def test_a_poll_is_told_with_its_answers() -> None:
    answers = [{"text": one, "voter_count": 0, "persistent_id": one} for one in ("Mon", "Tue")]
    poll = {
        "id": "1",
        "question": "When?",
        "options": answers,
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "type": "regular",
        "allows_multiple_answers": False,
        "allows_revoting": False,
        "members_only": False,
    }
    assert heard(poll=poll).text == "[poll When?: Mon; Tue]"


def test_of_what_the_library_does_not_know_the_words_arrive() -> None:
    assert heard(poll={"id": "of another age"}).text == "[poll]"
    got = heard("look at this", link_preview_options=3, reply_to_message={"no": "message"})
    assert got.text == "look at this"
    origin = {"type": "user", "date": 1, "sender_user": BOB}
    got = heard("/status", entities=command(7), forward_origin=origin, poll={"id": "odd"})
    assert got.text == "[forwarded from Bob]\n/status"
    assert read({"update_id": 1, "message": {"message_id": 1}}, None) is None
    assert said("/status", forward_origin={"type": "user"}) is None, "whose words it is is unknown"


def test_channels_and_anonymous_senders_are_nobody() -> None:
    assert said("hi", GROUP, sender_chat=GROUP) is None
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    assert said("hi", GROUP, **{"from": anonymous}) is None
    assert said("", GROUP, pinned_message=other("pinned")) is None


def test_the_largest_size_and_never_a_preview_is_taken() -> None:
    thumb = {"file_id": "t", "file_unique_id": "t", "width": 1, "height": 1}
    document = {
        "file_id": "d",
        "file_unique_id": "u",
        "file_name": "a.png",
        "mime_type": "image/png",
        "thumbnail": thumb,
        "file_size": 12,
    }
    message = other("") | {"document": document}
    update = Update.de_json({"update_id": 1, "message": message}, None)
    (one,) = attachments(update.message)
    assert (one.file_id, one.name, one.kind, one.size) == ("d", "a.png", "image", 12)


@given(st.integers(1, 2**31), st.integers(-200, 200))
def test_numbers_that_begin_anew_are_no_repeats(taken: int, step: int) -> None:
    assert repeated(taken + step, taken) == (-100 < step <= 0)
