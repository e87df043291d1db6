#!/usr/bin/env bash
# tests/interop.sh [NAME ...]: the examples with the libraries that they connect to, each in an environment of its own.
# NAME is sb3, torchrl, skrl, tianshou, rllib, agilerl, supersuit, minari or spiel (all of them if none is given), or cluster:
# matches and trainings on a Ray cluster of two nodes on this machine, one of which is killed.
set -euo pipefail
cd "$(dirname "$0")/.."

install() {  # NAME EXTRAS; torch is pinned: another version would bring gigabytes of GPU libraries along
    [ ".venv-$1/.done" -nt pyproject.toml ] && return
    "${PYTHON:-python3}" -m venv ".venv-$1"
    ".venv-$1/bin/python" -m pip install -q torch==2.13.0 pytest pytest-timeout -e ".[$2]"
    touch ".venv-$1/.done"
}

names=("$@")
[ $# -gt 0 ] || names=(sb3 torchrl skrl tianshou rllib agilerl supersuit minari spiel)
for name in "${names[@]}"; do
    pytest=(".venv-$name/bin/python" -m pytest)
    case $name in
        spiel) install spiel train,eval,spiel
            "${pytest[@]}" -m slow tests/test_examples.py
            "${pytest[@]}" -m "" tests/test_openspiel.py tests/test_evaluate_populations.py ;;
        cluster) install cluster train,eval,hpo,cluster
            "${pytest[@]}" -m slow tests/test_cluster.py ;;
        sb3) install sb3 interop-sb3
            "${pytest[@]}" -m slow tests/test_examples.py tests/test_sb3.py ;;
        *) install "$name" "interop-$name"
            "${pytest[@]}" -m slow tests/test_examples.py ;;
    esac
done
