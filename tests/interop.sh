#!/usr/bin/env bash
# tests/interop.sh [NAME ...]: the examples with the libraries that they connect to, each in an environment of its own.
# NAME is sb3, torchrl, skrl, tianshou, rllib, agilerl, pufferlib, supersuit, minari, spiel, openenv, llm, nemo or bundlers
# (all if none is given), or cluster: matches and trainings on a Ray cluster of two nodes on this machine, one of which is
# killed.
set -euo pipefail
cd "$(dirname "$0")/.."

install() {  # NAME EXTRAS PACKAGE ...; torch is pinned: another version would bring gigabytes of GPU libraries along
    local name=$1 extras=$2
    [ ".venv-$name/.done" -nt pyproject.toml ] && return
    "${PYTHON:-python3}" -m venv ".venv-$name"
    ".venv-$name/bin/python" -m pip install -q ${torch-torch==2.13.0} pytest pytest-timeout "${@:3}" -e ".[$extras]"
    touch ".venv-$name/.done"
}

names=("$@")
[ $# -gt 0 ] || names=(sb3 torchrl skrl tianshou rllib agilerl pufferlib supersuit minari spiel openenv llm nemo bundlers)
for name in "${names[@]}"; do
    pytest=(".venv-$name/bin/python" -m pytest)
    case $name in
        spiel) install spiel train,eval,spiel
            "${pytest[@]}" -m slow tests/test_examples.py
            "${pytest[@]}" -m "" tests/test_openspiel.py ;;
        cluster) install cluster train,eval,cluster
            "${pytest[@]}" -m slow tests/test_cluster.py ;;
        llm)  # OpenEnv needs an older mcp than verifiers. Of Kaggle's package what its harness imports, not JAX and games.
            install llm agents textarena==0.7.4 verifiers==0.4.0 trl==1.16.0 "litellm<1.94"
            .venv-llm/bin/python -m pip install -q --no-deps kaggle-environments==1.33.2
            "${pytest[@]}" -m slow tests/test_examples.py ;;
        nemo)  # without torch, whose wheels for other Pythons are gigabytes
            if "${PYTHON:-python3}" -c "import sys; sys.exit(sys.version_info >= (3, 12))"; then
                echo "nemo: skipped, NeMo-Gym needs Python 3.12 or later (make test-interop PYTHON=python3.12 ARGS=nemo)"
            else
                torch="" install nemo agents nemo-gym==0.4.0
                "${pytest[@]}" -m slow tests/test_examples.py
            fi ;;
        bundlers) .venv/bin/python -m tests.bundlers ;;  # Vite, webpack and esbuild, beside what make setup has
        sb3) install sb3 eval stable-baselines3 sb3-contrib  # sb3-contrib: the masked PPO
            "${pytest[@]}" -m slow tests/test_examples.py tests/test_sb3.py ;;
        pufferlib) install pufferlib train
            # What it asks for excludes our gymnasium and numpy; without its own games (NO_OCEAN) nothing is downloaded,
            # but then setup.py of 3.0.0 reads a name that it never sets.
            site=$(echo .venv-pufferlib/lib/python*/site-packages)
            echo "import builtins; builtins.c_extension_paths = []" > "$site/no_ocean.pth"
            pip=(.venv-pufferlib/bin/python -m pip install -q --no-deps)
            "${pip[@]}" setuptools wheel gym==0.23.0 gym-notices cloudpickle psutil
            NO_OCEAN=1 NO_TRAIN=1 "${pip[@]}" --no-build-isolation pufferlib==3.0.0
            "${pytest[@]}" -m slow tests/test_examples.py
            rm -f resources ;;  # a link that importing PufferLib makes
        *)  # peft, pillow: what these import and do not ask for
            declare -A packages=([rllib]="ray[rllib]" [agilerl]="agilerl peft" [minari]="minari[create,hdf5] pillow")
            read -ra wanted <<< "${packages[$name]:-$name}"
            install "$name" agents "${wanted[@]}"
            "${pytest[@]}" -m slow tests/test_examples.py ;;
    esac
done
