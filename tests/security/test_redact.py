"""Streams: no cut lets a secret through, and ordinary text flows on."""

from __future__ import annotations

import base64
import random
import string
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.security.redact_stream import StreamRedactor
from hermes_tui.security.secrets import Redactor

LETTERS = string.ascii_letters + string.digits
VALUE = "zq-" + "".join(random.Random(4).choices(LETTERS, k=32))
PASSPHRASE = "correct horse battery staple under the table"
REDACTOR = Redactor({"KEY": VALUE, "PHRASE": PASSPHRASE, "SIGNS": "p@$$w!"})


def streamed(text: str, cuts: list[int], redactor: Redactor = REDACTOR) -> str:
    stream = StreamRedactor(redactor)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    return "".join(stream.feed(piece) for piece in pieces) + stream.finish()


CUTS = st.lists(st.integers(0, 10_000), max_size=40)
FORMS = (
    VALUE,
    VALUE[::-1],
    " ".join(VALUE),
    VALUE.encode().hex(),
    base64.b64encode(b"x" + VALUE.encode()).decode(),
    "".join(f"%{ord(c):02x}" for c in VALUE),
    "\n".join((VALUE[:9], VALUE[9:20], VALUE[20:])),
    PASSPHRASE,
    PASSPHRASE.replace(" ", "\n"),
    base64.b64encode(PASSPHRASE.encode()).decode(),
    "p@$$w!",
)


@settings(max_examples=120, deadline=None)
@given(form=st.sampled_from(FORMS), cuts=CUTS, before=st.integers(0, 30))
def test_no_cut_lets_a_held_value_through(form: str, cuts: list[int], before: int) -> None:
    text = f"{'so it goes, ' * before}{form} and that was it"
    done = streamed(text, cuts)
    assert form not in done
    assert done.startswith("so it goes, " * before)
    assert done.endswith(" and that was it")


def test_a_value_that_comes_letter_by_letter_is_hidden_whole() -> None:
    for form in FORMS:
        text = f"see {form} there"
        done = streamed(text, list(range(len(text))))
        assert form[4:] not in done
        assert "⟪secret:" in done


FIELDS = (
    "password: Blue-77-Giraffe! and more",
    "Authorization: Bearer " + "".join(random.Random(5).choices(LETTERS, k=40)) + "\nHost: x",
    "gh" + "p_" + "".join(random.Random(6).choices(LETTERS, k=36)) + " is it",
    "-----BEGIN RSA " + "PRIVATE KEY-----\n" + ("A7b" * 21 + "\n") * 40 + "-----END RSA "
    "PRIVATE KEY-----\nnext",
    "seed phrase: " + "apple river stone cloud " * 3 + "\nnext",
    "card 4242 4242 4242 " + "4242 exp",
)


@settings(max_examples=80, deadline=None)
@given(text=st.sampled_from(FIELDS), cuts=CUTS)
def test_other_secrets_are_hidden_whatever_the_cuts(text: str, cuts: list[int]) -> None:
    whole = Redactor().redact("It said: " + text).text
    assert whole != "It said: " + text
    assert streamed("It said: " + text, cuts, Redactor()) == whole


@settings(max_examples=80, deadline=None)
@given(
    words=st.lists(st.sampled_from(["the", "token", "of", "zq-", "key:", "\n", "p@", "—", "1234"])),
    cuts=CUTS,
)
def test_a_stream_without_secrets_comes_out_unchanged(words: list[str], cuts: list[int]) -> None:
    text = " ".join(words)
    assert streamed(text, cuts) == text


def test_prose_is_let_out_word_by_word() -> None:
    stream = StreamRedactor(REDACTOR)
    assert stream.feed("The first words ") == "The first words "
    assert stream.feed("are here and mo") == "are here and "
    assert stream.feed("re come") == "more "
    assert stream.finish() == "come"


def test_one_endless_word_is_not_held_back_for_ever() -> None:
    stream = StreamRedactor(Redactor())
    out = "".join(stream.feed("abcdefgh" * 1000) for _ in range(10))
    assert len(out) > 40_000
    assert out + stream.finish() == "abcdefgh" * 10_000


@settings(max_examples=120, deadline=None)
@given(form=st.sampled_from(FORMS), cuts=CUTS)
def test_a_file_that_is_read_while_it_grows_never_holds_half_a_value(
    form: str, cuts: list[int]
) -> None:
    text = f"the key is {form} and that was it"
    stream, done = StreamRedactor(REDACTOR), ""
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for a, b in pairwise(places):
        done += stream.feed(text[a:b]) + stream.pause()
    done += stream.finish()
    assert form not in done
    assert form[4:] not in done


def test_a_question_without_a_line_end_is_there_to_be_read() -> None:
    stream = StreamRedactor(REDACTOR)
    assert stream.feed("Go on? [y/n]") + stream.pause() == "Go on? [y/n]"
