#!/usr/bin/env bash
# tests/interop.sh [NAME ...]: run the examples with the libraries that they connect to, each in a separate environment.
# NAME is own (what make setup installs), sb3, torchrl, skrl, tianshou, rllib, agilerl, pufferlib, supersuit, minari, spiel, openenv,
# llm, nemo or bundlers (all if none is given), or cluster: matches and trainings on a Ray cluster of two nodes on this
# machine, one of which is killed.
# Each example learns for MINUTES (0.5). The table at the end says what it scored before and after, and what did not run.
set -uo pipefail
cd "$(dirname "$0")/.."
export EXAMPLES_TABLE EXAMPLES_SHORT="--minutes ${MINUTES:-0.5} --deals 500"
EXAMPLES_TABLE=$(mktemp)
trap 'rm -f "$EXAMPLES_TABLE"' EXIT

SKIPPED=3  # exit code if this machine cannot have the environment

install() {  # NAME EXTRAS PACKAGE ...; torch is pinned, because another version would bring gigabytes of GPU libraries
    local name=$1 extras=$2
    [ ".venv-$name/.done" -nt pyproject.toml ] && return
    "${PYTHON:-python3}" -m venv ".venv-$name"
    ".venv-$name/bin/python" -m pip install -q ${torch-torch==2.13.0} pytest pytest-timeout "${@:3}" -e ".[$extras]"
}

pufferlib() {
    install pufferlib eval
    # Its requirements exclude our gymnasium and numpy. NO_OCEAN leaves out its own games and their download,
    # but then setup.py of 3.0.0 reads a name that it never sets.
    local site pip=(.venv-pufferlib/bin/python -m pip install -q --no-deps)
    site=$(echo .venv-pufferlib/lib/python*/site-packages)
    echo "import builtins; builtins.c_extension_paths = []" > "$site/no_ocean.pth"
    "${pip[@]}" setuptools wheel gym==0.23.0 gym-notices cloudpickle psutil
    NO_OCEAN=1 NO_TRAIN=1 "${pip[@]}" --no-build-isolation pufferlib==3.0.0
}

environment() {
    case $1 in
        spiel) install spiel train,eval,spiel ;;
        cluster) install cluster train,eval,cluster ;;
        llm)  # OpenEnv needs an older mcp than verifiers. Kaggle's package without its dependencies: JAX and games.
            install llm agents textarena==0.7.4 verifiers==0.4.0 trl==1.16.0 "litellm<1.94"
            .venv-llm/bin/python -m pip install -q --no-deps kaggle-environments==1.33.2 ;;
        nemo)  # without torch, whose wheels for other Pythons are gigabytes
            if "${PYTHON:-python3}" -c "import sys; sys.exit(sys.version_info >= (3, 12))"; then
                echo "NeMo-Gym needs Python 3.12 or later: make test-interop PYTHON=python3.12 ARGS=nemo"
                exit $SKIPPED
            fi
            torch="" install nemo agents nemo-gym==0.4.0 ;;
        own|bundlers) return ;;
        sb3) install sb3 eval stable-baselines3 sb3-contrib ;;  # sb3-contrib: the masked PPO
        skrl) install skrl eval skrl ;;
        pufferlib) pufferlib ;;
        supersuit) install supersuit eval supersuit ;;
        rllib) install rllib agents "ray[rllib]" ;;
        agilerl) install agilerl agents agilerl peft ;;  # they import peft and pillow without requiring them
        minari) install minari agents "minari[create,hdf5]" pillow ;;
        *) install "$1" agents "$1" ;;
    esac
    touch ".venv-$1/.done"
}

examples() {
    local pytest=(".venv-$1/bin/python" -m pytest -q)
    case $1 in
        cluster) "${pytest[@]}" -m slow tests/test_cluster.py ;;
        own) .venv/bin/python -m pytest -q -m slow tests/test_examples.py ;;
        bundlers) .venv/bin/python -m tests.bundlers ;;  # Vite, webpack and esbuild
        spiel) "${pytest[@]}" -m "" tests/test_openspiel.py tests/test_examples.py ;;
        sb3) "${pytest[@]}" -m slow tests/test_examples.py tests/test_sb3.py ;;
        *) "${pytest[@]}" -m slow tests/test_examples.py ;;
    esac
    rm -f resources  # a link that importing PufferLib makes
}

names=("$@")
[ $# -gt 0 ] || names=(own sb3 torchrl skrl tianshou rllib agilerl pufferlib supersuit minari spiel openenv llm nemo bundlers)
failed=0
row() { printf '%s\t%s\t%s\t%s\n' "$@" >> "$EXAMPLES_TABLE"; }
for name in "${names[@]}"; do
    echo "== $name"
    # set -e has an effect only in a subshell that is not a condition.
    said=$( (set -e; environment "$name") 2>&1 )
    code=$?
    if [ $code != 0 ]; then
        echo "$said"
        row "$name" "not installed: $(echo "$said" | tail -1 | cut -c 1-120)" "" ""
        [ $code = $SKIPPED ] || failed=1
        continue
    fi
    (set -e; EXAMPLES_LIBRARY=$name examples "$name")
    [ $? = 0 ] || { row "$name" "FAILED: see above" "" ""; failed=1; }
done
echo
awk -F '\t' 'BEGIN { form = "%-10s %-28s %-58s %s\n"; printf form, "library", "example", "before", "after" }
             { printf form, $1, $2, $3, $4 }' "$EXAMPLES_TABLE"
exit $failed
