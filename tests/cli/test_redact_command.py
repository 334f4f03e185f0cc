"""`hermes redact` and `hermes policy url`: the agent's own eyes, for people and scripts."""

from __future__ import annotations

import base64

import msgspec

from hermes_tui.home import Home
from hermes_tui.security.vault import write_file
from tests.cli.conftest import Hermes

VALUE = "zq-" + "A7bC9dE1fG" * 3


def rows(out: str) -> list[dict[str, object]]:
    return [msgspec.json.decode(line) for line in out.splitlines()]


def test_text_comes_out_without_the_homes_secrets(hermes: Hermes, home: Home) -> None:
    write_file(home, "MAIL_KEY", VALUE)
    coded = base64.b64encode(VALUE.encode()).decode()
    done = hermes("redact", stdin=f"one {VALUE}\ntwo {coded}\npassword: hunter2hunter2\nthree\n")
    assert done.code == 0
    assert done.out == (
        "one ⟪secret:MAIL_KEY⟫\ntwo ⟪secret:MAIL_KEY⟫\npassword: ⟪secret:password⟫\nthree\n"
    )


def test_lines_of_json_bring_their_own_secrets(hermes: Hermes) -> None:
    asked = [
        {"id": 1, "text": f"see {VALUE[::-1]}", "vault": [VALUE]},
        {"id": "b", "text": "MAX_TOKENS=4096", "surface": "env-dump"},
    ]
    done = hermes(
        "redact", "--jsonl", stdin="\n".join(msgspec.json.encode(a).decode() for a in asked)
    )
    assert rows(done.out) == [
        {"id": 1, "text": "see ⟪secret:value 1⟫"},
        {"id": "b", "text": "MAX_TOKENS=4096"},
    ]


def test_a_line_that_is_no_json_is_named(hermes: Hermes) -> None:
    done = hermes("redact", "--jsonl", stdin="{\n")
    assert done.code == 1
    assert "line 1" in done.err


def test_an_unknown_surface_is_refused(hermes: Hermes) -> None:
    assert hermes("redact", "--surface", "moon", stdin="x").code == 2


def test_urls_are_judged_with_the_look_ups_they_bring(hermes: Hermes) -> None:
    asked = [
        {"id": 1, "url": "https://a.example/", "resolve": {"A.example.": ["93.184.216.34"]}},
        {"id": 2, "url": "https://a.example/", "resolve": {}},
        {
            "id": 3,
            "url": "https://a.example/",
            "resolve": {"a.example": [["93.184.216.34"], ["10.0.0.1"]]},
        },
        {
            "id": 4,
            "url": "https://a.example/",
            "resolve": {"a.example": ["93.184.216.34"]},
            "redirects": ["/b", "http://127.0.0.1/"],
        },
        {"id": 5, "url": "http://93.184.216.34:22/"},
    ]
    done = hermes(
        "policy", "url", "--jsonl", stdin="\n".join(msgspec.json.encode(a).decode() for a in asked)
    )
    assert [(row["id"], row["decision"]) for row in rows(done.out)] == [
        (1, "allow"),
        (2, "deny"),
        (3, "deny"),
        (4, "deny"),
        (5, "ask"),
    ]
    assert all(row["reason"] for row in rows(done.out))


def test_one_url_is_explained_in_words_or_json(hermes: Hermes) -> None:
    told = hermes("policy", "url", "http://169.254.169.254/latest/")
    assert told.code == 0
    assert "deny" in told.out
    assert "metadata service" in told.out
    assert hermes("policy", "url", "--json", "http://[::1]/").json["decision"] == "deny"


def test_a_url_with_a_secret_of_the_home_is_denied(hermes: Hermes, home: Home) -> None:
    write_file(home, "MAIL_KEY", VALUE)
    told = hermes("policy", "url", f"https://93.184.216.34/?q={VALUE.encode().hex()}")
    assert "MAIL_KEY" in told.out
    assert "deny" in told.out
