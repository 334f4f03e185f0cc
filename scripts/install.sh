#!/bin/sh
# Installs Hermes TUI into a virtual environment and says how it goes.
# usage: install.sh VENV EXTRAS   (PYTHON names the interpreter to make the environment with)
set -u
venv=$1 extras=$2
unset PYTHONDONTWRITEBYTECODE

newest() { # the first interpreter that is new enough
    for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        "$name" -c 'import venv, ensurepip' 2>/dev/null && echo "$name" && return
    done
    return 1
}

install() { # pip with one line of progress; its whole output goes to the log
    log=$venv/install.log
    what=.
    [ -z "$1" ] || what=".[$1]"
    { "$venv/bin/python" -m pip install --disable-pip-version-check --compile \
        -c constraints.txt -e "$what" 2>&1; echo "exit $?"; } | tee "$log" | awk '
        /^Collecting / { n++; printf "\r\033[K  %d packages: %s", n, $2; fflush() }
        /^Installing collected/ { printf "\r\033[K  %d packages: writing them to disk …", n; fflush() }
        END { if (n) print "" }' >"$progress"
    [ "$(tail -n 1 "$log")" = "exit 0" ]
}

if [ -t 2 ]; then progress=/dev/stderr; else progress=/dev/null; fi

if [ ! -x "$venv/bin/python" ]; then
    python=$(newest) || {
        echo "Python 3.11 or newer with its venv module is needed (Debian: apt install python3-venv)." >&2
        echo "Another one: make PYTHON=/path/to/python3" >&2
        exit 1
    }
    echo "Making $venv with $("$python" --version) …" >&2
    "$python" -m venv "$venv" || exit 1
fi

echo "Installing Hermes TUI [$extras] …" >&2
install "$extras" && exit 0

# an extra may have no build for this machine; everything else works without it
rest=$(printf '%s' ",$extras," | sed -e 's/,local,/,/' -e 's/^,*//' -e 's/,*$//')
if [ "$rest" != "$extras" ]; then
    echo "The embedded model (extra \`local\`) can't be installed here; going on without it." >&2
    install "$rest" && exit 0
fi
echo "The installation failed; the end of $venv/install.log:" >&2
tail -n 15 "$venv/install.log" >&2
exit 1
