#!/usr/bin/env bash
# benchmarks/peers.sh [OPTION ...]: set up .venv-peers with other projects' card games, and compare their speed to ours.
# Without options it writes the table into docs/benchmarks.md; otherwise it runs `python -m benchmarks peers OPTION ...`.
# It installs the projects one by one, and says in the table which cannot be installed.
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
