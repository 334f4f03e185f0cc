#!/bin/sh
# AgentDojo through the real loop, in an environment of its own: its package brings many others
# that the product has no use for. Where it can't be fetched, that is said and nothing fails.
set -eu
cd "$(dirname "$0")/.."
env=.venv-agentdojo
if [ ! -e "$env/.installed" ]; then
    "${PYTHON:-python3}" -m venv "$env"
    if ! "$env/bin/python" -m pip install -q --disable-pip-version-check \
        -e . "agentdojo==0.1.35"; then
        echo "agentdojo could not be installed; its tasks were not run"
        exit 0
    fi
    touch "$env/.installed"
fi
exec "$env/bin/python" benchmarks/dojo.py "$@"
