"""Secrets are hidden in every encoding, by field name and by look; everything else stays."""

from __future__ import annotations

import base64
import codecs
import html
import json
import random
import string
import time
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.security.secrets import Redactor, Surface, contains_mask, guard_outgoing, mask

LETTERS = string.ascii_letters + string.digits


def made(length: int, seed: int = 7, letters: str = LETTERS) -> str:
    """Something that looks like a key and is none."""
    return "".join(random.Random(seed).choices(letters, k=length))


def hidden(text: str, surface: Surface = "tool-output") -> str:
    return Redactor().redact(text, surface).text


def escaped_json(value: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in value)


ENCODINGS = {
    "plain": str,
    "base64": lambda v: base64.b64encode(v.encode()).decode(),
    "base64 at 1": lambda v: base64.b64encode(b"a" + v.encode()).decode(),
    "base64 at 2": lambda v: base64.b64encode(b"ab" + v.encode() + b"z").decode(),
    "urlsafe": lambda v: base64.urlsafe_b64encode(v.encode()).decode(),
    "base32": lambda v: base64.b32encode(v.encode()).decode(),
    "hex": lambda v: v.encode().hex(),
    "HEX": lambda v: v.encode().hex().upper(),
    "hex bytes": lambda v: v.encode().hex(":"),
    "percent": lambda v: "".join(f"%{b:02x}" for b in v.encode()),
    "part percent": lambda v: quote(v, safe=""),
    "twice percent": lambda v: quote(quote(v, safe=""), safe=""),
    "reversed": lambda v: v[::-1],
    "swapped": str.swapcase,
    "upper": str.upper,
    "rot13": lambda v: codecs.encode(v, "rot13"),
    "json": lambda v: json.dumps(v),
    "json all": escaped_json,
    "html": lambda v: html.escape(v),
    "html all": lambda v: "".join(f"&#{ord(c)};" for c in v),
    "c": lambda v: "".join(f"\\x{b:02x}" for b in v.encode()),
    "spaced": " ".join,
    "lines": lambda v: "\n".join(v[i : i + 5] for i in range(0, len(v), 5)),
    "zero width": "\u200b".join,
    "dots": ".".join,
    "full width": lambda v: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in v),
}
VALUES = st.text(st.sampled_from(LETTERS + "_-+/.!@#$"), min_size=10, max_size=60).filter(
    lambda v: sum(c.isalnum() for c in v) >= 8 and v == v.strip() and len(set(v)) > 5
)
AROUND = st.text(st.sampled_from(" \n.,:;xyz\"'=/?&é—"), max_size=30)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=25, deadline=None)
@given(value=VALUES, before=AROUND, after=AROUND)
def test_a_held_value_is_hidden_in_every_encoding(
    encoding: str, value: str, before: str, after: str
) -> None:
    coded = ENCODINGS[encoding](value)
    done = Redactor({"MINE": value}).redact(f"{before}{coded}{after}")
    assert coded not in done.text
    assert any(one.held and one.label == "MINE" for one in done.found)


def test_a_held_value_is_hidden_in_an_encoding_of_an_encoding() -> None:
    value = "zq-" + made(30) + "&x"
    coded = base64.b64encode(quote(value, safe="").encode()).decode()
    done = Redactor({"MINE": value}).redact(f"see {coded} there")
    assert coded not in done.text
    assert [(one.label, one.held) for one in done.found] == [("MINE", True)]


@pytest.mark.parametrize("value", ["p@$$w!", "hunter2", "S3cr3t", "a b-c d!e f", "1234567"])
def test_short_and_odd_values_are_hidden_too(value: str) -> None:
    redactor = Redactor([value])
    for coded in (
        value,
        value[::-1],
        value.encode().hex(),
        base64.b64encode(value.encode()).decode(),
    ):
        assert coded not in redactor.redact(f"got {coded} here").text


def test_a_short_value_hides_no_words_that_happen_to_spell_it() -> None:
    text = "a hunter, 2 dogs and letters that cat and let me in"
    assert Redactor(["hunter2", "cat", "letmein"]).redact(text).text == text


def test_both_halves_of_a_value_are_hidden() -> None:
    value = "zq-" + made(40)
    done = Redactor([value]).redact(f"first: {value[:22]} and then: {value[22:]}")
    assert value[:22] not in done.text
    assert value[22:] not in done.text


def test_the_public_lines_of_a_held_key_file_stay_readable() -> None:
    begin, end = ("-" * 5 + f"{word} PRIVATE KEY" + "-" * 5 for word in ("BEGIN", "END"))
    redactor = Redactor({"SSH": f"{begin}\n{made(64, 1)}\n{made(64, 2)}\n{end}\n"})
    assert redactor.redact(f"a file with {begin} in it").found == ()
    assert made(64, 2) not in redactor.redact(f"line: {made(64, 2)}").text


