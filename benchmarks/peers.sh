#!/usr/bin/env bash
# benchmarks/peers.sh [OPTION ...]: set up .venv-peers with other projects' card games, and measure them beside ours.
# Without options the table goes into docs/benchmarks.md; with some it is `python -m benchmarks peers OPTION ...`.
# One project at a time: what cannot be installed is a row that says so, and the others are measured all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! [ .venv-peers/.done -nt docs/peers.txt ]; then
    "${PYTHON:-python3}" -m venv .venv-peers
    .venv-peers/bin/python -m pip install -q -c constraints.txt -e .
    sed 's/ *#.*//; /^$/d' docs/peers.txt | xargs -n 1 .venv-peers/bin/python -m pip install -q -c constraints.txt || true
    touch .venv-peers/.done
fi
[ $# -gt 0 ] || set -- --write
.venv-peers/bin/python -m benchmarks peers "$@"
