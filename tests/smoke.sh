#!/usr/bin/env bash
# tests/smoke.sh [PINS]: install the package alone into an empty environment, .venv-bare, and play there (smoke.py).
# PINS is a file of versions: tests/smoke.sh oldest.txt. PYTHON=python3.13 tests/smoke.sh uses another Python.
# smoke.py runs in that folder and isolated (-I), so that it cannot import from the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
"${PYTHON:-python3}" -m venv --clear .venv-bare
.venv-bare/bin/python -m pip install -q ${1:+-c "$1"} .
cd .venv-bare && CASINO_ENV_CACHE=cache bin/python -I ../tests/smoke.py