SHAPES = [
    "sk-" + "proj-" + made(48),
    "sk-" + "ant-api03-" + made(80),
    "gh" + "p_" + made(36),
    "a_gh" + "p_" + made(36),
    "github" + "_pat_" + made(22) + "_" + made(59),
    "gl" + "pat-" + made(20),
    "xox" + "b-123456789012-" + made(24),
    "AK" + "IA" + made(16, 3, string.ascii_uppercase + "234567"),
    "AI" + "za" + made(35),
    "S" + "G." + made(22) + "." + made(43),
    "hv" + "s." + made(90),
    "123456789:" + "AA" + made(33),
    "ey" + "J" + made(30) + ".ey" + "J" + made(60) + "." + made(43),
    "tv" + "ly-dev-" + made(32),
    "acme_live_" + made(32),
    "SK" + made(32, 5, "0123456789abcdef"),
    "https://hooks." + "slack.com/services/T00000000/B00000000/" + "X" * 24,
]


@pytest.mark.parametrize("shape", SHAPES)
def test_keys_of_known_makers_are_hidden(shape: str) -> None:
    assert shape not in hidden(f"value found: {shape}\ndone\n")


PASSWORD = "Blue" + "-77-Giraffe!"
KEY = made(32, 11)
FIELDS = [
    f"DB_PASSWORD='{PASSWORD}'",
    f'{{"password": "{PASSWORD}"}}',
    f'{{\\"apiKey\\": \\"{KEY}\\"}}',
    f"password: {PASSWORD}",
    f"[auth]\napi_key = {KEY}",
    f"aws_secret_access_key={KEY}/{made(7)}",
    f"export ACME_SERVICE_TOKEN={KEY}",
    f"//registry.example.test/:_authToken={KEY}",
    f"machine example.test login me password {PASSWORD}",
    f"machine example.test\n  login me\n  password {PASSWORD}\n",
    f"db.example.test:5432:app:me:{PASSWORD}",
    f"https://me:{PASSWORD}@git.example.test/x",
    f"postgres://app:{PASSWORD}@db/x",
    f"redis://:{PASSWORD}@cache:6379/0",
    f"Server=db;User Id=sa;Password={PASSWORD};Encrypt=true",
    f"Authorization: Bearer {KEY}",
    f"-H 'X-Api-Key: {KEY}'",
    f"Set-Cookie: sessionid={KEY}; Path=/; HttpOnly",
    f"https://api.example.test/v1?api_key={KEY}&x=1",
    f"https://api.example.test/v1?api%5Fkey={KEY}&x=1",
    f"<password>{PASSWORD}</password>",
    f'<add key="ApiKey" value="{KEY}"/>',
    f"- name: DB_PASSWORD\n  value: {PASSWORD}",
    f"the wifi password is {PASSWORD}",
    f"mysql -u me -p{PASSWORD} app",
    f"curl -u me:{PASSWORD} https://example.test",
    f"tool --password {PASSWORD} --verbose",
    f"sshpass -p {PASSWORD} ssh me@host",
    f'const clientSecret: string = "{KEY}"',
    f"ALTER USER app IDENTIFIED BY '{PASSWORD}'",
    "seed phrase: " + " ".join(["apple", "river", "stone", "cloud"] * 3),
    "card 4242" + " 4242 4242 4242 exp 12/30",
]


@pytest.mark.parametrize("text", FIELDS)
def test_what_a_field_gives_away_is_hidden(text: str) -> None:
    done = hidden(text, "config-file")
    assert PASSWORD not in done
    assert KEY not in done
    assert done != text
    assert contains_mask(done)


