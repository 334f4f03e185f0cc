#!/bin/sh
# All checks of the house style; the first that fails says why.
set -e
ruff format --check -q hermes_tui tests benchmarks scripts
ruff check -q hermes_tui tests benchmarks scripts
python scripts/check_size.py
lint-imports --no-cache 2>&1 | tail -n 30
pyright --warnings 2>&1 | tail -n 30
typos hermes_tui docs skills README.md CHANGELOG.md
echo "check: all green"
