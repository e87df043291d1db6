#!/usr/bin/env bash
# tests/other_pythons.sh [VERSION ...]: the fast tests with Pythons that this machine does not have; 3.13 and 3.14 if none
# is named. It is what the workflow does for them (workflow.py), each in the Debian that has it (clean.sh). A VERSION may
# be the path of an interpreter that is here.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 3.13 3.14
exec nice "${PYTHON:-.venv/bin/python}" -m tests.workflow test --python "$@"
