"""`hermes audit`, `hermes policy why` and `hermes policy rules`: the record, explained."""

from __future__ import annotations

import time

import pytest

from hermes_tui.cli import policy_rules
from hermes_tui.cli.audit import moment
from hermes_tui.home import Home
from hermes_tui.security import audit_chain
from hermes_tui.security.audit import Audit, AuditEntry
from tests.cli.conftest import Hermes


def filled(home: Home) -> None:
    """A session in which something ran, something was refused and something was approved."""
    log = Audit(home, clean=str)
    push = AuditEntry(
        kind="decided",
        session="s1",
        call_id="call-push",
        ask_id="ask-push",
        tool="run_command",
        action="execute",
        title="git push",
        detail="git push origin main",
        verdict="ask",
        reason="it sends commits to another machine",
        mode="ask",
    )
    log.record_now(
        AuditEntry(
            kind="decided", session="s1", call_id="call-1", tool="read_file", verdict="allow"
        ),
        push,
        AuditEntry(
            kind="answered", session="s1", ask_id="ask-push", verdict="once", face="ui", reason=""
        ),
        AuditEntry(
            kind="decided",
            session="s2",
            call_id="call-rm",
            tool="run_command",
            action="execute",
            detail="rm -rf build",
            verdict="deny",
            reason="a deny rule covers it",
            rules=("run_command rm -rf build",),
            mode="yolo",
            attended=False,
        ),
    )
    log.close()


def test_the_list_shows_the_newest_last_and_narrows_by_session_time_and_number(
    home: Home, hermes: Hermes
) -> None:
    filled(home)
    assert [one["n"] for one in hermes("audit", "list", "--json").json] == [1, 2, 3, 4]
    assert [one["n"] for one in hermes("audit", "list", "--json", "--limit", "2").json] == [3, 4]
    mine = hermes("audit", "list", "--json", "--session", "s1", "--since", "1h").json
    assert [one["session"] for one in mine] == ["s1"] * 3
    assert hermes("audit", "list", "--json", "--since", "2999-01-01").json == []
    table = hermes("audit", "list").out
    assert "approved once by ui" in table
    assert "refused run_command" in table
    assert "nothing was decided" in hermes("audit", "list", "--since", "2999-01-01").out


def test_a_moment_is_a_span_or_a_date() -> None:
    now = 1_000_000.0
    assert moment("30m", now) == now - 1800
    assert moment("2d", now) == now - 172_800
    assert moment("2026-11-30", now) == time.mktime((2026, 11, 30, 0, 0, 0, 0, 0, -1))


def test_a_moment_that_is_none_is_refused_with_an_example(hermes: Hermes) -> None:
    ran = hermes("audit", "list", "--since", "soon")
    assert ran.code == 2
    assert "3d" in ran.err


def test_verify_proves_a_whole_log_and_names_what_to_keep_elsewhere(
    home: Home, hermes: Hermes
) -> None:
    assert hermes("audit", "verify").code == 0
    filled(home)
    ran = hermes("audit", "verify", "--json")
    assert ran.code == 0
    assert ran.json["ok"]
    assert ran.json["lines"] == 4
    assert ran.json["end"]["sum"] in hermes("audit", "verify").out


def test_verify_fails_with_the_line_and_what_is_wrong(home: Home, hermes: Hermes) -> None:
    filled(home)
    (path,) = audit_chain.files(home.audit)
    path.write_bytes(path.read_bytes().replace(b"rm -rf build", b"ls -la build", 1))
    ran = hermes("audit", "verify")
    assert ran.code == 1
    assert f"{path.name}:4 (entry 4): it was changed" in ran.out
    problems = hermes("audit", "verify", "--json").json["problems"]
    assert [(one["line"], one["n"]) for one in problems] == [(4, 4)]


def test_why_tells_the_whole_story_of_a_call_by_any_of_its_names(
    home: Home, hermes: Hermes
) -> None:
    filled(home)
    for name in ("2", "3", "call-push", "ask-push"):
        told = hermes("policy", "why", name).out
        assert "git push origin main" in told, name
        assert "it sends commits to another machine" in told
        assert "Approved once by ui" in told
        assert "mode was ask" in told


def test_why_last_is_the_newest_decision_with_the_rule_it_rests_on(
    home: Home, hermes: Hermes
) -> None:
    filled(home)
    home.config.write_text("policy:\n  deny:\n    - run_command rm -rf build\n")
    told = hermes("policy", "why", "LAST").out
    assert "refused it: a deny rule covers it" in told
    assert "`run_command rm -rf build`, in config.yaml:3" in told
    assert "nobody was there" in told
    made = hermes("policy", "why", "--json").json
    assert made["id"] == 4
    assert made["entries"][0]["verdict"] == "deny"
    assert told.splitlines() == made["sentences"]


def test_why_says_where_to_look_when_there_is_no_such_decision(home: Home, hermes: Hermes) -> None:
    ran = hermes("policy", "why", "LAST")
    assert ran.code == 1
    assert "hermes audit list" in ran.err
    filled(home)
    assert hermes("policy", "why", "99").code == 1


def test_rules_say_where_they_stand_what_they_cover_and_whether_they_were_used(
    home: Home, hermes: Hermes
) -> None:
    filled(home)
    home.config.write_text(
        "policy:\n"
        "  allow: [run_command ls *, 'run_command make test']\n"
        "  deny:\n"
        "    # never\n"
        "    - run_command rm -rf build\n"
        "    - write_file /etc/hosts\n"
    )
    found = {one["rule"]: one for one in hermes("policy", "rules", "--json").json}
    rm = found["run_command rm -rf build"]
    assert (rm["effect"], rm["place"], rm["used"]) == ("deny", "config.yaml:5", 1)
    assert found["run_command ls *"]["place"] == "config.yaml:2"
    assert "begins with `ls`" in found["run_command ls *"]["covers"]
    assert found["write_file /etc/hosts"]["covers"] == "write_file with exactly /etc/hosts"
    told = hermes("policy", "rules").out
    assert told.count("never used") == 3
    assert "used 1 times" in told


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("run_command git status", "these words and no others"),
        ("run_command git push *", "nothing it would run in turn"),
        ("run_command cd a && make", "word for word"),
        ("run_command echo 'a", "word for word"),
        ("run_command *", "nothing"),
        ("run_command", "nothing"),
        ("network pypi.org", "read from and send to pypi.org"),
        ("network *.example.org", "every host below example.org"),
        ("network *.org", "nothing"),
    ],
)
def test_what_a_rule_covers_is_said_in_words(rule: str, said: str) -> None:
    assert said in policy_rules.covers(rule)


def test_doctor_says_when_the_record_was_changed(home: Home, hermes: Hermes) -> None:
    filled(home)
    assert "4 decisions on record" in hermes("doctor").out
    (path,) = audit_chain.files(home.audit)
    path.write_bytes(path.read_bytes().replace(b"once", b"deny", 1))
    told = hermes("doctor")
    assert told.code == 1
    assert f"{path.name}:3" in told.out


def test_a_rule_for_a_tool_that_is_not_there_says_so(home: Home, hermes: Hermes) -> None:
    home.config.write_text("policy:\n  deny:\n    - run_comand rm -rf build\n")
    assert "no tool run_comand (nearest: run_command)" in hermes("policy", "rules").out
