#!/usr/bin/env bash
# tests/other_pythons.sh [VERSION ...]: run the fast tests with other versions of Python (3.13 and 3.14), each in a Debian
# that has it (clean.sh), as the workflow does (workflow.py). A VERSION may be the path of an interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 3.13 3.14
exec nice "${PYTHON:-.venv/bin/python}" -m tests.workflow test --python "$@"
