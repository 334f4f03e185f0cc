"""Shell text is read the way bash reads it, and never without an end."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.security.shell_braces import expand_braces
from hermes_tui.security.shell_options import parse, spec
from hermes_tui.security.shell_second import command_names, disagreement
from hermes_tui.security.shell_start import follow
from hermes_tui.security.shell_state import UNKNOWN
from hermes_tui.security.shell_syntax import Reader, read_shell
from tests.security.command_rows import judged


def listed(text: str) -> list[list[str]]:
    return [list(one.argv) for one in follow(text, "/w", "/home/user").commands if one.argv]


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    words = ["c", *(word.replace("\0", "").replace(UNKNOWN, "") for word in words)]
    plain = [word for word in words if not any("\ue000" <= char <= "\ue00f" for char in word)]
    text = " ".join(shlex.quote(word) for word in plain)
    assert listed(text) == [plain]


@given(st.text(alphabet="ab $'\"`\\(){}[]|&;<>\n#=!*?~0@%:-", max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_in_bounded_time_without_an_error(text: str) -> None:
    start = time.thread_time()
    judged(text)
    assert time.thread_time() - start < 1.0


@pytest.mark.parametrize(
    "piece",
    [
        "$(",
        "(",
        "{",
        "`",
        '"$(',
        "<(",
        "$((",
        "${a:-",
        "x=(",
        "if ",
        "f(){ ",
        "[[ ",
        "((",
        "case x in x) ",
    ],
)
def test_endless_nesting_is_not_understood_rather_than_followed(piece: str) -> None:
    start = time.thread_time()
    assert judged(piece * 900).opaque
    assert time.thread_time() - start < 1.0


def test_a_long_file_written_by_a_here_document_is_read_quickly() -> None:
    body = "some $text with `ticks`\n" * 4000
    start = time.thread_time()
    assert judged(f"cat > notes.md <<'END'\n{body}END").cls == "none"
    assert time.thread_time() - start < 0.5


def test_too_many_arguments_are_not_skipped_silently() -> None:
    assert judged("cat " + "a " * 5000 + ".env").opaque


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a b; c", [["a", "b"], ["c"]]),
        ("a|b&&c||d&e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("for i in x y; do a $i; done", [["a", "x"], ["a", "y"]]),
        ("case x in a) b;; (c|d) e;& esac", [["b"], ["e"]]),
        ('f() { a "$@"; }; f 1 2', [["a", "1", "2"]]),
        ("cat <<E | b\n$(c)\nE\nd", [["c"], ["cat"], ["b"], ["d"]]),
        ("cat <<'E'\n$(c)\nE", [["cat"]]),
        ("a $(b `c`)", [["c"], ["b", UNKNOWN], ["a", UNKNOWN]]),
        ("a # b\nc", [["a"], ["c"]]),
        ("a \\\n b", [["a", "b"]]),
        ("echo {a,b}{1..2}", [["echo", "a1", "a2", "b1", "b2"]]),
        ("x=1 a >o 2>&1", [["a"]]),
        ("x=(a 'b c'); d \"${x[@]}\"", [["d", "a", "b c"]]),
        ('set -- a; b "$1" "$@"', [["set", "--", "a"], ["b", "a", "a"]]),
        ('b "$@"', [["b"]]),
        ("! time -p a | time b", [["a"], ["b"]]),
        ("coproc N { a; }; coproc b", [["a"], ["b"]]),
        ("[[ a < b && $(c) ]] && (( $(d) ))", [["c"], ["d"]]),
        ("a $((1 + $(b)))", [["b"], ["a", UNKNOWN]]),
        (
            "v=abc; a ${v:1:1} ${v#a} ${v%c} ${v/b/x} ${v^^} ${#v}",
            [["a", "b", "bc", "ab", "axc", "ABC", "3"]],
        ),
        ("cd /a; b; (cd c; d); e", [["cd", "/a"], ["b"], ["cd", "c"], ["d"], ["e"]]),
        ("xargs -n1 a <<< 'x y'", [["xargs", "-n1", "a"], ["a", "x", "y"]]),
        (
            "sudo -u me timeout -k 1 5 a b",
            [
                ["sudo", "-u", "me", "timeout", "-k", "1", "5", "a", "b"],
                ["timeout", "-k", "1", "5", "a", "b"],
                ["a", "b"],
            ],
        ),
    ],
)
def test_commands_are_listed_with_their_words(text: str, commands: list[list[str]]) -> None:
    assert listed(text) == commands


@pytest.mark.parametrize(
    "text",
    [
        "cat <<-E\n\t`a`\n\tE",
        "echo ${x:=`a`}",
        "y[$(a)]=1",
        "echo $((y[$(a)]))",
        "[[ -v 'y[$(a)]' ]]",
        "coproc a",
        "echo ${x/$(a)/b}",
        'echo "${x:-"$(a)"}"',
        "echo \"${x:-'$(a)'}\"",
        "let 'y[$(a)]=1'",
        "x='$(a)'; echo ${x@P}",
        "PS4='$(a)'; set -x; b",
        "mapfile -C a -c 1 m <<< x",
        "compgen -C a b",
        "x='y[$(a)]'; echo $((x))",
        "declare -n r=x; x=a; $r",
        "bash <(b)",
        'eval "$b"',
        "$b",
        "source <(b)",
    ],
)
def test_hidden_code_is_listed_or_the_text_is_not_understood(text: str) -> None:
    reading = follow(text, "/w", "/home/user")
    found = any(one.argv[:1] == ("a",) for one in reading.commands)
    assert found or reading.opaque or any(one.opaque for one in reading.commands)


@pytest.mark.parametrize(
    "text", ["a (", "a | | b", "if a; fi", "'a", '"a', "a <<E >", "for", ")", "a && ;", "{ a"]
)
def test_incomplete_text_is_not_understood(text: str) -> None:
    assert read_shell(text).problem
    assert judged(text).opaque


def test_what_stands_before_an_error_is_still_listed() -> None:
    assert listed("a\nb |") == [["a"]]


@given(st.text(alphabet="{},.12ab\\'\"$", max_size=16))
@settings(max_examples=200, deadline=None)
def test_braces_expand_or_stay_but_never_fail_otherwise(word: str) -> None:
    try:
        words = expand_braces(word, Reader)
    except ValueError:
        return
    assert words
    assert all(isinstance(one, str) for one in words)


def test_options_are_read_like_getopt_does() -> None:
    how = spec("ab:c::", "verbose value= version")
    found = parse(["-ab", "1", "x", "-c2", "--val=3", "--value", "4", "--verb", "--", "-z"], how)
    assert found.flags == {"a", "b", "c", "value", "verbose"}
    assert found.every("b", "c", "value") == ["1", "2", "3", "4"]
    assert found.operands == ["x", "-z"]
    assert parse(["-a", "x", "-b"], spec("a", "", True)).operands == ["x", "-b"]


def test_the_second_reader_sees_commands_and_a_difference_is_not_understood() -> None:
    names, broken = command_names("a; b $(c)")
    assert names == {"a", "b", "c"}
    assert not broken
    assert disagreement("a; b", follow("a; b", "/w", "/h")) == ""
    assert "two ways" in disagreement("a; b", follow("a", "/w", "/h"))
