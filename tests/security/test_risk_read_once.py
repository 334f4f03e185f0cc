"""The same command line in the same place is read once; in another place it is read anew."""

from __future__ import annotations

from hermes_tui.security.risk_assess import assess

HERE = {"cwd": "/w", "workspace": "/w", "home": "/home/p", "state": "/home/p/.hermes-tui"}


def test_what_was_read_is_not_read_again() -> None:
    assert assess("rm -r build", **HERE) is assess("rm -r build", **HERE)


def test_another_place_is_another_question() -> None:
    inside = assess("rm -r /w/build", **HERE)
    outside = assess("rm -r /w/build", **{**HERE, "cwd": "/v", "workspace": "/v"})
    assert not inside.outside
    assert outside.outside
