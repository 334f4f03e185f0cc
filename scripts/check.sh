#!/bin/sh
# All checks of the house style, all of them also after one has failed; exit 1 if any did.
failed=""

step() { # name, command …
    name=$1
    shift
    if output=$("$@" 2>&1); then
        echo "  ok    $name"
    else
        echo "  FAIL  $name"
        printf '%s\n' "$output" | tail -n 40
        failed="$failed $name"
    fi
}

step format ruff format --check -q hermes_tui tests benchmarks scripts
step lint ruff check -q hermes_tui tests benchmarks scripts
step sizes python scripts/check_size.py
step layers lint-imports --no-cache
step types pyright --warnings
step spelling typos hermes_tui docs skills README.md CHANGELOG.md AGENTS.md
[ -z "$failed" ] || { echo "check: failed:$failed"; exit 1; }
echo "check: all green"