BENIGN = [
    "MAX_TOKENS=4096",
    '{"max_tokens": 1024, "token_count": 5, "next_page_token": "abc"}',
    "id 3f2b8c1e-9d4a-4e77-8a10-5b6c7d8e9f01",
    "sha256:" + made(64, 5, "0123456789abcdef"),
    "commit " + made(40, 6, "0123456789abcdef"),
    "integrity sha512-" + made(86) + "==",
    "ssh-ed25519 " + "AAAAC3NzaC1lZDI1NTE5AAAAI" + made(43) + " me@host",
    "password: str | None = None",
    "token = os.environ['GITHUB_TOKEN']",
    "token = process.env.GITHUB_TOKEN",
    "password = get_password(user)",
    "api_key=self.api_key, password=password",
    'headers = {"Authorization": f"Bearer {token}"}',
    '{"token": "<your token>", "api_key": "YOUR_API_KEY"}',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "DB_PASSWORD=${DB_PASSWORD:-}",
    "secretKeyRef:\n  name: app-secret\n  key: token",
    "the password is incorrect, the token is expired",
    "the key is sha256-hashed and base64-encoded",
    "error: token mismatch at line 4",
    "password_policy: strong-2026",
    "https://example.test/?key=hello&code=SPRING26&session=dark-mode",
    "ssh://deploy@host.example.test/path",
    "http://localhost:8080/@user/post",
    "re.compile(r'ghp_[A-Za-z0-9]{36}')",
    'class="sk-folding-cube-animation-wrapper-2"',
    "risk-assessment-template-2026-final",
    "req_" + "01JAbCdEfGhJkLmNpQrStVwX" + " toolu_" + made(24),
    "ISBN 978-3-16-148410-0, order 4242 4242 4242 4241",
    "aspect 12345678:1, chat id 123456789: hello",
    "-----BEGIN CERTIFICATE-----\n" + made(64) + "\n-----END CERTIFICATE-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "mkdir -p build && docker run -p 8080:80 app",
    "Set-Cookie: theme=dark; Path=/; Max-Age=31536000",
    "recovery words: write them down and keep them in a safe place that only you know of now",
]


@pytest.mark.parametrize("text", BENIGN)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert hidden(text) == text


ORDINARY = (
    "the token of a secret password key is kept in auth.py line 42, see #7: cookie = None; "
    "session->id % 16 &amp; \\n \\u00e9 %20 {x} [y] 'z' \"w\" 0x7f 3.14 — naïve １２"
)
WORDS = st.lists(st.sampled_from(ORDINARY.split(" ")), max_size=60)


@settings(max_examples=60, deadline=None)
@given(words=WORDS, held=st.lists(VALUES, max_size=3))
def test_text_without_secrets_comes_back_unchanged(words: list[str], held: list[str]) -> None:
    text = " ".join(words)
    assert Redactor(held).redact(text).text == text


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    redactor = Redactor(["correct-horse-77"])
    once = redactor.redact(text + " password: hunter2hunter2 correct-horse-77").text
    assert redactor.redact(once).text == once


def test_a_mask_is_known_in_every_writing() -> None:
    text = f"KEY={mask('OPENAI_API_KEY')}\n"
    for written in (text, json.dumps(text), quote(text), html.escape(text), text.upper()):
        assert contains_mask(written)
    assert not contains_mask("secret: a ⟪quotation⟫ and nothing else")


def test_what_must_not_be_sent_is_named() -> None:
    redactor = Redactor({"MAIL_KEY": "correct-horse-77"})
    assert guard_outgoing("all is well", redactor) is None
    coded = base64.b64encode(b"correct-horse-77").decode()
    held = guard_outgoing(f"http://x.test/?d={coded}", redactor, "outgoing-url")
    assert held is not None
    assert (held.kind, "MAIL_KEY" in held.reason) == ("held", True)
    masked = guard_outgoing(mask("MAIL_KEY"), redactor)
    assert masked is not None
    assert masked.kind == "mask"
    shape = guard_outgoing("gh" + "p_" + made(36), redactor)
    assert shape is not None
    assert shape.kind == "shape"


OUTGOING = {
    "reversed": lambda v: v[::-1],
    "rot13": lambda v: codecs.encode(v, "rot13"),
    "spaced": " ".join,
    "wrapped": lambda v: "\n".join(v[i : i + 16] for i in range(0, len(v), 16)),
    "base64": lambda v: base64.b64encode(v.encode()).decode(),
    "base32": lambda v: base64.b32encode(v.encode()).decode(),
    "hex": lambda v: v.encode().hex(),
    "json": escaped_json,
}


@pytest.mark.parametrize("encoding", OUTGOING)
def test_somebody_elses_key_is_not_carried_out_in_disguise(encoding: str) -> None:
    coded = OUTGOING[encoding]("gh" + "p_" + made(36))
    assert coded not in hidden(f"blob {coded}", "outgoing-message")


def test_hostile_text_takes_no_longer_than_other_text() -> None:
    redactor = Redactor(["a" * 40, "a" * 39 + "7", made(40)])
    hostile = [
        "a" * 100_000,
        "sk-" * 30_000,
        "token=" * 5_000,
        "%41" * 25_000,
        "password: '" * 8_000,
        base64.b64encode(b"plain text again " * 10_000).decode(),
        "-----BEGIN PRIVATE KEY-----\n" * 5_000,
        "seed phrase: " * 5_000,
        "0000 " * 10_000,
        "a.b-" * 20_000,
    ]
    for text in hostile:
        start = time.thread_time()
        redactor.redact(text, "outgoing-message")
        assert time.thread_time() - start < 1.5, text[:20]
